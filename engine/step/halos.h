/* Multithreaded substeps with one state copy per thread: its range and ghost groups (overlapped tiling). For
   networks that fit into the caches of the cores. Not the halo rings of partition.h.

   For such a network a substep takes microseconds. Writes next to another thread's range then cost more than
   the barrier between two substeps: cache lines move between cores, and hardware prefetch requests more of
   them. So each thread has its own copy of the state: its range of groups and a halo, the neighboring groups
   that springs reach. Halos are copied as a block, and a thread waits only for its neighbors:

       substep 3         |------------------|
               2       |----------------------|          what one thread computes;
               1     |--------------------------|        its neighbors compute the halos too
       halo        ##|       its range          |##

   Where springs reach only a short distance, the halo is wide enough for several substeps. Each substep
   computes what the next one needs, and halos are copied only after the last one. Each particle goes through
   the same arithmetic as in a single-threaded run, in the halo too, so results do not depend on the halo.

   Halos suit small networks. In networks larger than the caches, cache lines and barriers do not matter but
   the memory of halos would. Those use temporal blocking (temporal_blocking.h), where ranges meet without
   halos. */
#ifndef MSD_ENGINE_STEP_HALOS_H
#define MSD_ENGINE_STEP_HALOS_H

#include "engine/base/memory.h"
#include "engine/base/parallel.h"
#include "engine/kernel/spring_force.h"

/* Valid for a network if width * NETWORK_GROUP is at least its reach, and width * depth is at most the groups
   of a thread's range. Both are at least 1. */
typedef struct halo_shape {
  /* Groups that a spring reaches in one substep. */
  int32_t width;
  /* Substeps between two copies. */
  int depth;
} halo_shape;

/* The fastest valid shape; depth 0 if there is none. */
halo_shape halo_choose(const network *net, int threads, int substeps);

/* Memory of the thread states. Zero-initialize it. */
typedef struct halo_memory {
  msd_real *reals;
  size_t size;
  progress_counter *posts;
  int post_count;
} halo_memory;

void halo_memory_free(halo_memory *h, memory *m);

typedef struct halo_run {
  halo_shape shape;
  spring_kernel kernel;
  /* The run fills in the states and where pins are read. Pins of rows with pinned ends are static; see
     blocking_pins_stand. */
  spring_input input;
  /* Initial and final state. */
  const msd_real *from;
  msd_real *to;
  /* Layouts of the intermediate states; at least one is true. */
  bool slabs, records;
  /* halo_down_size reals, all zero before and after, to process diagonal blocks; NULL to process rows. */
  msd_real *down;
  /* Reserved for this run with halo_reserve. */
  halo_memory *memory;
  const msd_tasks *tasks;
  int threads;
  int substeps;
} halo_run;

/* Size in bytes of the memory of a run. */
size_t halo_bytes(const halo_run *run);

/* Reserves that memory. Returns false if memory runs out; `memory` then stays valid. */
bool halo_reserve(const halo_run *run, memory *m);

/* Size of `down` in reals. */
size_t halo_down_size(const network *net, const halo_shape *shape, int threads);

/* Advances all substeps. Returns false if a position was not finite; then only `from` is valid. */
bool halo_advance(const halo_run *run);

#endif
