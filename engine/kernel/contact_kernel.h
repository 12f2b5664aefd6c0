/* What colliders do to groups of particles, for one width of vectors; contacts.h has the method. A group is 16
   particles at any width, and a lane never depends on those beside it. */
#include "engine/collider/shape.h"
#include "engine/kernel/contacts.h"

#include <float.h>
#include <string.h>

/* Half-spaces that particles of a group may come to, and how many turns each gets at most. */
enum { CONTACT_SPACES = 16, CONTACT_TURNS = 32 };

#define CONTACT_ROUNDING (sizeof(msd_real) == sizeof(double) ? (msd_real)DBL_EPSILON : (msd_real)FLT_EPSILON)

/* What a collider allows a group: gap + normal . s >= 0, s being what is added to y; the way of the point that
   is touched; and lambda, what it has pushed. */
typedef struct half_spaces {
  /* The number of its motion. */
  int32_t motion;
  msd_real gap[CONTACT_GROUP], push[CONTACT_GROUP];
  /* How much less than the thickness is allowed, as that far in has been gone before. */
  msd_real less[CONTACT_GROUP];
  msd_real normal[3 * CONTACT_GROUP], way[3 * CONTACT_GROUP];
} half_spaces;

/* A group in a substep. */
typedef struct contact_group {
  const contact_thread *thread;
  size_t first;
  /* How far each goes toward what moves toward it, and is from what it may touch, in m. */
  msd_real spent[CONTACT_GROUP], room[CONTACT_GROUP];
  /* What is added to y so far. */
  msd_real s[3 * CONTACT_GROUP];
  half_spaces spaces[CONTACT_SPACES];
  int count;
} contact_group;

LANE_INLINE LANE lane_min(LANE a, LANE b) {
  return lane_select(a < b, a, b);
}

/* dt v of the lanes from `lane` on. */
LANE_INLINE LANE3 contact_way(const contact_group *g, size_t lane) {
  const contact_thread *t = g->thread;
  const msd_real *v = t->behind + 3 * t->stride + g->first + lane;
  return lane_scale(lane_load3(v, t->stride), lane_set(t->time_step));
}

LANE_INLINE LANE3 contact_before(const contact_group *g, size_t lane) {
  return lane_load3(g->thread->before + g->first + lane, g->thread->stride);
}

/* Of the places of the lanes, in m. */
LANE_INLINE LANE contact_size(const contact_group *g, size_t lane) {
  const LANE3 x = contact_before(g, lane);
  return lane_abs(x.x) + lane_abs(x.y) + lane_abs(x.z);
}

/* How far the lanes go in the substep toward what moves toward them; with what rounding may hide. */
LANE_INLINE LANE contact_spent(const contact_group *g, size_t lane) {
  const LANE3 u = contact_way(g, lane);
  return lane_sqrt(lane_dot(u, u)) * (1 + 16 * CONTACT_ROUNDING) +
         (contact_size(g, lane) * (8 * CONTACT_ROUNDING) + g->thread->reach);
}

/* Whether all stay clear of what they may touch, of which they then have less left. */
LANE_INLINE bool contact_stays_clear(contact_group *g) {
  msd_real *clear = g->thread->work->clear + g->first;
  bool stays = true;
  for (size_t lane = 0; lane < CONTACT_GROUP; lane += (size_t)LANE_COUNT) {
    const LANE spent = contact_spent(g, lane);
    lane_store(g->spent + lane, spent);
    /* Many short ways must not be lost in the rounding of a long one. */
    const LANE left = (lane_load(clear + lane) - spent) * (1 - CONTACT_ROUNDING);
    lane_store(clear + lane, left);
    stays = stays && lane_none(lane_not(left >= 0));
  }
  return stays;
}

/* How far a place is from the tangent plane behind the substep, without its own way; the normal of the plane,
   and the way of the point that is touched. */
typedef struct contact_plane {
  LANE along;
  LANE3 normal, way;
} contact_plane;

