/* Vectors of 128 bits; see kernel/width_128.c. */

#define SIMD_BYTES 16
#include "engine/contact/separation_kernel.h"

#include "engine/contact/box_kernel.h"

const separation_kernel cell_kernel_128 = {separation_divide_pair};
const box_kernel box_kernel_128 = BOX_KERNEL;
