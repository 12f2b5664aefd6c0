#include "engine/equilibrium/collider_set.h"

#include <float.h>
#include <math.h>

#define LANE_DOUBLE
#include "engine/collider/shape.h"

/* The maximum number of iterations of the projection. One half-space needs one; acute wedges need more. */
enum { TURNS = 200 };

bool collider_set_make(collider_set *t, memory *m, const world_model *model, int threads, bool wanted) {
  const collider_store *colliders = &model->colliders;
  const int32_t count = wanted ? colliders->count : 0, particles = count > 0 ? model->particles.count : 0;
  *t = (collider_set){.motions = memory_allocate_items(m, count, sizeof *t->motions),
                      .height = memory_allocate_items(m, particles, sizeof *t->height),
                      .spaces = memory_allocate_items(m, (int64_t)threads * count, sizeof *t->spaces)};
  if (!t->motions || !t->height || !t->spaces)
    return false;
  for (int32_t n = 0; n < count; n++) {
    if (colliders->entries[n].is_gone)
      continue;
    t->motions[t->colliders] = collider_motion_make(&colliders->entries[n], model->contact, 0, 0);
    t->motions[t->colliders++].collider = n;
  }
  for (int32_t i = 0; i < particles; i++) {
    int32_t nearest;
    const double3 x = vec3_double(particle_vector(&model->particles, POSITION_X, i));
    t->height[i] = fmin((double)model->contact.thickness, collider_set_distance(t, x, &nearest));
  }
  return true;
}

void collider_set_free(collider_set *t, memory *m) {
  memory_release(m, t->motions);
  memory_release(m, t->height);
  memory_release(m, t->spaces);
  *t = (collider_set){0};
}

/* The distance of x, and the normal there, normalized to full precision. */
static collider_nearest nearest_of(const collider_motion *c, double3 x) {
  collider_nearest n =
      collider_find_nearest(c, collider_turn_back(c->axis, double3_subtract(x, vec3_double(c->origin))));
  n.normal = collider_turn(c->axis, n.normal);
  n.normal = double3_scale(n.normal, 1 / sqrt(double3_dot(n.normal, n.normal)));
  return n;
}

double collider_set_distance(const collider_set *t, double3 x, int32_t *collider) {
  double least = INFINITY;
  *collider = -1;
  for (int32_t n = 0; n < t->colliders; n++) {
    const double distance = nearest_of(&t->motions[n], x).distance;
    if (distance < least)
      *collider = t->motions[n].collider;
    least = fmin(least, distance);
  }
  return least;
}

/* Collects the half-spaces that w may leave. x is inside all of them; if rounding has moved it slightly out,
   it stays there. */
static int32_t collect(const collider_set *t, rest_half_space *spaces, double height, double3 x, double3 w) {
  const double length = sqrt(double3_dot(w, w));
  int32_t count = 0;
  for (int32_t n = 0; n < t->colliders; n++) {
    const collider_nearest nearest = nearest_of(&t->motions[n], x);
    const double gap = nearest.distance - height;
    if (gap <= length)
      spaces[count++] = (rest_half_space){
          .gap = fmax(gap, 0), .friction = (double)t->motions[n].friction, .normal = nearest.normal};
  }
  return count;
}

/* Hildreth's method. If `gives` is false, multipliers only increase. Returns the projected displacement. */
static double3 project(rest_half_space *spaces, int32_t count, double3 v, double tolerance, bool gives) {
  double largest = INFINITY;
  for (int turn = 0; turn < TURNS && largest > tolerance; turn++) {
    largest = 0;
    for (int32_t n = 0; n < count; n++) {
      rest_half_space *h = &spaces[n];
      const double open = h->gap + double3_dot(h->normal, v);
      const double change = gives ? fmax(-open, -h->push) : fmax(-open, 0);
      h->push += change;
      v = double3_add_scaled(v, h->normal, change);
      largest = fmax(largest, fabs(change));
    }
  }
  return v;
}

static double3 rub(const rest_half_space *h, double3 v) {
  const double3 slid = double3_add_scaled(v, h->normal, -double3_dot(v, h->normal));
  const double length = sqrt(double3_dot(slid, slid)), most = h->friction * h->push;
  if (!(most > 0))
    return v;
  return double3_add_scaled(v, slid, most < length ? -most / length : -1);
}

double3 collider_set_go(const collider_set *t, int thread, int32_t particle, double3 x, double3 w) {
  if (t->colliders == 0)
    return w;
  rest_half_space *spaces = t->spaces + (ptrdiff_t)thread * t->colliders;
  const int32_t count = collect(t, spaces, t->height[particle], x, w);
  if (count == 0)
    return w;
  const double tolerance = DBL_EPSILON * sqrt(double3_dot(w, w));
  double3 v = project(spaces, count, w, tolerance, true);
  for (int32_t n = 0; n < count; n++)
    v = rub(&spaces[n], v);
  if (count > 1)
    v = project(spaces, count, v, tolerance, false);
  const double along = double3_dot(w, v), square = double3_dot(v, v);
  return along < square ? double3_scale(v, along > 0 ? along / square : 0) : v;
}
