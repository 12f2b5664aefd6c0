/* One substep of all springs between two particles, over the rows or the runs of the network.

   The sum over a particle's springs is taken in the canonical order of network.h, and the particle is then
   finished at once. Nothing is scattered to where another thread may write, so threads take ranges of groups
   and never meet; and there are two ways to go through the same numbers, with the same bits:

   Rows. Each group sums all its springs in registers. Every contiguous spring is evaluated twice, once at
   each end. The smallest memory traffic beside the springs themselves.

   Runs. Each contiguous spring is evaluated once. A chunk of 256 particles goes through its segments; the
   lower ends of the springs add up in `up`, which is the chunk's own, the upper ends in `down`, which reaches
   ahead by the largest offset:

       particles   ... | chunk k            | chunk k+1          | ...
       up                [ zero, then full ]
       down              [ full            ][ being filled ........]  zero

   After its segments a chunk is complete: up + down, then its indexed springs, then the integrator; what it
   used of `down` is set to zero again. A thread begins with the springs that enter its range from below, for
   their upper ends alone, and drops what leaves its range above: the next thread has evaluated the same
   springs.

   A state stands in a slab (particle.h), which rows and runs stream through, in records (records.h), which
   indexed springs gather single particles from, or in both. Runs need the slab; where there is none rows come
   from the records, and where there are no records single particles come from the slab.

   All kernels are one text, spring_force_kernel.h, and differ in the width of its vectors alone. */
#ifndef MSD_ENGINE_KERNEL_SPRING_FORCE_H
#define MSD_ENGINE_KERNEL_SPRING_FORCE_H

#include "engine/network/network.h"

/* The forms that a state has; NULL: it has not this one. */
typedef struct spring_source {
  const msd_real *slab, *records;
} spring_source;

typedef struct spring_target {
  msd_real *slab, *records;
} spring_target;

typedef struct spring_tally spring_tally;
typedef struct spring_watch spring_watch;

typedef struct spring_input {
  const network *net;
  /* Of slabs and forces. */
  size_t stride;
  /* The states before and after the substep, in the same forms. */
  spring_source read;
  spring_target write;
  /* Where held rows find their pins: the state before, or another one with the same pins. */
  spring_source pins;
  /* N, three components; NULL: none. */
  const msd_real *force;
  /* m/s^2 */
  msd_real gravity[3];
  /* s */
  msd_real time_step;
  /* What air drag leaves of a velocity in one substep, exp(-air_drag time_step). */
  msd_real decay;
  /* Of each chunk of the network, to be filled with the energies of spring_watch.h; NULL: nobody asks. */
  spring_tally *tallies;
  /* Where a watched pass that moves nothing puts what springs alone do to the particles, N, as three
     components. */
  msd_real *spring_force;
  /* Rows of slabs: ask for memory some groups ahead, as the state is larger than the caches. */
  bool read_ahead;
} spring_input;

/* What a substep goes through, in bytes: two states, inverse masses, and the springs. */
double spring_bytes(const network *net);

/* Down sums of a range of groups: three components from its first particle on. */
typedef struct spring_down {
  /* All zero before and after a call, but for what is said next. */
  msd_real *sums;
  size_t stride;
  /* The groups in front of these were advanced last, and left their sums here. */
  bool continues;
  /* The groups behind these come next: their sums are moved to the beginning. */
  bool goes_on;
} spring_down;

/* Of ranges with so many particles: the stride of their down sums, and the reals of `ranges` of them side by
   side in one block. */
size_t spring_down_stride(const network *net, int32_t particles);
size_t spring_down_size(const network *net, int32_t particles, int ranges);

/* Down sums in that block, of the nth range, which begins at `particle`. They stand in other sets of the
   cache than the six components of that particle's state in `slab`, so that the two never push each other
   out. */
spring_down spring_down_place(msd_real *block, const network *net, int32_t particles, int nth,
                              const msd_real *slab, int32_t particle);

/* Each takes the groups first..last-1; where tallies are asked for, `first` begins a chunk. */
typedef struct spring_kernel {
  /* Symplectic Euler: v' = (v + dt (f/m + g)) decay, x' = x + dt v'. Returns whether every new position is
     finite. With tallies it is the measuring pass of spring_watch.h. */
  bool (*advance_rows)(const spring_input *in, int32_t first, int32_t last);
  /* The same. */
  bool (*advance_runs)(const spring_input *in, const spring_down *down, int32_t first, int32_t last);
  /* f/m + g of the unpinned, 0 of the pinned, as three components; of states in slabs. With tallies it is a
     measuring pass that moves nothing. */
  void (*accelerations)(const spring_input *in, msd_real *out, int32_t first, int32_t last);
  /* The same through runs. */
  void (*run_accelerations)(const spring_input *in, const spring_down *down, msd_real *out, int32_t first,
                            int32_t last);
  /* The other passes of spring_watch.h, through rows. Returns as advance_rows does. */
  bool (*watch)(const spring_input *in, const spring_watch *order, int32_t first, int32_t last);
} spring_kernel;

/* Squared lengths have this added, so that two particles in one place divide by no zero: their direction is
   then the zero vector. It is lost in rounding above a length of 1e-11 m (1e-141 m in double). */
#ifdef MSD_DOUBLE
#define SPRING_TINY 1e-290
#else
#define SPRING_TINY 1e-30f
#endif

#endif
