/* As wide as all processors of the kind that the library is built for have it. */

#include "engine/air/triangle_kernel.h"

triangle_kernel *const triangle_kernel_narrow = push_triangles;
