/* The angle at the middle of three particles, rad.

   With the legs a = x0 - x1 and b = x2 - x1 and n = a x b

       theta = atan2(|n|, a . b),   0 <= theta <= pi

   A tip displacement in the plane rotates its leg by the displacement over the leg length. theta grows if the
   leg rotates away from the other one. So with the unit vectors a^ = a/|a|, b^ and n^ the gradients, in
   rad/m, are

       g0 = a^ x n^ / |a|        g2 = n^ x b^ / |b|        g1 = -(g0 + g2)

   They are orthogonal to their legs, so nothing stretches. They sum to 0, and so do their moments about x1,
   x0 x g0 + ... = n^ - n^ = 0: a constraint changes neither momentum nor angular momentum.

   Straight and collapsed legs span no plane. There theta has a cone, as a length has at 0. Near it the
   gradients keep their size and lie in the plane of the legs. So with rest = pi, C g goes to 0 from every
   direction, like a transverse spring; within rounding error of it they are 0. For small deflections pi -
   theta = |d| (1/|a| + 1/|b|), where d is the distance of x1 from the line between its neighbors. */
#ifndef MSD_ENGINE_CONSTRAINT_ANGLE_H
#define MSD_ENGINE_CONSTRAINT_ANGLE_H

#include "engine/base/lane_atan2.h"
#include "engine/constraint/slopes.h"

/* a^ and b^, 1/|a| and 1/|b|. */
LANE_INLINE void angle_sides(const LANE3 *x, shape_sides *s) {
  s->of[0] = lane_unit(lane_subtract(x[0], x[1]), &s->inverse[0]);
  s->of[1] = lane_unit(lane_subtract(x[2], x[1]), &s->inverse[1]);
}

LANE_INLINE shape_pair angle_slopes(const shape_sides *s, LANE3 *gradient) {
  const LANE3 a = s->of[0], b = s->of[1];
  const LANE3 n = lane_cross(a, b);
  const LANE sine = lane_sqrt(lane_dot(n, n));
  const LANE inverse_sine = lane_inverse(sine > LANE_PARALLEL, sine);
  gradient[0] = lane_scale(lane_cross(a, n), inverse_sine * s->inverse[0]);
  gradient[2] = lane_scale(lane_cross(n, b), inverse_sine * s->inverse[1]);
  gradient[1] = lane_balance(gradient[0], gradient[2]);
  return (shape_pair){sine, lane_dot(a, b)};
}

LANE_INLINE LANE angle_value(shape_pair sides) {
  return lane_atan2_above(sides.y, sides.x);
}

#endif
