/* One number at a time, for compilers without vectors, and for the reader of a debugger. */

#include "engine/contact/pair_kernel.h"

#include "engine/contact/near_kernel.h"

const pair_kernel pair_kernel_scalar = PAIR_KERNEL;
const near_kernel near_kernel_scalar = NEAR_KERNEL;
