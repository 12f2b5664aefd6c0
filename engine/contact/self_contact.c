#include "engine/contact/self_contact.h"

#define LANE_DOUBLE
#include "engine/contact/closest_points.h"

#include <string.h>

/* ------------------------------------------------------------------------------------------------ memory */

bool self_contact_reserve(self_contact *c, memory *m, const particle_store *p, int threads) {
  const surface_mesh mesh = c->mesh;
  c->mesh = (surface_mesh){0};
  self_contact_free(c, m);
  c->mesh = mesh;
  c->origin = particle_allocate_slab(p, m, COMPONENTS, &c->origin_block);
  c->predicted = particle_allocate_slab(p, m, COMPONENTS, &c->predicted_block);
  c->first = memory_allocate(m, ((size_t)p->count + 1) * sizeof *c->first);
  c->sharing = memory_allocate(m, (size_t)p->count * sizeof *c->sharing);
  c->tallies = memory_allocate(m, (size_t)threads * sizeof *c->tallies);
  c->stride = p->stride;
  c->particles = p->count;
  c->threads = threads;
  return c->origin && c->predicted && c->first && c->sharing && c->tallies;
}

void self_contact_free(self_contact *c, memory *m) {
  surface_mesh_free(&c->mesh, m);
  pair_search_free(&c->search, m);
  memory_release(m, c->origin_block);
  memory_release(m, c->predicted_block);
  memory_release(m, c->near);
  memory_release(m, c->first);
  memory_release(m, c->corners);
  memory_release(m, c->sharing);
  memory_release(m, c->tallies);
  *c = (self_contact){0};
}

void self_contact_forget_list(self_contact *c) {
  c->has_list = false;
}

/* ------------------------------------------------------------------------------------------- near pairs */

/* Substeps for which a choice of near pairs holds. */
enum { NEAR_SUBSTEPS = 8 };

/* The least distance that the list proves until then, in m. */
static double least_gap(const self_contact *c, int32_t pair, double until) {
  const pair_list *list = &c->search.list;
  const double begin = (double)list->gap_begin[pair], end = (double)list->gap_end[pair];
  const double share_now = c->horizon > 0 ? c->age / c->horizon : 0,
               share_then = c->horizon > 0 ? until / c->horizon : 0;
  const double now = begin + (end - begin) * share_now, then = begin + (end - begin) * share_then;
  return (now < then ? now : then) - 2 * c->skin;
}

static bool reserve_near(self_contact *c, memory *m, int32_t pairs) {
  if (pairs <= c->near_capacity)
    return true;
  const int32_t room = pairs < INT32_MAX / 8 ? pairs + pairs / 2 : pairs;
  near_pair *near = memory_replace(m, c->near, (size_t)room * sizeof *near);
  if (!near)
    return false;
  c->near = near;
  c->near_capacity = 0;
  int32_t *corners = memory_replace(m, c->corners, (size_t)room * PAIR_CORNERS * sizeof *corners);
  if (!corners)
    return false;
  c->corners = corners;
  c->near_capacity = room;
  return true;
}

/* Lists for each slot its corners of near pairs. */
static void list_corners(self_contact *c) {
  memset(c->first, 0, ((size_t)c->particles + 1) * sizeof *c->first);
  for (int32_t n = 0; n < c->near_count; n++)
    for (int corner = 0; corner < PAIR_CORNERS; corner++)
      c->first[c->near[n].slots[corner] + 1]++;
  for (int32_t i = 0; i < c->particles; i++)
    c->first[i + 1] += c->first[i];
  for (int32_t n = 0; n < c->near_count; n++)
    for (int corner = 0; corner < PAIR_CORNERS; corner++)
      c->corners[c->first[c->near[n].slots[corner]]++] = PAIR_CORNERS * n + corner;
  for (int32_t i = c->particles; i > 0; i--)
    c->first[i] = c->first[i - 1];
  c->first[0] = 0;
}

