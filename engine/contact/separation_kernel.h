/* Places the planes of pairs (separation.h) in double precision, for one vector width; see lane.h. */
#define LANE_DOUBLE
#include "engine/contact/separation_planes.h"

#include "engine/base/min_max.h"
#include "engine/contact/separation.h"

/* One pair on each lane. */
typedef struct separation_lanes {
  LANE3 x[PAIR_CORNERS], next[PAIR_CORNERS];
  LANE_MASK is_kinematic[PAIR_CORNERS];
  LANE thickness;
} separation_lanes;

/* Unused lanes repeat the last pair. */
LANE_INLINE separation_lanes cell_gather(const cells *c, const int32_t *pairs, int32_t count) {
  int32_t particle[PAIR_CORNERS][LANE_COUNT];
  LANE_REAL thickness[LANE_COUNT];
  for (int lane = 0; lane < LANE_COUNT; lane++) {
    const separation_pair *p = &c->pairs[pairs[int_min(lane, count - 1)]];
    for (int corner = 0; corner < PAIR_CORNERS; corner++)
      particle[corner][lane] = p->particles[corner];
    thickness[lane] = p->thickness;
  }
  separation_lanes l = {.thickness = lane_load(thickness)};
  for (int corner = 0; corner < PAIR_CORNERS; corner++) {
    const LANE_LADEN of = lane_gather_laden_records((const double *)c->particles, particle[corner]);
    l.x[corner] = of.x.of;
    l.next[corner] = of.v.of;
    l.is_kinematic[corner] = of.v.fourth > 0;
  }
  return l;
}

/* The results for the pairs of one vector; see separation_pair. */
typedef struct separation_divided {
  LANE gap, least, margin, away, plane, normal[3], room[PAIR_CORNERS];
  LANE_MASK found;
} separation_divided;

LANE_INLINE separation_divided cell_divide_lanes(const separation_lanes *l, pair_kind kind) {
  const separation_witness w = separation_find_witness(kind, l->x);
  separation_divided d = {.found = w.found};
  const separation_sides now = separation_sides_along(kind, w.along),
                         then = separation_sides_of(kind, w.normal, l->next),
                         led = cell_sides_of_some(kind, w.normal, l->next, l->is_kinematic);
  const LANE least = separation_least_gap(l->x, l->thickness);
  d.normal[0] = w.normal.x, d.normal[1] = w.normal.y, d.normal[2] = w.normal.z;
  d.gap = now.a - now.b;
  d.least = 2 * lane_most(l->thickness / 50, least);
  d.margin = cell_margin(l->thickness, d.gap, least);
  d.away = lane_keep(d.gap < least, cell_away(now, led, d.gap, least));
  d.plane = cell_place_plane(now, then, led, d.margin, d.gap - 2 * d.margin);
  for (int corner = 0; corner < PAIR_CORNERS; corner++) {
    const LANE behind = w.along[corner] - d.plane;
    d.room[corner] = cell_room(separation_is_first(kind, corner) ? behind : -behind, d.margin);
  }
  return d;
}

/* Pairs that touch at x get no plane: their corners must stay at x, and their other fields are unchanged. */
LANE_INLINE void cell_store(const cells *c, const separation_divided *d, const int32_t *pairs,
                            int32_t count) {
  const uint32_t found = lane_bits(d->found);
  LANE_REAL gap[LANE_COUNT], least[LANE_COUNT], margin[LANE_COUNT], away[LANE_COUNT], plane[LANE_COUNT],
      normal[3][LANE_COUNT], room[PAIR_CORNERS][LANE_COUNT];
  lane_store(gap, d->gap);
  lane_store(least, d->least);
  lane_store(margin, d->margin);
  lane_store(away, d->away);
  lane_store(plane, d->plane);
  for (int axis = 0; axis < 3; axis++)
    lane_store(normal[axis], d->normal[axis]);
  for (int corner = 0; corner < PAIR_CORNERS; corner++)
    lane_store(room[corner], d->room[corner]);
  for (int lane = 0; lane < int_min(LANE_COUNT, count); lane++) {
    separation_pair *p = &c->pairs[pairs[lane]];
    p->gap = p->margin = 0;
    p->stops = true;
    if (!(found >> lane & 1))
      continue;
    p->gap = gap[lane], p->least = least[lane], p->margin = margin[lane], p->away = away[lane];
    p->stops = !(p->margin > 0);
    p->plane = plane[lane];
    p->normal = (double3){normal[0][lane], normal[1][lane], normal[2][lane]};
    for (int corner = 0; corner < PAIR_CORNERS; corner++)
      p->room[corner] = room[corner][lane];
  }
}

static void separation_divide_pair(const cells *c, pair_kind kind, const int32_t *pairs, int32_t count) {
  for (int32_t first = 0; first < count; first += LANE_COUNT) {
    const separation_lanes l = cell_gather(c, pairs + first, count - first);
    const separation_divided d = kind == PAIR_POINT_TRIANGLE ? cell_divide_lanes(&l, PAIR_POINT_TRIANGLE)
                                                             : cell_divide_lanes(&l, PAIR_EDGE_EDGE);
    cell_store(c, &d, pairs + first, count - first);
  }
}
