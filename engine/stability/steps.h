/* How long a step the network can take at every shape, known in advance.

   Theory. Let A be the operator (A x)_i = w_i sum kappa_e (x_i + x_j) over the springs e at particle i,
   with w the inverse masses and kappa = dt^2 k + 2 dt mu (a coefficient spring: m_red (Ck + 2 Cd) whatever
   dt). The stiffness matrix of a spring is at most k times the identity whatever its direction and stretch,
   so A bounds every linearisation of the network, and symplectic Euler is stable while its spectral radius
   is below 4. bound.h tells how the radius is bounded. Fibres add terms like those of springs
   (fibre_bound.h). Constraints and anchors add to the diagonal of A (constraint_bound.h,
   step/anchor_step.h); stiff constraints for the present shape alone. At every shape the step itself
   softens them to what the rest leaves of 4 (softening_weights.h).

   The other integrators. An eigenvalue s of the motion, times dt, is a root of s^2 + d s + k = 0 with k and
   d the quotients of dt^2 K and dt D at its vector.
   - RK4 is stable where |1 + s + s^2/2 + s^3/6 + s^4/24| < 1, which holds for k + 2.8722 d < 8: from k = 8,
     d = 0 to the end of its region on the real axis, d = 2.7853.
   - Velocity Verlet without damping has the limit of symplectic Euler; with it a mode asks for k < 4 - 2 d +
     d^2 and d < 2, which k + 2 d < 4 grants (proven where damping and stiffness share their modes).
   - Explicit Euler asks for k < d < 2 + k/2. A stretched spring is stiff across itself and not damped there,
     so no step is certified unless nothing is stiff.

   Catches (kernel/catches.h) act behind the step as a symmetric matrix Q between 0 and 1 in the norm of the
   masses. With d and k the quotients of dt D and dt^2 K, and q >= 1 that of 1/Q, an eigenvalue z of the
   whole is a root of q z^2 - (2 - k - d) z + (1 - d) = 0, which is stable where q + 3 - k - 2 d > 0: they
   take nothing of the 4. Integrators that have none have no certified step beside them. */
#ifndef MSD_ENGINE_STABILITY_STEPS_H
#define MSD_ENGINE_STABILITY_STEPS_H

#include "engine/stability/bound.h"
#include "engine/stability/cache.h"
#include "engine/stability/step_bounds.h"

enum { STABILITY_SUBSTEPS_MAX = 1000000 };

/* The longest certified step of the world's integrator in s, as msd_stability.integrator_time_step,
   remembered until the network changes, or as cache.h tells. `bounds` are those of the model. With `whole`, of
   which it is a part, all ranks ask at once, and get that of the whole. MSD_OUT_OF_MEMORY. */
msd_result stability_stable_step(world_model *model, stability_cache *cache, step_bounds *bounds,
                                 const analysis_whole *whole, double *step);

/* That which is remembered, if it holds and is finite; 0: none is. */
double stability_known_step(const world_model *model, const stability_cache *cache);

/* The same without remembering it, and without a message. */
msd_result stability_find_stable_step(const world_model *model, const stability_cache *cache, double *step);

/* To be told when limits that were made stay: when nothing stops the step any more that they were made for, or
   somebody has asked for them. No pin is new to them, and those that were searched for begin a list of
   changes. */
void stability_keep(world_model *model, stability_cache *cache);

/* To be told behind each step of the world, and how many of its substeps the limits have chosen. */
void stability_watch(stability_cache *cache, bool was_softened, int chosen);

/* What a snapshot of the world keeps of its limits, whether it can be that, and back. */
stability_standing stability_standing_of(const world_model *model, const stability_cache *cache);
bool stability_standing_is_sound(const stability_standing *standing);
void stability_resume(const world_model *model, stability_cache *cache, const stability_standing *standing);

/* An integrator is stable where k + 2 d times the weight is below the limit; for all but RK4 these are 1 and
   4. */
double stability_radius_limit(msd_integrator integrator);
double stability_damping_weight(msd_integrator integrator);

/* The certified step of every integrator, as msd_stability.integrator_time_step; `asked` steers the search, and
   `quick` is quick_step. Leaves the x behind it in the analysis. */
certificate stability_steps(analysis *a, double asked, double quick, double steps[MSD_INTEGRATOR_COUNT]);

/* Whether MSD_LIMIT_COEFFICIENTS makes every step of an integrator certified: it is proven for symplectic
   Euler alone. */
bool stability_limit_certifies(const world_model *model, msd_integrator integrator);

/* Fewest substeps of a frame that are below that step; 0 when there are none up to STABILITY_SUBSTEPS_MAX. */
int32_t stability_substeps(double stable_step, double frame);

#endif
