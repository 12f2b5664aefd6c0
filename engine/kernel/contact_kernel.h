/* The response of particles to colliders for one vector width; contacts.h has the method. A group has 16
   particles at any width, and lanes are independent of each other. */
#include "engine/collider/shape.h"
#include "engine/kernel/contacts.h"

#include <float.h>
#include <string.h>

/* The maximum number of half-spaces that are solved together, and of iterations. */
enum { CONTACT_SPACES = 16, CONTACT_TURNS = 32 };

#define CONTACT_ROUNDING (sizeof(msd_real) == sizeof(double) ? (msd_real)DBL_EPSILON : (msd_real)FLT_EPSILON)

/* The half-space of a collider for each particle of a group: gap + normal . s >= 0, where s is the correction
   of y. Also the displacement of the collider at the particle, and the multiplier lambda. */
typedef struct half_spaces {
  /* Index of the collider motion. */
  int32_t motion;
  msd_real gap[CONTACT_GROUP], push[CONTACT_GROUP];
  /* Difference between the thickness and the allowed distance; above 0 if the particle already was too
     close. */
  msd_real less[CONTACT_GROUP];
  msd_real normal[3 * CONTACT_GROUP], way[3 * CONTACT_GROUP];
  /* For colliders that turn: the displacement at the velocity at the beginning of the substep; and that of a
     particle that sticks. */
  msd_real drift[3 * CONTACT_GROUP], stuck[3 * CONTACT_GROUP];
  /* The tangential displacement that friction removed, if contacts are recorded. */
  msd_real rubbed[3 * CONTACT_GROUP];
} half_spaces;

/* A group of particles in a substep. */
typedef struct contact_group {
  const contact_thread *thread;
  size_t first;
  /* m: the approach bound of the substep, and the distance to the nearest collider beyond the thickness. */
  msd_real spent[CONTACT_GROUP], room[CONTACT_GROUP];
  /* The correction of y so far. */
  msd_real s[3 * CONTACT_GROUP];
  half_spaces spaces[CONTACT_SPACES];
  int count;
} contact_group;

LANE_INLINE LANE lane_min(LANE a, LANE b) {
  return lane_select(a < b, a, b);
}

/* u = dt v of the lanes from `lane` on. */
LANE_INLINE LANE3 contact_way(const contact_group *g, size_t lane) {
  const contact_thread *t = g->thread;
  const msd_real *v = t->behind + 3 * t->stride + g->first + lane;
  return lane_scale(lane_load3(v, t->stride), lane_set(t->dt));
}

LANE_INLINE LANE3 contact_before(const contact_group *g, size_t lane) {
  return lane_load3(g->thread->before + g->first + lane, g->thread->stride);
}

/* m: the sum of the absolute coordinates, for rounding bounds. */
LANE_INLINE LANE contact_size(const contact_group *g, size_t lane) {
  const LANE3 x = contact_before(g, lane);
  return lane_abs(x.x) + lane_abs(x.y) + lane_abs(x.z);
}

/* dt^2/2 (f/m + g) of loose particles, 0 of others. */
LANE_INLINE LANE3 contact_fall(const contact_group *g, size_t lane) {
  const contact_thread *t = g->thread;
  const size_t first = g->first + lane;
  LANE3 a = lane_set3(t->gravity[0], t->gravity[1], t->gravity[2]);
  if (t->force)
    a = lane_add(lane_scale(lane_load3(t->force + first, t->stride), lane_load(t->inverse_mass + first)), a);
  return lane_keep3(lane_load(t->loose + first) > 0, lane_scale(a, lane_set(t->dt * t->dt / 2)));
}

/* Upper bound of the approach between a particle and any collider in the substep, including rounding. */
LANE_INLINE LANE contact_spent(const contact_group *g, size_t lane) {
  const LANE3 u = contact_way(g, lane);
  LANE way = lane_sqrt(lane_dot(u, u));
  if (g->thread->loose) {
    const LANE3 fall = contact_fall(g, lane);
    way = way + lane_sqrt(lane_dot(fall, fall));
  }
  return way * (1 + 16 * CONTACT_ROUNDING) +
         (contact_size(g, lane) * (8 * CONTACT_ROUNDING) + g->thread->reach);
}

