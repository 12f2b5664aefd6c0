/* Vectors of 128 bits; see kernel/width_128.c. */

#define SIMD_BYTES 16
#include "engine/contact/cell_kernel.h"

const cell_kernel cell_kernel_128 = {cell_divide};
