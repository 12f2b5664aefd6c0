#include "engine/contact/cells.h"

#include "engine/store/particle.h"

#define LANE_DOUBLE
#include "engine/contact/closest_points.h"

#include <float.h>
#include <string.h>

/* ------------------------------------------------------------------------------------------------ memory */

bool cells_reserve(cells *c, memory *m, int32_t particles) {
  cells_free(c, m);
  return corner_lists_reserve(&c->corners, m, particles);
}

static void free_room(cells *c, memory *m) {
  memory_release(m, c->pairs);
  c->pairs = NULL;
  for (int corner = 0; corner < PAIR_CORNERS; corner++) {
    memory_release(m, c->slots[corner]);
    c->slots[corner] = NULL;
  }
  c->count = c->capacity = 0;
}

void cells_free(cells *c, memory *m) {
  free_room(c, m);
  corner_lists_free(&c->corners, m);
  *c = (cells){0};
}

bool cells_make_room(cells *c, memory *m, int32_t pairs) {
  c->count = 0;
  if (pairs <= c->capacity)
    return true;
  free_room(c, m);
  if (pairs > INT32_MAX / 8)
    return false;
  const int32_t room = pairs + pairs / 2;
  bool done = true;
  for (int corner = 0; corner < PAIR_CORNERS; corner++) {
    c->slots[corner] = memory_allocate(m, (size_t)room * sizeof(int32_t));
    done = done && c->slots[corner];
  }
  c->pairs = memory_allocate(m, (size_t)room * sizeof *c->pairs);
  if (!done || !c->pairs) {
    free_room(c, m);
    return false;
  }
  c->capacity = room;
  return true;
}

void cells_put(cells *c, int32_t n, const int32_t slots[PAIR_CORNERS], pair_kind kind, double thickness) {
  c->pairs[n] = (cell_pair){.kind = kind, .thickness = thickness};
  memcpy(c->pairs[n].slots, slots, sizeof c->pairs[n].slots);
  for (int corner = 0; corner < PAIR_CORNERS; corner++)
    c->slots[corner][n] = slots[corner];
}

bool cells_finish(cells *c, memory *m, int32_t count) {
  c->count = count;
  return corner_lists_make(&c->corners, m, (const int32_t *const *)c->slots, count);
}

/* ------------------------------------------------------------------------------------------------ planes */

static void read_pair(const cell_pair *p, const msd_real *state, size_t stride, double3 out[PAIR_CORNERS]) {
  for (int corner = 0; corner < PAIR_CORNERS; corner++) {
    const size_t slot = (size_t)p->slots[corner];
    out[corner] =
        (double3){(double)state[slot], (double)state[stride + slot], (double)state[2 * stride + slot]};
  }
}

/* The unit vector between the closest points, from B to A; false where they meet. */
static bool find_witness(cell_pair *p, const double3 x[PAIR_CORNERS]) {
  const double3 a = double3_subtract(x[1], x[0]), b = double3_subtract(x[2], x[0]),
                c = double3_subtract(x[3], x[0]);
  const closest_points closest = p->kind == PAIR_POINT_TRIANGLE
                                     ? closest_on_triangle(a, b, c)
                                     : closest_of_edges(a, b, double3_subtract(c, b));
  const double distance = sqrt(closest.square);
  if (!(distance > 0))
    return false;
  const double scale = -1 / distance;
  p->normal = (double3){closest.between.x * scale, closest.between.y * scale, closest.between.z * scale};
  return true;
}

/* Which corners are A's. */
static bool is_first(const cell_pair *p, int corner) {
  return corner == 0 || (corner == 1 && p->kind == PAIR_EDGE_EDGE);
}

/* How far along the normal the nearest corner of A is, and the furthest of B. */
typedef struct sides {
  double a, b;
} sides;

static sides sides_of(const cell_pair *p, const double3 x[PAIR_CORNERS], const bool counts[PAIR_CORNERS]) {
  sides s = {INFINITY, -INFINITY};
  for (int corner = 0; corner < PAIR_CORNERS; corner++) {
    if (!counts[corner])
      continue;
    const double along = double3_dot(p->normal, x[corner]);
    if (is_first(p, corner))
      s.a = along < s.a ? along : s.a;
    else
      s.b = along > s.b ? along : s.b;
  }
  return s;
}

static const double CELL_ROUNDING = 16 * (sizeof(msd_real) == sizeof(double) ? DBL_EPSILON : FLT_EPSILON);

static const bool ALL[PAIR_CORNERS] = {true, true, true, true};

static double above_zero(double value) {
  return value > 0 ? value : 0;
}

/* The share of its way that a corner may go to stay on its side. */
static double share_of(const cell_pair *p, int corner, double3 from, double3 to) {
  const double sign = is_first(p, corner) ? 1 : -1;
  const double room = sign * (double3_dot(p->normal, from) - p->plane) - p->margin,
               way = sign * (double3_dot(p->normal, from) - double3_dot(p->normal, to));
  return way <= room ? 1 : above_zero(room) / way;
}

/* The plane between the sides at x, which leaves them `room` to come: to each as much as it asks for of it, but
   first to what is led. */
static double place_plane(const cell_step *s, const cell_pair *p, sides now, double room,
                          const double3 next[PAIR_CORNERS]) {
  bool led[PAIR_CORNERS];
  for (int corner = 0; corner < PAIR_CORNERS; corner++)
    led[corner] = !(s->inverse_mass[p->slots[corner]] > 0);
  const sides then = sides_of(p, next, ALL), then_led = sides_of(p, next, led);
  const double by_a = above_zero(now.a - then.a), by_b = above_zero(then.b - now.b);
  const double led_a = above_zero(now.a - then_led.a), led_b = above_zero(then_led.b - now.b);
  double of_b = by_a + by_b > 0 ? room * (by_b / (by_a + by_b)) : 0;
  of_b = room - of_b < led_a ? room - led_a : of_b;
  of_b = of_b < led_b ? led_b : of_b;
  return now.b + p->margin + (of_b < room ? of_b : room);
}

