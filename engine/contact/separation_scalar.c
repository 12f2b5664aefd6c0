/* Scalar: for compilers without vector extensions, and for debugging. */

#include "engine/contact/separation_kernel.h"

const separation_kernel cell_kernel_scalar = {separation_divide_pair};
