/* The phases of contact_pairs.h for one vector width; see lane.h. Include broad_phase_kernel.h first. */
#include "engine/contact/active_set_kernel.h"

/* ------------------------------------------------------------------------------------------ motion bounds */

static bool near_violate_skins(const skin_check *q, parallel_range particles) {
  const size_t end = (size_t)particles.last, stride = q->stride;
  const LANE3 shift = {lane_set(q->shift[0]), lane_set(q->shift[1]), lane_set(q->shift[2])};
  const LANE shifted = near_size(shift);
  uint32_t any = 0;
  for (size_t at = (size_t)particles.first; at < end; at += (size_t)LANE_COUNT) {
    const LANE3 x = lane_load3(q->state + at, stride), from = lane_load3(q->motion_bound + at, stride),
                speed = lane_load3(q->motion_bound + 3 * stride + at, stride);
    const LANE3 kept = lane_subtract(lane_subtract(x, from), shift),
                way = lane_subtract(kept, lane_scale(speed, lane_set(q->age)));
    const LANE rounding = (near_size(x) + near_size(from) + shifted) * NEAR_ROUNDING;
    const LANE room = lane_load(q->motion_bound + MOTION_BOUND_SKIN * stride + at) - rounding;
    const LANE_MASK is_inside = (room >= 0) & (lane_dot(way, way) * (1 + NEAR_ROUNDING) <= room * room);
    uint32_t out = lane_bits(lane_not(is_inside));
    if (end - at < (size_t)LANE_COUNT)
      out &= (1u << (end - at)) - 1;
    any |= out;
    for (; out; out &= out - 1)
      q->violators[at + (size_t)lowest_bit(out)] |= q->mark;
  }
  return any;
}

/* The largest square so far, and 0 or NaN if one was not finite. */
typedef struct near_way {
  LANE most, off;
} near_way;

LANE_INLINE void near_take_way(near_way *w, LANE3 way) {
  const LANE square = lane_dot(way, way);
  w->most = lane_most(w->most, square);
  w->off = w->off + (square - square);
}

/* The larger square; infinite if one is not finite. */
static msd_real near_longer(msd_real longest, msd_real square) {
  return !(square - square == 0) ? (msd_real)INFINITY : square > longest ? square : longest;
}

LANE_INLINE msd_real near_longest(const near_way *w) {
  msd_real lanes[LANE_COUNT], longest = 0;
  lane_store(lanes, w->most + w->off);
  for (int lane = 0; lane < LANE_COUNT; lane++)
    longest = near_longer(longest, lanes[lane]);
  return longest;
}

static msd_real near_square(const msd_real *from, const msd_real *to, size_t stride, int32_t slot) {
  const size_t at = (size_t)slot;
  const msd_real x = to[at] - from[at], y = to[stride + at] - from[stride + at],
                 z = to[2 * stride + at] - from[2 * stride + at];
  return x * x + y * y + z * z;
}

static double near_longest_way(const msd_real *from, const msd_real *to, size_t stride,
                               parallel_range particles) {
  near_way way = {lane_set(0), lane_set(0)};
  int32_t slot = particles.first;
  for (; particles.last - slot >= LANE_COUNT; slot += LANE_COUNT)
    near_take_way(&way, lane_subtract(lane_load3(to + slot, stride), lane_load3(from + slot, stride)));
  msd_real longest = near_longest(&way);
  for (; slot < particles.last; slot++)
    longest = near_longer(longest, near_square(from, to, stride, slot));
  return sqrt((double)longest);
}

static near_ways near_longest_ways(const msd_real *at, const msd_real *before, const msd_real *behind,
                                   size_t stride, int32_t particles) {
  const near_way none = {lane_set(0), lane_set(0)};
  near_way ways[3] = {none, none, none};
  int32_t slot = 0;
  for (; particles - slot >= LANE_COUNT; slot += LANE_COUNT) {
    const LANE3 from = lane_load3(at + slot, stride), x = lane_load3(before + slot, stride),
                next = lane_load3(behind + slot, stride);
    near_take_way(&ways[0], lane_subtract(x, from));
    near_take_way(&ways[1], lane_subtract(next, from));
    near_take_way(&ways[2], lane_subtract(next, x));
  }
  msd_real longest[3] = {near_longest(&ways[0]), near_longest(&ways[1]), near_longest(&ways[2])};
  for (; slot < particles; slot++) {
    longest[0] = near_longer(longest[0], near_square(at, before, stride, slot));
    longest[1] = near_longer(longest[1], near_square(at, behind, stride, slot));
    longest[2] = near_longer(longest[2], near_square(before, behind, stride, slot));
  }
  return (near_ways){sqrt((double)longest[0]), sqrt((double)longest[1]), sqrt((double)longest[2])};
}

