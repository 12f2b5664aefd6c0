/* The impulses of clipped moves (separation.h). */
#include "engine/base/growth.h"
#include "engine/contact/flags.h"
#include "engine/contact/separation_pairs.h"

static const growth_array impact_arrays[] = {GROWTH_ARRAY(cells, impacts)};
static const growth_table impact_growth =
    GROWTH(cells, impact_count, impact_capacity, impact_arrays, .most = INT32_MAX / 8);

void separation_free_impacts(cells *c, memory *m) {
  growth_free(&impact_growth, c, m);
}

/* Sweeps over all impacts of a substep, in both directions by turns; and the approach left at which they end,
   as a part of the largest at first. */
enum { MOST_SWEEPS = 4 };
static const double LEFT = 1.0 / 16;

static double approach(const separation_step *s, const separation_impact *i) {
  double sum = 0;
  for (int corner = 0; corner < PAIR_CORNERS; corner++)
    sum += i->weight[corner] *
           double3_dot(i->normal, cell_read_at(s->behind + 3 * s->stride, s->stride, i->slots[corner]));
  return sum;
}

static bool put_impact(const separation_step *s, memory *m, const separation_impact *i) {
  cells *c = s->cells;
  if (c->impact_count == c->impact_capacity && !growth_reserve(&impact_growth, c, m, c->impact_count + 1))
    return false;
  c->impacts[c->impact_count++] = *i;
  return true;
}

/* The direction of what colliders did to a particle in the substep. False if nothing. */
static bool find_held(const separation_step *s, int32_t slot, double3 *up) {
  const contact_work *w = s->colliders;
  if (!w || !w->is_pushed[slot / CONTACT_GROUP] || w->pushed_by[slot] < 0)
    return false;
  *up = cell_read_at(w->given, w->stride, slot);
  const double square = double3_dot(*up, *up);
  *up = double3_scale(*up, square > 0 ? 1 / sqrt(square) : 0);
  return square > 0;
}

/* How the corners respond to an impulse. Against a collider that already holds it a corner does not move. */
static void find_changes(const separation_step *s, separation_impact *i) {
  double inverse = 0;
  for (int corner = 0; corner < PAIR_CORNERS; corner++) {
    double3 up,
        free = double3_scale(i->normal, (double)s->inverse_mass[i->slots[corner]] * i->weight[corner]);
    i->held[corner] = (double3){0, 0, 0};
    if (find_held(s, i->slots[corner], &up) && double3_dot(up, free) < 0)
      i->held[corner] = double3_scale(up, -double3_dot(up, free));
    i->change[corner] = double3_add_scaled(free, i->held[corner], 1);
    inverse += i->weight[corner] * double3_dot(i->normal, i->change[corner]);
  }
  i->mass = inverse > 0 ? 1 / inverse : 0;
}

/* Adds an impact, unless the sides do not approach by more than allowed, or nothing of it can move. */
static bool add_impact(const separation_step *s, memory *m, separation_impact *i) {
  if (!(approach(s, i) < -i->allowed))
    return true;
  find_changes(s, i);
  return !(i->mass > 0) || put_impact(s, m, i);
}

/* The separating direction of a pair after the substep. For a plane parallel to a face it is that of the
   plane, and the closest points are the corners that are nearest along it. */
static separation_witness witness_of(const separation_pair *p, const double3 x[PAIR_CORNERS]) {
  if (!p->is_level)
    return separation_find_witness(p->kind, x);
  separation_witness w = {.normal = p->normal, .found = true};
  cell_look_along(&w, x);
  if (p->kind == PAIR_EDGE_EDGE) {
    w.b = w.along[1] < w.along[0];
    w.c = w.along[3] > w.along[2];
  } else {
    w.b = w.along[2] > w.along[1] && w.along[2] >= w.along[3];
    w.c = w.along[3] > w.along[1] && w.along[3] > w.along[2];
  }
  return w;
}

/* The impacts of a pair after the substep: of its closest points, and of each marked corner with the closest
   point of the other side. */
