/* The extra distance that particles of collision meshes keep from round colliders, so that the edges and
   triangles between them stay outside too.

   A round collider is a point or a line with a radius. Let q be the point of a triangle nearest to that line,
   and o the point of the line nearest to q. Weighted by the barycentric coordinates of q, the mean squared
   distance of the corners from o is |q - o|^2 + V. V is the variance, the weighted mean of their squared
   distances from q. V is at most the squared radius of the smallest ball around the corners. By Jung's
   theorem that is at most L^2/3 with L the longest edge, and L^2/4 for a segment. So if all corners are at
   least sqrt((radius + thickness)^2 + V) from the line, q is at least radius + thickness from it, for any
   orientation of the triangle.

   L is taken at rest. A stretched triangle may come closer than the thickness. It penetrates only if the
   square of its longest edge has grown by more than three times 2 radius thickness + thickness^2. */
#ifndef MSD_ENGINE_KERNEL_CHORD_OFFSET_H
#define MSD_ENGINE_KERNEL_CHORD_OFFSET_H

#include "engine/store/surface.h"

/* Computes for each particle, by slot, the largest V in m^2 of the triangles and segments that contain it.
   `by_slot` must be zeroed. */
void chord_offset_measure(msd_real *by_slot, const particle_store *p, const surface_store *s);

#endif
