/* The operations of box_contact.h on many particles, in double precision, for one vector width; see lane.h.
   Included by the files of separation_kernel.h. */
#include "engine/contact/box_contact.h"
#include "engine/contact/closest_points.h"

typedef struct box_group {
  double at[3][BOX_GROUP];
} box_group;

LANE_INLINE void box_read(const box_query *q, int32_t first, box_group *g) {
  for (size_t axis = 0; axis < 3; axis++)
    for (size_t n = 0; n < BOX_GROUP; n++)
      g->at[axis][n] = (double)q->state[axis * q->stride + (size_t)first + n];
}

/* Coordinates along the axes of a frame, in the order of double3_dot. */
LANE_INLINE LANE3 box_place(const collider_frame *f, const box_group *g, int lane) {
  const LANE x = lane_load(g->at[0] + lane) - lane_set(f->origin.x),
             y = lane_load(g->at[1] + lane) - lane_set(f->origin.y),
             z = lane_load(g->at[2] + lane) - lane_set(f->origin.z);
  LANE along[3];
  for (int n = 0; n < 3; n++)
    along[n] = lane_set(f->axis[n].x) * x + lane_set(f->axis[n].y) * y + lane_set(f->axis[n].z) * z;
  return (LANE3){along[0], along[1], along[2]};
}

/* The sum of the numbers of the sides, 1, 2, 4, ..., that x is outside of, each times `outside`, and of those
   that it is farther outside of than `least`, each times `far`. */
LANE_INLINE LANE box_sides_of(LANE3 x, double3 half, double outside, double least, double far) {
  const LANE along[3] = {x.x, x.y, x.z};
  const double halves[3] = {half.x, half.y, half.z};
  LANE sum = lane_set(0);
  for (int axis = 0; axis < 3; axis++) {
    const LANE beyond = lane_abs(along[axis]) - lane_set(halves[axis]);
    const LANE_MASK is_above = along[axis] > 0;
    const double number = 1 << 2 * axis;
    if (outside > 0)
      sum = sum + lane_keep(beyond > 0, lane_select(is_above, lane_set(outside * number),
                                                    lane_set(outside * 2 * number)));
    sum = sum + lane_keep(beyond > lane_set(least),
                          lane_select(is_above, lane_set(far * number), lane_set(far * 2 * number)));
  }
  return sum;
}

LANE_INLINE uint16_t box_common(const box_codes *codes) {
  uint16_t common = UINT16_MAX;
  for (int n = 0; n < BOX_GROUP; n++)
    common &= codes->of[n];
  return common;
}

static uint16_t box_mark_faces(const box_query *q, int32_t first, box_codes *codes, box_codes *outside,
                               box_places *places) {
  box_group g;
  box_read(q, first, &g);
  double sides[BOX_GROUP];
  for (int n = 0; n < BOX_GROUP; n += LANE_COUNT) {
    const LANE3 x = box_place(q->frame, &g, n);
    lane_store(places->at[0] + n, x.x);
    lane_store(places->at[1] + n, x.y);
    lane_store(places->at[2] + n, x.z);
    lane_store(sides + n, box_sides_of(x, q->half, 1, q->far, 256));
  }
  for (int n = 0; n < BOX_GROUP; n++) {
    const int32_t both = (int32_t)sides[n], out = both & 255, is_one = (out & (out - 1)) == 0;
    outside->of[n] = (uint16_t)out;
    codes->of[n] = (uint16_t)((out & -is_one) | (both & ~255));
  }
  return box_common(codes);
}

static uint16_t box_mark_apart(const box_query *q, int32_t first, box_codes *codes,
                               const box_codes *outside) {
  box_group g;
  box_read(q, first, &g);
  double far[BOX_GROUP];
  for (int n = 0; n < BOX_GROUP; n += LANE_COUNT)
    lane_store(far + n, box_sides_of(box_place(q->frame, &g, n), q->half, 0, q->far, 1));
  for (int n = 0; n < BOX_GROUP; n++)
    codes->of[n] = (uint16_t)(outside->of[n] & (int32_t)far[n]);
  return box_common(codes);
}

/* One edge of the element on each lane; the last lanes repeat the last edge. */
static void box_find_edges(const double3 x[BOX_CORNERS], const double3 *from, const double3 *to,
                           box_edge_pairs *pairs) {
  double at[3][BOX_EDGES], next[3][BOX_EDGES];
  for (int n = 0; n < BOX_CORNERS || n % LANE_COUNT; n++) {
    const double3 *first = &x[n < BOX_CORNERS ? n : BOX_CORNERS - 1],
                  *second = &x[n < BOX_CORNERS - 1 ? n + 1 : 0];
    at[0][n] = first->x, at[1][n] = first->y, at[2][n] = first->z;
    next[0][n] = second->x, next[1][n] = second->y, next[2][n] = second->z;
  }
  const LANE3 start = {lane_set(from->x), lane_set(from->y), lane_set(from->z)},
              end = {lane_set(to->x), lane_set(to->y), lane_set(to->z)};
  for (int n = 0; n < BOX_CORNERS; n += LANE_COUNT) {
    const LANE3 first = {lane_load(at[0] + n), lane_load(at[1] + n), lane_load(at[2] + n)},
                second = {lane_load(next[0] + n), lane_load(next[1] + n), lane_load(next[2] + n)};
    const closest_points c = closest_of_edges(lane_subtract(second, first), lane_subtract(start, first),
                                              lane_subtract(end, start));
    lane_store(pairs->share + n, c.b);
    lane_store(pairs->between[0] + n, c.between.x);
    lane_store(pairs->between[1] + n, c.between.y);
    lane_store(pairs->between[2] + n, c.between.z);
    lane_store(pairs->square + n, c.square);
  }
}
