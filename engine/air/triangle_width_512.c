/* 512-bit vectors: the build compiles this file for AVX-512. */

#include "engine/air/triangle_kernel.h"

triangle_kernel *const triangle_kernel_512 = push_triangles;