/* Those that may come within their thickness in the next substeps. */
static bool choose_near(const self_contact_step *s) {
  self_contact *c = s->contact;
  const pair_list *list = &c->search.list;
  const double left = c->horizon - c->age;
  double ahead = NEAR_SUBSTEPS * s->time_step;
  c->near_left = NEAR_SUBSTEPS;
  if (ahead > left) {
    ahead = left;
    c->near_left = (int)(left / s->time_step + 0.5);
  }
  int32_t count = 0;
  for (int32_t n = 0; n < list->count; n++)
    count += least_gap(c, n, c->age + ahead) < (double)list->thickness[n];
  if (!reserve_near(c, s->memory, count))
    return false;
  c->near_count = 0;
  for (int32_t n = 0; n < list->count; n++)
    if (least_gap(c, n, c->age + ahead) < (double)list->thickness[n]) {
      near_pair *p = &c->near[c->near_count++];
      *p = (near_pair){.kind = (pair_kind)list->kind[n], .thickness = (double)list->thickness[n]};
      memcpy(p->slots, list->slots[n], sizeof p->slots);
    }
  list_corners(c);
  return true;
}

/* ---------------------------------------------------------------------------------------- one substep */

/* What the threads of a substep share. */
typedef struct turn {
  const self_contact_step *step;
  parallel_meeting meeting;
  bool finite[256];
} turn;

static double3 at(const msd_real *state, size_t stride, int32_t slot) {
  return (double3){(double)state[slot], (double)state[stride + (size_t)slot],
                   (double)state[2 * stride + (size_t)slot]};
}

static double length_of(double3 v) {
  return sqrt(double3_dot(v, v));
}

/* The unit vector between the closest points, with the weights of the corners; false where they meet. */
static bool find_witness(near_pair *p, const double3 x[PAIR_CORNERS], double *distance) {
  const double3 a = double3_subtract(x[1], x[0]), b = double3_subtract(x[2], x[0]),
                c = double3_subtract(x[3], x[0]);
  const bool is_point = p->kind == PAIR_POINT_TRIANGLE;
  const closest_points closest =
      is_point ? closest_on_triangle(a, b, c) : closest_of_edges(a, b, double3_subtract(c, b));
  if (is_point) {
    const double weights[PAIR_CORNERS] = {1, closest.b + closest.c - 1, -closest.b, -closest.c};
    memcpy(p->weight, weights, sizeof weights);
  } else {
    const double weights[PAIR_CORNERS] = {1 - closest.b, closest.b, closest.c - 1, -closest.c};
    memcpy(p->weight, weights, sizeof weights);
  }
  *distance = sqrt(closest.square);
  if (!(*distance > 0))
    return false;
  const double scale = -1 / *distance;
  p->normal = (double3){closest.between.x * scale, closest.between.y * scale, closest.between.z * scale};
  return true;
}

/* Forces act between the insides of what is nearest, so that an edge within a surface is no bump. */
static bool is_inside(const near_pair *p) {
  for (int corner = 0; corner < PAIR_CORNERS; corner++)
    if (p->weight[corner] == 0)
      return false;
  return true;
}

static double3 sum_of(const near_pair *p, const double3 v[PAIR_CORNERS]) {
  double3 sum = {0, 0, 0};
  for (int corner = 0; corner < PAIR_CORNERS; corner++)
    sum = double3_add_scaled(sum, v[corner], p->weight[corner]);
  return sum;
}

static void read_pair(const near_pair *p, const msd_real *state, size_t stride, double3 out[PAIR_CORNERS]) {
  for (int corner = 0; corner < PAIR_CORNERS; corner++)
    out[corner] = at(state, stride, p->slots[corner]);
}

/* Witness and gap, and what is slid in `force` for now. */
static void measure(const self_contact_step *s, near_pair *p) {
  double3 x[PAIR_CORNERS], v[PAIR_CORNERS];
  double distance;
  read_pair(p, s->before, s->stride, x);
  p->acts = false;
  p->stops = !find_witness(p, x, &distance);
  for (int corner = 0; corner < PAIR_CORNERS; corner++)
    p->share[corner] = 1;
  if (p->stops)
    return;
  read_pair(p, s->behind + VELOCITY_X * s->stride, s->stride, v);
  const double3 sum = sum_of(p, v);
  const double allowed = distance + CONTACT_PUSH * s->time_step;
  p->force = (double3){sum.x * s->time_step, sum.y * s->time_step, sum.z * s->time_step};
  p->gap = distance + double3_dot(p->normal, p->force) - (allowed < p->thickness ? allowed : p->thickness);
  p->acts = p->gap < 0 && is_inside(p);
}

/* G. */
static void share_particle(const self_contact *c, int32_t slot) {
  double sum = 0;
  for (int32_t n = c->first[slot]; n < c->first[slot + 1]; n++) {
    const near_pair *p = &c->near[c->corners[n] / PAIR_CORNERS];
    sum += p->acts ? fabs(p->weight[c->corners[n] % PAIR_CORNERS]) : 0;
  }
  c->sharing[slot] = sum;
}

