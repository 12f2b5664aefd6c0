/* What mass scaling adds between each two particles, for all that kicks through C (mass_scaling.h): springs,
   fibres and other constraints, and anchors.

   Each gets a share of the masses of its particles: springs that of law.h, a constraint of n corners 1/(n - 1)
   of what a spring would have for each of its pairs, so that all shares together are M at most. With load =
   dt^2 k + 2 dt mu, what it takes of x'Wx is bounded by sum kappa (x_i - x_j)^2 over pairs:

       springs        kappa = load at its two ends
       fibres         |sum w_j x_j|^2 = -sum w_i w_j (x_i - x_j)^2 over all pairs, as the w_j sum to 0. So
                      kappa = load |w_i w_j| where w_i w_j < 0, and nothing elsewhere; at every shape
       others         sum g_j . x_j = sum over pairs of (g_i - g_j)/n . (x_i - x_j), as the g_j sum to 0, and
                      sum |g_i - g_j|^2 = n sum |g_j|^2. So kappa = load sum |g_j|^2/n of each pair, by Cauchy
                      and Schwarz. It is taken of `growth` times the sum of the shape in which the constraint
                      was placed; where a shape has more the step softens it (softening_weights.h)
       closed meshes, and what was placed without a size, are softened to what their share of the masses is
       anchors        have no share: kappa = load at their particle

   and b = max(0, kappa/3.92 - share) is added. Under MSD_LIMIT_COEFFICIENTS all are softened to their shares,
   and nothing is. */
#ifndef MSD_ENGINE_SCALING_SCALED_PAIRS_H
#define MSD_ENGINE_SCALING_SCALED_PAIRS_H

#include "engine/store/model.h"

/* With both particles, in slots, and b in kg, which is above 0; twice the same slot: against a point. */
typedef void scaled_pair_visit(void *context, size_t a, size_t b, double added);

void scaled_pairs_visit(const world_model *model, double substep, scaled_pair_visit *visit, void *context);

/* dt^2 k + 2 dt mu of a constraint that is not softened; 0 of a broken one. */
double scaled_constraint_load(const world_model *model, int32_t constraint, double substep);

/* What the sum of |g_j|^2 of a constraint may become before it is softened; 0: it is softened to its share of
   the masses. Not of fibres. */
double scaled_constraint_size(const world_model *model, int32_t constraint);

#endif