/* Subtracts the approach bound from the clearances. Returns whether all particles stay clear of colliders. */
LANE_INLINE bool contact_stays_clear(contact_group *g) {
  msd_real *clear = g->thread->work->clear + g->first;
  bool stays = true;
  for (size_t lane = 0; lane < CONTACT_GROUP; lane += (size_t)LANE_COUNT) {
    const LANE spent = contact_spent(g, lane);
    lane_store(g->spent + lane, spent);
    /* Rounds down, so that many short moves are not lost in the rounding of a long one. */
    const LANE left = (lane_load(clear + lane) - spent) * (1 - CONTACT_ROUNDING);
    lane_store(clear + lane, left);
    stays = stays && lane_none(lane_not(left >= 0));
  }
  return stays;
}

/* The tangent plane at the end of the substep: the distance of x from it, its normal, and the displacement of
   the collider at x as a part of its rigid motion. For a collider that turns also that displacement at the
   velocity at the beginning of the substep, and the normal as it moves with the body. */
typedef struct contact_plane {
  LANE along;
  LANE3 normal, way, drift, carried;
} contact_plane;

/* Moves the tangent plane with a moving collider. `local` is the position in the collider frame. A round
   collider is a point or a line with a radius: its surface follows the point or line, and its spin does not
   move the plane. */
LANE_INLINE contact_plane contact_carry(const collider_motion *c, LANE3 local, collider_nearest nearest,
                                        LANE3 normal) {
  const LANE3 shift = lanes_of(c->shift);
  if (!c->turns)
    return (contact_plane){nearest.distance - lane_dot(normal, shift), normal, shift, shift, normal};
  const LANE deep = nearest.distance + c->radius;
  const LANE3 middle = lane_subtract(local, lane_scale(nearest.normal, deep));
  const LANE3 center = lane_add(shift, collider_turn(c->turn, middle));
  const LANE3 turned = lane_add(normal, collider_turn(c->swing, nearest.normal)),
              carried = lane_add(normal, collider_turn(c->turn, nearest.normal));
  const LANE3 arm = collider_turn(c->axis, local);
  const LANE3 drift = lane_add(lanes_of(c->drift), lane_cross(lanes_of(c->rotation), arm));
  const LANE3 way = c->grips ? lane_add(shift, collider_turn(c->turn, local)) : drift;
  return (contact_plane){deep * lane_dot(normal, turned) - c->radius - lane_dot(turned, center), turned, way,
                         drift, carried};
}

/* Rounding bound of the distance from a collider. A particle whose error is smaller is at rest on it. */
LANE_INLINE LANE contact_rounding(const contact_group *g, const collider_motion *c, size_t lane) {
  const msd_vec3 o = c->origin;
  const msd_real own = (o.x < 0 ? -o.x : o.x) + (o.y < 0 ? -o.y : o.y) + (o.z < 0 ? -o.z : o.z) + c->radius;
  return (contact_size(g, lane) + own) * (4 * CONTACT_ROUNDING);
}

/* The distance that the lanes keep from a collider. */
LANE_INLINE LANE contact_height(const contact_group *g, const collider_motion *c, size_t lane) {
  const LANE thickness = lane_set(g->thread->settings.thickness);
  const msd_real *chord_offset = g->thread->work->chord_offset;
  if (!chord_offset || !(c->radius > 0))
    return thickness;
  const LANE variance = lane_load(chord_offset + g->first + lane), reach = thickness + c->radius;
  return lane_select(variance > 0, lane_sqrt(reach * reach + variance) - c->radius, thickness);
}