static void near_place_one(const motion_bound *f, msd_real age, msd_real ahead, int32_t slot,
                           msd_real *record) {
  for (size_t axis = 0; axis < 3; axis++) {
    const msd_real *x = f->state + axis * f->stride + (size_t)slot, *v = x + 3 * f->stride;
    record[axis] = *x + *v * age;
    record[RECORD_QUAD + axis] = *v * ahead;
  }
}

static void near_place(const motion_bound *f, msd_real *records, parallel_range particles) {
  const msd_real age = (msd_real)f->age, ahead = (msd_real)(f->horizon - f->age);
  int32_t slot = particles.first;
  for (; particles.last - slot >= LANE_COUNT; slot += LANE_COUNT) {
    const LANE3 x = lane_load3(f->state + slot, f->stride),
                v = lane_load3(f->state + 3 * f->stride + slot, f->stride);
    const LANE_MOTION motion = {lane_add(x, lane_scale(v, lane_set(age))), lane_scale(v, lane_set(ahead))};
    lane_store_motion(records + (size_t)slot * RECORD_SIZE, motion);
  }
  for (; slot < particles.last; slot++)
    near_place_one(f, age, ahead, slot, records + (size_t)slot * RECORD_SIZE);
}

/* ----------------------------------------------------------------------------------------- contact forces */

/* True if ascending slots are consecutive, as most are. */
LANE_INLINE bool near_are_in_a_row(const int32_t *slots, int32_t count) {
  return slots[count - 1] - slots[0] == count - 1;
}

/* For as many slots as there are lanes. */
LANE_INLINE LANE3 near_take3(const msd_real *from, size_t stride, const int32_t *slots) {
  return near_are_in_a_row(slots, LANE_COUNT) ? lane_load3(from + slots[0], stride)
                                              : lane_gather3(from, stride, slots);
}

/* Whole records are stored at once: other threads have read them, and while a core waits for such a cache
   line it can buffer only few stores. */
static void near_read(near_pairs *p, const near_substep *s, parallel_range owned) {
  const msd_real *speed = s->predicted + 3 * s->stride, dt = (msd_real)s->dt;
  int32_t n = owned.first;
  for (; owned.last - n >= LANE_COUNT; n += LANE_COUNT) {
    const int32_t *slots = p->corners.slots + n;
    const LANE3 x = near_take3(s->before, s->stride, slots), v = near_take3(speed, s->stride, slots);
    const LANE_LADEN all = {{x, lane_load(p->sharing + n)},
                            {lane_scale(v, lane_set(dt)), lane_load(p->inverse_mass + n)}};
    lane_store_laden(p->records + (size_t)n * RECORD_SIZE, all);
  }
  for (; n < owned.last; n++) {
    msd_real *record = p->records + (size_t)n * RECORD_SIZE;
    const size_t slot = (size_t)p->corners.slots[n];
    for (size_t axis = 0; axis < 3; axis++) {
      record[axis] = s->before[axis * s->stride + slot];
      record[RECORD_QUAD + axis] = dt * speed[axis * s->stride + slot];
    }
    record[NEAR_SHARING] = p->sharing[n];
    record[NEAR_INVERSE_MASS] = p->inverse_mass[n];
  }
}

LANE_INLINE LANE3 near_get3(const near_group *g, int component, int32_t lane) {
  return lane_load3(g->at[component] + lane, NEAR_GROUP);
}

LANE_INLINE void near_put3(near_group *g, int component, int32_t lane, LANE3 a) {
  lane_store(g->at[component] + lane, a.x);
  lane_store(g->at[component + 1] + lane, a.y);
  lane_store(g->at[component + 2] + lane, a.z);
}

/* The state of pairs in a substep: C, sum of w |g| G, sum of g x, sum of g u. */
typedef struct near_approach {
  LANE gap, inverse;
  LANE3 apart, slid;
} near_approach;

