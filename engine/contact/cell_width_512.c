/* Vectors of 512 bits; see kernel/width_512.c. */

#define SIMD_BYTES 64
#include "engine/contact/cell_kernel.h"

const cell_kernel cell_kernel_512 = {cell_divide};
