/* Temporal blocking: several substeps of symplectic Euler in one pass through memory, for networks larger
   than the nearest caches.

   A substep looks no further than the longest spring reaches in the order of the particles. So the next
   substep may begin before this one has come to its end: the substeps follow each other through the
   particles, and what the first has read from memory is in the cache for all of them. Each keeps `skew`
   chunks behind the one before, which is as far as a spring reaches:

       substep 3   done so far |
               2   done so far       |                skew chunks between two lines;
               1   done so far             |          between the two outermost all is in the cache
               ------------------------------------> chunks

   Two states take turns, as in a single substep: when substep n + 1 overwrites a particle's state before
   substep n, all whose springs reach it have read it.

   Threads have ranges of chunks. Towards a neighbour's range each substep ends `skew` chunks before the last
   one did, for which nothing of the neighbour's is needed; then what is left is filled in, substep by
   substep, with a barrier between them:

       substep 3   |============\             /============|
               2   |===============\  then  /==============|
               1   |=================\    /================|
                    one thread's range |  its neighbour's

   Each substep does to each particle what it would do alone, so that no bit depends on any of this. The state
   before the first substep is kept in a slab of its own: where a number is not finite, the substeps can be
   taken again one by one, to find the one that failed. */
#ifndef MSD_ENGINE_STEP_TEMPORAL_BLOCKING_H
#define MSD_ENGINE_STEP_TEMPORAL_BLOCKING_H

#include "engine/base/parallel.h"
#include "engine/kernel/spring_force.h"
#include "engine/step/energy_guard.h"

/* Right for a network if skew * NETWORK_CHUNK is not below its reach, and 2 * skew * depth not above the
   chunks of a thread's range when there are several; all are at least 1. */
typedef struct blocking_shape {
  /* Chunks between two substeps. */
  int32_t skew;
  /* Chunks that a substep takes at once. */
  int32_t tile;
  /* Substeps in a pass. */
  int depth;
} blocking_shape;

/* The right shape that is best for that many substeps of a network that is larger than the caches. Below a
   depth of BLOCKING_DEPTH_MIN, which may also be 0, substeps are faster one by one. */
enum { BLOCKING_DEPTH_MIN = 4 };
blocking_shape blocking_choose(const network *net, int threads, int substeps);

enum { BLOCKING_SLABS = 3 };

/* Some groups of particles behind a substep, before anything has seen them there; of those around them some are
   substeps ahead and some behind. */
typedef struct blocking_place {
  int thread;
  /* Of the run, from 0. A particle comes by substep after substep, always with the same thread. */
  int substep;
  parallel_range groups;
  /* The states of these groups before and behind it. */
  const msd_real *before;
  msd_real *behind;
} blocking_place;

/* Does what else is to be done with them. Returns whether the run may go on. */
typedef bool blocking_act(void *context, const blocking_place *place);

typedef struct blocking_run {
  blocking_shape shape;
  spring_kernel kernel;
  /* What is read and written, and where pins are, is filled in by the run. */
  spring_input input;
  /* States: the first to start from, the others to write to. */
  msd_real *slab[BLOCKING_SLABS];
  /* So many substeps led from slab[0] to the state to start from, which stands where they left it; 0: slab[0]
     is that state. Of slabs. */
  int before;
  /* The chunks that each substep of the run takes, where others are taken elsewhere: on both sides they end
     up to `skew` chunks before those of the substep before. NULL: all. */
  const parallel_range *bounds;
  /* The states in between as records instead: slab[1], which may be slab[0], takes the last one then, and
     slab[2] is not needed. NULL: in slabs. */
  msd_real *records[2];
  /* Of states in slabs; NULL: nothing else is to be done. */
  blocking_act *act;
  void *acting;
  /* blocking_down_size reals, all zero before and after, to go through runs; NULL: through rows. */
  msd_real *down;
  /* With blocking_tally_count tallies; nothing is taken that would have to be taken again with other forces. */
  guard_run guard;
  const msd_tasks *tasks;
  int threads;
  int substeps;
} blocking_run;

/* Tallies that a watched run needs. */
size_t blocking_tally_count(const network *net, const blocking_shape *shape);

/* Reals that `down` needs. */
size_t blocking_down_size(const network *net, const blocking_shape *shape, int threads);

/* Whether the pins that held rows go to stand still, bit for bit, so that all substeps may see them in
   `slab`. Only then may substeps be blocked. */
bool blocking_pins_stand(const spring_input *input, const msd_real *slab);

/* The same of all pins, whatever goes to them. */
bool blocking_all_pins_stand(const spring_input *input, const msd_real *slab);

/* Takes all substeps; slab[0] is only read before all of them are done. False when some position was not
   finite, a substep would make more energy than it may, or `act` would not go on, and then slab[0] is all that
   is left. */
bool blocking_advance(const blocking_run *run);

/* The slab that the state after that many substeps is in, `before` among them. */
int blocking_slab(const blocking_run *run, int substeps);

#endif
