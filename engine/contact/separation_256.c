/* Vectors of 256 bits; see kernel/width_256.c. */

#define SIMD_BYTES 32
#include "engine/contact/separation_kernel.h"

#include "engine/contact/box_kernel.h"

const separation_kernel cell_kernel_256 = {separation_divide_pair};
const box_kernel box_kernel_256 = BOX_KERNEL;
