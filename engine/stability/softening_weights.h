/* The stiffness budget of each constraint in a substep, valid in every configuration.

   A constraint adds load (sum g_j . x_j)^2 relative to x'M x, with load = dt^2 k + 2 dt mu. By Cauchy and
   Schwarz that is at most sum b_j |x_j|^2 for any b_j > 0 with load sum |g_j|^2/b_j <= 1. So for any masses
   b_j assigned to its corners, it stays within them in every configuration if k and mu are divided by

       excess = sum a_j |g_j|^2,    a_j = load/b_j

   where that is above 1. At each particle all constraints in N/m or Hz together get `budget` times its mass.
   `budget` is half of what springs, soft pins and coefficients leave of the 4 that the integrator allows. Not
   all of it is used because a mode at 4 oscillates with arbitrary energy, and varying stiffness would feed
   it. Each constraint gets a fraction in proportion to its load in the reference configuration, with p_j its
   |g_j| there:

       u_j = load p_j sum p,    U_j = sum of u_j at the particle,    b_j = budget m_j u_j/U_j
       excess = load/(budget m^),    m^ = 1/sum s_j w_j |g_j|^2,    s_j = U_j/u_j

   s_j is the number of constraints at corner j, each weighted by its load relative to this one. So with
   substeps proven stable for the reference configuration, none is softened in it.

   The load of a coefficient law does not depend on the substep, so a shorter one does not help. It is
   softened where ck and cd would exceed their values in the reference configuration: a_j = m w_j, or m^ n_j
   w_j for MSD_MAX_STABLE, with m and m^ of the reference configuration. */
#ifndef MSD_ENGINE_STABILITY_SOFTENING_WEIGHTS_H
#define MSD_ENGINE_STABILITY_SOFTENING_WEIGHTS_H

#include "engine/stability/bound.h"

/* The minimum of the 4 that remains for constraints, even if everything else uses it up; and the fraction of
   the remainder that they get. */
#define SOFTENING_LEFT_LEAST 0.25
#define SOFTENING_SHARE      0.5

/* Returns whether some constraint has a stiffness budget, and substeps soften it if its configuration needs
   more. */
bool softening_has_room(const world_model *model);

/* Sums load p_j sum p over the constraints at each particle, into `loads`. */
void softening_placed_loads(const world_model *model, step_load *loads);

/* |g_j| of a constraint in some configuration. */
typedef double softening_norm(const void *context, int32_t corner);

/* The budget times the excess of a constraint in that configuration, with those loads, which is the budget
   that avoids softening. */
step_load softening_load(const world_model *model, const step_load *loads, int32_t constraint,
                         softening_norm *norm, const void *context);

/* Computes the weights of all constraints for a substep of dt, and caches them until the network or dt
   changes. Error: MSD_OUT_OF_MEMORY. */
msd_result softening_weights_make(world_model *model, double dt);

/* Counts the constraints that a substep of dt softens in the current configuration, as msd_softening. Returns
   false if memory runs out in `m`. */
bool softening_count(const world_model *model, memory *m, double dt, msd_softening *out);

#endif
