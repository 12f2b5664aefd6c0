/* The plane between the sides of a pair (cells.h), on any lane (base/lane.h). */
#ifndef MSD_ENGINE_CONTACT_CELL_PLANES_H
#define MSD_ENGINE_CONTACT_CELL_PLANES_H

#include "engine/contact/closest_points.h"
#include "engine/contact/pair_search.h"

#include <float.h>

static const double CELL_ROUNDING = 16 * (sizeof(msd_real) == sizeof(double) ? DBL_EPSILON : FLT_EPSILON);

/* Of the size of a pair. */
static const double WITNESS_SHARE = 1.0 / 262144;

LANE_INLINE LANE cell_above_zero(LANE value) {
  return lane_keep(value > 0, value);
}

/* Corners of A are 0 and this one, which of a point is 0 again; of B the next one, 2 and 3. So no branch
   depends on the kind, which nobody foretells. */
LANE_INLINE int cell_last_of_a(pair_kind kind) {
  return kind == PAIR_EDGE_EDGE;
}

LANE_INLINE int cell_first_of_b(pair_kind kind) {
  return 1 + (kind == PAIR_EDGE_EDGE);
}

LANE_INLINE bool cell_is_first(pair_kind kind, int corner) {
  return corner <= cell_last_of_a(kind);
}

/* How far along the normal the nearest corner of A is, and the furthest of B. */
typedef struct cell_sides {
  LANE a, b;
} cell_sides;

/* What is not finite is on no side, and is left to who looks for that. */
LANE_INLINE cell_sides cell_sides_along(pair_kind kind, const LANE along[PAIR_CORNERS]) {
  const LANE far = lane_set((LANE_REAL)INFINITY);
  const LANE first = lane_least(far, along[0]), second = lane_most(-far, along[cell_first_of_b(kind)]);
  return (cell_sides){lane_least(first, along[cell_last_of_a(kind)]),
                      lane_most(lane_most(second, along[2]), along[3])};
}

LANE_INLINE cell_sides cell_sides_of(pair_kind kind, LANE3 normal, const LANE3 x[PAIR_CORNERS]) {
  LANE along[PAIR_CORNERS];
  for (int corner = 0; corner < PAIR_CORNERS; corner++)
    along[corner] = lane_dot(normal, x[corner]);
  return cell_sides_along(kind, along);
}

/* The unit vector between the closest points, from B to A, and how far along it each corner is; not where they
   meet. */
typedef struct cell_witness {
  LANE3 normal;
  LANE along[PAIR_CORNERS];
  LANE_MASK found;
} cell_witness;

LANE_INLINE void cell_look_along(cell_witness *w, const LANE3 x[PAIR_CORNERS]) {
  for (int corner = 0; corner < PAIR_CORNERS; corner++)
    w->along[corner] = lane_dot(w->normal, x[corner]);
}

/* m: across the witness. */
LANE_INLINE LANE cell_gap(pair_kind kind, const cell_witness *w) {
  const cell_sides sides = cell_sides_along(kind, w->along);
  return sides.a - sides.b;
}

/* What of a direction is across an edge. */
LANE_INLINE LANE3 cell_across(LANE3 direction, LANE3 edge) {
  const LANE share = lane_dot(direction, edge) * closest_inverse(lane_dot(edge, edge));
  return lane_subtract(direction, lane_scale(edge, share));
}

/* Across both edges, all but: the longer one, over which less counts, comes last. */
LANE_INLINE LANE3 cell_across_edges(LANE3 direction, const LANE3 x[PAIR_CORNERS]) {
  const LANE3 a = lane_subtract(x[1], x[0]), b = lane_subtract(x[3], x[2]);
  const LANE_MASK a_is_longer = lane_dot(a, a) > lane_dot(b, b);
  const LANE3 shorter = lane_select3(a_is_longer, b, a), longer = lane_select3(a_is_longer, a, b);
  const LANE3 across = cell_across(cell_across(direction, shorter), longer);
  const LANE square = lane_dot(across, across);
  return lane_scale(across, lane_sqrt(closest_inverse(square)));
}

/* Where edges are all but parallel rounding shifts their feet along them, and turns the witness: the longer
   they are, the less is left of the gap across it. Where most of the distance is gone, what is across both
   edges is taken instead. */
LANE_INLINE void cell_straighten(cell_witness *w, const LANE3 x[PAIR_CORNERS], LANE distance) {
  const LANE gap = cell_gap(PAIR_EDGE_EDGE, w);
  const LANE_MASK turned = w->found & (gap < distance / 2);
  if (lane_bits(turned) == 0)
    return;
  cell_witness straight = {.normal = cell_across_edges(w->normal, x)};
  cell_look_along(&straight, x);
  const LANE_MASK better = turned & (cell_gap(PAIR_EDGE_EDGE, &straight) > gap);
  w->normal = lane_select3(better, straight.normal, w->normal);
  for (int corner = 0; corner < PAIR_CORNERS; corner++)
    w->along[corner] = lane_select(better, straight.along[corner], w->along[corner]);
}

