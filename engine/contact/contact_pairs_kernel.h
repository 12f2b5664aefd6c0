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
  LANE3 z = lane_set3(0, 0, 0), slid = z, first_x = z, first_u = z;
  LANE inverse = lane_set(0);
  for (int corner = 0; corner < PAIR_CORNERS; corner++) {
    const LANE weight = lane_load(g->at[NEAR_WEIGHT + corner] + lane);
    const LANE_LADEN at = lane_gather_laden(p->records, g->records[corner] + lane);
    inverse = inverse + at.v.fourth * lane_abs(weight) * at.x.fourth;
    if (corner == 0) {
      first_x = at.x.of, first_u = at.v.of;
      continue;
    }
    z = lane_add(z, lane_scale(lane_subtract(at.x.of, first_x), weight));
    slid = lane_add(slid, lane_scale(lane_subtract(at.v.of, first_u), weight));
  }
  const LANE3 normal = near_get3(g, NEAR_NORMAL, lane);
  const LANE thickness = lane_load(g->at[NEAR_THICKNESS] + lane), distance = lane_dot(normal, z);
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

/* The mass of a pair that does not act is infinite where G underflows; its F must be 0 all the same, since rows
   add it with weight 0. */
LANE_INLINE LANE3 near_force(near_group *g, int32_t lane, const near_approach *a, LANE3 anchor,
                             msd_real relaxation) {
  const LANE3 normal = near_get3(g, NEAR_NORMAL, lane),
              way = near_across(lane_add(lane_subtract(a->apart, anchor), a->slid), normal);
  const LANE_MASK acts = a->gap < 0;
  const LANE mass = lane_keep(acts, lane_load(g->at[NEAR_MASS] + lane)) * (1 - relaxation);
  const LANE depth = lane_keep(acts, -a->gap), most = lane_load(g->at[NEAR_FRICTION] + lane) * depth,
             square = lane_dot(way, way);
  const LANE_MASK slides = acts & near_find_sliding(square, most);
  lane_store(g->at[NEAR_SLIP_LIMIT] + lane, lane_select(acts, most, lane_set(NEAR_FREE)));
  LANE rub = mass;
  if (!lane_none(slides))
    rub = lane_select(slides, mass * near_find_share(slides, square, most), rub);
  return lane_subtract(lane_scale(normal, mass * depth), lane_scale(way, rub));
}

/* Computes F for the pairs of a group from a lane on; returns which act. `weighs`: update the masses first;
   otherwise they are reused, and sum of w |g| G is not needed. */
LANE_INLINE uint32_t near_push_lanes(const near_pairs *p, msd_real push, msd_real relaxation, int32_t group,
                                     int32_t lane, bool weighs) {
  near_group *g = &p->groups[group];
  msd_real *force = p->force[group] + lane * FORCE_SIZE;
  const near_approach a = near_find_approach(p, push, g, lane);
  const LANE_MASK acts = a.gap < 0;
  near_anchor anchor = {a.apart, false};
  if (!lane_none(acts))
    anchor = near_find_anchor(g, lane, acts, a.apart, !weighs && !p->has_followed);
  if (weighs)
    near_take_mass(g, lane, &a, &anchor);
  near_keep_anchor(g, lane, acts, &anchor);
  if (lane_none(acts)) {
    lane_store(g->at[NEAR_SLIP_LIMIT] + lane, lane_set(NEAR_FREE));
    memset(force, 0, (size_t)LANE_COUNT * FORCE_SIZE * sizeof *force);
  } else
    lane_store_quads(force, near_force(g, lane, &a, anchor.at, relaxation));
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
  if (lane_none(most >= 0))
    return kept;
  const LANE3 apart = near_find_way(p, positions, stride, group, lane),
              anchor = near_find_anchor(g, lane, most >= 0, apart, !p->has_followed).at,
              held = near_across(lane_subtract(apart, anchor), near_get3(g, NEAR_NORMAL, lane)),
              way = lane_select3(most >= 0, held, kept);
  near_put3(g, NEAR_ANCHOR, lane, way);
  lane_store(g->at[NEAR_SLIP_LIMIT] + lane, lane_select(most >= 0, lane_set(NEAR_STUCK_NEW), most));
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
