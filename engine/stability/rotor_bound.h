/* Stability limits for a network of rotors.

   It is linear, and has one configuration. Let w be the inverse inertias and kappa = dt^2 k + 2 dt mu for
   each torsion spring. For a coefficient law kappa is m (ck + 2 cd) with the reduced inertia m. The operator
   of steps.h is

       (A x)_i = w_i sum of kappa (x_i + x_j)         x_j = 0 for the ground and for pins.

   Its radius is at least that of w_i sum of kappa (x_i - x_j), which determines stability: the matrix with -1
   off the diagonal and the one with +1 have the same absolute values. The two radii are equal if no cycle has
   an odd number of rotors, as in chains and trees. Then the proven limit is exact. bound.h has the radius
   bounds, and steps.h the conditions of the integrators. */
#ifndef MSD_ENGINE_STABILITY_ROTOR_BOUND_H
#define MSD_ENGINE_STABILITY_ROTOR_BOUND_H

#include "engine/store/model.h"

/* The proven stable substep of every integrator in s; INFINITY without torsion springs. Returns false if
   memory runs out in `m`. */
bool rotor_stable_steps(const world_model *model, memory *m, double steps[MSD_INTEGRATOR_COUNT]);

/* Lowers the limits of particles to those of the rotors, and sets rotor_stable_substep; the substeps are
   derived later. Also adjusts the remedies, unless `why` is NULL. Returns false if memory runs out in `m`. */
bool rotor_lower_limits(const world_model *model, memory *m, msd_stability *limit,
                        msd_stability_explanation *why);

#endif
