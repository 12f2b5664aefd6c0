/* Halos: several threads in a network that stays in their caches.

   There a substep takes microseconds, and what threads write close to each other's ranges costs more than the
   barrier between two substeps: each line has to go from one core's cache to the other's, and the cores ask
   ahead for more of them than they need. So each thread has a state of its own, of its range of groups and of
   a halo: what springs reach of the neighbours' ranges. Halos are copied in one piece, and a thread waits for
   its neighbours alone:

       substep 3         |------------------|
               2       |----------------------|          what one thread takes;
               1     |--------------------------|        its neighbours take the same in the halos
       halo        ##|       its range          |##

   Where springs reach a short way the halo is as wide as that for several substeps: each of them takes what
   the next one needs, and only then halos are copied again. Each substep does to each particle what it would
   do alone, in the halo too, so that no bit depends on any of this.

   This is for small networks. In those larger than the caches neither lines nor barriers matter, but the memory
   of halos would; they take several substeps in one pass instead (temporal_blocking.h), where ranges meet
   without halos. */
#ifndef MSD_ENGINE_STEP_HALOS_H
#define MSD_ENGINE_STEP_HALOS_H

#include "engine/base/memory.h"
#include "engine/base/parallel.h"
#include "engine/kernel/spring_force.h"

/* Right for a network if width * NETWORK_GROUP is not below its reach, and width * depth not above the groups
   of a thread's range. Both are at least 1. */
typedef struct halo_shape {
  /* Groups that a substep reaches. */
  int32_t width;
  /* Substeps between two copies. */
  int depth;
} halo_shape;

/* The right shape that is best; of depth 0 where there is none. */
halo_shape halo_choose(const network *net, int threads, int substeps);

/* The memory of threads and their states. Starts as all zeros. */
typedef struct halo_memory {
  msd_real *reals;
  size_t size;
  parallel_post *posts;
  int post_count;
} halo_memory;

void halo_memory_free(halo_memory *h, memory *m);

typedef struct halo_run {
  halo_shape shape;
  spring_kernel kernel;
  /* What is read and written, and where pins are, is filled in by the run. Pins of held rows stand still; see
     blocking_pins_stand. */
  spring_input input;
  /* The state to start from, and where the last one goes. */
  const msd_real *from;
  msd_real *to;
  /* What the states in between stand in; one at least. */
  bool slabs, records;
  /* halo_down_size reals, all zero before and after, to go through runs; NULL: through rows. */
  msd_real *down;
  /* Reserved for the run. */
  halo_memory *memory;
  const msd_tasks *tasks;
  int threads;
  int substeps;
} halo_run;

/* Bytes that a run needs. */
size_t halo_bytes(const halo_run *run);

/* Makes room for them. False when there is no memory, and then `memory` is as good as before. */
bool halo_reserve(const halo_run *run, memory *m);

/* Reals that `down` needs. */
size_t halo_down_size(const network *net, const halo_shape *shape, int threads);

/* Takes all substeps. False when some position was not finite, and then `from` is all that is left. */
bool halo_advance(const halo_run *run);

#endif
