#include "engine/contact/collider_contact.h"

#include "engine/kernel/records.h"

#include <math.h>
#include <string.h>

/* ------------------------------------------------------------------------------------------------ memory */

static int32_t group_count(int32_t particles) {
  return (particles + CONTACT_GROUP - 1) / CONTACT_GROUP;
}

bool contact_work_make(contact_work *w, memory *m, int threads, int32_t colliders, const particle_store *p) {
  contact_work_free(w, m);
  const size_t motions = (size_t)threads * (size_t)colliders;
  w->motions = memory_allocate(m, motions * sizeof *w->motions);
  w->near = memory_allocate(m, motions * sizeof *w->near);
  w->tallies = memory_allocate(m, (size_t)threads * sizeof *w->tallies);
  w->pushed_by = memory_allocate(m, (size_t)p->count * sizeof *w->pushed_by);
  w->given = memory_allocate(m, 3 * p->stride * sizeof *w->given);
  w->is_pushed = memory_allocate(m, (size_t)group_count(p->count));
  if (!w->motions || !w->near || !w->tallies || !w->pushed_by || !w->given || !w->is_pushed) {
    contact_work_free(w, m);
    return false;
  }
  w->threads = threads;
  w->colliders = colliders;
  w->stride = p->stride;
  w->particles = p->count;
  for (int32_t i = 0; i < p->count; i++)
    w->pushed_by[i] = -1;
  return true;
}

void contact_work_free(contact_work *w, memory *m) {
  memory_release(m, w->motions);
  memory_release(m, w->near);
  memory_release(m, w->tallies);
  memory_release(m, w->pushed_by);
  memory_release(m, w->given);
  memory_release(m, w->is_pushed);
  *w = (contact_work){0};
}

contact_tally contact_work_sum(const contact_work *w) {
  contact_tally sum = {0, 0};
  for (int thread = 0; thread < w->threads; thread++) {
    sum.contacts += w->tallies[thread].contacts;
    sum.pinched += w->tallies[thread].pinched;
  }
  return sum;
}

/* ---------------------------------------------------------------------------------------- what comes near */

static double length_of(double3 v) {
  return sqrt(double3_dot(v, v));
}

static collider_motion motion_of(const contact_thread *t, const collider_entry *c) {
  const collider_pose from = collider_pose_at(c, t->share_before), to = collider_pose_at(c, t->share_behind);
  collider_motion m = {collider_frame_of(&from), collider_frame_of(&to), 0, 0};
  double turn = 0;
  for (int axis = 0; axis < 3; axis++) {
    const double3 change = double3_subtract(m.after.axis[axis], m.before.axis[axis]);
    turn += double3_dot(change, change);
  }
  m.turn = sqrt(turn);
  m.shift = length_of(double3_subtract(m.after.origin, m.before.origin));
  return m;
}

/* A ball with all that a group is before the substep, and the most that one of its particles moves. */
typedef struct group_bounds {
  double3 middle;
  double radius, way;
} group_bounds;

/* The least and the most of a component. */
static void find_range(const msd_real *x, int32_t count, double range[2]) {
  msd_real least = x[0], most = x[0];
  for (int32_t i = 1; i < count; i++) {
    least = x[i] < least ? x[i] : least;
    most = x[i] > most ? x[i] : most;
  }
  range[0] = (double)least;
  range[1] = (double)most;
}

static group_bounds bounds_of(const contact_thread *t, size_t first, int32_t count) {
  double at[3][2], v[3][2], square = 0, way = 0;
  for (size_t c = 0; c < 3; c++) {
    find_range(t->before + c * t->stride + first, count, at[c]);
    find_range(t->behind + (c + 3) * t->stride + first, count, v[c]);
    const double half = (at[c][1] - at[c][0]) / 2;
    const double fastest = -v[c][0] > v[c][1] ? -v[c][0] : v[c][1];
    square += half * half;
    way += fastest * fastest;
  }
  return (group_bounds){
      {(at[0][0] + at[0][1]) / 2, (at[1][0] + at[1][1]) / 2, (at[2][0] + at[2][1]) / 2},
      sqrt(square),
      sqrt(way) * t->time_step};
}

