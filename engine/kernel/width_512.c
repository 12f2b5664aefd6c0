/* Vectors of 512 bits: AVX-512, which the build compiles this file for. */

#define SIMD_BYTES 64
#include "engine/kernel/catch_kernel.h"
#include "engine/kernel/constraint_force_kernel.h"
#include "engine/kernel/contact_kernel.h"
#include "engine/kernel/corner_sum_kernel.h"
#include "engine/kernel/sparse_rows_kernel.h"
#include "engine/kernel/spring_force_kernel.h"
#include "engine/kernel/spring_projection_kernel.h"
#include "engine/kernel/widths.h"

const kernels kernels_512 = KERNELS;
