/* The proven stable substep of a network, valid in every configuration and computed before the run.

   Theory. Let A be the operator (A x)_i = w_i sum kappa_e (x_i + x_j) over the springs e at particle i. Here
   w are the inverse masses and kappa = dt^2 k + 2 dt mu; for a coefficient law kappa is m_red (Ck + 2 Cd) for
   any dt. The stiffness matrix of a spring is at most k times the identity for any direction and stretch. So
   A bounds every linearization of the network, and symplectic Euler is stable while its spectral radius is
   below 4. bound.h bounds the radius. Fibers add terms like those of springs (fiber_bound.h). Constraints and
   soft pins add to the diagonal of A (constraint_bound.h, step/soft_pin_step.h), stiff constraints for the
   current configuration only. In other configurations the substep softens them to what the rest leaves of 4
   (softening_weights.h).

   Other integrators. An eigenvalue s of the motion, times dt, is a root of s^2 + d s + k = 0 with k and d the
   quotients of dt^2 K and dt D at its vector.

   - RK4 is stable where |1 + s + s^2/2 + s^3/6 + s^4/24| < 1, which holds for k + 2.8722 d < 8: from k = 8, d
     = 0 to the end of its region on the real axis, d = 2.7853.
   - Velocity Verlet without damping has the limit of symplectic Euler. With damping a mode needs k < 4 - 2 d
     + d^2 and d < 2, which k + 2 d < 4 implies (proven if damping and stiffness share their modes).
   - Explicit Euler needs k < d < 2 + k/2. A stretched spring is stiff in the transverse directions and
     undamped there, so no substep is proven stable if anything is stiff.

   Hard length limits act after the substep as a symmetric matrix Q between 0 and 1 in the norm of the masses.
   Let d and k be the quotients of dt D and dt^2 K, and q >= 1 that of 1/Q. Then an eigenvalue z of the whole
   is a root of q z^2 - (2 - k - d) z + (1 - d) = 0. It is stable where q + 3 - k - 2 d > 0. So they do not
   reduce the stable substep. Integrators that do not support them have no proven limit with them. */
#ifndef MSD_ENGINE_STABILITY_STEPS_H
#define MSD_ENGINE_STABILITY_STEPS_H

#include "engine/stability/bound.h"
#include "engine/stability/incremental_bound.h"
#include "engine/stability/limit_cache.h"

enum { STABILITY_SUBSTEPS_MAX = 1000000 };

/* The longest proven stable substep of the world's integrator in s, as msd_stability.integrator_stable_substep.
   It is cached until the network changes, or as limit_cache.h explains. `bounds` are those of the model. With
   `whole` all ranks call it together, and get the global limit. Error: MSD_OUT_OF_MEMORY. */
msd_result stability_stable_step(world_model *model, stability_cache *cache, incremental_bounds *bounds,
                                 const analysis_whole *whole, double *step);

/* The cached limit if it is valid and finite; 0: none. */
double stability_known_step(const world_model *model, const stability_cache *cache);

/* The same without updating the cache, and without a message. */
msd_result stability_find_stable_substep(const world_model *model, const stability_cache *cache,
                                         double *step);

/* Commits new limits: call it when the frame that they were computed for can no longer fail, or when a user
   asked for them. The record of new pins is cleared, and limits found by a search restart the change log. */
void stability_keep(world_model *model, stability_cache *cache);

/* Call it after each frame, with the number of its substeps that the limits have chosen. */
void stability_watch(stability_cache *cache, bool was_softened, int chosen);

/* The limits to store in a snapshot, their validation, and restoring them. */
stability_standing stability_standing_of(const world_model *model, const stability_cache *cache);
bool stability_standing_is_sound(const stability_standing *standing);
void stability_resume(const world_model *model, stability_cache *cache, const stability_standing *standing);

/* An integrator is stable where k + 2 d times the weight is below the limit; for all except RK4 these are 1
   and 4. */
double stability_radius_limit(msd_integrator integrator);
double stability_damping_weight(msd_integrator integrator);

/* The proven stable substep of every integrator, as msd_stability.integrator_stable_substep. `asked` steers the
   search, and `quick` is quick_step. Leaves the final x in the analysis. */
certificate stability_steps(analysis *a, double asked, double quick, double steps[MSD_INTEGRATOR_COUNT]);

/* Returns whether stiffness clamping makes every substep of an integrator stable; proven only for symplectic
   Euler. */
bool stability_limit_certifies(const world_model *model, msd_integrator integrator);

/* The smallest number of substeps of a frame that are shorter than that limit; 0 if more than
   STABILITY_SUBSTEPS_MAX are needed. */
int32_t stability_substeps(double stable_step, double frame);

#endif
