/* Sums over what all ranks have, in the order of one process: none of their bits depends on who has what. */
#ifndef MSD_ENGINE_STEP_RANK_SUM_H
#define MSD_ENGINE_STEP_RANK_SUM_H

#include <msd/ranks.h>

#include <stddef.h>

/* Adds what this rank has to a sum. */
typedef void rank_adder(void *context, void *sum);

/* Lets the ranks add to a sum of so many bytes, without pointers, one after the other, each to what the one
   before it has got: the sum that all have then. All call it, and begin with the same. */
void rank_sum_in_turn(const msd_ranks *ranks, rank_adder *add, void *context, void *sum, size_t bytes);

/* Replaces each number by the largest that any rank has; INFINITY and -INFINITY are numbers too. */
void rank_find_largest(const msd_ranks *ranks, double *values, int count);

#endif