/* Takes the tangent plane along with a collider that moves. `local` is the place in the frame. What is round is
   that far about a point or a line, which alone says where its surface is; the surface also spins. */
LANE_INLINE contact_plane contact_carry(const collider_motion *c, LANE3 local, collider_nearest nearest,
                                        LANE3 normal) {
  const LANE3 shift = lanes_of(c->shift);
  if (!c->turns)
    return (contact_plane){nearest.distance - lane_dot(normal, shift), normal, shift};
  const LANE deep = nearest.distance + c->radius;
  const LANE3 middle = lane_subtract(local, lane_scale(nearest.normal, deep));
  const LANE3 way = lane_add(shift, collider_turn(c->turn, middle));
  const LANE3 turned = lane_add(normal, collider_turn(c->swing, nearest.normal));
  const LANE3 spun = lane_scale(collider_turn(c->turn, nearest.normal), lane_set(c->radius));
  return (contact_plane){deep * lane_dot(normal, turned) - c->radius - lane_dot(turned, way), turned,
                         lane_add(way, spun)};
}

/* By how much the distance from a collider may be rounded: what is off by less than that rests. */
LANE_INLINE LANE contact_rounding(const contact_group *g, const collider_motion *c, size_t lane) {
  const msd_vec3 o = c->origin;
  const msd_real own = (o.x < 0 ? -o.x : o.x) + (o.y < 0 ? -o.y : o.y) + (o.z < 0 ? -o.z : o.z) + c->radius;
  return (contact_size(g, lane) + own) * (4 * CONTACT_ROUNDING);
}

/* How far the lanes are to stay from a collider. */
LANE_INLINE LANE contact_height(const contact_group *g, const collider_motion *c, size_t lane) {
  const LANE thickness = lane_set(g->thread->settings.thickness);
  const msd_real *sagitta = g->thread->work->sagitta;
  if (!sagitta || !(c->radius > 0))
    return thickness;
  const LANE variance = lane_load(sagitta + g->first + lane), reach = thickness + c->radius;
  return lane_select(variance > 0, lane_sqrt(reach * reach + variance) - c->radius, thickness);
}

/* Measures what a collider allows; returns whether some lane may come to it. */
LANE_INLINE bool contact_measure(contact_group *g, const collider_motion *c, half_spaces *to, size_t lane) {
  const contact_thread *t = g->thread;
  const LANE3 local =
      collider_turn_back(c->axis, lane_subtract(contact_before(g, lane), lanes_of(c->origin)));
  const collider_nearest nearest = collider_find_nearest(c, local);
  const LANE3 normal = collider_turn(c->axis, nearest.normal);
  contact_plane plane = {nearest.distance, normal, lane_set3(0, 0, 0)};
  if (c->moves)
    plane = contact_carry(c, local, nearest, normal);
  const LANE thickness = contact_height(g, c, lane), spent = lane_load(g->spent + lane);
  const LANE allowed = nearest.distance + (msd_real)CONTACT_PUSH * t->time_step;
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
  lane_store(g->room + lane, lane_min(lane_load(g->room + lane), nearest.distance - thickness));
  return !lane_none(lane_not(gap > spent));
}

/* Below which it counts as nothing how far a half-space is off. */
LANE_INLINE LANE contact_tolerance(const contact_group *g, size_t lane) {
  return contact_size(g, lane) * CONTACT_ROUNDING + g->thread->settings.thickness * (msd_real)1e-6;
}

/* Takes s to the nearest point that all of the half-spaces allow. */
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

/* What friction takes of the way that has been slid on one of the half-spaces. */
LANE_INLINE LANE3 contact_rub(const contact_group *g, const half_spaces *h, size_t lane, LANE3 s) {
  const LANE3 normal = lane_load3(h->normal + lane, CONTACT_GROUP);
  const LANE3 way = lane_load3(h->way + lane, CONTACT_GROUP);
  const LANE3 moved = lane_subtract(lane_add(contact_way(g, lane), s), way);
  const LANE3 slid = lane_subtract(moved, lane_scale(normal, lane_dot(moved, normal)));
  const LANE length = lane_sqrt(lane_dot(slid, slid));
  const LANE most = lane_load(h->push + lane) * g->thread->motions[h->motion].friction;
  const LANE share = lane_select(most < length, most * lane_inverse(length > 0, length), lane_set(1));
  return lane_subtract(s, lane_scale(slid, lane_keep(lane_load(h->push + lane) > 0, share)));
}

