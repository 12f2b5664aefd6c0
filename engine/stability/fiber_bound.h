/* Fibers in the operator A of steps.h.

   The Hessian of a fiber in y = sum w_j x_j is at most k in every configuration (engine/constraint). With the
   sizes b_j = |w_j| its stiffness matrix K therefore has

       x' K x <= k |sum w_j x_j|^2 <= k (sum b_j |x_j|)^2

   in every configuration, and its damping matrix the same with mu. With kappa = dt^2 k + 2 dt mu it adds to A

       (A x)_i += w_i kappa b_i sum_j b_j x_j

   which is not negative, so that the bounds of bound.h hold with it. A distance spring of stiffness k_e is
   the case b = (1, 1). The analysis represents a fiber by a spring of kappa b_i b_j between each two of its
   corners i and j, and a diagonal term

       kappa b_i (b_i - sum of the other b_j)

   at each corner, which may be negative; together they are the term above. Consecutive fibers on the same
   corners share these springs.

   A fiber with a coefficient law limits k and mu to its m/dt^2 and m/dt. It uses the diagonal terms of
   constraint_bound.h, which bound its whole stiffness too. */
#ifndef MSD_ENGINE_STABILITY_FIBER_BOUND_H
#define MSD_ENGINE_STABILITY_FIBER_BOUND_H

#include "engine/stability/analysis.h"

/* Returns whether a constraint is such a fiber: unbroken, and with a stiffness or frequency law. */
bool fiber_bound_has(const world_model *model, int32_t constraint);

/* The number of springs that represent the fibers of a model. */
int64_t fiber_bound_count(const world_model *model);

/* Appends these springs to an analysis, which must have space for them. */
void fiber_bound_add(analysis *a);

/* k and mu times b_i (b_i + others times the sum of the other b_j), for a fiber accepted by fiber_bound_has.
   `others` -1 gives the diagonal term at a corner, 1 the row of A at x = 1. */
step_load fiber_bound_term(const world_model *model, int32_t constraint, int corner, double others);

/* x' (its contribution to A) x at dt. */
double fiber_bound_part(const analysis *a, int32_t constraint, double dt);

#endif