LANE_INLINE near_approach near_find_approach(const near_pairs *p, msd_real push, near_group *g,
                                             int32_t lane) {
  const LANE3 normal = near_get3(g, NEAR_NORMAL, lane);
  LANE3 z = lane_set3(0, 0, 0), slid = z, first_x = z, first_u = z;
  LANE inverse = lane_set(0), distance = inverse;
  for (int corner = 0; corner < PAIR_CORNERS; corner++) {
    const LANE weight = lane_load(g->at[NEAR_WEIGHT + corner] + lane);
    const LANE_LADEN at = lane_gather_laden(p->records, g->records[corner] + lane);
    inverse = inverse + at.v.fourth * lane_abs(weight) * at.x.fourth;
    if (corner == 0) {
      first_x = at.x.of, first_u = at.v.of;
      continue;
    }
    const LANE3 from = lane_subtract(at.x.of, first_x);
    z = lane_add(z, lane_scale(from, weight));
    distance = distance + lane_load(g->at[NEAR_CLOSEST + corner] + lane) * lane_dot(normal, from);
    slid = lane_add(slid, lane_scale(lane_subtract(at.v.of, first_u), weight));
  }
  const LANE thickness = lane_load(g->at[NEAR_THICKNESS] + lane);
  const LANE_MASK rests = lane_not(lane_abs(distance - thickness) > near_size(first_x) * NEAR_ROUNDING);
  const LANE least = lane_select(rests, distance, lane_least(distance + push, thickness));
  return (near_approach){(distance - least) + lane_dot(normal, slid), inverse, z, slid};
}

LANE_INLINE LANE3 near_across(LANE3 a, LANE3 normal) {
  return lane_subtract(a, lane_scale(normal, lane_dot(a, normal)));
}

/* The anchor that reduces s (`held`) to a fraction of it. */
LANE_INLINE LANE3 near_draw(LANE3 apart, LANE3 held, LANE share) {
  return lane_subtract(apart, lane_scale(held, share));
}

/* True on lanes whose tangential displacement exceeds the slip limit `most`. */
LANE_INLINE LANE_MASK near_find_sliding(LANE square, LANE most) {
  return square > most * most;
}

/* The fraction of the displacement that friction retains if the pair slides. */
LANE_INLINE LANE near_find_share(LANE_MASK slides, LANE square, LANE most) {
  return most * lane_inverse(slides, lane_sqrt(square));
}

/* Anchors of several pairs; `moved` if any has changed. */
typedef struct near_anchor {
  LANE3 at;
  bool moved;
} near_anchor;

LANE_INLINE void near_move_anchor(near_anchor *a, LANE_MASK moved, LANE3 to) {
  a->at = lane_select3(moved, to, a->at);
  a->moved = true;
}

/* Anchors of the acting pairs, whose z is `apart`. `follows`: anchors have not followed yet, so s may exceed
   the slip limit of the last substep. */
LANE_INLINE near_anchor near_find_anchor(const near_group *g, int32_t lane, LANE_MASK acts, LANE3 apart,
                                         bool follows) {
  near_anchor anchor = {near_get3(g, NEAR_ANCHOR, lane), false};
  const LANE most = lane_load(g->at[NEAR_SLIP_LIMIT] + lane);
  const LANE_MASK is_new = acts & (most < 0);
  if (follows) {
    const LANE3 held = near_across(lane_subtract(apart, anchor.at), near_get3(g, NEAR_NORMAL, lane));
    const LANE square = lane_dot(held, held);
    const LANE_MASK slides = acts & (most >= 0) & near_find_sliding(square, most);
    if (!lane_none(slides))
      near_move_anchor(&anchor, slides, near_draw(apart, held, near_find_share(slides, square, most)));
  }
  if (!lane_none(is_new))
    near_move_anchor(&anchor, is_new, lane_subtract(apart, anchor.at));
  return anchor;
}

/* Upper bound of the factor by which s grows when its mass falls. */
#define NEAR_LONGER 16

/* Stores the new masses and moves the anchors: s becomes shorter if the mass grew, longer if it fell. */
LANE_INLINE void near_take_mass(near_group *g, int32_t lane, const near_approach *a, near_anchor *anchor) {
  const LANE before = lane_load(g->at[NEAR_MASS] + lane), mass = lane_inverse(a->inverse > 0, a->inverse);
  const LANE_MASK changes = lane_not(mass == before);
  if (lane_none(changes))
    return;
  const LANE3 held = near_across(lane_subtract(a->apart, anchor->at), near_get3(g, NEAR_NORMAL, lane));
  const LANE share = lane_least(lane_sqrt(before * lane_inverse(mass > 0, mass)), lane_set(NEAR_LONGER));
  lane_store(g->at[NEAR_MASS] + lane, mass);
  near_move_anchor(anchor, changes, near_draw(a->apart, held, share));
}

