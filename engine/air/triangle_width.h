/* The aerodynamic kernels of triangles in every vector width of this build. */
#ifndef MSD_ENGINE_AIR_TRIANGLE_WIDTH_H
#define MSD_ENGINE_AIR_TRIANGLE_WIDTH_H

#include "engine/air/turbulence.h"
#include "engine/air/wind.h"

/* Fills `pushes` for a range of the triangles. */
typedef void triangle_kernel(const wind_thread *t, parallel_range triangles, turbulence_cell *cell);

/* Defined by triangle_width_narrow.c, triangle_width_256.c and triangle_width_512.c, which compile the same
   source, triangle_kernel.h. */
extern triangle_kernel *const triangle_kernel_narrow, *const triangle_kernel_256, *const triangle_kernel_512;

#endif
