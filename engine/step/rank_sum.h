/* Sums over all ranks in the order of a single process, so that results do not depend on the partition. */
#ifndef MSD_ENGINE_STEP_RANK_SUM_H
#define MSD_ENGINE_STEP_RANK_SUM_H

#include <msd/ranks.h>

#include <stddef.h>

/* Adds the contribution of this rank to a sum. */
typedef void rank_adder(void *context, void *sum);

/* Lets the ranks add to a sum in rank order, each continuing from the result of the previous one. All ranks
   get the final value. The sum has `bytes` bytes, contains no pointers and is the same on all ranks at the
   start. All ranks call it. */
void rank_sum_in_turn(const msd_ranks *ranks, rank_adder *add, void *context, void *sum, size_t bytes);

/* Replaces each value by its maximum over all ranks. INFINITY and -INFINITY are allowed. */
void rank_find_largest(const msd_ranks *ranks, double *values, int count);

#endif
