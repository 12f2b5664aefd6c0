/* How long a step a network of rotors can take.

   It is linear, and has one shape. With w the inverse inertias and kappa = dt^2 k + 2 dt mu of each angular
   spring (m (ck + 2 cd) with the reduced inertia m of a coefficient spring), the operator of steps.h,

       (A x)_i = w_i sum of kappa (x_i + x_j)         x_j = 0 for the frame and for pins,

   has at least the radius of w_i sum of kappa (x_i - x_j), which decides: the spring's matrix with -1 beside
   the diagonal and the one with +1 have the same absolute values. The two are equal where no ring has an odd
   number of rotors, as in chains and trees: there the certified limit is the limit. The bounds of the radius
   are those of bound.h, and the conditions of the integrators those of steps.h. */
#ifndef MSD_ENGINE_STABILITY_ROTOR_BOUND_H
#define MSD_ENGINE_STABILITY_ROTOR_BOUND_H

#include "engine/store/model.h"

/* The certified step of every integrator in s; INFINITY without angular springs. False when there is no
   memory in `m`. */
bool rotor_stable_steps(const world_model *model, memory *m, double steps[MSD_INTEGRATOR_COUNT]);

/* Lowers limits that are done for particles to those of the rotors, and fills rotor_time_step; all but the
   substeps, which follow from the others. The same of what helps, unless `why` is NULL. False when there is
   no memory in `m`. */
bool rotor_lower_limits(const world_model *model, memory *m, msd_stability *limit,
                        msd_stability_explanation *why);

#endif
