/* Vectors of 256 bits: AVX2, which the build compiles this file for. */

#define SIMD_BYTES 32
#include "engine/kernel/catch_kernel.h"
#include "engine/kernel/constraint_force_kernel.h"
#include "engine/kernel/contact_kernel.h"
#include "engine/kernel/corner_sum_kernel.h"
#include "engine/kernel/sparse_rows_kernel.h"
#include "engine/kernel/spring_force_kernel.h"
#include "engine/kernel/spring_projection_kernel.h"
#include "engine/kernel/widths.h"

const kernels kernels_256 = KERNELS;
