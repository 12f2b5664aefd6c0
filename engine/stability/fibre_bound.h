/* Fibres in the operator A of steps.h.

   The Hessian of a fibre in y = sum w_j x_j is at most k whatever its shape (constraint/fibre.h). With the
   sizes b_j = |w_j| its stiffness matrix K therefore has

       x' K x <= k |sum w_j x_j|^2 <= k (sum b_j |x_j|)^2

   at every shape, and its damping matrix the same with mu. With kappa = dt^2 k + 2 dt mu it adds to A

       (A x)_i += w_i kappa b_i sum_j b_j x_j

   which is not negative, so that the bounds of bound.h hold with it. A distance spring of stiffness k_e is
   b = (1, 1). To the analysis a fibre is a spring of kappa b_i b_j between each two of its corners i and j,
   and an own term

       kappa b_i (b_i - sum of the other b_j)

   at each, which may be below 0; together they are the term above. Fibres one after the other on the same
   corners have their springs in common.

   A fibre by coefficients keeps k and mu to its m/dt^2 and m/dt, and has the own terms of
   constraint_bound.h, which hold for the whole of its stiffness too. */
#ifndef MSD_ENGINE_STABILITY_FIBRE_BOUND_H
#define MSD_ENGINE_STABILITY_FIBRE_BOUND_H

#include "engine/stability/analysis.h"

/* Whether a constraint is such a fibre: not broken, and by N m or Hz. */
bool fibre_bound_has(const world_model *model, int32_t constraint);

/* How many springs those of a model are to the analysis. */
int64_t fibre_bound_count(const world_model *model);

/* Appends them to the springs of an analysis, which has room for them. */
void fibre_bound_add(analysis *a);

/* k and mu times b_i (b_i + others times the sum of the other b_j), of a fibre that fibre_bound_has: with
   -1 for `others` the own term at a corner, with 1 what its row of A is at x = 1. */
step_load fibre_bound_term(const world_model *model, int32_t constraint, int corner, double others);

/* x' (what it adds to A) x at dt. */
double fibre_bound_part(const analysis *a, int32_t constraint, double dt);

#endif
