/* Vectors of 512 bits; see kernel/width_512.c. */

#define SIMD_BYTES 64
#include "engine/contact/separation_kernel.h"

#include "engine/contact/box_kernel.h"

const separation_kernel cell_kernel_512 = {separation_divide_pair};
const box_kernel box_kernel_512 = BOX_KERNEL;
