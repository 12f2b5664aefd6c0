/* One substep of all springs between two particles, over the rows or the diagonal blocks of the network.

   The sum over the springs of a particle is taken in the canonical order of network.h, then the particle is
   integrated at once. Nothing is scattered to memory of another thread, so threads process ranges of groups
   without barriers. There are two traversals with bitwise identical results:

   Rows. Each group sums all its springs in registers. Every contiguous spring is evaluated twice, once at
   each end. Besides the springs it needs the least memory traffic.

   Diagonal blocks. Each contiguous spring is evaluated once. A chunk of 256 particles processes its segments.
   The lower ends of the springs are summed in `up`, which belongs to the chunk. The upper ends are summed in
   `down`, the carry buffer, which reaches ahead by the largest offset:

       particles   ... | chunk k            | chunk k+1          | ...
       up                [ zero, then full ]
       down              [ full            ][ being filled ........]  zero

   After its segments a chunk is complete: up + down, then its indexed springs, then the integrator. The used
   range of `down` is reset to zero. A thread begins with the springs that enter its range from below, for
   their upper ends alone. It discards the sums that leave its range above, since the next thread evaluates
   the same springs.

   A state is stored as a slab (particle.h), as records (records.h), or as both. Rows and blocks stream
   through the slab. Indexed springs gather single particles from the records. Blocks need the slab. Without a
   slab, rows load from the records; without records, single particles load from the slab.

   All kernels share the source spring_force_kernel.h and differ only in vector width. */
#ifndef MSD_ENGINE_KERNEL_SPRING_FORCE_H
#define MSD_ENGINE_KERNEL_SPRING_FORCE_H

#include "engine/network/network.h"

/* The forms of a state; NULL: not in this form. */
typedef struct spring_source {
  const msd_real *slab, *records;
} spring_source;

typedef struct spring_target {
  msd_real *slab, *records;
} spring_target;

typedef struct spring_tally spring_tally;
typedef struct energy_meter energy_meter;

typedef struct spring_input {
  const network *net;
  /* The stride of slabs and forces. */
  size_t stride;
  /* The states before and after the substep, in the same forms. */
  spring_source read;
  spring_target write;
  /* The state from which pinned rows load their pins: the state before, or another one with the same pins. */
  spring_source pins;
  /* N: external forces, three components; NULL: none. */
  const msd_real *force;
  /* m/s^2 */
  msd_real gravity[3];
  /* s */
  msd_real dt;
  /* Factor of linear damping in one substep, exp(-linear_damping dt). */
  msd_real decay;
  /* By slot: 1 for loose particles (step/loose.h) that no collider can reach, else 0; NULL: none. They fall
     exactly: x' = x + dt v' - dt^2/2 (f/m + g). */
  const msd_real *loose;
  /* Per chunk of the network, receives the energies of energy_meter.h; NULL: not measured. */
  spring_tally *tallies;
  /* N: receives the spring forces of a measuring pass that moves nothing, three components. */
  msd_real *spring_force;
  /* For rows of slabs: prefetch some groups ahead, because the state is larger than the caches. */
  bool read_ahead;
} spring_input;

/* The memory traffic of a substep in bytes: two states, inverse masses, and the springs. */
double spring_bytes(const network *net);

/* The carry buffer of a range of groups: three components from its first particle on. */
typedef struct spring_down {
  /* All zero before and after a call, except as the next fields say. */
  msd_real *sums;
  size_t stride;
  /* The preceding groups were processed last and left their sums here. */
  bool continues;
  /* The following groups come next: their sums are moved to the beginning. */
  bool goes_on;
} spring_down;

/* The stride of a carry buffer for ranges of that many particles, and the number of reals for `ranges`
   buffers in one block. */
size_t spring_down_stride(const network *net, int32_t particles);
size_t spring_down_size(const network *net, int32_t particles, int ranges);

/* The nth carry buffer in that block, for a range that begins at `particle`. It maps to other cache sets than
   the six components of that particle's state in `slab`, so that they do not evict each other. */
spring_down spring_down_place(msd_real *block, const network *net, int32_t particles, int nth,
                              const msd_real *slab, int32_t particle);

/* Each function processes the groups first..last-1. With tallies, `first` must begin a chunk. */
typedef struct spring_kernel {
  /* Symplectic Euler: v' = (v + dt (f/m + g)) decay, x' = x + dt v' (see `loose`). Returns whether every new
     position is finite. With tallies it is the measuring pass of energy_meter.h. */
  bool (*advance_rows)(const spring_input *in, int32_t first, int32_t last);
  /* The same through diagonal blocks. */
  bool (*advance_runs)(const spring_input *in, const spring_down *down, int32_t first, int32_t last);
  /* f/m + g for unpinned particles, 0 for pinned ones, as three components. The state must be a slab. With
     tallies it is a measuring pass that moves nothing. */
  void (*accelerations)(const spring_input *in, msd_real *out, int32_t first, int32_t last);
  /* The same through diagonal blocks. */
  void (*run_accelerations)(const spring_input *in, const spring_down *down, msd_real *out, int32_t first,
                            int32_t last);
  /* The other passes of energy_meter.h, through rows. Returns as advance_rows does. */
  bool (*watch)(const spring_input *in, const energy_meter *order, int32_t first, int32_t last);
} spring_kernel;

/* Added to squared lengths so that coincident particles cause no division by zero; their direction is then
   the zero vector. It is lost in rounding above a length of 1e-11 m (1e-141 m in double). */
#ifdef MSD_DOUBLE
#define SPRING_TINY 1e-290
#else
#define SPRING_TINY 1e-30f
#endif

#endif