/* F, from what is slid. */
static void push_pair(const self_contact_step *s, near_pair *p) {
  double inverse = 0;
  for (int corner = 0; corner < PAIR_CORNERS; corner++)
    inverse += (double)s->inverse_mass[p->slots[corner]] * fabs(p->weight[corner]) *
               s->contact->sharing[p->slots[corner]];
  p->acts = p->acts && inverse > 0;
  if (!p->acts)
    return;
  const double3 u = p->force;
  const double mass = (1 - (double)s->settings.softness) / inverse, push = -mass * p->gap;
  const double3 slid = double3_add_scaled(u, p->normal, -double3_dot(u, p->normal));
  const double length = length_of(slid), most = (double)s->settings.friction * push;
  const double rub = length > 0 ? (mass * length < most ? mass : most / length) : 0;
  p->force =
      double3_add_scaled((double3){p->normal.x * push, p->normal.y * push, p->normal.z * push}, slid, -rub);
}

/* Adds `way` to a position, and way/dt to its velocity. */
static bool move(const self_contact_step *s, int32_t slot, const double way[3]) {
  bool finite = true;
  for (size_t c = 0; c < 3; c++) {
    msd_real *x = s->behind + c * s->stride + (size_t)slot, *v = x + 3 * s->stride;
    *x = (msd_real)((double)*x + way[c]);
    *v = (msd_real)((double)*v + way[c] / s->time_step);
    finite = finite && isfinite(*x) && isfinite(*v);
  }
  return finite;
}

static bool push_particle(const self_contact_step *s, int32_t slot) {
  const self_contact *c = s->contact;
  const double inverse = (double)s->inverse_mass[slot];
  double3 sum = {0, 0, 0};
  if (!(inverse > 0) || !(c->sharing[slot] > 0))
    return true;
  for (int32_t n = c->first[slot]; n < c->first[slot + 1]; n++) {
    const near_pair *p = &c->near[c->corners[n] / PAIR_CORNERS];
    if (p->acts)
      sum = double3_add_scaled(sum, p->force, p->weight[c->corners[n] % PAIR_CORNERS]);
  }
  const double way[3] = {sum.x * inverse, sum.y * inverse, sum.z * inverse};
  return move(s, slot, way);
}

/* ------------------------------------------------------------------------------------------------- cells */

/* Which corners are A's. */
static bool is_first(const near_pair *p, int corner) {
  return corner == 0 || (corner == 1 && p->kind == PAIR_EDGE_EDGE);
}

/* How far along the normal the nearest corner of A is, and the furthest of B. */
typedef struct sides {
  double a, b;
} sides;

static sides sides_of(const near_pair *p, const double3 x[PAIR_CORNERS]) {
  sides s = {INFINITY, -INFINITY};
  for (int corner = 0; corner < PAIR_CORNERS; corner++) {
    const double along = double3_dot(p->normal, x[corner]);
    if (is_first(p, corner))
      s.a = along < s.a ? along : s.a;
    else
      s.b = along > s.b ? along : s.b;
  }
  return s;
}

static double above_zero(double value) {
  return value > 0 ? value : 0;
}

/* The share of its way that a corner may go to stay on its side. */
static double share_of(const near_pair *p, int corner, double3 from, double3 to) {
  const double sign = is_first(p, corner) ? 1 : -1;
  const double room = sign * (double3_dot(p->normal, from) - p->plane) - p->margin,
               way = sign * (double3_dot(p->normal, from) - double3_dot(p->normal, to));
  return way <= room ? 1 : above_zero(room) / way;
}

/* Places the plane, and says how far each corner may go. */
static void divide(const self_contact_step *s, near_pair *p) {
  double3 x[PAIR_CORNERS], next[PAIR_CORNERS];
  if (p->stops)
    return;
  read_pair(p, s->before, s->stride, x);
  read_pair(p, s->behind, s->stride, next);
  const sides now = sides_of(p, x), then = sides_of(p, next);
  const double gap = now.a - now.b, smallest = p->thickness / 50;
  p->margin = 0.45 * gap < smallest ? 0.45 * gap : smallest;
  const double by_a = above_zero(now.a - then.a), by_b = above_zero(then.b - now.b);
  p->stops = !(p->margin > 0);
  if (p->stops)
    return;
  p->plane = now.b + p->margin + (by_a + by_b > 0 ? (gap - 2 * p->margin) * (by_b / (by_a + by_b)) : 0);
  for (int corner = 0; corner < PAIR_CORNERS; corner++)
    p->share[corner] = share_of(p, corner, x[corner], next[corner]);
}