/* Stores anchors of pairs that act; clears those of the others. */
LANE_INLINE void near_keep_anchor(near_group *g, int32_t lane, LANE_MASK acts, const near_anchor *anchor) {
  const LANE_MASK goes = lane_not(acts) & (lane_load(g->at[NEAR_SLIP_LIMIT] + lane) > NEAR_FREE);
  if (anchor->moved || !lane_none(goes))
    near_put3(g, NEAR_ANCHOR, lane, lane_keep3(acts, anchor->at));
}

/* The displacements of pairs that friction acts on: t, -C, the slip limit, and the part of t that friction
   answers: 1 where the pair sticks. */
typedef struct near_slip {
  LANE3 way;
  LANE depth, most, share;
  LANE_MASK acts;
} near_slip;

LANE_INLINE near_slip near_find_slip(const near_group *g, int32_t lane, const near_approach *a,
                                     LANE3 anchor) {
  near_slip s = {.acts = a->gap < 0};
  s.way = near_across(lane_add(lane_subtract(a->apart, anchor), a->slid), near_get3(g, NEAR_NORMAL, lane));
  s.depth = lane_keep(s.acts, -a->gap);
  s.most = lane_load(g->at[NEAR_FRICTION] + lane) * s.depth;
  s.share = lane_set(1);
  const LANE square = lane_dot(s.way, s.way);
  const LANE_MASK slides = s.acts & near_find_sliding(square, s.most);
  if (!lane_none(slides))
    s.share = lane_select(slides, near_find_share(slides, square, s.most), s.share);
  return s;
}

/* The mass of a pair that does not act is infinite where G underflows; its F must be 0 all the same, since rows
   add it with weight 0. */
LANE_INLINE LANE3 near_force(near_group *g, int32_t lane, const near_slip *s, msd_real relaxation) {
  const LANE3 normal = near_get3(g, NEAR_NORMAL, lane);
  const LANE mass = lane_keep(s->acts, lane_load(g->at[NEAR_MASS] + lane)) * (1 - relaxation);
  lane_store(g->at[NEAR_SLIP_LIMIT] + lane, lane_select(s->acts, s->most, lane_set(NEAR_FREE)));
  return lane_subtract(lane_scale(normal, mass * s->depth), lane_scale(s->way, mass * s->share));
}

/* ------------------------------------------------------------------------------------------ lines of force */

/* How far F of a pair may pass by, as a part of its thickness, before its points of action are moved. */
static const msd_real NEAR_BESIDE = (msd_real)(1.0 / 4);

/* Each corner keeps at least this part of its weight at the closest points. */
static const msd_real NEAR_LEAST_WEIGHT = (msd_real)(1.0 / 16);

/* Two edges that are nearly parallel share a shift along both. */
static const msd_real NEAR_RIDGE = (msd_real)(1.0 / 256);

/* How the points of action move: by `first` and `second` along two edges, sum of g u by `of_u`. */
typedef struct near_shift {
  LANE first, second;
  LANE3 of_u;
  LANE_MASK is_point, is_free;
} near_shift;

/* The part of a decrease of weights that leaves enough of them. */
LANE_INLINE LANE near_allow(const near_group *g, int32_t lane, int corner, LANE change) {
  const LANE weight = lane_load(g->at[NEAR_WEIGHT + corner] + lane),
             closest = lane_load(g->at[NEAR_CLOSEST + corner] + lane);
  const LANE less = lane_select(weight < 0, change, -change),
             slack = lane_most(lane_abs(weight) - NEAR_LEAST_WEIGHT * lane_abs(closest), lane_set(0));
  const LANE_MASK is_less = less > slack;
  return lane_select(is_less, slack * lane_inverse(is_less, less), lane_set(1));
}

LANE_INLINE void near_limit_shift(const near_group *g, int32_t lane, near_shift *s) {
  const LANE both = lane_least(
                 near_allow(g, lane, 1, s->first + s->second),
                 lane_least(near_allow(g, lane, 2, -s->first), near_allow(g, lane, 3, -s->second))),
             first = lane_least(near_allow(g, lane, 1, s->first), near_allow(g, lane, 0, -s->first)),
             second = lane_least(near_allow(g, lane, 2, s->second), near_allow(g, lane, 3, -s->second));
  s->first = s->first * lane_select(s->is_point, both, first);
  s->second = s->second * lane_select(s->is_point, both, second);
}

