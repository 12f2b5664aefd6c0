/* Vectors of 128 bits; see kernel/width_128.c. */

#define SIMD_BYTES 16
#include "engine/contact/pair_kernel.h"

#include "engine/contact/near_kernel.h"

const pair_kernel pair_kernel_128 = PAIR_KERNEL;
const near_kernel near_kernel_128 = NEAR_KERNEL;
