/* Temporal blocking: several substeps of symplectic Euler in one pass through memory, for networks larger
   than the inner caches.

   A substep depends only on particles within the reach of the longest spring in the particle order. So the
   next substep can start before this one has finished. The substeps follow each other through the particles,
   and data that the first one has read from memory is in the cache for all of them. Each stays `skew` chunks
   behind the previous one, which is the reach of a spring:

       substep 3   done so far |
               2   done so far       |                skew chunks between two lines;
               1   done so far             |          all between the two outermost is in the cache
               ------------------------------------> chunks

   Two states alternate, as in single substeps. When substep n + 1 overwrites a particle's state before
   substep n, all springs that read it have been evaluated.

   Threads own ranges of chunks. At a neighbor's range each substep ends `skew` chunks earlier than the
   previous one, which needs nothing of the neighbor's results. Then the gaps are filled in, substep by
   substep, with a barrier between them:

       substep 3   |============\             /============|
               2   |===============\  then  /==============|
               1   |=================\    /================|
                    one thread's range |  its neighbor's

   Each particle goes through the same arithmetic as in single substeps, so results do not depend on blocking.
   The state before the first substep is kept in a separate slab. If a value is not finite, the substeps can
   be repeated one at a time to find the one that failed. */
#ifndef MSD_ENGINE_STEP_TEMPORAL_BLOCKING_H
#define MSD_ENGINE_STEP_TEMPORAL_BLOCKING_H

#include "engine/base/parallel.h"
#include "engine/kernel/spring_force.h"
#include "engine/step/energy_limiter.h"

/* Valid for a network if skew * NETWORK_CHUNK is at least its reach. With several threads, 2 * skew * depth
   must not exceed the chunks of a thread's range. All are at least 1. */
typedef struct blocking_shape {
  /* Chunks between two substeps. */
  int32_t skew;
  /* Chunks that a substep processes at once. */
  int32_t tile;
  /* Substeps in a pass. */
  int depth;
} blocking_shape;

/* The fastest valid shape for this many substeps of a network larger than the caches. If its depth, which can
   be 0, is below BLOCKING_DEPTH_MIN, single substeps are faster. */
enum { BLOCKING_DEPTH_MIN = 4 };
blocking_shape blocking_choose(const network *net, int threads, int substeps);

enum { BLOCKING_SLABS = 3 };

/* Some groups of particles after a substep, before any other group has read them. The groups around them may
   be several substeps ahead or behind. */
typedef struct blocking_place {
  int thread;
  /* Counted from 0 in the run. The substeps of a particle come in order and on the same thread. */
  int substep;
  parallel_range groups;
  /* State of these groups before and after the substep. */
  const msd_real *before;
  msd_real *behind;
} blocking_place;

/* Further processing of these groups. Returns true if the run may continue. */
typedef bool blocking_act(void *context, const blocking_place *place);

typedef struct blocking_run {
  blocking_shape shape;
  spring_kernel kernel;
  /* The run fills in the states and where pins are read. */
  spring_input input;
  /* slab[0] has the initial state; the others are written. */
  msd_real *slab[BLOCKING_SLABS];
  /* Number of substeps from slab[0] to the initial state of this run, which is in the slab where they left
     it; 0: slab[0] is that state. For states in slabs. */
  int before;
  /* Chunks that each substep of the run advances, if others are advanced elsewhere. At both ends they stop up
     to `skew` chunks earlier than in the previous substep. NULL: all chunks. */
  const parallel_range *bounds;
  /* Intermediate states as records. slab[1], which may be slab[0], then receives the final state, and slab[2]
     is unused. NULL: states in slabs. */
  msd_real *records[2];
  /* For states in slabs; NULL: no further processing. */
  blocking_act *act;
  void *acting;
  /* blocking_down_size reals, all zero before and after, to process diagonal blocks; NULL to process rows. */
  msd_real *down;
  /* With blocking_tally_count tallies. The run fails if a substep would have to be repeated with scaled
     forces. */
  limiter_run limiter;
  const msd_tasks *tasks;
  int threads;
  int substeps;
} blocking_run;

/* Number of tallies of a run with energy measurement. */
size_t blocking_tally_count(const network *net, const blocking_shape *shape);

/* Size of `down` in reals. */
size_t blocking_down_size(const network *net, const blocking_shape *shape, int threads);

/* True if no pin that springs read moves in a substep (bitwise), so that all substeps can read them in `slab`.
   Temporal blocking requires this. */
bool blocking_pins_stand(const spring_input *input, const msd_real *slab);

/* The same for all pins. */
bool blocking_all_pins_stand(const spring_input *input, const msd_real *slab);

/* Advances all substeps; slab[0] is read-only until all of them are done. Returns false if a position was not
   finite, a substep would exceed the energy allowance, or `act` stopped the run; then only slab[0] is
   valid. */
bool blocking_advance(const blocking_run *run);

/* Index of the slab of the state after `substeps` substeps, including `before`. */
int blocking_slab(const blocking_run *run, int substeps);

#endif
