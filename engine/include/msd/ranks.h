/* msd: one simulation on several processes (ranks), with communication such as MPI supplied by the program. */
#ifndef MSD_RANKS_H
#define MSD_RANKS_H

#include "msd/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Source of one message: message `number` of those that rank `rank` sends. */
typedef struct msd_halo_message {
  int rank;
  int32_t number;
} msd_halo_message;

/* Messages that one rank sends and receives in each exchange. All have the same size and are stored one after
   another. */
typedef struct msd_route {
  /* Size of each message. */
  size_t bytes;
  int32_t give_count, take_count;
  /* Source of each received message, in ascending order of ranks; never this rank. */
  const msd_halo_message *take;
} msd_route;

/* Adjacency graph of the blocks of a network, for partitioning. Each edge is stored at both of its ends. */
typedef struct msd_component_graph {
  int32_t piece_count;
  /* Cost of a substep of each block, >= 1. */
  const int32_t *cost;
  /* piece_count + 1 offsets into the array below: the neighbors of block i are at first[i] to
     first[i + 1] - 1. */
  const int32_t *first;
  /* Neighboring blocks. */
  const int32_t *neighbor;
} msd_component_graph;

/* Largest number of ranks, and largest number of substeps between two exchanges. */
#define MSD_RANKS_MAX       1048576
#define MSD_RANKS_DEPTH_MAX 16

/* Communication functions of one rank.

   Every process creates the same world by the same calls and steps it in the same way. Each rank computes the
   substeps of its own particles and of a halo around them. The halo is wide enough for `depth` substeps
   between exchanges, because its particles are computed on both sides. After each msd_world_step all ranks
   have the whole state. The result is bitwise identical to that of one process.

   Distributed are springs, constraints, soft pins and hard length limits, colliders if there are no collision
   meshes, and wind on collision meshes without contact. All integrators except sequential impulses support
   it. Where anything else moves particles (msd_world_why_not_distributed), each rank computes all of it. With
   contact between collision meshes, the ranks divide the broad phase if `gather` is set.

   If a frame fails on one rank, it fails on all, and msd_world_message on all ranks is that of the first rank
   that failed.

   The thread that called msd calls these functions, on all ranks in the same order, so each may wait for the
   other ranks. They must not use the world. There is no error result for a rank that cannot be reached: the
   function ends the other processes or does not return. */
typedef struct msd_ranks {
  /* Index of this process, and number of processes, 1 to MSD_RANKS_MAX. With 1 no function is called. */
  int rank, count;
  /* Halo depth: most substeps between two exchanges, 0 to MSD_RANKS_DEPTH_MAX; 0: automatic. A substep whose
     influence reaches n times as far as that of springs with symplectic Euler counts as n. */
  int depth;
  /* `open` prepares a route, which remains until `close`. Returns NULL if memory runs out. */
  void *(*open)(const msd_route *route, void *context);
  void (*close)(void *route, void *context);
  /* `begin` starts to send the messages of this rank and to receive those for it. They are complete when
     `end` has returned. In between, neither buffer is accessed. */
  void (*begin)(void *route, const void *give, void *take, void *context);
  void (*end)(void *route, const void *give, void *take, void *context);
  /* Replaces each of `count` finite numbers by its maximum over all ranks. */
  void (*largest)(double *values, int count, void *context);
  /* Gathers bytes of all ranks, stored one rank after another in `all`. This rank has filled in its own; the
     function fills in the others. `bytes` is the number of bytes of each rank and is equal on all. NULL: each
     rank does the whole broad phase of contact. */
  void (*gather)(void *all, const size_t *bytes, void *context);
  /* Assigns a rank to each block, equal on all ranks; returns false if it cannot. NULL: each rank gets a
     strip of equal cost in the order in which the network is compiled. */
  bool (*divide)(const msd_component_graph *graph, int32_t *rank_of, void *context);
  /* Passed to all functions. */
  void *context;
} msd_ranks;

/* Makes a world one of several ranks, from the next frame on; NULL: a single process again. Copies of the
   world are single processes, and snapshots do not contain this setting. Returns MSD_BAD_VALUE if a number is
   out of its range or a required function is missing. */
MSD_API msd_result msd_world_set_ranks(msd_world *world, const msd_ranks *ranks);

/* Subdomain of a distributed world. The first three numbers describe the whole: its particles and springs so
   far, and the largest distance of two particles in index order that a spring connects. */
typedef struct msd_subdomain {
  int32_t particles, springs, reach;
  /* This rank, and the number of ranks. */
  int rank, ranks;
  /* Indices in the whole of the particles that this rank stores, and of those that it owns. The world counts
     its own particles and springs from 0, starting with the first that it stores. */
  msd_range kept, own;
} msd_subdomain;

