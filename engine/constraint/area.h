/* The area of a triangle, m^2, never negative.

   With the sides a = x1 - x0 and b = x2 - x0, n = a x b and its direction n^

       A = |n| / 2
       dA = n^ . (da x b + a x db) / 2

   so the gradients, in m, are

       g1 = b x n^ / 2        g2 = n^ x a / 2        g0 = -(g1 + g2)

   Each is half the opposite side, rotated in the plane to point at its corner.

   A triangle of area 0 has no plane and so no gradient. Like a spring of zero length, it is not pushed apart.
   Near that the gradients keep their size. n comes from unit vectors along a and b. So squares of lengths
   must fit the range of msd_real, but not their fourth powers. */
#ifndef MSD_ENGINE_CONSTRAINT_AREA_H
#define MSD_ENGINE_CONSTRAINT_AREA_H

#include "engine/constraint/slopes.h"

/* a and b, and the unit vectors along them. */
LANE_INLINE void area_sides(const LANE3 *x, shape_sides *s) {
  s->of[0] = lane_subtract(x[1], x[0]);
  s->of[1] = lane_subtract(x[2], x[0]);
  s->of[2] = lane_unit(s->of[0], &s->inverse[0]);
  s->of[3] = lane_unit(s->of[1], &s->inverse[1]);
}

LANE_INLINE shape_pair area_slopes(const shape_sides *s, LANE3 *gradient) {
  const LANE3 a = s->of[0], b = s->of[1], along_a = s->of[2], along_b = s->of[3];
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
