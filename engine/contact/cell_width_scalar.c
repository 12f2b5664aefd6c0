/* One number at a time, for compilers without vectors, and for the reader of a debugger. */

#include "engine/contact/cell_kernel.h"

const cell_kernel cell_kernel_scalar = {cell_divide};