/* Computes the half-space of a collider. Returns whether some lane may reach it. */
LANE_INLINE bool contact_measure(contact_group *g, const collider_motion *c, half_spaces *to, size_t lane) {
  const contact_thread *t = g->thread;
  const LANE3 local =
      collider_turn_back(c->axis, lane_subtract(contact_before(g, lane), lanes_of(c->origin)));
  const collider_nearest nearest = collider_find_nearest(c, local);
  const LANE3 normal = collider_turn(c->axis, nearest.normal);
  const LANE3 still = lane_set3(0, 0, 0);
  contact_plane plane = {nearest.distance, normal, still, still, normal};
  if (c->moves)
    plane = contact_carry(c, local, nearest, normal);
  const LANE thickness = contact_height(g, c, lane), spent = lane_load(g->spent + lane);
  const LANE allowed = nearest.distance + (msd_real)CONTACT_PUSH * t->dt;
  const LANE_MASK rests = lane_not(lane_abs(nearest.distance - thickness) > contact_rounding(g, c, lane));
  const LANE least = lane_select(rests, nearest.distance, lane_min(allowed, thickness));
  const LANE_MASK is_far = nearest.distance - thickness > spent;
  const LANE gap = lane_select(is_far, lane_set((msd_real)INFINITY),
                               (plane.along - least) + lane_dot(plane.normal, contact_way(g, lane)));
  lane_store(to->gap + lane, gap);
  lane_store(to->push + lane, lane_set(0));
  lane_store(to->less + lane, thickness - least);
  lane_store3(to->normal + lane, CONTACT_GROUP, plane.normal);
  lane_store3(to->way + lane, CONTACT_GROUP, plane.way);
  if (c->turns) {
    const LANE3 stuck = lane_add(plane.way, lane_scale(plane.carried, least - nearest.distance));
    lane_store3(to->drift + lane, CONTACT_GROUP, plane.drift);
    lane_store3(to->stuck + lane, CONTACT_GROUP, stuck);
  }
  lane_store(g->room + lane, lane_min(lane_load(g->room + lane), nearest.distance - thickness));
  return !lane_none(lane_not(gap > spent));
}

/* The convergence tolerance in m. */
LANE_INLINE LANE contact_tolerance(const contact_group *g, size_t lane) {
  return contact_size(g, lane) * CONTACT_ROUNDING + g->thread->settings.thickness * (msd_real)1e-6;
}

/* Moves s to the nearest point in the intersection of the half-spaces. */
LANE_INLINE void contact_project(contact_group *g, size_t lane) {
  const LANE tolerance = contact_tolerance(g, lane);
  LANE3 s = lane_load3(g->s + lane, CONTACT_GROUP);
  LANE_MASK active = lane_load(g->thread->inverse_mass + g->first + lane) > 0;
  for (int turn = 0; turn < CONTACT_TURNS && !lane_none(active); turn++) {
    LANE largest = lane_set(0);
    for (int n = 0; n < g->count; n++) {
      half_spaces *h = &g->spaces[n];
      const LANE3 normal = lane_load3(h->normal + lane, CONTACT_GROUP);
      const LANE push = lane_load(h->push + lane);
      const LANE open = lane_load(h->gap + lane) + lane_dot(normal, s);
      const LANE change = lane_keep(active, lane_select(push > open, -open, -push));
      lane_store(h->push + lane, push + change);
      s = lane_add(s, lane_scale(normal, change));
      largest = lane_select(lane_abs(change) > largest, lane_abs(change), largest);
    }
    active = active & (largest > tolerance);
  }
  lane_store3(g->s + lane, CONTACT_GROUP, s);
}

LANE_INLINE LANE3 contact_across(LANE3 a, LANE3 normal) {
  return lane_subtract(a, lane_scale(normal, lane_dot(a, normal)));
}

/* The displacement that friction removes on a collider that turns: `slid` from a particle that sticks; from one
   that slides up to `most` of its slip relative to the velocity of the surface. On a collider that spins, a
   particle that sticks leaves the tangent plane and moves as the body does. The force that keeps it on its
   circle reduces the normal force. */
LANE_INLINE LANE3 contact_rub_turning(const contact_group *g, const half_spaces *h, size_t lane, LANE3 s,
                                      LANE3 slid, LANE most) {
  const collider_motion *c = &g->thread->motions[h->motion];
  const LANE3 normal = lane_load3(h->normal + lane, CONTACT_GROUP), own = lane_add(contact_way(g, lane), s);
  const LANE3 drift = lane_load3(h->drift + lane, CONTACT_GROUP);
  const LANE3 slides = contact_across(lane_subtract(own, drift), normal);
  const LANE length = lane_sqrt(lane_dot(slides, slides));
  const LANE share = lane_select(most < length, most * lane_inverse(length > 0, length), lane_set(1));
  LANE3 sticks = slid;
  LANE left = most;
  if (c->spins && c->grips && g->count == 1 && g->thread->settings.relaxation == 0) {
    sticks = lane_subtract(own, lane_load3(h->stuck + lane, CONTACT_GROUP));
    left = most - c->friction * lane_dot(sticks, normal);
  }
  return lane_select3(left < lane_sqrt(lane_dot(slid, slid)), lane_scale(slides, share), sticks);
}