/* The shift of points of action that moves z by `off`, as nearly as the primitives allow. */
LANE_INLINE near_shift near_find_shift(const near_pairs *p, const near_group *g, int32_t lane, LANE3 off) {
  const LANE3 normal = near_get3(g, NEAR_NORMAL, lane);
  LANE_LADEN at[PAIR_CORNERS];
  LANE weight[PAIR_CORNERS], inverse[PAIR_CORNERS];
  for (int corner = 0; corner < PAIR_CORNERS; corner++) {
    at[corner] = lane_gather_laden(p->records, g->records[corner] + lane);
    weight[corner] = lane_load(g->at[NEAR_WEIGHT + corner] + lane);
    inverse[corner] = at[corner].v.fourth * lane_abs(weight[corner]);
  }
  near_shift s = {.is_point = weight[1] < 0};
  const LANE of_a = inverse[0] + lane_select(s.is_point, lane_set(0), inverse[1]),
             of_b = inverse[2] + inverse[3] + lane_keep(s.is_point, inverse[1]);
  s.is_free = (of_a > 0) & (of_b > 0);
  const LANE3 first = lane_subtract(at[1].x.of, lane_select3(s.is_point, at[2].x.of, at[0].x.of)),
              second = lane_subtract(lane_select3(s.is_point, at[1].x.of, at[2].x.of), at[3].x.of),
              first_u = lane_subtract(at[1].v.of, lane_select3(s.is_point, at[2].v.of, at[0].v.of)),
              second_u = lane_subtract(lane_select3(s.is_point, at[1].v.of, at[2].v.of), at[3].v.of);
  const LANE_MASK has_first = s.is_point | ((weight[0] > 0) & (weight[1] > 0)),
                  has_second = s.is_point | ((weight[2] < 0) & (weight[3] < 0));
  const LANE3 a = lane_keep3(has_first, near_across(first, normal)),
              b = lane_keep3(has_second, near_across(second, normal));
  const LANE aa = lane_dot(a, a), bb = lane_dot(b, b), ab = lane_dot(a, b), ridge = (aa + bb) * NEAR_RIDGE,
             to_a = lane_dot(a, off), to_b = lane_dot(b, off),
             determinant = (aa + ridge) * (bb + ridge) - ab * ab,
             inverted = lane_inverse(determinant > LANE_SMALLEST, determinant);
  s.first = (to_a * (bb + ridge) - to_b * ab) * inverted;
  s.second = (to_b * (aa + ridge) - to_a * ab) * inverted;
  near_limit_shift(g, lane, &s);
  s.of_u = lane_add(lane_scale(first_u, s.first), lane_scale(second_u, s.second));
  return s;
}

/* Takes the weights of some lanes, of which G is then to be summed again. */
LANE_INLINE void near_take_weights(const near_pairs *p, int32_t group, int32_t lane, LANE_MASK moved,
                                   const LANE weights[PAIR_CORNERS]) {
  near_group *g = &p->groups[group];
  for (int corner = 0; corner < PAIR_CORNERS; corner++) {
    msd_real *at = g->at[NEAR_WEIGHT + corner];
    lane_store(at + lane, lane_select(moved, weights[corner], lane_load(at + lane)));
    for (uint32_t left = lane_bits(moved); left; left &= left - 1) {
      const int32_t n = lane + lowest_bit(left);
      p->weights[group][n * PAIR_CORNERS + corner] = at[n];
      near_pairs_make_stale(p, near_pairs_owner(p, corner, group * NEAR_GROUP + n));
    }
  }
}

/* Moves points of action back to the closest points; returns which were elsewhere. */
LANE_INLINE LANE_MASK near_restore(const near_pairs *p, int32_t group, int32_t lane, LANE_MASK some) {
  const near_group *g = &p->groups[group];
  LANE closest[PAIR_CORNERS];
  LANE_MASK moved = some & lane_not(some);
  for (int corner = 0; corner < PAIR_CORNERS; corner++) {
    closest[corner] = lane_load(g->at[NEAR_CLOSEST + corner] + lane);
    moved = moved | (some & lane_not(lane_load(g->at[NEAR_WEIGHT + corner] + lane) == closest[corner]));
  }
  if (!lane_none(moved))
    near_take_weights(p, group, lane, moved, closest);
  return moved;
}

