/* Closest points of a point and a triangle, and of two edges, on any lane (base/lane.h).

   Both are the nearest of several candidates, each a pair of points that the primitives really have:

       point and triangle    the point against each of the three edges; and the foot of the perpendicular, if
                             that is inside
       two edges             each of the four ends against the other edge; and the feet of the common
                             perpendicular, if both are inside

   A degenerate candidate (an edge without length, a triangle without area, parallel edges) is therefore
   never worse than the others, and the distance is never below the true one except by the rounding of a sum.
   For nearly parallel edges the feet may be lost in rounding: the distance is then too long by about the
   square root of the precision, times their length.

   Finite input gives finite weights. Squares of lengths must be finite too; squares and products of squares
   below LANE_SMALLEST count as 0. */
#ifndef MSD_ENGINE_CONTACT_CLOSEST_POINTS_H
#define MSD_ENGINE_CONTACT_CLOSEST_POINTS_H

#include "engine/base/lane.h"

/* The closest points. On a triangle, b and c are the weights of its second and third corner, and 1 - b - c
   that of the first. On two edges, b and c are the positions along the first and the second, 0 to 1.
   `between` is the vector from the first primitive's point to the second's, `square` its squared length. */
typedef struct closest_points {
  LANE b, c;
  LANE3 between;
  LANE square;
} closest_points;

LANE_INLINE LANE closest_clamp(LANE t) {
  t = lane_keep(t > 0, t);
  return lane_select(t < 1, t, lane_set(1));
}

/* 1/square, or 0 for a length of 0. */
LANE_INLINE LANE closest_inverse(LANE square) {
  return lane_inverse(square > LANE_SMALLEST, square);
}

/* The nearer of two candidates, on the lanes where the new one is allowed. */
LANE_INLINE closest_points closest_nearer(closest_points old, closest_points made, LANE_MASK allowed) {
  const LANE_MASK nearer = allowed & (made.square < old.square);
  return (closest_points){lane_select(nearer, made.b, old.b), lane_select(nearer, made.c, old.c),
                          lane_select3(nearer, made.between, old.between),
                          lane_select(nearer, made.square, old.square)};
}

/* The candidate at b along `first` and c along `second`, from `from`. */
LANE_INLINE closest_points closest_at(LANE3 from, LANE3 first, LANE3 second, LANE b, LANE c) {
  const LANE3 between = lane_add(lane_add(from, lane_scale(first, b)), lane_scale(second, c));
  return (closest_points){b, c, between, lane_dot(between, between)};
}

/* The point at the origin and the triangle a, b, c. */
LANE_INLINE closest_points closest_on_triangle(LANE3 a, LANE3 b, LANE3 c) {
  const LANE3 to_b = lane_subtract(b, a), to_c = lane_subtract(c, a), across = lane_subtract(c, b);
  const LANE bb = lane_dot(to_b, to_b), bc = lane_dot(to_b, to_c), cc = lane_dot(to_c, to_c);
  const LANE along_b = -lane_dot(a, to_b), along_c = -lane_dot(a, to_c);
  const LANE zero = lane_set(0), one = lane_set(1);
  const LANE_MASK all = zero < one;

  closest_points best = closest_at(a, to_b, to_c, closest_clamp(along_b * closest_inverse(bb)), zero);
  best = closest_nearer(best, closest_at(a, to_b, to_c, zero, closest_clamp(along_c * closest_inverse(cc))),
                        all);

  const LANE t = closest_clamp(-lane_dot(b, across) * closest_inverse(lane_dot(across, across)));
  closest_points edge = closest_at(b, across, to_c, t, zero);
  edge.b = 1 - t;
  edge.c = t;
  best = closest_nearer(best, edge, all);

  const LANE area = bb * cc - bc * bc, inverse = closest_inverse(area);
  const LANE u = (along_b * cc - along_c * bc) * inverse, v = (along_c * bb - along_b * bc) * inverse;
  const LANE_MASK inside = (area > LANE_SMALLEST) & (u >= 0) & (v >= 0) & (u + v <= 1);
  return closest_nearer(best, closest_at(a, to_b, to_c, lane_keep(inside, u), lane_keep(inside, v)), inside);
}

/* The edge from the origin to p, and the edge from q to q + along. */
LANE_INLINE closest_points closest_of_edges(LANE3 p, LANE3 q, LANE3 along) {
  const LANE3 back = {-p.x, -p.y, -p.z};
  const LANE pp = lane_dot(p, p), qq = lane_dot(along, along), pq = lane_dot(p, along);
  const LANE p_to_q = lane_dot(p, q), q_to_p = -lane_dot(along, q);
  const LANE over_p = closest_inverse(pp), over_q = closest_inverse(qq);
  const LANE zero = lane_set(0), one = lane_set(1);
  const LANE_MASK all = zero < one;

  closest_points best = closest_at(q, back, along, zero, closest_clamp(q_to_p * over_q));
  best = closest_nearer(best, closest_at(q, back, along, one, closest_clamp((q_to_p + pq) * over_q)), all);
  best = closest_nearer(best, closest_at(q, back, along, closest_clamp(p_to_q * over_p), zero), all);
  best = closest_nearer(best, closest_at(q, back, along, closest_clamp((p_to_q + pq) * over_p), one), all);

  const LANE area = pp * qq - pq * pq, inverse = closest_inverse(area);
  const LANE s = (p_to_q * qq + q_to_p * pq) * inverse, t = (q_to_p * pp + p_to_q * pq) * inverse;
  const LANE_MASK inside = (area > LANE_SMALLEST) & (s >= 0) & (s <= 1) & (t >= 0) & (t <= 1);
  return closest_nearer(best, closest_at(q, back, along, lane_keep(inside, s), lane_keep(inside, t)), inside);
}

#endif
