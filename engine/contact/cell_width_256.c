/* Vectors of 256 bits; see kernel/width_256.c. */

#define SIMD_BYTES 32
#include "engine/contact/cell_kernel.h"

const cell_kernel cell_kernel_256 = {cell_divide};
