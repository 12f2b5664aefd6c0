/* The pushes of triangles in every width of vectors that this build has. */
#ifndef MSD_ENGINE_AIR_TRIANGLE_WIDTH_H
#define MSD_ENGINE_AIR_TRIANGLE_WIDTH_H

#include "engine/air/gusts.h"
#include "engine/air/wind.h"

/* Fills `pushes` of a range of the triangles. */
typedef void triangle_kernel(const wind_thread *t, parallel_range triangles, gust_cell *cell);

/* Made by triangle_width_narrow.c, triangle_width_256.c and triangle_width_512.c, which compile the one text of
   triangle_kernel.h. */
extern triangle_kernel *const triangle_kernel_narrow, *const triangle_kernel_256, *const triangle_kernel_512;

#endif