/* Pairs that would act no more at their points of action act at the closest points, if there. */
LANE_INLINE void near_return(const near_pairs *p, msd_real push, int32_t group, int32_t lane,
                             near_approach *a) {
  near_group *g = &p->groups[group];
  const LANE_MASK goes = lane_not(a->gap < 0) & (lane_load(g->at[NEAR_SLIP_LIMIT] + lane) > NEAR_FREE);
  const LANE_MASK moved = lane_none(goes) ? goes : near_restore(p, group, lane, goes);
  if (lane_none(moved))
    return;
  const LANE3 before = a->apart, anchor = near_get3(g, NEAR_ANCHOR, lane);
  *a = near_find_approach(p, push, g, lane);
  near_put3(g, NEAR_ANCHOR, lane,
            lane_select3(moved, lane_subtract(a->apart, lane_subtract(before, anchor)), anchor));
}

/* Moves points of action so that the line of F leads through both, where it has passed too far beside them.
   Anchors follow, so that s stays: an s of 0 is 0 to the bit, as pairs without one are not saved. */
LANE_INLINE void near_align(const near_pairs *p, msd_real push, int32_t group, int32_t lane,
                            const near_approach *a, const near_slip *slip, near_anchor *anchor) {
  const near_group *g = &p->groups[group];
  const LANE_MASK some = p->has_followed ? lane_load(g->at[NEAR_SLIP_LIMIT] + lane) < 0 : slip->acts;
  const LANE3 normal = near_get3(g, NEAR_NORMAL, lane);
  const LANE distance = lane_dot(a->apart, normal),
             slope = slip->share * lane_inverse(slip->depth > LANE_SMALLEST, slip->depth),
             beside = lane_load(g->at[NEAR_THICKNESS] + lane) * NEAR_BESIDE;
  const LANE3 way = lane_scale(slip->way, distance * slope), across = near_across(a->apart, normal),
              off = lane_subtract(lane_set3(0, 0, 0), lane_add(way, across));
  const LANE_MASK is_beside = some & slip->acts & (lane_dot(off, off) > beside * beside);
  if (lane_none(is_beside))
    return;
  const near_shift s = near_find_shift(p, g, lane, off);
  const LANE_MASK moved = is_beside & s.is_free & (a->gap + lane_dot(normal, s.of_u) < 0);
  if (lane_none(moved))
    return;
  const LANE one = lane_set(1);
  LANE to[PAIR_CORNERS];
  for (int corner = 0; corner < PAIR_CORNERS; corner++)
    to[corner] = lane_load(g->at[NEAR_WEIGHT + corner] + lane);
  to[1] = to[1] + s.first + lane_keep(s.is_point, s.second);
  to[2] = to[2] + lane_select(s.is_point, -s.first, s.second);
  to[0] = one - lane_select(s.is_point, lane_set(0), to[1]);
  to[3] = -one - to[2] - lane_keep(s.is_point, to[1]);
  near_take_weights(p, group, lane, moved, to);
  const LANE3 apart = near_find_approach(p, push, &p->groups[group], lane).apart;
  near_move_anchor(anchor, moved, lane_subtract(apart, lane_subtract(a->apart, anchor->at)));
}

/* Computes F for the pairs of a group from a lane on; returns which act. `weighs`: update the masses first;
   otherwise they are reused, and sum of w |g| G is not needed. */
LANE_INLINE uint32_t near_push_lanes(const near_pairs *p, msd_real push, msd_real relaxation, int32_t group,
                                     int32_t lane, bool weighs) {
  near_group *g = &p->groups[group];
  msd_real *force = p->force[group] + lane * FORCE_SIZE;
  near_approach a = near_find_approach(p, push, g, lane);
  if (!weighs)
    near_return(p, push, group, lane, &a);
  const LANE_MASK acts = a.gap < 0;
  near_anchor anchor = {a.apart, false};
  if (!lane_none(acts))
    anchor = near_find_anchor(g, lane, acts, a.apart, !weighs && !p->has_followed);
  if (weighs)
    near_take_mass(g, lane, &a, &anchor);
  if (lane_none(acts)) {
    near_keep_anchor(g, lane, acts, &anchor);
    lane_store(g->at[NEAR_SLIP_LIMIT] + lane, lane_set(NEAR_FREE));
    memset(force, 0, (size_t)LANE_COUNT * FORCE_SIZE * sizeof *force);
    return 0;
  }
  const near_slip slip = near_find_slip(g, lane, &a, anchor.at);
  if (!weighs)
    near_align(p, push, group, lane, &a, &slip, &anchor);
  near_keep_anchor(g, lane, acts, &anchor);
  lane_store_quads(force, near_force(g, lane, &slip, relaxation));
  return lane_bits(acts);
}

