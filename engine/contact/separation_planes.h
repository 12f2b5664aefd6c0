/* The separating plane of one pair (separation.h), on any lane (base/lane.h). */
#ifndef MSD_ENGINE_CONTACT_SEPARATION_PLANES_H
#define MSD_ENGINE_CONTACT_SEPARATION_PLANES_H

#include "engine/contact/broad_phase.h"
#include "engine/contact/closest_points.h"

#include <float.h>

static const double CELL_ROUNDING = 16 * (sizeof(msd_real) == sizeof(double) ? DBL_EPSILON : FLT_EPSILON);

/* Smallest gap at which the witness is exact enough, as a fraction of the size of the pair. */
static const double WITNESS_SHARE = 1.0 / 262144;

LANE_INLINE LANE separation_above_zero(LANE value) {
  return lane_keep(value > 0, value);
}

/* Side A has corner 0 and this one (for a point, 0 again); side B has the next one, 2 and 3. Computed
   without branches, because the kind is unpredictable. */
LANE_INLINE int cell_last_of_a(pair_kind kind) {
  return kind == PAIR_EDGE_EDGE;
}

LANE_INLINE int cell_first_of_b(pair_kind kind) {
  return 1 + (kind == PAIR_EDGE_EDGE);
}

LANE_INLINE bool separation_is_first(pair_kind kind, int corner) {
  return corner <= cell_last_of_a(kind);
}

/* Along the normal: the least coordinate of A and the greatest of B. */
typedef struct separation_sides {
  LANE a, b;
} separation_sides;

/* Corners that are not finite are ignored here; others detect them. */
LANE_INLINE separation_sides separation_sides_along(pair_kind kind, const LANE along[PAIR_CORNERS]) {
  const LANE far = lane_set((LANE_REAL)INFINITY);
  const LANE first = lane_least(far, along[0]), second = lane_most(-far, along[cell_first_of_b(kind)]);
  return (separation_sides){lane_least(first, along[cell_last_of_a(kind)]),
                            lane_most(lane_most(second, along[2]), along[3])};
}

LANE_INLINE separation_sides separation_sides_of(pair_kind kind, LANE3 normal, const LANE3 x[PAIR_CORNERS]) {
  LANE along[PAIR_CORNERS];
  for (int corner = 0; corner < PAIR_CORNERS; corner++)
    along[corner] = lane_dot(normal, x[corner]);
  return separation_sides_along(kind, along);
}

/* The unit vector from the closest point of B to that of A, and the coordinate of each corner along it. Not
   `found` if the sides touch. */
typedef struct separation_witness {
  LANE3 normal;
  LANE along[PAIR_CORNERS];
  LANE_MASK found;
  /* The closest points (closest_points.h). */
  LANE b, c;
} separation_witness;

LANE_INLINE void cell_look_along(separation_witness *w, const LANE3 x[PAIR_CORNERS]) {
  for (int corner = 0; corner < PAIR_CORNERS; corner++)
    w->along[corner] = lane_dot(w->normal, x[corner]);
}

/* The gap of the pair along its witness, in m; negative if the sides overlap. */
LANE_INLINE LANE separation_gap(pair_kind kind, const separation_witness *w) {
  const separation_sides sides = separation_sides_along(kind, w->along);
  return sides.a - sides.b;
}

/* The component of a direction perpendicular to an edge. */
LANE_INLINE LANE3 cell_across(LANE3 direction, LANE3 edge) {
  const LANE share = lane_dot(direction, edge) * closest_inverse(lane_dot(edge, edge));
  return lane_subtract(direction, lane_scale(edge, share));
}

/* A unit vector nearly perpendicular to both edges. The longer edge comes last, because an error along it
   costs more gap. */
LANE_INLINE LANE3 cell_across_edges(LANE3 direction, const LANE3 x[PAIR_CORNERS]) {
  const LANE3 a = lane_subtract(x[1], x[0]), b = lane_subtract(x[3], x[2]);
  const LANE_MASK a_is_longer = lane_dot(a, a) > lane_dot(b, b);
  const LANE3 shorter = lane_select3(a_is_longer, b, a), longer = lane_select3(a_is_longer, a, b);
  const LANE3 across = cell_across(cell_across(direction, shorter), longer);
  const LANE square = lane_dot(across, across);
  return lane_scale(across, lane_sqrt(closest_inverse(square)));
}

/* If edges are nearly parallel, rounding shifts their closest points along them and tilts the witness, which
   costs gap in proportion to their length. If more than half of the distance is lost this way, the
   perpendicular of both edges replaces the witness. */
LANE_INLINE void cell_straighten(separation_witness *w, const LANE3 x[PAIR_CORNERS], LANE distance) {
  const LANE gap = separation_gap(PAIR_EDGE_EDGE, w);
  const LANE_MASK turned = w->found & (gap < distance / 2);
  if (lane_bits(turned) == 0)
    return;
  separation_witness straight = {.normal = cell_across_edges(w->normal, x)};
  cell_look_along(&straight, x);
  const LANE_MASK better = turned & (separation_gap(PAIR_EDGE_EDGE, &straight) > gap);
  w->normal = lane_select3(better, straight.normal, w->normal);
  for (int corner = 0; corner < PAIR_CORNERS; corner++)
    w->along[corner] = lane_select(better, straight.along[corner], w->along[corner]);
}

