/* Sparsification of a level: weak couplings are replaced by strong ones next to them.

   B may be replaced by any matrix with the same row sums that is not below it: W >= B remains true, and with
   it the proof of mass_scaling.h. A coupling w (x_i - x_j)^2 that is weak relative to those of i and of j to
   a third row k is replaced by increasing these, since

       (x_i - x_j)^2 <= 2 (x_i - x_k)^2 + 2 (x_k - x_j)^2

   with equality where x_k is their mean. So a spring that skips a particle, such as a bend spring of a cloth,
   can be replaced without an effect on smooth motion. A coupling with w < 0, which occurs after the first
   level, is omitted. Each removed coupling saves a product in every sweep, and several in the next level. */
#ifndef MSD_ENGINE_SCALING_SPARSIFY_H
#define MSD_ENGINE_SCALING_SPARSIFY_H

#include "engine/scaling/aggregation.h"

/* Columns must ascend, before and after. Returns false, without a change, if memory runs out. */
bool thin_level(level_matrix *b, memory *m);

#endif
