/* Fewer couplings in a level: weak ones give way to strong ones beside them.

   B may be replaced by any matrix with the same row sums that is not below it: W >= B stays, and with it the
   proof of mass_scaling.h. A coupling w (x_i - x_j)^2 that is weak beside those of i and of j to a third row k
   is replaced by more of these, as

       (x_i - x_j)^2 <= 2 (x_i - x_k)^2 + 2 (x_k - x_j)^2

   with equality where x_k is their mean: a spring that reaches over a particle, as cloths have against bending,
   costs nothing of what moves smoothly. Where w is below 0, which happens behind the first level, it is left
   out. Each coupling that is not there saves a product in every sweep, and several in the next level. */
#ifndef MSD_ENGINE_SCALING_THINNING_H
#define MSD_ENGINE_SCALING_THINNING_H

#include "engine/scaling/aggregation.h"

/* Columns must ascend, and do so behind it. False, and nothing done, where there is no memory. */
bool thin_level(level_matrix *b, memory *m);

#endif
