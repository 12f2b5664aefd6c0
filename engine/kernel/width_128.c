/* Vectors of 128 bits: SSE2 on x86-64, NEON on 64-bit ARM, and wherever else the compiler has GNU vectors. */

#define SIMD_BYTES 16
#include "engine/kernel/catch_kernel.h"
#include "engine/kernel/constraint_force_kernel.h"
#include "engine/kernel/contact_kernel.h"
#include "engine/kernel/corner_sum_kernel.h"
#include "engine/kernel/sparse_rows_kernel.h"
#include "engine/kernel/spring_force_kernel.h"
#include "engine/kernel/spring_projection_kernel.h"
#include "engine/kernel/widths.h"

const kernels kernels_128 = KERNELS;
