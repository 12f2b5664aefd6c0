/* 128-bit vectors: SSE2 on x86-64, NEON on 64-bit ARM, and any other target with GNU vector extensions. */

#define SIMD_BYTES 16
#include "engine/kernel/constraint_force_kernel.h"
#include "engine/kernel/contact_kernel.h"
#include "engine/kernel/corner_gather_kernel.h"
#include "engine/kernel/hard_limit_kernel.h"
#include "engine/kernel/sparse_rows_kernel.h"
#include "engine/kernel/spring_force_kernel.h"
#include "engine/kernel/spring_projection_kernel.h"
#include "engine/kernel/widths.h"

const kernels kernels_128 = KERNELS;