/* Of what is nearer than the numbers of the state resolve well nothing comes nearer still. */
static double margin_of(const cell_pair *p, double gap, double3 x) {
  const double resolved = CELL_ROUNDING * (fabs(x.x) + fabs(x.y) + fabs(x.z) + p->thickness);
  const double wanted = p->thickness / 50 > resolved ? p->thickness / 50 : resolved;
  if (gap < resolved)
    return gap / 2;
  return wanted < 0.45 * gap ? wanted : 0.45 * gap;
}

static void divide(const cell_step *s, cell_pair *p) {
  double3 x[PAIR_CORNERS], next[PAIR_CORNERS];
  read_pair(p, s->before, s->stride, x);
  p->is_pinched = false;
  p->margin = 0;
  p->stops = !find_witness(p, x);
  for (int corner = 0; corner < PAIR_CORNERS; corner++)
    p->share[corner] = 1;
  if (p->stops)
    return;
  read_pair(p, s->behind, s->stride, next);
  const sides now = sides_of(p, x, ALL);
  const double gap = now.a - now.b;
  p->margin = margin_of(p, gap, x[0]);
  p->stops = !(p->margin > 0);
  if (p->stops)
    return;
  p->plane = place_plane(s, p, now, gap - 2 * p->margin, next);
  for (int corner = 0; corner < PAIR_CORNERS; corner++)
    p->share[corner] = share_of(p, corner, x[corner], next[corner]);
}

void cells_divide(const cell_step *s, parallel_range pairs) {
  for (int32_t n = pairs.first; n < pairs.last; n++)
    divide(s, &s->cells->pairs[n]);
}

static sides sides_behind(const cell_step *s, const cell_pair *p) {
  double3 next[PAIR_CORNERS];
  read_pair(p, s->behind, s->stride, next);
  return sides_of(p, next, ALL);
}

/* Whether the state behind has each side where it belongs. */
static bool is_divided(const cell_step *s, const cell_pair *p) {
  const sides then = sides_behind(s, p);
  return then.a > p->plane && then.b < p->plane;
}

/* Whether some plane across the witness divides it. */
static bool is_apart(const cell_step *s, const cell_pair *p) {
  const sides then = sides_behind(s, p);
  return then.a > then.b;
}

void cells_check(const cell_step *s, parallel_range pairs) {
  for (int32_t n = pairs.first; n < pairs.last; n++) {
    cell_pair *p = &s->cells->pairs[n];
    p->stops = p->stops || !is_divided(s, p);
  }
}

/* Whether a corner that nothing can hold is moved. */
static bool is_led(const cell_step *s, const cell_pair *p) {
  for (int corner = 0; corner < PAIR_CORNERS; corner++)
    for (size_t axis = 0; axis < 3; axis++) {
      const size_t at = axis * s->stride + (size_t)p->slots[corner];
      if (!(s->inverse_mass[p->slots[corner]] > 0) && s->before[at] != s->behind[at])
        return true;
    }
  return false;
}

/* What stops need not be pinched: where nothing is led it stays at x, however near that is. */
int32_t cells_find_pinched(const cell_step *s, parallel_range pairs) {
  int32_t count = 0;
  for (int32_t n = pairs.first; n < pairs.last; n++) {
    cell_pair *p = &s->cells->pairs[n];
    p->is_pinched = p->stops && is_led(s, p) && !is_apart(s, p);
    count += p->is_pinched;
  }
  return count;
}

/* --------------------------------------------------------------------------------------------- particles */

/* Goes on only a share of the way. */
static void shorten(const cell_step *s, int32_t slot, double share) {
  for (size_t axis = 0; axis < 3; axis++) {
    const msd_real from = s->before[axis * s->stride + (size_t)slot];
    msd_real *x = s->behind + axis * s->stride + (size_t)slot, *v = x + 3 * s->stride;
    const double way = share * ((double)*x - (double)from);
    *x = share > 0 ? (msd_real)((double)from + way) : from;
    *v = (msd_real)(way / s->time_step);
  }
}

int32_t cells_shorten(const cell_step *s, parallel_range owned) {
  const corner_lists *c = &s->cells->corners;
  int32_t count = 0;
  for (int32_t n = owned.first; n < owned.last; n++) {
    double share = 1;
    for (int32_t k = c->first[n]; k < c->first[n + 1]; k++) {
      const double own = s->cells->pairs[c->corners[k] / PAIR_CORNERS].share[c->corners[k] % PAIR_CORNERS];
      share = own < share ? own : share;
    }
    if (share >= 1 || !(s->inverse_mass[c->slots[n]] > 0))
      continue;
    shorten(s, c->slots[n], share);
    count++;
  }
  return count;
}

void cells_stop(const cell_step *s, parallel_range owned) {
  const corner_lists *c = &s->cells->corners;
  for (int32_t n = owned.first; n < owned.last; n++) {
    bool stops = false;
    for (int32_t k = c->first[n]; k < c->first[n + 1] && !stops; k++)
      stops = s->cells->pairs[c->corners[k] / PAIR_CORNERS].stops;
    if (stops && s->inverse_mass[c->slots[n]] > 0)
      shorten(s, c->slots[n], 0);
  }
}
