/* Vectors of 128 bits; see kernel/width_128.c. */

#define SIMD_BYTES 16
#include "engine/contact/broad_phase_kernel.h"

#include "engine/contact/contact_pairs_kernel.h"

const pair_kernel pair_kernel_128 = PAIR_KERNEL;
const near_kernel near_kernel_128 = NEAR_KERNEL;