/* Not false where a particle of the group might be pushed; a little more often, for rounding. */
static bool is_near(const contact_thread *t, const collider_entry *c, const collider_motion *m,
                    const group_bounds *g) {
  const double3 local = collider_place_back(&m->before, g->middle);
  const double distance = collider_find_nearest(c, local).distance;
  const double reach = g->radius + fabs(distance) + length_of(local);
  const double clear = distance - g->radius - g->way - m->shift - m->turn * reach;
  return !(clear > (double)t->settings.thickness + 1e-6 * reach);
}

/* Lists the colliders near a group. */
static int32_t find_near(const contact_thread *t, const collider_motion *motions, const group_bounds *g,
                         int32_t *near) {
  int32_t count = 0;
  for (int32_t c = 0; c < t->colliders->count; c++)
    if (is_near(t, &t->colliders->entries[c], &motions[c], g))
      near[count++] = c;
  return count;
}

/* ---------------------------------------------------------------------------------------- one particle */

/* What a collider allows: gap + normal . s >= 0, s being what is added to y. */
typedef struct half_space {
  int32_t collider;
  double gap;
  double3 normal;
  /* m: of the point that is touched. */
  double3 way;
  /* m: lambda. */
  double push;
} half_space;

static half_space half_space_of(const contact_thread *t, int32_t collider, const collider_motion *m, double3 x,
                                double3 u) {
  const collider_nearest nearest =
      collider_find_nearest(&t->colliders->entries[collider], collider_place_back(&m->before, x));
  const double3 from = collider_place(&m->before, nearest.point),
                to = collider_place(&m->after, nearest.point), normal = collider_turn(&m->after, nearest.normal);
  const double thickness = (double)t->settings.thickness,
               allowed = nearest.distance + CONTACT_PUSH * t->time_step;
  return (half_space){.collider = collider,
                      .gap = double3_dot(normal, double3_subtract(x, to)) + double3_dot(normal, u) -
                             (allowed < thickness ? allowed : thickness),
                      .normal = normal,
                      .way = double3_subtract(to, from)};
}

/* Half-spaces at one particle; of more than so many the widest open are left out. */
enum { HALF_SPACES = 16, SWEEPS = 32 };

typedef struct half_spaces {
  half_space of[HALF_SPACES];
  int count;
  bool is_left;
} half_spaces;

static void keep_half_space(half_spaces *all, half_space h) {
  all->is_left = all->is_left || h.gap < 0;
  if (all->count < HALF_SPACES) {
    all->of[all->count++] = h;
    return;
  }
  int widest = 0;
  for (int n = 1; n < all->count; n++)
    if (all->of[n].gap > all->of[widest].gap)
      widest = n;
  if (h.gap < all->of[widest].gap)
    all->of[widest] = h;
}

/* The way s to the nearest point that all allow, by Hildreth's method: each in turn takes and gives back what it
   pushes until it just allows s. One alone needs one turn. Returns whether there is such a point. */
static bool project(half_spaces *all, double3 *s, double tolerance) {
  for (int sweep = 0; sweep < SWEEPS; sweep++) {
    double largest = 0;
    for (int n = 0; n < all->count; n++) {
      half_space *h = &all->of[n];
      const double open = h->gap + double3_dot(h->normal, *s);
      const double change = h->push > open ? -open : -h->push;
      h->push += change;
      *s = double3_add_scaled(*s, h->normal, change);
      largest = fabs(change) > largest ? fabs(change) : largest;
    }
    if (largest <= tolerance || all->count == 1)
      return true;
  }
  return false;
}

/* What friction takes of the way that has been slid on one of them. */
static double3 rub(const half_space *h, double friction, double3 u, double3 s) {
  const double3 moved = double3_subtract(double3_add_scaled(u, s, 1), h->way);
  const double3 slid = double3_add_scaled(moved, h->normal, -double3_dot(moved, h->normal));
  const double length = length_of(slid), most = friction * h->push;
  if (!(length > 0))
    return s;
  return double3_add_scaled(s, slid, most < length ? -most / length : -1);
}

static double friction_of(const contact_thread *t, int32_t collider) {
  const msd_real own = t->colliders->entries[collider].friction;
  return (double)(own < 0 ? t->settings.friction : own);
}

/* Whether all allow s, but for rounding and a hundredth of the thickness. */
static bool are_kept(const half_spaces *all, double3 s, double tolerance) {
  for (int n = 0; n < all->count; n++)
    if (all->of[n].gap + double3_dot(all->of[n].normal, s) < -tolerance)
      return false;
  return true;
}

