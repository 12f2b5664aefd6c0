/* How large a step the network bears at every shape it can take, known in advance.

   Theory. Let A be the operator (A x)_i = w_i sum kappa_e (x_i + x_j) over the springs e at particle i, with
   w the inverse masses and kappa = dt^2 k + 2 dt mu (a coefficient spring: m_red (Ck + 2 Cd) whatever dt).
   The stiffness matrix of a spring is at most k times the identity whatever its direction and stretch, so A
   bounds every linearisation of the network, and symplectic Euler is stable while its spectral radius is
   below 4. For any x > 0 (Collatz and Wielandt)

       radius <= max_i (A x)_i / x_i,

   so every sweep x <- A x gives a bound that is proven, not estimated. Each particle's row is a quadratic in
   dt, whose root is the largest step which that row allows; the smallest root is certified. */
#ifndef MSD_STABILITY_H
#define MSD_STABILITY_H

#include "world.h"

/* The largest certified step in s, as msd_stability.stable_time_step, remembered until the network changes.
   MSD_OUT_OF_MEMORY. */
msd_result stability_stable_step(msd_world *world, double *step);

/* Fewest substeps of a frame that are below that step; 0 when there are none below STABILITY_SUBSTEPS_MAX. */
int32_t stability_substeps(double stable_step, double frame);

enum { STABILITY_SUBSTEPS_MAX = 1000000 };

#endif
