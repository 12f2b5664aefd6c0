/* The area of a triangle, m^2, never negative.

   With the sides a = x1 - x0 and b = x2 - x0, n = a x b and its direction n^

       A = |n| / 2
       dA = n^ . (da x b + a x db) / 2

   so the gradients, in m, are

       g1 = b x n^ / 2        g2 = n^ x a / 2        g0 = -(g1 + g2)

   Each is half the opposite side, turned in the plane to point at its corner.

   A triangle without area has no plane and so no gradient: like a spring of no length, it is not pushed
   apart. Close to that the gradients keep their size. n comes from unit vectors along a and b, so that
   squares of lengths must fit the range of msd_real, but not their fourth powers. */
#ifndef MSD_ENGINE_CONSTRAINT_AREA_H
#define MSD_ENGINE_CONSTRAINT_AREA_H

#include "engine/constraint/slopes.h"

LANE_INLINE shape_pair area_slopes(const LANE3 *x, LANE3 *gradient) {
  const LANE3 a = lane_subtract(x[1], x[0]), b = lane_subtract(x[2], x[0]);
  LANE inverse_a, inverse_b;
  const LANE3 along_a = lane_unit(a, &inverse_a), along_b = lane_unit(b, &inverse_b);
  const LANE3 n = lane_cross(along_a, along_b);
  const LANE sine = lane_sqrt(lane_dot(n, n));
  const LANE3 normal = lane_scale(n, lane_inverse(sine > LANE_PARALLEL, sine) / 2);
  gradient[1] = lane_cross(b, normal);
  gradient[2] = lane_cross(normal, a);
  gradient[0] = lane_balance(gradient[1], gradient[2]);
  return (shape_pair){lane_dot(a, along_a) * lane_dot(b, along_b) * sine / 2, lane_set(0)};
}

LANE_INLINE LANE area_value(shape_pair area) {
  return area.y;
}

#endif
