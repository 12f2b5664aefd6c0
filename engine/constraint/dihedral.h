/* The dihedral angle across the edge x0-x1 between the triangles (0, 1, 2) and (1, 0, 3), rad.

   With the unit vector e^ along e = x1 - x0, the normals

       n1 = e^ x (x2 - x0)        n2 = (x3 - x0) x e^

   have the heights h1 and h2 of the triangles over their common edge as lengths. With n1^ and n2^ their
   directions

       phi = atan2(e^ . (n2^ x n1^), n1^ . n2^),   -pi < phi <= pi

   It is 0 for coplanar triangles, positive if 3 is on the side that n1 points to, and pi if the triangles
   coincide.

   A tip that moves along its normal rotates its triangle by the displacement over the height. The gradients
   at the edge follow from the balance of forces and torques. The foot of the tip's height divides the edge in
   the ratio s to 1 - s. The ends carry the opposite of the tip's gradient, as the supports of a beam carry a
   load. In rad/m

       g2 = n1^ / h1                                        s = (x2 - x0) . e^ / |e|
       g3 = n2^ / h2                                        t = (x3 - x0) . e^ / |e|
       g0 = -((1 - s) g2 + (1 - t) g3)
       g1 = -(s g2 + t g3)

   (R. Bridson, S. Marino, R. Fedkiw, "Simulation of Clothing with Folds and Wrinkles", 2003; M. Wardetzky et
   al., "Discrete Quadratic Curvature Energies", 2007.) Nothing is divided by the sine of phi, so the
   gradients are smooth at 0 and at pi. If either triangle has height 0, all four gradients are 0. */
#ifndef MSD_ENGINE_CONSTRAINT_DIHEDRAL_H
#define MSD_ENGINE_CONSTRAINT_DIHEDRAL_H

#include "engine/base/lane_atan2.h"
#include "engine/constraint/slopes.h"

/* x2 - x0, x3 - x0 and e^, and 1/|e|. */
LANE_INLINE void dihedral_sides(const LANE3 *x, shape_sides *s) {
  s->of[0] = lane_subtract(x[2], x[0]);
  s->of[1] = lane_subtract(x[3], x[0]);
  s->of[2] = lane_unit(lane_subtract(x[1], x[0]), &s->inverse[0]);
}

LANE_INLINE shape_pair dihedral_slopes(const shape_sides *sides, LANE3 *gradient) {
  const LANE3 a = sides->of[0], b = sides->of[1], e = sides->of[2];
  const LANE inverse_e = sides->inverse[0];
  LANE inverse_1, inverse_2;
  const LANE3 m1 = lane_cross(e, a), m2 = lane_cross(b, e);
  const LANE3 n1 = lane_unit(m1, &inverse_1), n2 = lane_unit(m2, &inverse_2);
  const LANE rounding = lane_set(LANE_PARALLEL * LANE_PARALLEL);
  const LANE_MASK sound_1 = lane_dot(m1, m1) > rounding * lane_dot(a, a);
  const LANE_MASK sound_2 = lane_dot(m2, m2) > rounding * lane_dot(b, b), sound = sound_1 & sound_2;
  gradient[2] = lane_scale(n1, lane_keep(sound, inverse_1));
  gradient[3] = lane_scale(n2, lane_keep(sound, inverse_2));
  const LANE s = lane_dot(a, e) * inverse_e, t = lane_dot(b, e) * inverse_e;
  gradient[1] = lane_balance(lane_scale(gradient[2], s), lane_scale(gradient[3], t));
  gradient[0] = lane_balance(lane_scale(gradient[2], 1 - s), lane_scale(gradient[3], 1 - t));
  return (shape_pair){lane_dot(e, lane_cross(n2, n1)), lane_dot(n1, n2)};
}

LANE_INLINE LANE dihedral_value(shape_pair sides) {
  return lane_atan2(sides.y, sides.x);
}

#endif