LANE_INLINE cell_witness cell_find_witness(pair_kind kind, const LANE3 x[PAIR_CORNERS]) {
  const LANE3 a = lane_subtract(x[1], x[0]), b = lane_subtract(x[2], x[0]), c = lane_subtract(x[3], x[0]);
  const closest_points closest = kind == PAIR_POINT_TRIANGLE ? closest_on_triangle(a, b, c)
                                                             : closest_of_edges(a, b, lane_subtract(c, b));
  const LANE distance = lane_sqrt(closest.square);
  cell_witness w = {.found = distance > 0};
  w.normal = lane_scale(closest.between, -1 / lane_select(w.found, distance, lane_set(1)));
  cell_look_along(&w, x);
  if (kind == PAIR_EDGE_EDGE)
    cell_straighten(&w, x, distance);
  return w;
}

/* Those of some corners. */
LANE_INLINE cell_sides cell_sides_of_some(pair_kind kind, LANE3 normal, const LANE3 x[PAIR_CORNERS],
                                          const LANE_MASK some[PAIR_CORNERS]) {
  LANE along[PAIR_CORNERS];
  for (int corner = 0; corner < PAIR_CORNERS; corner++)
    along[corner] =
        lane_select(some[corner], lane_dot(normal, x[corner]),
                    lane_set(cell_is_first(kind, corner) ? (LANE_REAL)INFINITY : -(LANE_REAL)INFINITY));
  return cell_sides_along(kind, along);
}

LANE_INLINE LANE cell_size_of(LANE3 a) {
  return lane_abs(a.x) + lane_abs(a.y) + lane_abs(a.z);
}

/* The gap that the numbers of the state still resolve, and across which the witness is exact enough: it is off
   by rounding of the size of the pair over the gap, and so is the gap by the square of that size. */
LANE_INLINE LANE cell_least_gap(const LANE3 x[PAIR_CORNERS], LANE thickness) {
  LANE size = lane_set(0);
  for (int corner = 1; corner < PAIR_CORNERS; corner++)
    size += cell_size_of(lane_subtract(x[corner], x[0]));
  const LANE of_state = CELL_ROUNDING * (cell_size_of(x[0]) + thickness), of_witness = WITNESS_SHARE * size;
  return lane_select(of_state > of_witness, of_state, of_witness);
}

/* What is nearer than the least gap comes no nearer still. */
LANE_INLINE LANE cell_margin(LANE thickness, LANE gap, LANE least) {
  const LANE share = thickness / 50, wanted = lane_select(share > least, share, least);
  return lane_select(gap < least, gap / 2, lane_select(wanted < 0.45 * gap, wanted, 0.45 * gap));
}

/* How far what is nearer than the least gap goes away where its way is cut. What is led rounds its ways as it
   comes, and would use up a gap that grows by less. */
LANE_INLINE LANE cell_away(cell_sides now, cell_sides led, LANE gap, LANE least) {
  const LANE_MASK comes = (led.a < now.a) | (led.b > now.b);
  return lane_most(gap / 32, lane_keep(comes, least / 8));
}

/* Of a margin: what is but rounding. */
LANE_INLINE LANE cell_slack(LANE margin) {
  return margin / 8;
}

/* Where between two ends a value comes to lie; in their middle where they are the wrong way round. */
LANE_INLINE LANE cell_between(LANE least, LANE value, LANE most) {
  const LANE within = lane_select(value < least, least, lane_select(value > most, most, value));
  return lane_select(least > most, (least + most) / 2, within);
}

/* The plane between the sides at x, of which `then` is what they come to and `led` what is led of that. It
   leaves them `room` to come: to each as much as it asks for of it, but first to what is led. Where that comes
   further than there is room, the other side makes way. */
LANE_INLINE LANE cell_place_plane(cell_sides now, cell_sides then, cell_sides led, LANE margin, LANE room) {
  const LANE by_a = cell_above_zero(now.a - then.a), by_b = cell_above_zero(then.b - now.b), by = by_a + by_b;
  const LANE led_a = cell_above_zero(now.a - led.a), led_b = cell_above_zero(led.b - now.b);
  const LANE of_b = lane_keep(by > 0, room * (by_b / lane_select(by > 0, by, lane_set(1))));
  LANE least = led_b, most = room - led_a;
  most = lane_select((least > most) & lane_not(led_a > 0), least, most);
  least = lane_select((least > most) & lane_not(led_b > 0), most, least);
  return now.b + margin + cell_between(least, of_b, most);
}

/* How far a corner may come towards the plane; below 0: it must go, as what is led has moved the plane over it.
   It is so far from the plane, on its own side. */
LANE_INLINE LANE cell_room(LANE distance, LANE margin) {
  const LANE room = distance - margin;
  return lane_select(room < -cell_slack(margin), room, cell_above_zero(room));
}

#endif