LANE_INLINE uint32_t near_push_group(const near_pairs *p, msd_real push, msd_real relaxation, int32_t group,
                                     bool weighs) {
  uint32_t acting = 0;
  for (int32_t lane = 0; lane < NEAR_GROUP; lane += LANE_COUNT)
    acting |= near_push_lanes(p, push, relaxation, group, lane, weighs) << lane;
  return acting;
}

static int32_t near_push(near_pairs *p, msd_real dt, msd_real relaxation, parallel_range groups) {
  const msd_real push = (msd_real)CONTACT_PUSH * dt;
  int32_t count = 0;
  for (int32_t group = groups.first; group < groups.last; group++) {
    const uint32_t acting = near_push_group(p, push, relaxation, group, false);
    for (uint32_t turned = acting ^ p->acting[group]; turned; turned &= turned - 1)
      for (int corner = 0; corner < PAIR_CORNERS; corner++)
        near_pairs_make_stale(p, near_pairs_owner(p, corner, group * NEAR_GROUP + lowest_bit(turned)));
    p->acting[group] = (uint16_t)acting;
    count += count_bits(acting);
  }
  return count;
}

static void near_push_again(near_pairs *p, msd_real dt, msd_real relaxation, parallel_range groups) {
  for (int32_t group = groups.first; group < groups.last; group++)
    if (near_pairs_takes_again(p, group))
      near_push_group(p, (msd_real)CONTACT_PUSH * dt, relaxation, group, true);
}

LANE_INLINE LANE3 near_find_way(const near_pairs *p, const msd_real *positions, size_t stride, int32_t group,
                                int32_t lane) {
  LANE3 apart = lane_set3(0, 0, 0), first = apart;
  for (int corner = 0; corner < PAIR_CORNERS; corner++) {
    const LANE3 x = lane_gather3(positions, stride, p->slots[corner][group] + lane);
    if (corner == 0) {
      first = x;
      continue;
    }
    const LANE weight = lane_load(p->groups[group].at[NEAR_WEIGHT + corner] + lane);
    apart = lane_add(apart, lane_scale(lane_subtract(x, first), weight));
  }
  return apart;
}

/* Replaces anchors with the tangential displacements s. */
LANE_INLINE LANE3 near_hold_lanes(near_pairs *p, const msd_real *positions, size_t stride, int32_t group,
                                  int32_t lane) {
  near_group *g = &p->groups[group];
  const LANE3 kept = near_get3(g, NEAR_ANCHOR, lane);
  const LANE most = lane_load(g->at[NEAR_SLIP_LIMIT] + lane);
  LANE3 way = kept;
  if (!lane_none(most >= 0)) {
    const LANE3 apart = near_find_way(p, positions, stride, group, lane),
                anchor = near_find_anchor(g, lane, most >= 0, apart, !p->has_followed).at,
                held = near_across(lane_subtract(apart, anchor), near_get3(g, NEAR_NORMAL, lane));
    way = lane_select3(most >= 0, held, kept);
    near_put3(g, NEAR_ANCHOR, lane, way);
    lane_store(g->at[NEAR_SLIP_LIMIT] + lane, lane_select(most >= 0, lane_set(NEAR_STUCK_NEW), most));
  }
  near_restore(p, group, lane, most == most); /* all lanes */
  return way;
}

static void near_hold(near_pairs *p, const msd_real *positions, size_t stride, parallel_range groups) {
  const LANE zero = lane_set(0);
  for (int32_t group = groups.first; group < groups.last; group++) {
    uint32_t held = 0;
    for (int32_t lane = 0; lane < NEAR_GROUP; lane += LANE_COUNT) {
      const LANE3 way = near_hold_lanes(p, positions, stride, group, lane);
      const LANE_MASK none = (way.x == zero) & (way.y == zero) & (way.z == zero);
      held |= lane_bits(lane_not(none)) << lane;
    }
    p->held[group] = (uint16_t)held;
  }
}

/* A group of corners.slots from `first` on: which of them are moved by pairs, and their states. The others
   keep their state bit for bit. */
typedef struct near_movers {
  int32_t first;
  uint32_t moved;
  msd_real inverse_mass[NEAR_GROUP], sum[3][NEAR_GROUP];
  msd_real state[COMPONENTS][NEAR_GROUP];
  /* 0, or NaN if a component is not finite. */
  msd_real off[NEAR_GROUP];
} near_movers;

