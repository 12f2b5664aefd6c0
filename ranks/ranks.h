/* The processes that mpirun has started: the functions that msd/ranks.h needs, by MPI and PETSc. A program has
   one set of processes. */
#ifndef MSD_RANKS_RANKS_H
#define MSD_RANKS_RANKS_H

#include <msd/msd.h>

/* Returns whether mpirun, srun or a similar launcher has started this process. Does not initialize MPI. */
bool ranks_are_started(void);

/* Initializes MPI and PETSc, once. Ends the program on failure. */
void ranks_begin(void);

/* Return the rank of this process, and the number of processes. */
int ranks_rank(void);
int ranks_count(void);

/* Replaces each number by the maximum over all processes. A collective call. */
void ranks_largest(double *values, int count);

/* The ranks of a world that each process has created, with a halo depth. `by_graph`: PT-Scotch partitions the
   graph so that few springs are cut; otherwise the partition is strips. */
msd_ranks ranks_of_world(int depth, bool by_graph);

/* Finalizes PETSc and MPI. A collective call. */
void ranks_end(void);

#endif