/* Adds s to the state in a slot, and s/dt to its velocity. */
static bool move_particle(const contact_thread *t, size_t slot, double3 s) {
  const double way[3] = {s.x, s.y, s.z};
  bool finite = true;
  for (size_t c = 0; c < 3; c++) {
    msd_real *x = t->behind + c * t->stride + slot, *v = x + 3 * t->stride;
    const double change = way[c] / t->time_step;
    *x = (msd_real)((double)*x + way[c]);
    *v = (msd_real)((double)*v + change);
    t->work->given[c * t->work->stride + slot] = (msd_real)change;
    finite = finite && isfinite(*x) && isfinite(*v);
  }
  return finite;
}

static double3 vector_at(const msd_real *components, size_t stride, size_t slot, double factor) {
  return (double3){(double)components[slot] * factor, (double)components[stride + slot] * factor,
                   (double)components[2 * stride + slot] * factor};
}

/* Of the colliders that are near. */
static bool act_on_particle(const contact_thread *t, const collider_motion *motions, const int32_t *near,
                            int32_t near_count, size_t slot) {
  const double3 x = vector_at(t->before, t->stride, slot, 1),
                u = vector_at(t->behind + VELOCITY_X * t->stride, t->stride, slot, t->time_step);
  half_spaces all = {.count = 0};
  for (int32_t n = 0; n < near_count; n++)
    keep_half_space(&all, half_space_of(t, near[n], &motions[near[n]], x, u));
  if (!all.is_left)
    return true;
  contact_tally *tally = &t->work->tallies[t->thread];
  const double tolerance = 0.01 * (double)t->settings.thickness + 1e-6 * length_of(x);
  double3 s = {0, 0, 0};
  const bool is_done = project(&all, &s, 1e-4 * tolerance);
  tally->pinched += !is_done && !are_kept(&all, s, tolerance);
  const double share = 1 - (double)t->settings.softness;
  s = (double3){share * s.x, share * s.y, share * s.z};
  for (int n = 0; n < all.count; n++)
    if (all.of[n].push > 0) {
      all.of[n].push *= share;
      s = rub(&all.of[n], friction_of(t, all.of[n].collider), u, s);
      t->work->pushed_by[slot] = all.of[n].collider;
      tally->contacts++;
    }
  return move_particle(t, slot, s);
}

/* ------------------------------------------------------------------------------------------- all particles */

static void forget_group(contact_work *w, size_t first, int32_t count) {
  for (size_t i = first; i < first + (size_t)count; i++) {
    w->pushed_by[i] = -1;
    for (size_t c = 0; c < 3; c++)
      w->given[c * w->stride + i] = 0;
  }
}

static bool act_on_group(const contact_thread *t, const collider_motion *motions, int32_t *near,
                         int32_t group) {
  contact_work *w = t->work;
  const size_t first = (size_t)group * CONTACT_GROUP;
  const int32_t left = w->particles - group * CONTACT_GROUP, count = left < CONTACT_GROUP ? left : CONTACT_GROUP;
  if (w->is_pushed[group])
    forget_group(w, first, count);
  const int32_t before = w->tallies[t->thread].contacts;
  const group_bounds bounds = bounds_of(t, first, count);
  const int32_t near_count = find_near(t, motions, &bounds, near);
  bool finite = true;
  for (size_t slot = first; slot < first + (size_t)count && near_count > 0; slot++)
    if (t->inverse_mass[slot] > 0)
      finite = act_on_particle(t, motions, near, near_count, slot) && finite;
  w->is_pushed[group] = w->tallies[t->thread].contacts > before;
  if (w->is_pushed[group] && t->records)
    records_from_slab(t->behind, t->stride, t->records, first, first + CONTACT_GROUP);
  return finite;
}

bool contact_act(const contact_thread *t) {
  contact_work *w = t->work;
  const size_t own = (size_t)t->thread * (size_t)w->colliders;
  collider_motion *motions = w->motions + own;
  for (int32_t c = 0; c < t->colliders->count; c++)
    motions[c] = motion_of(t, &t->colliders->entries[c]);
  w->tallies[t->thread] = (contact_tally){0, 0};
  const int32_t groups = group_count(w->particles);
  bool finite = true;
  for (int32_t group = t->groups.first; group < t->groups.last && group < groups; group++)
    finite = act_on_group(t, motions, w->near + own, group) && finite;
  return finite;
}
