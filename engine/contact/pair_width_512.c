/* Vectors of 512 bits: AVX-512, which the build compiles this file for. */

#define SIMD_BYTES 64
#include "engine/contact/pair_kernel.h"

#include "engine/contact/near_kernel.h"

const pair_kernel pair_kernel_512 = PAIR_KERNEL;
const near_kernel near_kernel_512 = NEAR_KERNEL;