/* What the numbers of the state have made of it: all must stay where some corner has passed its margin. */
static void check(const self_contact_step *s, near_pair *p) {
  bool shortened = false;
  for (int corner = 0; corner < PAIR_CORNERS; corner++)
    shortened = shortened || p->share[corner] < 1;
  if (p->stops || !shortened)
    return;
  double3 next[PAIR_CORNERS];
  read_pair(p, s->behind, s->stride, next);
  const sides then = sides_of(p, next);
  p->stops = !(then.a > p->plane && then.b < p->plane);
}

static void shorten(const self_contact_step *s, int32_t slot, double share) {
  for (size_t c = 0; c < 3; c++) {
    const double from = (double)s->before[c * s->stride + (size_t)slot];
    msd_real *x = s->behind + c * s->stride + (size_t)slot, *v = x + 3 * s->stride;
    const double way = share * ((double)*x - from);
    *x = share > 0 ? (msd_real)(from + way) : s->before[c * s->stride + (size_t)slot];
    *v = (msd_real)(way / s->time_step);
  }
}

/* The least share that some pair allows; 0 where one stops. */
static double least_share(const self_contact *c, int32_t slot, bool stops) {
  double share = 1;
  for (int32_t n = c->first[slot]; n < c->first[slot + 1]; n++) {
    const near_pair *p = &c->near[c->corners[n] / PAIR_CORNERS];
    const double own = p->share[c->corners[n] % PAIR_CORNERS];
    if (!stops)
      share = own < share ? own : share;
    else if (p->stops)
      share = 0;
  }
  return share;
}

static void keep_in_cell(const self_contact_step *s, int32_t slot, bool stops, self_contact_tally *tally) {
  const double share = least_share(s->contact, slot, stops);
  if (share >= 1)
    return;
  if (!(s->inverse_mass[slot] > 0)) {
    tally->pinched += !stops;
    return;
  }
  shorten(s, slot, share);
  tally->shortened += !stops;
}

/* ------------------------------------------------------------------------------------------- the phases */

/* How far a state is from where the list has it then. */
static double strayed(const self_contact *c, const msd_real *state, size_t stride, int32_t first,
                      int32_t last, double age) {
  double most = 0;
  for (int32_t slot = first; slot < last; slot++) {
    double square = 0;
    for (size_t k = 0; k < 3; k++) {
      const double x = (double)c->origin[k * c->stride + (size_t)slot],
                   v = (double)c->origin[(k + 3) * c->stride + (size_t)slot];
      const double off = (double)state[k * stride + (size_t)slot] - (x + v * age);
      square += off * off;
    }
    most = square > most ? square : most;
  }
  return sqrt(most);
}

static void act_on_slots(turn *t, int thread, parallel_range slots, parallel_range groups) {
  const self_contact_step *s = t->step;
  bool finite = true;
  for (int32_t slot = slots.first; slot < slots.last; slot++)
    finite = push_particle(s, slot) && finite;
  if (s->colliders.work) {
    contact_thread own = s->colliders;
    own.thread = thread;
    own.groups = groups;
    finite = contact_act(&own) && finite;
  }
  t->finite[thread] = finite;
}