/* Where friction on one half-space has led into another, it goes no further than that allows. */
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

/* What is left to the next substeps, and friction; `before` is what s was without these half-spaces. */
LANE_INLINE void contact_soften_and_rub(contact_group *g, size_t lane, LANE3 before) {
  const LANE share = lane_set(1 - g->thread->settings.softness);
  const LANE3 added = lane_subtract(lane_load3(g->s + lane, CONTACT_GROUP), before);
  LANE3 s = lane_add(before, lane_scale(added, share));
  for (int n = 0; n < g->count; n++) {
    half_spaces *h = &g->spaces[n];
    lane_store(h->push + lane, lane_load(h->push + lane) * share);
    s = contact_rub(g, h, lane, s);
  }
  if (g->count > 1 && g->thread->settings.softness == 0)
    s = contact_hold(g, lane, s);
  lane_store3(g->s + lane, CONTACT_GROUP, s);
}

/* How far lanes are from a half-space. */
LANE_INLINE LANE contact_open(const contact_group *g, const half_spaces *h, size_t lane) {
  const LANE3 s = lane_load3(g->s + lane, CONTACT_GROUP),
              normal = lane_load3(h->normal + lane, CONTACT_GROUP);
  return lane_load(h->gap + lane) + normal.x * s.x + normal.y * s.y + normal.z * s.z;
}

/* By how much it is off where it is not. */
static msd_real contact_unseen(const contact_group *g, size_t lane) {
  const contact_thread *t = g->thread;
  const msd_real *x = t->before + g->first + lane;
  const msd_vec3 place = {x[0], x[t->stride], x[2 * t->stride]};
  return (msd_real)vec3_length(place) * (16 * CONTACT_ROUNDING) + t->settings.thickness / 1000;
}

/* Who pushes some of the lanes, as bits. */
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

/* A particle that other colliders keep from the half-space of one that it is a tenth of the thickness too near
   to has no place. */
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
      tally->pinched += is_left[k] && t->settings.softness == 0;
  }
}

/* Lets the half-spaces that were collected act. */
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
  return true;
}

/* What is added to y goes into the state; what is not moved keeps its bits. Returns whether all is finite. */
LANE_INLINE bool contact_move(const contact_group *g, size_t lane) {
  const contact_thread *t = g->thread;
  LANE_MASK lost = lane_set(0) > 1;
  for (size_t c = 0; c < 3; c++) {
    msd_real *x = t->behind + c * t->stride + g->first + lane, *v = x + 3 * t->stride;
    const LANE s = lane_load(g->s + c * CONTACT_GROUP + lane), change = s / t->time_step;
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

/* Asks every collider. */
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
    /* A way beyond all numbers would never be used up. */
    const LANE left = lane_load(g->room + lane) - lane_load(g->spent + lane);
    const LANE kept = lane_select(left - left == 0, left, lane_set(-1));
    lane_store(t->work->clear + g->first + lane, acted ? lane_set(-1) : kept);
    finite = (!acted || contact_move(g, lane)) && finite;
  }
  t->work->is_pushed[group] = acted;
  return finite;
}

static bool contact_groups(const contact_thread *t, int32_t first, int32_t last) {
  bool finite = true;
  contact_group g;
  g.thread = t;
  for (int32_t group = first; group < last; group++) {
    g.first = (size_t)group * CONTACT_GROUP;
    if (t->work->is_pushed[group])
      contact_forget(t->work, group);
    if (!contact_stays_clear(&g))
      finite = contact_act_on_group(&g, group) && finite;
  }
  return finite;
}
