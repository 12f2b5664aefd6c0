/* Vectors of 256 bits: AVX2, which the build compiles this file for. */

#include "engine/air/triangle_kernel.h"

triangle_kernel *const triangle_kernel_256 = push_triangles;