/* Friction: removes up to mu lambda of the tangential slip on one half-space. */
LANE_INLINE LANE3 contact_rub(const contact_group *g, half_spaces *h, size_t lane, LANE3 s) {
  const collider_motion *c = &g->thread->motions[h->motion];
  const LANE3 normal = lane_load3(h->normal + lane, CONTACT_GROUP);
  const LANE3 way = lane_load3(h->way + lane, CONTACT_GROUP);
  const LANE3 moved = lane_subtract(lane_add(contact_way(g, lane), s), way);
  const LANE3 slid = contact_across(moved, normal);
  const LANE length = lane_sqrt(lane_dot(slid, slid));
  const LANE most = lane_load(h->push + lane) * c->friction;
  const LANE_MASK acts = lane_load(h->push + lane) > 0;
  const LANE share = lane_select(most < length, most * lane_inverse(length > 0, length), lane_set(1));
  LANE3 rubbed = lane_scale(slid, lane_keep(acts, share));
  if (c->turns)
    rubbed = lane_keep3(acts, contact_rub_turning(g, h, lane, s, slid, most));
  if (g->thread->work->pushes)
    lane_store3(h->rubbed + lane, CONTACT_GROUP, rubbed);
  return lane_subtract(s, rubbed);
}

/* If friction on one half-space moved a particle into another half-space, pushes it out again. */
LANE_INLINE LANE3 contact_hold(contact_group *g, size_t lane, LANE3 s) {
  const LANE tolerance = contact_tolerance(g, lane);
  LANE_MASK active = lane_load(g->thread->inverse_mass + g->first + lane) > 0;
  for (int turn = 0; turn < CONTACT_TURNS && !lane_none(active); turn++) {
    LANE_MASK moved = lane_set(0) > 1;
    for (int n = 0; n < g->count; n++) {
      half_spaces *h = &g->spaces[n];
      const LANE3 normal = lane_load3(h->normal + lane, CONTACT_GROUP);
      const LANE open = lane_load(h->gap + lane) + lane_dot(normal, s);
      const LANE_MASK is_in = active & (open < -tolerance);
      const LANE change = lane_keep(is_in, -open);
      lane_store(h->push + lane, lane_load(h->push + lane) + change);
      s = lane_add(s, lane_scale(normal, change));
      moved = moved | is_in;
    }
    active = active & moved;
  }
  return s;
}

/* Applies relaxation and friction. `before` is s without these half-spaces. */
LANE_INLINE void contact_soften_and_rub(contact_group *g, size_t lane, LANE3 before) {
  const LANE share = lane_set(1 - g->thread->settings.relaxation);
  const LANE3 added = lane_subtract(lane_load3(g->s + lane, CONTACT_GROUP), before);
  LANE3 s = lane_add(before, lane_scale(added, share));
  for (int n = 0; n < g->count; n++) {
    half_spaces *h = &g->spaces[n];
    lane_store(h->push + lane, lane_load(h->push + lane) * share);
    s = contact_rub(g, h, lane, s);
  }
  if (g->count > 1 && g->thread->settings.relaxation == 0)
    s = contact_hold(g, lane, s);
  lane_store3(g->s + lane, CONTACT_GROUP, s);
}

/* The signed distance of the lanes from a half-space. */
LANE_INLINE LANE contact_open(const contact_group *g, const half_spaces *h, size_t lane) {
  const LANE3 s = lane_load3(g->s + lane, CONTACT_GROUP),
              normal = lane_load3(h->normal + lane, CONTACT_GROUP);
  return lane_load(h->gap + lane) + normal.x * s.x + normal.y * s.y + normal.z * s.z;
}

/* The error of that distance that may be due to rounding, for a lane. */
static msd_real contact_unseen(const contact_group *g, size_t lane) {
  const contact_thread *t = g->thread;
  const msd_real *x = t->before + g->first + lane;
  const msd_vec3 place = {x[0], x[t->stride], x[2 * t->stride]};
  return (msd_real)vec3_length(place) * (16 * CONTACT_ROUNDING) + t->settings.thickness / 1000;
}

/* Records the collider that pushes the lanes in the bit mask, and counts contacts. */
LANE_INLINE void contact_note(const contact_group *g, const half_spaces *h, size_t lane, uint32_t pushed,
                              contact_tally *tally) {
  const contact_thread *t = g->thread;
  int32_t *by = t->work->pushed_by + g->first + lane;
  const int32_t collider = t->motions[h->motion].collider;
  for (int k = 0; k < LANE_COUNT; k++) {
    by[k] = pushed >> k & 1 ? collider : by[k];
    tally->contacts += (int32_t)(pushed >> k & 1);
  }
}