static void act(void *context, int thread, int threads) {
  turn *t = context;
  const self_contact_step *s = t->step;
  self_contact *c = s->contact;
  parallel_barrier *barrier = &t->meeting.barrier;
  const parallel_range pairs = parallel_split(c->near_count, thread, threads);
  const parallel_range groups =
      parallel_split((c->particles + CONTACT_GROUP - 1) / CONTACT_GROUP, thread, threads);
  const int32_t last = groups.last * CONTACT_GROUP;
  const parallel_range slots = {groups.first * CONTACT_GROUP, last < c->particles ? last : c->particles};
  self_contact_tally *tally = &c->tallies[thread];
  *tally = (self_contact_tally){0};
  for (int32_t n = pairs.first; n < pairs.last; n++)
    measure(s, &c->near[n]);
  parallel_wait(barrier, threads);
  for (int32_t slot = slots.first; slot < slots.last; slot++)
    share_particle(c, slot);
  parallel_wait(barrier, threads);
  for (int32_t n = pairs.first; n < pairs.last; n++) {
    push_pair(s, &c->near[n]);
    tally->contacts += c->near[n].acts;
  }
  parallel_wait(barrier, threads);
  act_on_slots(t, thread, slots, groups);
  parallel_wait(barrier, threads);
  for (int32_t n = pairs.first; n < pairs.last; n++)
    divide(s, &c->near[n]);
  parallel_wait(barrier, threads);
  for (int32_t slot = slots.first; slot < slots.last; slot++)
    keep_in_cell(s, slot, false, tally);
  parallel_wait(barrier, threads);
  for (int32_t n = pairs.first; n < pairs.last; n++)
    check(s, &c->near[n]);
  parallel_wait(barrier, threads);
  for (int32_t slot = slots.first; slot < slots.last; slot++)
    keep_in_cell(s, slot, true, tally);
  tally->strayed = strayed(c, s->behind, s->stride, slots.first, slots.last, c->age + s->time_step);
}

/* ---------------------------------------------------------------------------------------------- the list */

static const double SKIN_SHARE = 0.25;

/* Where the particles of a state are at most, from where the list has them. */
static bool is_within(const self_contact *c, const msd_real *state, size_t stride, double age) {
  return strayed(c, state, stride, 0, c->particles, age) <= c->skin;
}

/* Anew, at the state before the substep and with the velocities behind it. */
static bool make_list(const self_contact_step *s, double skin) {
  self_contact *c = s->contact;
  for (size_t k = 0; k < 3; k++) {
    memcpy(c->origin + k * c->stride, s->before + k * s->stride, (size_t)c->particles * sizeof *c->origin);
    memcpy(c->origin + (k + 3) * c->stride, c->predicted + (k + 3) * c->stride,
           (size_t)c->particles * sizeof *c->origin);
  }
  c->skin = skin;
  c->age = 0;
  c->horizon = 32 * s->time_step;
  c->has_list = pair_search_build(
      &c->search, s->memory, &c->mesh,
      &(pair_question){c->origin, c->stride, (msd_real)c->horizon, (msd_real)skin, s->threads, s->simd});
  c->near_left = 0;
  return c->has_list;
}

static void copy_state(msd_real *to, size_t to_stride, const msd_real *from, size_t stride, int32_t count) {
  for (size_t k = 0; k < COMPONENTS; k++)
    memcpy(to + k * to_stride, from + k * stride, (size_t)count * sizeof *to);
}

static bool all_finite(const turn *t, int threads) {
  bool finite = true;
  for (int n = 0; n < threads; n++)
    finite = finite && t->finite[n];
  return finite;
}

self_contact_result self_contact_act(const self_contact_step *s) {
  self_contact *c = s->contact;
  copy_state(c->predicted, c->stride, s->behind, s->stride, c->particles);
  double skin = SKIN_SHARE * (double)s->settings.thickness;
  bool is_good = c->has_list && c->age + s->time_step <= c->horizon * (1 + 1e-9) &&
                 is_within(c, s->before, s->stride, c->age) &&
                 is_within(c, s->behind, s->stride, c->age + s->time_step);
  for (;;) {
    if (!is_good && !make_list(s, skin))
      return SELF_CONTACT_NO_MEMORY;
    if (c->near_left == 0 && !choose_near(s))
      return SELF_CONTACT_NO_MEMORY;
    turn t = {.step = s};
    parallel_meeting_begin(&t.meeting);
    for (int n = 0; n < s->threads; n++)
      t.finite[n] = true;
    for (int n = 0; n < c->threads; n++)
      c->tallies[n] = (self_contact_tally){0};
    parallel_run(s->threads, act, &t);
    if (!all_finite(&t, s->threads))
      return SELF_CONTACT_NOT_FINITE;
    double most = 0;
    for (int n = 0; n < s->threads; n++) {
      most = c->tallies[n].strayed > most ? c->tallies[n].strayed : most;
      c->shortened_steps += c->tallies[n].shortened;
    }
    if (most <= c->skin)
      break;
    copy_state(s->behind, s->stride, c->predicted, c->stride, c->particles);
    skin = 1.25 * most > skin ? 1.25 * most : skin;
    is_good = false;
  }
  c->age += s->time_step;
  c->near_left--;
  return SELF_CONTACT_DONE;
}
