/* One number at a time, for compilers without vectors, and for the reader of a debugger. */

#include "engine/kernel/catch_kernel.h"
#include "engine/kernel/constraint_force_kernel.h"
#include "engine/kernel/contact_kernel.h"
#include "engine/kernel/corner_sum_kernel.h"
#include "engine/kernel/sparse_rows_kernel.h"
#include "engine/kernel/spring_force_kernel.h"
#include "engine/kernel/spring_projection_kernel.h"
#include "engine/kernel/widths.h"

const kernels kernels_scalar = KERNELS;