LANE_INLINE separation_witness separation_find_witness(pair_kind kind, const LANE3 x[PAIR_CORNERS]) {
  const LANE3 a = lane_subtract(x[1], x[0]), b = lane_subtract(x[2], x[0]), c = lane_subtract(x[3], x[0]);
  const closest_points closest = kind == PAIR_POINT_TRIANGLE ? closest_on_triangle(a, b, c)
                                                             : closest_of_edges(a, b, lane_subtract(c, b));
  const LANE distance = lane_sqrt(closest.square);
  separation_witness w = {.found = distance > 0, .b = closest.b, .c = closest.c};
  w.normal = lane_scale(closest.between, -1 / lane_select(w.found, distance, lane_set(1)));
  cell_look_along(&w, x);
  if (kind == PAIR_EDGE_EDGE)
    cell_straighten(&w, x, distance);
  return w;
}

/* The sides over the selected corners only. */
LANE_INLINE separation_sides cell_sides_of_some(pair_kind kind, LANE3 normal, const LANE3 x[PAIR_CORNERS],
                                                const LANE_MASK some[PAIR_CORNERS]) {
  LANE along[PAIR_CORNERS];
  for (int corner = 0; corner < PAIR_CORNERS; corner++)
    along[corner] =
        lane_select(some[corner], lane_dot(normal, x[corner]),
                    lane_set(separation_is_first(kind, corner) ? (LANE_REAL)INFINITY : -(LANE_REAL)INFINITY));
  return separation_sides_along(kind, along);
}

LANE_INLINE LANE cell_size_of(LANE3 a) {
  return lane_abs(a.x) + lane_abs(a.y) + lane_abs(a.z);
}

/* The smallest gap that the precision of the state resolves and across which the witness is exact enough.
   The angle of the witness is off by the rounding of the pair's size divided by the gap, so the gap is off
   by that times the size once more. */
LANE_INLINE LANE separation_least_gap(const LANE3 x[PAIR_CORNERS], LANE thickness) {
  LANE size = lane_set(0);
  for (int corner = 1; corner < PAIR_CORNERS; corner++)
    size += cell_size_of(lane_subtract(x[corner], x[0]));
  const LANE of_state = CELL_ROUNDING * (cell_size_of(x[0]) + thickness), of_witness = WITNESS_SHARE * size;
  return lane_select(of_state > of_witness, of_state, of_witness);
}

/* A pair nearer than the least gap may come no nearer. */
LANE_INLINE LANE cell_margin(LANE thickness, LANE gap, LANE least) {
  const LANE share = thickness / 50, wanted = lane_select(share > least, share, least);
  return lane_select(gap < least, gap / 2, lane_select(wanted < 0.45 * gap, wanted, 0.45 * gap));
}

/* How far a pair below the least gap moves apart when its move is clipped. Kinematic corners that approach
   round their positions in every substep, which would use up a gap that grows by less. */
LANE_INLINE LANE cell_away(separation_sides now, separation_sides led, LANE gap, LANE least) {
  const LANE_MASK comes = (led.a < now.a) | (led.b > now.b);
  return lane_most(gap / 32, lane_keep(comes, least / 8));
}

/* How much of a margin is tolerance for rounding. */
LANE_INLINE LANE cell_slack(LANE margin) {
  return margin / 8;
}

/* Clamps `value` to a range; the middle of the range if its ends are in the wrong order. */
LANE_INLINE LANE cell_between(LANE least, LANE value, LANE most) {
  const LANE within = lane_select(value < least, least, lane_select(value > most, most, value));
  return lane_select(least > most, (least + most) / 2, within);
}

/* Places the plane between the sides at x. `then` are their positions at x', `led` those of the kinematic
   corners alone. The gap less both margins is divided in proportion to the approach of each side, but
   kinematic corners come first: if they need more than there is, the other side retreats. */
LANE_INLINE LANE cell_place_plane(separation_sides now, separation_sides then, separation_sides led,
                                  LANE margin, LANE room) {
  const LANE by_a = separation_above_zero(now.a - then.a), by_b = separation_above_zero(then.b - now.b),
             by = by_a + by_b;
  const LANE led_a = separation_above_zero(now.a - led.a), led_b = separation_above_zero(led.b - now.b);
  const LANE of_b = lane_keep(by > 0, room * (by_b / lane_select(by > 0, by, lane_set(1))));
  LANE least = led_b, most = room - led_a;
  most = lane_select((least > most) & lane_not(led_a > 0), least, most);
  least = lane_select((least > most) & lane_not(led_b > 0), most, least);
  return now.b + margin + cell_between(least, of_b, most);
}

/* How far a corner may move towards the plane, from its distance to the plane on its own side. Below 0 it
   must retreat, because kinematic corners have moved the plane past it. */
LANE_INLINE LANE cell_room(LANE distance, LANE margin) {
  const LANE room = distance - margin;
  return lane_select(room < -cell_slack(margin), room, separation_above_zero(room));
}

#endif
