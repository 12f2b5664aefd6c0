/* Scalar: for compilers without vector extensions, and for debugging. */

#include "engine/contact/separation_kernel.h"

#include "engine/contact/box_kernel.h"

const separation_kernel cell_kernel_scalar = {separation_divide_pair};
const box_kernel box_kernel_scalar = BOX_KERNEL;
