/* The volume of a tetrahedron, m^3, negative if it is inverted.

   With the edges a = x1 - x0, b = x2 - x0, c = x3 - x0

       V = (a x b) . c / 6

   which is linear in every corner, so the gradients, in m^2, are

       g1 = b x c / 6        g2 = c x a / 6        g3 = a x b / 6        g0 = -(g1 + g2 + g3)

   Each is a third of the area of the opposite face, along its inward normal. It is 0 only if that face has
   area 0: a flat tetrahedron is pushed to its rest volume, and an inverted one back through flat. */
#ifndef MSD_ENGINE_CONSTRAINT_VOLUME_H
#define MSD_ENGINE_CONSTRAINT_VOLUME_H

#include "engine/constraint/slopes.h"

/* a, b and c. */
LANE_INLINE void volume_sides(const LANE3 *x, shape_sides *s) {
  for (int n = 0; n < 3; n++)
    s->of[n] = lane_subtract(x[n + 1], x[0]);
}

LANE_INLINE shape_pair volume_slopes(const shape_sides *s, LANE3 *gradient) {
  const LANE sixth = lane_set(1) / 6;
  const LANE3 a = s->of[0], b = s->of[1], c = s->of[2];
  gradient[1] = lane_scale(lane_cross(b, c), sixth);
  gradient[2] = lane_scale(lane_cross(c, a), sixth);
  gradient[3] = lane_scale(lane_cross(a, b), sixth);
  gradient[0] = lane_balance(lane_add(gradient[1], gradient[2]), gradient[3]);
  return (shape_pair){lane_dot(gradient[3], c), lane_set(0)};
}

LANE_INLINE LANE volume_value(shape_pair volume) {
  return volume.y;
}

#endif
