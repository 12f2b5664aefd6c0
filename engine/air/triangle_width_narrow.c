/* The baseline vector width of the target architecture. */

#include "engine/air/triangle_kernel.h"

triangle_kernel *const triangle_kernel_narrow = push_triangles;
