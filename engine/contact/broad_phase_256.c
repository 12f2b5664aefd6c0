/* Vectors of 256 bits: AVX2, which the build compiles this file for. */

#define SIMD_BYTES 32
#include "engine/contact/broad_phase_kernel.h"

#include "engine/contact/contact_pairs_kernel.h"

const pair_kernel pair_kernel_256 = PAIR_KERNEL;
const near_kernel near_kernel_256 = NEAR_KERNEL;
