/* One substep of all distance springs, over the rows of the network.

   Each particle sums the forces of its springs as the canonical order of network.h has it, and is finished
   at once: nothing is scattered, so threads take groups of particles and never meet. Every spring is
   evaluated at both its ends. The kernels differ in the width of their vectors alone. */
#ifndef MSD_STEP_H
#define MSD_STEP_H

#include "network.h"

typedef struct step_input {
  const network *net;
  const msd_real *read; /* the state before: six components with this stride */
  msd_real *write;      /* the state after; for step_accelerations three components */
  size_t stride;
  const msd_real *inverse_mass;
  const msd_real *force; /* N, three components; NULL: none */
  msd_real gravity[3];   /* m/s^2 */
  msd_real time_step;    /* s */
  msd_real decay;        /* what air drag leaves of a velocity in one substep, exp(-air_drag time_step) */
} step_input;

/* The groups first..last-1. Returns whether every position that was written is finite. */
typedef bool step_function(const step_input *in, int32_t first, int32_t last);

typedef struct step_kernel {
  step_function *advance;       /* symplectic Euler: v' = (v + dt (f/m + g)) decay, x' = x + dt v' */
  step_function *accelerations; /* f/m + g of the unpinned, 0 of the pinned */
} step_kernel;

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
bool step_advance_scalar(const step_input *in, int32_t first, int32_t last);
bool step_accelerations_scalar(const step_input *in, int32_t first, int32_t last);
bool step_advance_128(const step_input *in, int32_t first, int32_t last);
bool step_accelerations_128(const step_input *in, int32_t first, int32_t last);
bool step_advance_256(const step_input *in, int32_t first, int32_t last);
bool step_accelerations_256(const step_input *in, int32_t first, int32_t last);
bool step_advance_512(const step_input *in, int32_t first, int32_t last);
bool step_accelerations_512(const step_input *in, int32_t first, int32_t last);

#endif
