/* The processes that mpirun has started: what msd/ranks.h asks for, over MPI and PETSc. There is one set of
   them in a program. */
#ifndef MSD_RANKS_RANKS_H
#define MSD_RANKS_RANKS_H

#include <msd/msd.h>

/* Whether this process is one that mpirun, srun or the like has started; MPI is not touched. */
bool ranks_are_started(void);

/* Begins MPI and PETSc, once, and ends the program where they cannot. */
void ranks_begin(void);

/* Of this process, and of all. */
int ranks_rank(void);
int ranks_count(void);

/* Replaces each number by the largest of all processes, which all have to call it. */
void ranks_largest(double *values, int count);

/* For a world that each process has made. `in_parts`: what each takes is found by PT-Scotch, so that springs
   between them are few; else strips. */
msd_ranks ranks_of_world(int depth, bool in_parts);

/* Ends PETSc and MPI, when all processes have come here. */
void ranks_end(void);

#endif