/* Counts contacts and squeezed particles. A particle is squeezed if other colliders keep it inside a
   half-space by more than a tenth of the thickness. */
static void contact_count(contact_group *g, contact_tally *tally) {
  const contact_thread *t = g->thread;
  const LANE most = lane_set(t->settings.thickness / 10);
  for (size_t lane = 0; lane < CONTACT_GROUP; lane += (size_t)LANE_COUNT) {
    bool is_left[LANE_COUNT] = {false};
    for (int n = 0; n < g->count; n++) {
      const half_spaces *h = &g->spaces[n];
      const LANE open = contact_open(g, h, lane);
      const LANE_MASK is_pushed = lane_load(h->push + lane) > 0;
      const LANE_MASK is_deep = is_pushed & (open - lane_load(h->less + lane) < -most);
      contact_note(g, h, lane, lane_bits(is_pushed), tally);
      for (int k = 0; k < LANE_COUNT && !lane_none(is_deep); k++)
        is_left[k] = is_left[k] || ((lane_bits(is_deep) >> k & 1) &&
                                    lane_get(open, k) < -contact_unseen(g, lane + (size_t)k));
    }
    for (int k = 0; k < LANE_COUNT; k++)
      tally->squeezed += is_left[k] && t->settings.relaxation == 0;
  }
}

static void contact_record(const contact_group *g, const half_spaces *h, size_t lane) {
  const contact_thread *t = g->thread;
  contact_pushes *all = t->work->pushes;
  const int32_t n = atomic_fetch_add_explicit(&all->count, 1, memory_order_relaxed);
  if (n >= all->capacity)
    return;
  all->items[n].slot = (int32_t)(g->first + lane);
  all->items[n].collider = t->motions[h->motion].collider;
  for (size_t c = 0; c < 3; c++)
    all->items[n].way[c] =
        h->push[lane] * h->normal[c * CONTACT_GROUP + lane] - h->rubbed[c * CONTACT_GROUP + lane];
}

/* Records the pushes of all half-spaces. */
static void contact_record_all(const contact_group *g) {
  for (int n = 0; n < g->count && g->thread->work->pushes; n++)
    for (size_t lane = 0; lane < CONTACT_GROUP; lane++)
      if (g->spaces[n].push[lane] > 0)
        contact_record(g, &g->spaces[n], lane);
}

/* Solves the half-spaces collected so far. Returns whether any was violated. */
static bool contact_solve(contact_group *g, contact_tally *tally) {
  LANE_MASK some = lane_set(0) > 1;
  for (size_t lane = 0; lane < CONTACT_GROUP; lane += (size_t)LANE_COUNT) {
    const LANE_MASK is_free = lane_load(g->thread->inverse_mass + g->first + lane) > 0;
    for (int n = 0; n < g->count; n++) {
      const LANE_MASK is_in = lane_load(g->spaces[n].gap + lane) < 0;
      some = some | (is_free & is_in);
    }
  }
  if (lane_none(some))
    return false;
  for (size_t lane = 0; lane < CONTACT_GROUP; lane += (size_t)LANE_COUNT) {
    const LANE3 before = lane_load3(g->s + lane, CONTACT_GROUP);
    contact_project(g, lane);
    contact_soften_and_rub(g, lane, before);
  }
  contact_count(g, tally);
  contact_record_all(g);
  return true;
}

/* Adds s to the state. Lanes that do not move keep all bits. Returns whether all results are finite. */
LANE_INLINE bool contact_move(const contact_group *g, size_t lane) {
  const contact_thread *t = g->thread;
  LANE_MASK lost = lane_set(0) > 1;
  for (size_t c = 0; c < 3; c++) {
    msd_real *x = t->behind + c * t->stride + g->first + lane, *v = x + 3 * t->stride;
    const LANE s = lane_load(g->s + c * CONTACT_GROUP + lane), change = s / t->dt;
    const LANE next_x = lane_select(s != 0, lane_load(x) + s, lane_load(x)),
               next_v = lane_select(s != 0, lane_load(v) + change, lane_load(v));
    lane_store(x, next_x);
    lane_store(v, next_v);
    lane_store(t->work->given + c * t->work->stride + g->first + lane, change);
    lost = lost | lane_not((next_x - next_x == 0) & (next_v - next_v == 0));
  }
  return lane_none(lost);
}

