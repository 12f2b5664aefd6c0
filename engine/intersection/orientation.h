/* The exact orientation of points, for all finite coordinates, however large, small or nearly degenerate.

   Rounded arithmetic decides if its error bound is below the result; otherwise expansions or exact integers
   do. The error of the rounded determinants is bounded as in J. R. Shewchuk, "Adaptive precision
   floating-point arithmetic and fast robust geometric predicates" (1997), with a term for products that
   underflow. Sums that overflow are decided by exact integers, too. */
#ifndef MSD_ENGINE_INTERSECTION_ORIENTATION_H
#define MSD_ENGINE_INTERSECTION_ORIENTATION_H

typedef struct point {
  double at[3];
} point;

/* The sign of (a - d) . (b - d) x (c - d): 1 if a, b, c appear clockwise from d, -1 if counterclockwise, 0
   if the points are coplanar. */
int orientation_in_space(const point *a, const point *b, const point *c, const point *d);

/* The same without the coordinate `dropped` (0, 1 or 2): 1 if a, b, c appear counterclockwise from the tip
   of that axis, -1 if clockwise, 0 if they are collinear. */
int orientation_in_plane(const point *a, const point *b, const point *c, int dropped);

#endif
