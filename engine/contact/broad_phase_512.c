/* Vectors of 512 bits (AVX-512), for which the build compiles this file. */

#define SIMD_BYTES 64
#include "engine/contact/broad_phase_kernel.h"

#include "engine/contact/contact_pairs_kernel.h"

const pair_kernel pair_kernel_512 = PAIR_KERNEL;
const near_kernel near_kernel_512 = NEAR_KERNEL;
