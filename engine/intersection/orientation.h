/* On which side points lie, exactly: for all finite coordinates, however large, small or nearly degenerate.

   Rounded arithmetic decides where its error is surely below the result; whole numbers do where it is not. The
   error of the rounded determinants is bounded as in J. R. Shewchuk, "Adaptive precision floating-point
   arithmetic and fast robust geometric predicates" (1997), with a term for products that underflow. Sums that
   overflow are decided by whole numbers, too. */
#ifndef MSD_ENGINE_INTERSECTION_ORIENTATION_H
#define MSD_ENGINE_INTERSECTION_ORIENTATION_H

typedef struct point {
  double at[3];
} point;

/* The sign of (a - d) . (b - d) x (c - d): 1 where d sees a, b, c turn clockwise, -1 where anticlockwise, 0 for
   points in one plane. */
int orientation_in_space(const point *a, const point *b, const point *c, const point *d);

/* The same after the coordinate `dropped` (0, 1 or 2) is left out: 1 where a, b, c turn anticlockwise seen
   from its tip, -1 where clockwise, 0 for points in one line. */
int orientation_in_plane(const point *a, const point *b, const point *c, int dropped);

#endif
