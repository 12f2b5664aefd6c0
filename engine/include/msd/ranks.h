/* msd: one simulation on several processes, which are called ranks. */
#ifndef MSD_RANKS_H
#define MSD_RANKS_H

#include "msd/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Where a parcel comes from: parcel `number` of those that rank `rank` gives. */
typedef struct msd_parcel {
  int rank;
  int32_t number;
} msd_parcel;

/* What one rank gives to others, and takes from them, each time: parcels of one size, side by side. */
typedef struct msd_route {
  /* Of each parcel. */
  size_t bytes;
  int32_t give_count, take_count;
  /* Where each parcel that is taken comes from, ascending by rank; never from this one. */
  const msd_parcel *take;
} msd_route;

/* Pieces of a network, and what joins them, as a graph in which each edge stands at both its ends. */
typedef struct msd_piece_graph {
  int32_t piece_count;
  /* What a substep of each piece costs, 1 or more. */
  const int32_t *cost;
  /* piece_count + 1 of them: where the neighbours of a piece begin in `neighbour`. */
  const int32_t *first;
  const int32_t *neighbour;
} msd_piece_graph;

/* The most ranks that there may be, and the most substeps from one exchange to the next. */
#define MSD_RANKS_MAX       1048576
#define MSD_RANKS_DEPTH_MAX 16

/* A program that runs in several processes makes the same world in each of them, by the same calls, and steps
   each in the same way; what lies between them, such as MPI, comes in by these functions. Each rank then takes
   a part of the particles through the substeps, and what springs and all else that joins particles reach of the
   others': `depth` substeps need one exchange, since what is reached further away is taken by both sides. At
   the end of each msd_world_step all ranks have the whole state. All bits are those of one process.

   Shared among ranks are springs, constraints, anchors, catches, colliders where there are no surfaces, and
   wind on surfaces that touch nothing, by every integrator but sequential impulses. Where anything else moves
   particles (msd_world_why_unshared) each rank takes all of it.

   Where a step fails on one rank alone, none goes on, and msd_world_message is the same on all: that of the
   first rank which has failed.

   The functions are called by the thread that has called msd, on all ranks in the same order, so that each
   may wait for the others. They must not use the world. There is no answer for a rank that cannot be
   reached: it ends the others, or the function does not return. */
typedef struct msd_ranks {
  /* This process, from 0 on, and how many there are, 1 to MSD_RANKS_MAX. With one nothing is called. */
  int rank, count;
  /* Substeps from one exchange to the next, at most; 0 to MSD_RANKS_DEPTH_MAX; 0: as many as should pay. A
     substep that reaches so many times further than one of springs by symplectic Euler counts as so many. */
  int depth;
  /* Begins a route, which stays until it is closed. NULL where there is no memory. */
  void *(*open)(const msd_route *route, void *context);
  void (*close)(void *route, void *context);
  /* Sends the parcels that this rank gives, and fills in those that it takes, which are there when `end` has
     returned. Between the two neither is touched. */
  void (*begin)(void *route, const void *give, void *take, void *context);
  void (*end)(void *route, const void *give, void *take, void *context);
  /* Replaces each of some finite numbers by the largest that any rank has. */
  void (*largest)(double *values, int count, void *context);
  /* Gives each piece a rank, on all ranks the same; false: it cannot. NULL, and then: each rank gets a strip of
     the order in which the network is compiled, all of the same cost. */
  bool (*divide)(const msd_piece_graph *graph, int32_t *rank_of, void *context);
  void *context;
} msd_ranks;

/* From the next step on a world is one of several ranks. NULL: it is alone, as it was. It is not shared in
   turn: copies of it are alone, and it is neither saved nor restored. MSD_BAD_VALUE: a number outside its
   range, or a function is missing. */
MSD_API msd_result msd_world_set_ranks(msd_world *world, const msd_ranks *ranks);

/* What keeps substeps from being shared among ranks, in the plural, such as "scaled masses"; NULL: nothing
   does. Of a world that is alone too. */
MSD_API const char *msd_world_why_unshared(const msd_world *world);

#ifdef __cplusplus
}
#endif

#endif
