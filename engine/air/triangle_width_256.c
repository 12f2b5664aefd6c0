/* 256-bit vectors: the build compiles this file for AVX2. */

#include "engine/air/triangle_kernel.h"

triangle_kernel *const triangle_kernel_256 = push_triangles;
