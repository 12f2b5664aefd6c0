/* One substep of all distance springs, over the rows or the runs of the network.

   The sum over a particle's springs is taken in the canonical order of network.h, and the particle is then
   finished at once. Nothing is scattered to where another thread may write, so threads take ranges of groups
   and never meet; and there are two ways through the same numbers, with the same bits:

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
   their upper ends alone, and drops what leaves its range above: the next thread has done the same springs.

   Indexed springs need single particles from anywhere. Where there are many of them the state is kept once
   more as records, x y z - vx vy vz -, so that each is in one line of the cache instead of six. The rows can also do
   with the records alone: `read` and `write` are NULL then.

   The kernels differ in the width of their vectors alone. step_scalar.c has the rows in plain C. */
#ifndef MSD_ENGINE_KERNEL_SPRING_FORCE_H
#define MSD_ENGINE_KERNEL_SPRING_FORCE_H

#include "engine/network/network.h"

enum { STEP_CHUNK = NETWORK_CHUNK_GROUPS * NETWORK_GROUP, STEP_RECORD = 8 };

typedef struct step_input {
  const network *net;
  const msd_real *read; /* the state before: six components with this stride */
  msd_real *write;      /* the state after; for `accelerations` three components */
  size_t stride;
  const msd_real *read_pins;    /* where held rows find their pins, a state; NULL: in the state before */
  const msd_real *read_records; /* the state before, as records of STEP_RECORD reals; NULL: none */
  msd_real *write_records;      /* the state after, as such */
  const msd_real *inverse_mass;
  const msd_real *force; /* N, three components; NULL: none */
  msd_real gravity[3];   /* m/s^2 */
  msd_real time_step;    /* s */
  msd_real decay;        /* what air drag leaves of a velocity in one substep, exp(-air_drag time_step) */
  bool read_ahead; /* of rows: ask for memory some groups ahead, as the state is larger than the caches */
  msd_real
      *down; /* of runs: down sums of the thread's own from the first particle on, three components with this
                      stride; all zero before and after a call, but for what is said next */
  size_t down_stride;
  bool down_continues; /* the groups in front of these were advanced last, and left their sums in `down` */
  bool down_goes_on;   /* the groups behind these come next: theirs are moved to the beginning of `down` */
} step_input;

/* Down sums for ranges of so many particles: the stride of their components, the reals of so many of them side by side
   in one block, and where the nth should begin in it for a range that begins at `particle`: in other sets of the cache
   than the six components of that particle's state, so that the two never push each other out. */
size_t step_down_stride(const network *net, int32_t particles);
size_t step_down_size(const network *net, int32_t particles, int ranges);
msd_real *step_down_place(msd_real *block, const network *net, int32_t particles, int nth,
                          const msd_real *state, int32_t particle);

/* The groups first..last-1, of which `first` begins a chunk for runs. Returns whether every position that was
   written is finite. */
typedef bool step_function(const step_input *in, int32_t first, int32_t last);

typedef struct step_kernel {
  step_function *advance_rows;  /* symplectic Euler: v' = (v + dt (f/m + g)) decay, x' = x + dt v' */
  step_function *advance_runs;  /* the same; NULL where there is none */
  step_function *accelerations; /* f/m + g of the unpinned, 0 of the pinned */
} step_kernel;

/* The records of the particles in groups first..last-1 of a state, and the other way round. */
void step_make_records(const msd_real *state, size_t stride, msd_real *records, int32_t first, int32_t last);
void step_read_records(const msd_real *records, msd_real *state, size_t stride, int32_t first, int32_t last);

/* That width, or the next narrower one that this processor and build have. */
msd_simd step_width(msd_simd simd);

/* The kernel of that width; the next narrower one where this processor or build has none. */
step_kernel step_choose(msd_simd simd);

/* Squared lengths have this added, so that two particles in one place divide by no zero: their direction is
   then the zero vector. It is lost in rounding above a length of 1e-11 m (1e-141 m in double). */
#ifdef MSD_DOUBLE
#define STEP_TINY 1e-290
#else
#define STEP_TINY 1e-30f
#endif

/* Made by step_kernel.h at each width; step_choose knows which of them this build has. */
step_function step_advance_rows_scalar, step_accelerations_scalar;
step_function step_advance_rows_128, step_advance_runs_128, step_accelerations_128;
step_function step_advance_rows_256, step_advance_runs_256, step_accelerations_256;
step_function step_advance_rows_512, step_advance_runs_512, step_accelerations_512;

#endif