/* Selects the particles of the group that are in the range and are moved by pairs. */
LANE_INLINE void near_find_moved(const near_pairs *p, parallel_range owned, near_movers *m) {
  const int32_t end = int_min(owned.last - m->first, NEAR_GROUP);
  m->moved = 0;
  for (int32_t n = int_max(owned.first - m->first, 0); n < end; n++) {
    m->inverse_mass[n] = p->inverse_mass[m->first + n];
    m->moved |= (uint32_t)(p->sharing[m->first + n] > 0 && m->inverse_mass[n] > 0) << n;
  }
}

/* Sums the forces of the whole group; particles without active pairs get 0. */
LANE_INLINE void near_sum_all(const near_pairs *p, near_movers *m) {
  const corner_rows *r = &p->rows;
  msd_real sums[NEAR_GROUP * RECORD_QUAD];
  for (int32_t n = 0; n < NEAR_GROUP; n += CORNER_GROUP) {
    const int32_t group = (m->first + n) / CORNER_GROUP;
    const bool has_rows = m->first + n < p->corners.count;
    lane_sum_quads(sums + n * RECORD_QUAD, (const msd_real *)p->force,
                   has_rows ? corner_rows_of(r, group) : r->rows, has_rows ? corner_rows_count(r, group) : 0);
  }
  for (int32_t lane = 0; lane < NEAR_GROUP; lane += LANE_COUNT)
    lane_store3(m->sum[0] + lane, NEAR_GROUP, lane_load_quads(sums + lane * RECORD_QUAD));
}

/* Copies states in and out; whole vectors if all particles move and their slots are consecutive. */
LANE_INLINE void near_take(near_movers *m, const near_substep *s, const int32_t *slots, bool all) {
  if (all)
    for (size_t c = 0; c < COMPONENTS; c++)
      memcpy(m->state[c], s->behind + c * s->stride + slots[0], sizeof m->state[c]);
  for (uint32_t left = all ? 0 : m->moved; left; left &= left - 1) {
    const int32_t n = lowest_bit(left);
    for (size_t c = 0; c < COMPONENTS; c++)
      m->state[c][n] = s->behind[c * s->stride + (size_t)slots[n]];
  }
}

LANE_INLINE void near_put(const near_movers *m, const near_substep *s, const int32_t *slots, bool all) {
  if (all)
    for (size_t c = 0; c < COMPONENTS; c++)
      memcpy(s->behind + c * s->stride + slots[0], m->state[c], sizeof m->state[c]);
  for (uint32_t left = all ? 0 : m->moved; left; left &= left - 1) {
    const int32_t n = lowest_bit(left);
    for (size_t c = 0; c < COMPONENTS; c++)
      s->behind[c * s->stride + (size_t)slots[n]] = m->state[c][n];
  }
}

/* Adds the displacement of the force to x and, divided by dt, to v. Branch-free, so that compilers vectorize
   it. */
LANE_INLINE void near_go(near_movers *m, double dt) {
  memset(m->off, 0, sizeof m->off);
  for (int axis = 0; axis < 3; axis++)
    for (int n = 0; n < NEAR_GROUP; n++) {
      const double way = (double)m->inverse_mass[n] * (double)m->sum[axis][n];
      const msd_real x = (msd_real)((double)m->state[axis][n] + way),
                     v = (msd_real)((double)m->state[3 + axis][n] + way / dt);
      m->state[axis][n] = x;
      m->state[3 + axis][n] = v;
      m->off[n] += (x - x) + (v - v);
    }
}

LANE_INLINE uint32_t near_find_off(const near_movers *m) {
  uint32_t off = 0;
  for (int32_t lane = 0; lane < NEAR_GROUP; lane += LANE_COUNT)
    off |= lane_bits(lane_not(lane_load(m->off + lane) == 0)) << lane;
  return off;
}

static bool near_move(const near_pairs *p, const near_substep *s, parallel_range owned) {
  near_movers m = {.first = owned.first / NEAR_GROUP * NEAR_GROUP};
  bool finite = true;
  for (; m.first < owned.last; m.first += NEAR_GROUP) {
    const int32_t *slots = p->corners.slots + m.first;
    near_find_moved(p, owned, &m);
    if (!m.moved)
      continue;
    near_sum_all(p, &m);
    const bool all = m.moved == (1u << NEAR_GROUP) - 1 && near_are_in_a_row(slots, NEAR_GROUP);
    near_take(&m, s, slots, all);
    near_go(&m, s->dt);
    near_put(&m, s, slots, all);
    finite = finite && !(near_find_off(&m) & m.moved);
  }
  return finite;
}
