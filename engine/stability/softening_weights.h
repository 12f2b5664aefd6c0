/* How much of a substep each constraint can take, whatever its shape.

   A constraint takes load (sum g_j . x_j)^2 of x'M x, with load = dt^2 k + 2 dt mu. By Cauchy and Schwarz that
   is at most sum b_j |x_j|^2 for any b_j > 0 with load sum |g_j|^2/b_j <= 1. So whatever masses b_j it is given
   at its corners, it keeps to them at every shape if k and mu are divided by

       excess = sum a_j |g_j|^2,    a_j = load/b_j

   where that is above 1. At each particle all that are in N/m or Hz together are given `room` times its mass,
   where `room` is half of what springs, anchors and coefficients leave of the 4 that the integrator can take: a
   mode at 4 swings with any energy at all, and what changes its stiffness as it swings then feeds it. Of that
   each is given in proportion to what it takes at the shape in which it was placed, p_j its |g_j| of then:

       u_j = load p_j sum p,    U_j = sum of u_j at the particle,    b_j = room m_j u_j/U_j

       excess = load/(room m^),    m^ = 1/sum s_j w_j |g_j|^2,    s_j = U_j/u_j

   s_j is the number of constraints at corner j, each counted by what it takes beside this one. So where
   certified substeps were found for the placed shape none is softened there.

   A coefficient takes the same of any step, and a shorter one makes no room for it. It is softened where ck and
   cd would be more than at the placed shape: a_j = m w_j, or m^ n_j w_j of the stiffest, m and m^ of then. */
#ifndef MSD_ENGINE_STABILITY_SOFTENING_WEIGHTS_H
#define MSD_ENGINE_STABILITY_SOFTENING_WEIGHTS_H

#include "engine/stability/bound.h"

/* Of the 4 that the integrator can take, what is left for them even where everything else uses it up; of what
   is left, how much they are given. */
#define SOFTENING_LEFT_LEAST 0.25
#define SOFTENING_SHARE      0.5

/* Whether there is something that needs room, and the step softens it where its shape needs more. */
bool softening_has_room(const world_model *model);

/* sum of load p_j sum p over the constraints at each particle, into `loads`. */
void softening_placed_loads(const world_model *model, step_load *loads);

/* |g_j| of a constraint at some shape. */
typedef double softening_norm(const void *context, int32_t corner);

/* room times the excess of a constraint at that shape, with those loads: what must be its room if it is not to
   be softened. */
step_load softening_load(const world_model *model, const step_load *loads, int32_t constraint,
                         softening_norm *norm, const void *context);

/* Writes the weights of all constraints for a substep of dt, and remembers them until the network or dt
   changes. MSD_OUT_OF_MEMORY. */
msd_result softening_weights_make(world_model *model, double dt);

/* How many constraints a substep of dt softens at the present shape, as msd_softening. False when there is no
   memory in `m`. */
bool softening_count(const world_model *model, memory *m, double dt, msd_softening *out);

#endif