static void contact_forget(contact_work *w, int32_t group) {
  const size_t first = (size_t)group * CONTACT_GROUP;
  for (size_t lane = first; lane < first + CONTACT_GROUP; lane++)
    w->pushed_by[lane] = -1;
  for (size_t c = 0; c < 3; c++)
    memset(w->given + c * w->stride + first, 0, CONTACT_GROUP * sizeof *w->given);
  w->is_pushed[group] = false;
}

/* Tests all colliders, solves, and stores the new clearances. */
static bool contact_act_on_group(contact_group *g, int32_t group) {
  const contact_thread *t = g->thread;
  contact_tally *tally = &t->work->tallies[t->thread];
  for (size_t lane = 0; lane < CONTACT_GROUP; lane++) {
    g->room[lane] = (msd_real)INFINITY;
    g->s[lane] = g->s[CONTACT_GROUP + lane] = g->s[2 * CONTACT_GROUP + lane] = 0;
  }
  g->count = 0;
  bool acted = false;
  for (int32_t c = 0; c < t->motion_count; c++) {
    half_spaces *next = &g->spaces[g->count];
    bool is_near = false;
    for (size_t lane = 0; lane < CONTACT_GROUP; lane += (size_t)LANE_COUNT)
      is_near = contact_measure(g, &t->motions[c], next, lane) || is_near;
    next->motion = c;
    g->count += is_near;
    if (g->count < CONTACT_SPACES && c < t->motion_count - 1)
      continue;
    acted = contact_solve(g, tally) || acted;
    g->count = 0;
  }
  bool finite = true;
  for (size_t lane = 0; lane < CONTACT_GROUP; lane += (size_t)LANE_COUNT) {
    /* An infinite clearance would never be used up. */
    const LANE left = lane_load(g->room + lane) - lane_load(g->spent + lane);
    const LANE kept = lane_select(left - left == 0, left, lane_set(-1));
    lane_store(t->work->clear + g->first + lane, acted ? lane_set(-1) : kept);
    finite = (!acted || contact_move(g, lane)) && finite;
  }
  t->work->is_pushed[group] = acted;
  return finite;
}

/* Moves loose particles from where an earlier call for the same substep has let them fall back to
   y = x + dt v'. */
static void contact_place_loose(const contact_group *g) {
  const contact_thread *t = g->thread;
  for (size_t lane = 0; lane < CONTACT_GROUP; lane += (size_t)LANE_COUNT) {
    msd_real *y = t->behind + g->first + lane;
    const LANE_MASK is_loose = lane_load(t->loose + g->first + lane) > 0;
    const LANE3 at = lane_add(contact_before(g, lane), contact_way(g, lane));
    lane_store3(y, t->stride, lane_select3(is_loose, at, lane_load3(y, t->stride)));
  }
}

/* Subtracts dt^2/2 (f/m + g) from the positions of loose particles, unless a collider may be in reach. */
static void contact_let_fall(const contact_group *g, bool is_clear) {
  const contact_thread *t = g->thread;
  for (size_t lane = 0; lane < CONTACT_GROUP; lane += (size_t)LANE_COUNT) {
    msd_real *y = t->behind + g->first + lane;
    const LANE left = is_clear ? lane_set(0) : lane_load(g->room + lane) - lane_load(g->spent + lane);
    const LANE_MASK falls = (lane_load(t->loose + g->first + lane) > 0) & (left >= 0);
    const LANE3 at = lane_load3(y, t->stride), to = lane_subtract(at, contact_fall(g, lane));
    lane_store3(y, t->stride, lane_select3(falls, to, at));
  }
}

static bool contact_groups(const contact_thread *t, int32_t first, int32_t last) {
  bool finite = true;
  contact_group g;
  g.thread = t;
  for (int32_t group = first; group < last; group++) {
    g.first = (size_t)group * CONTACT_GROUP;
    if (t->work->is_pushed[group])
      contact_forget(t->work, group);
    if (t->loose)
      contact_place_loose(&g);
    const bool is_clear = contact_stays_clear(&g);
    if (!is_clear)
      finite = contact_act_on_group(&g, group) && finite;
    if (t->loose)
      contact_let_fall(&g, is_clear);
  }
  return finite;
}