static bool add_impacts(const separation_step *s, memory *m, int32_t n, unsigned corners) {
  const cells *c = s->cells;
  const separation_pair *p = &c->pairs[n];
  double3 x[PAIR_CORNERS];
  cell_take_behind(c, p, x);
  const separation_witness w = witness_of(p, x);
  if (!w.found)
    return true;
  const double gap = separation_gap(p->kind, &w),
               margin = cell_margin(p->thickness, gap, separation_least_gap(x, p->thickness));
  const bool is_point = p->kind == PAIR_POINT_TRIANGLE;
  separation_impact i = {.normal = w.normal, .allowed = separation_above_zero(gap - 2 * margin) / s->dt};
  const double weight[PAIR_CORNERS] = {is_point ? 1 : 1 - w.b, is_point ? w.b + w.c - 1 : w.b,
                                       is_point ? -w.b : w.c - 1, -w.c};
  for (int corner = 0; corner < PAIR_CORNERS; corner++) {
    i.slots[corner] = c->slots[corner][n];
    i.weight[corner] = weight[corner];
  }
  if (!add_impact(s, m, &i))
    return false;
  const double other[2] = {is_point ? w.along[0] : w.along[0] + w.b * (w.along[1] - w.along[0]),
                           is_point ? w.along[1] + w.b * (w.along[2] - w.along[1]) +
                                          w.c * (w.along[3] - w.along[1])
                                    : w.along[2] + w.c * (w.along[3] - w.along[2])};
  for (int corner = 0; corner < PAIR_CORNERS; corner++) {
    if (!(corners >> corner & 1) || (is_point && corner == 0))
      continue;
    const bool is_a = separation_is_first(p->kind, corner);
    for (int k = 0; k < PAIR_CORNERS; k++)
      i.weight[k] = separation_is_first(p->kind, k) == is_a ? 0 : weight[k];
    i.weight[corner] = is_a ? 1 : -1;
    const double apart = is_a ? w.along[corner] - other[1] : other[0] - w.along[corner];
    i.allowed = separation_above_zero(apart - 2 * margin) / s->dt;
    if (!add_impact(s, m, &i))
      return false;
  }
  return true;
}

/* An inelastic impact; returns the speed that it takes. */
static double strike(const separation_step *s, separation_impact *i) {
  const double excess = -i->allowed - approach(s, i);
  if (!(excess > 0))
    return 0;
  const double impulse = i->mass * excess;
  i->impulse += impulse;
  for (int corner = 0; corner < PAIR_CORNERS; corner++) {
    const size_t slot = (size_t)i->slots[corner];
    const double change[3] = {i->change[corner].x, i->change[corner].y, i->change[corner].z};
    for (size_t axis = 0; axis < 3; axis++) {
      msd_real *v = &s->behind[(3 + axis) * s->stride + slot];
      *v = (msd_real)((double)*v + impulse * change[axis]);
    }
  }
  return excess;
}

static void add_push(contact_pushes *all, contact_push push) {
  const int32_t n = atomic_fetch_add_explicit(&all->count, 1, memory_order_relaxed);
  if (n < all->capacity)
    all->items[n] = push;
}

/* Adds what the colliders took to what they did. */
static void note_held(const separation_step *s, const separation_impact *i) {
  contact_work *w = s->colliders;
  for (int corner = 0; corner < PAIR_CORNERS && w; corner++) {
    const double3 given = double3_scale(i->held[corner], i->impulse);
    if (!(double3_dot(given, given) > 0))
      continue;
    const int32_t slot = i->slots[corner];
    const msd_real by[3] = {(msd_real)given.x, (msd_real)given.y, (msd_real)given.z};
    for (size_t axis = 0; axis < 3; axis++)
      w->given[axis * w->stride + (size_t)slot] += by[axis];
    if (w->pushes)
      add_push(w->pushes,
               (contact_push){slot,
                              w->pushed_by[slot],
                              {(msd_real)s->dt * by[0], (msd_real)s->dt * by[1], (msd_real)s->dt * by[2]}});
  }
}

bool separation_transfer(const separation_step *s, memory *m) {
  cells *c = s->cells;
  c->impact_count = 0;
  const uint8_t *struck = (const uint8_t *)c->struck;
  for (int32_t n = marks_next(struck, UINT8_MAX, 0, c->count); n < c->count;
       n = marks_next(struck, UINT8_MAX, n + 1, c->count))
    if (!add_impacts(s, m, n, struck[n]))
      return false;
  double first = 0, most = INFINITY;
  for (int sweep = 0; sweep < MOST_SWEEPS && most > LEFT * first; sweep++) {
    most = 0;
    for (int32_t k = 0; k < c->impact_count; k++) {
      const double excess = strike(s, &c->impacts[sweep % 2 ? c->impact_count - 1 - k : k]);
      most = excess > most ? excess : most;
    }
    first = sweep == 0 ? most : first;
  }
  for (int32_t k = 0; k < c->impact_count; k++)
    note_held(s, &c->impacts[k]);
  return true;
}
