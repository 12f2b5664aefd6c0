/* How much further than others the particles of surfaces stay from what is round, so that the edges and
   triangles between them stay out of it too.

   A collider is round about a point or a line. Of a triangle let q be the point nearest to that line and o
   the point of the line nearest to q. With the weights that q has, the squared distances of the corners from
   o have the mean |q - o|^2 + V, where V is the mean of their squared distances from q, their variance. It is
   at most the square of the radius of the smallest ball around the corners, so by Jung's theorem at most
   L^2/3 with L the longest edge, and L^2/4 of a segment. So where all corners are at least sqrt((radius +
   thickness)^2 + V) from the line, q is at least radius + thickness from it, however the triangle lies.

   L is taken at rest. What is stretched may come nearer than the thickness; it comes in where the square of its
   longest edge has grown by more than three times 2 radius thickness + thickness^2. */
#ifndef MSD_ENGINE_KERNEL_SAGITTA_H
#define MSD_ENGINE_KERNEL_SAGITTA_H

#include "engine/store/surface.h"

/* Of each particle, by slot, the largest V of the triangles and segments of surfaces that have it, in m^2.
   `by_slot` is all zeros. */
void sagitta_measure(msd_real *by_slot, const particle_store *p, const surface_store *s);

#endif
