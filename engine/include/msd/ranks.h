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
   particles (msd_world_why_unshared) each rank takes all of it. Of surfaces that touch they share the search
   for what is near, where they can gather.

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
  /* Bytes of all ranks, one behind the other in their order, of which this one has filled in its own: fills in
     those of all others. `bytes` says how many each rank has, on all the same. NULL, and then: what surfaces
     touch is searched for by each rank alone, for all. */
  void (*gather)(void *all, const size_t *bytes, void *context);
  /* Gives each piece a rank, on all ranks the same; false: it cannot. NULL, and then: each rank gets a strip of
     the order in which the network is compiled, all of the same cost. */
  bool (*divide)(const msd_piece_graph *graph, int32_t *rank_of, void *context);
  void *context;
} msd_ranks;

/* From the next step on a world is one of several ranks. NULL: it is alone, as it was. It is not shared in
   turn: copies of it are alone, and it is neither saved nor restored. MSD_BAD_VALUE: a number outside its
   range, or a function is missing. */
MSD_API msd_result msd_world_set_ranks(msd_world *world, const msd_ranks *ranks);

/* Of a world of which each rank has a part: how many particles and springs bodies have brought so far to the
   whole, and how far apart in the order of the particles those are, at most, that a spring joins. */
typedef struct msd_part {
  int32_t particles, springs, reach;
  /* This rank, and how many there are. */
  int rank, ranks;
  /* Which particles of the whole this rank has, and those of them that are its own; the world counts its
     particles and springs from 0, with the first that it has. */
  msd_range kept, own;
} msd_part;

/* Makes an empty world a part of a whole that no rank has: of the ropes, cloths, blocks and meshes
   (msd_add_mesh_part) that are added from now on, by the same calls on all ranks, it keeps its own
   particles, a stretch of the order of the indices, and as many around them as they need to be right for
   some substeps. `particles` and `reach` are those of the whole; where they are not known yet, 0 particles:
   nothing is kept and msd_world_get_part tells them, behind the last body, for another world. One process must
   keep the order of the indices (msd_world_find_order), as it does where half of the springs, at least, lie in
   rows, which those of sheets, ropes and blocks do that are not very narrow, and of meshes whose vertices have
   been put in its order; otherwise steps are refused.

   Steps are then taken by all ranks together, and so are msd_world_hash and msd_world_get_stats, which are
   of the whole and have the bits of one process; an index of a spring in the latter is one of the whole.
   Substeps that are left to the engine are those of one process where it searches for the limit. Where one
   process would follow changes of single springs or particles, parts search again, and may find that fewer
   substeps are enough. Behind a step all that a rank has is as it is in the whole. All other functions are of
   what this rank has. What can be in such a world are springs by symplectic Euler, with pins, gravity, drag
   and forces, which each rank is given for all particles that it has; a step refuses anything else. It is
   saved and restored by msd_world_save_whole and msd_world_restore_whole, and not copied, and behind
   MSD_DIVERGED its state is lost. MSD_BAD_VALUE: something is wrong with the ranks, or in the world
   already. */
MSD_API msd_result msd_world_set_part(msd_world *world, const msd_ranks *ranks, int32_t particles,
                                      int32_t reach);

/* All 0 of a world that is no part. */
MSD_API msd_part msd_world_get_part(const msd_world *world);

/* Replaces each of some finite numbers by the largest that any rank has, which all have to call; nothing in a
   world that is no part. */
MSD_API void msd_world_find_largest(const msd_world *world, double *values, int count);

/* Takes the next bytes of a snapshot. */
typedef void (*msd_write_function)(const void *bytes, size_t count, void *context);

/* Fills in `count` bytes of a snapshot, from byte `at` on, counted from 0; false: they cannot be had. */
typedef bool (*msd_read_function)(void *bytes, uint64_t at, size_t count, void *context);

/* Of a world in parts, the snapshot that msd_world_save makes in one process, with *size bytes; where
   springs or particles have changed since substeps were last found, that of one of which nobody has asked
   for limits. All ranks call it alike; `write` gets its bytes on rank 0 alone, one after the other, in
   pieces of 64 KiB at most, and no rank has more of them at once than those of its part. NULL: only the size
   is given. What waits for the next step, forces and pins or rest lengths that are to move, must not be
   there yet. On failure *size is not touched. MSD_BAD_VALUE, MSD_OUT_OF_MEMORY. */
MSD_API msd_result msd_world_save_whole(msd_world *world, msd_write_function write, void *context,
                                        uint64_t *size);

/* The other way round: gives each rank its part of a snapshot of `size` bytes, which one process has made or
   any number of ranks, where all bodies have been added from which that was made. All ranks call it alike, and
   each reads what it needs; rank 0 reads all once before, for the checksum. Errors are those of
   msd_world_restore, and MSD_BAD_VALUE; the worlds of all ranks are then as before. */
MSD_API msd_result msd_world_restore_whole(msd_world *world, msd_read_function read, void *context,
                                           uint64_t size);

/* Fills in some bytes, as many as there is room for at most, and returns their number; 0: there are no more. */
typedef size_t (*msd_give_function)(void *bytes, size_t room, void *context);

/* Of a world in parts, so that ranks can write into one file in their order: on each rank, one after the
   other, `give` is asked for bytes until it has no more, with room for 64 KiB, and `write` gets them on rank
   0 alone. All ranks call it alike; contexts are their own. MSD_BAD_VALUE, MSD_OUT_OF_MEMORY; on all ranks. */
MSD_API msd_result msd_world_gather(msd_world *world, msd_give_function give, void *give_context,
                                    msd_write_function write, void *write_context);

/* Fills in place[i], for each particle i, where a step has it in memory, counted from 0: at its index, or where
   indices are in no good order elsewhere, so that springs reach less far; and *is_kept, whether the order of
   the indices is kept, so that each rank can take a part of it. A mesh whose vertex place[i] is what was vertex
   i keeps its order, unless it is so small that some spring still reaches over a quarter of the particles.
   Either may be NULL. The world stays as it is. MSD_BAD_VALUE without a world, and what a step returns that
   cannot be prepared. */
MSD_API msd_result msd_world_find_order(msd_world *world, int32_t *place, bool *is_kept);

/* What keeps substeps from being shared among ranks, in the plural, such as "scaled masses"; NULL: nothing
   does. Of a world that is alone too. */
MSD_API const char *msd_world_why_unshared(const msd_world *world);

#ifdef __cplusplus
}
#endif

#endif
