/* Vectors of 512 bits: AVX-512, which the build compiles this file for. */

#include "engine/air/triangle_kernel.h"

triangle_kernel *const triangle_kernel_512 = push_triangles;