/* Makes an empty world a subdomain of a distributed world, which no rank stores completely.

   Building. All ranks add the same ropes, cloths, blocks and meshes (msd_add_mesh_subdomain). Each world stores
   the particles it owns, a contiguous range of indices, and a halo around them. `particles` and `reach` are
   those of the whole. If they are unknown, pass 0 particles: the world then stores nothing, and after the
   last body msd_world_get_subdomain returns them for a second world.

   Order. One process must be able to keep the index order (msd_world_find_layout_order), otherwise
   msd_world_step is refused. It does so if at least half of the springs form regular rows. That holds for
   sheets, ropes and blocks that are not very narrow, and for meshes whose vertices have been reordered.

   Stepping. All ranks call msd_world_step together, and also msd_world_hash and msd_world_get_stats. Those
   two refer to the whole and are bitwise identical to one process; spring indices in the statistics are those
   of the whole. All other functions refer to this rank. After each frame everything that a rank stores is up
   to date. Automatic substeps are those of one process after a search for the limit. Where one process would
   track single changes of springs or particles, subdomains search again and may need fewer substeps.

   Contents. A subdomain can have springs with symplectic Euler, pins, gravity, linear damping, and forces,
   which each rank sets for all particles that it stores. msd_world_step is refused with anything else. Save
   and restore it by msd_world_save_global and msd_world_restore_global; it cannot be copied. After MSD_DIVERGED
   its state is lost.

   Returns MSD_BAD_VALUE if `ranks` is invalid or the world is not empty. */
MSD_API msd_result msd_world_set_subdomain(msd_world *world, const msd_ranks *ranks, int32_t particles,
                                           int32_t reach);

/* Returns the subdomain; all 0 for a world that is not distributed. */
MSD_API msd_subdomain msd_world_get_subdomain(const msd_world *world);

/* Replaces each of `count` finite numbers by its maximum over all ranks, all of which must call it. No effect
   on a world that is not distributed. */
MSD_API void msd_world_all_reduce_max(const msd_world *world, double *values, int count);

/* Receives the next bytes of a snapshot. */
typedef void (*msd_write_function)(const void *bytes, size_t count, void *context);

/* Reads `count` bytes of a snapshot at offset `at`; returns false if they cannot be read. */
typedef bool (*msd_read_function)(void *bytes, uint64_t at, size_t count, void *context);

/* Saves a distributed world as the snapshot of `*size` bytes that msd_world_save writes in one process. If
   springs or particles have changed since substeps were last computed, it is the snapshot of a process in
   which no limit was requested.

   All ranks call it with the same arguments. Rank 0 alone receives the bytes through `write`, in order and in
   blocks of at most 64 KiB; no rank holds more of them at once than those of its subdomain. With `write` NULL
   only the size is computed. There must be no pending forces, targets of pins, or rest lengths that are to
   move. Returns MSD_BAD_VALUE or MSD_OUT_OF_MEMORY on failure; *size is then unchanged. */
MSD_API msd_result msd_world_save_global(msd_world *world, msd_write_function write, void *context,
                                         uint64_t *size);

/* Restores the subdomains of all ranks from a snapshot of `size` bytes, which one process or any number of
   ranks saved. All bodies that it was made from must have been added. All ranks call it with the same
   arguments. Each reads what it needs; rank 0 first reads everything for the checksum. Errors are those of
   msd_world_restore, and MSD_BAD_VALUE; the worlds of all ranks are then unchanged. */
MSD_API msd_result msd_world_restore_global(msd_world *world, msd_read_function read, void *context,
                                            uint64_t size);

/* Fills `bytes` with at most as many bytes as its second argument says, and returns their number; 0 at the
   end. */
typedef size_t (*msd_give_function)(void *bytes, size_t room, void *context);

/* Gathers bytes of a distributed world in the order of the ranks, for example into one file. On each rank in
   turn, `give` is called with 64 KiB of memory until it returns 0; rank 0 alone receives the bytes through
   `write`. All ranks call it with the same functions; contexts may differ. Returns MSD_BAD_VALUE or
   MSD_OUT_OF_MEMORY on all ranks on failure. */
MSD_API msd_result msd_world_gather_text(msd_world *world, msd_give_function give, void *give_context,
                                         msd_write_function write, void *write_context);

/* Computes the order in which the network is compiled. place[i] is the position of particle i in memory,
   counted from 0: its index, or another position that shortens the distance between connected particles.
   *is_kept is whether the index order is kept, so that ranks can store ranges of it. Either may be NULL.

   A mesh whose vertices are reordered by `place` keeps its order. The exception is a mesh so small that some
   spring still spans more than a quarter of its particles. The world is unchanged. Returns MSD_BAD_VALUE for
   a NULL world, and the results of a frame that cannot be prepared. */
MSD_API msd_result msd_world_find_layout_order(msd_world *world, int32_t *place, bool *is_kept);

/* Returns what prevents substeps from being distributed among ranks, as a plural noun such as "scaled
   masses"; NULL if nothing does. Works for a single process too. */
MSD_API const char *msd_world_why_not_distributed(const msd_world *world);

#ifdef __cplusplus
}
#endif

#endif
