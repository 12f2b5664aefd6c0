/* Several substeps of symplectic Euler in one pass through memory, for networks larger than the nearest caches.

   A substep looks no further than the longest spring reaches in the order of the particles. So the next substep may
   begin before this one has come to its end: substeps follow each other through the particles like waves, and what
   the first has read from memory is in the cache for all of them. Each keeps `skew` chunks behind the one before,
   which is as far as a spring reaches:

       substep 3   done so far |
               2   done so far       |                skew chunks between two lines;
               1   done so far             |          between the two outermost all is in the cache
               ------------------------------------> chunks

   Two states take turns, as in a single substep: when substep n + 1 overwrites a particle's state before substep n,
   all whose springs reach it have read it.

   Threads have ranges of chunks. Towards a neighbour's range each substep ends `skew` chunks before the last one
   did, for which nothing of the neighbour's is needed; then what is left is filled in, substep by substep, with a
   barrier between them:

       substep 3   |============\             /============|
               2   |===============\  then  /==============|
               1   |=================\    /================|
                    one thread's range |  its neighbour's

   Each substep does to each particle what it would do alone, so that no bit depends on any of this. The state before
   the first substep is kept in a slab of its own: where a number is not finite, the substeps can be taken again one
   by one, to find the one that failed. */
#ifndef MSD_ENGINE_STEP_TEMPORAL_BLOCKING_H
#define MSD_ENGINE_STEP_TEMPORAL_BLOCKING_H

#include "engine/kernel/spring_force.h"

/* Right for a network if skew * STEP_CHUNK is not below its reach, and 2 * skew * depth not above the chunks of a
   thread's range when there are several; all are at least 1. */
typedef struct wave_shape {
  int32_t skew; /* chunks between two substeps */
  int32_t tile; /* chunks that a substep takes at once */
  int depth;    /* substeps in a pass */
} wave_shape;

/* The right shape that is best for that many substeps. Below a depth of WAVE_DEPTH_MIN, which may also be 0, substeps
   are faster one by one. */
enum { WAVE_DEPTH_MIN = 4 };
wave_shape wave_choose(const network *net, int threads, int substeps);

enum { WAVE_SLABS = 3 };

typedef struct wave_run {
  wave_shape shape;
  step_kernel kernel;
  step_input input;           /* what is read and written, and down sums, are filled in by the run */
  msd_real *slab[WAVE_SLABS]; /* states: the first to start from, the others to write to */
  msd_real *records[2]; /* as in integrator_run, with records_alone: slab[1] takes the last state then, and
                                 slab[2] is not needed. NULL: none */
  msd_real *down;       /* wave_down_size reals, all zero before and after, to go through runs; NULL: rows */
  int threads;
  int substeps;
} wave_run;

/* Reals that `down` needs. */
size_t wave_down_size(const network *net, const wave_shape *shape, int threads);

/* Whether the pins that held rows go to stand still, bit for bit, so that all substeps may see them in slab[0]. Only
   then may a wave pass. */
bool wave_pins_stand(const step_input *input, const msd_real *state);

/* Takes all substeps; slab[0] is only read. False when some position was not finite, and then it is all that is left. */
bool wave_advance(const wave_run *run);

/* The slab that the state after that many substeps is in. */
int wave_slab(const wave_run *run, int substeps);

#endif
