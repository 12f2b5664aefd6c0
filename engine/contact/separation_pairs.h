/* Pairs and particles during a substep of separating planes (separation.h). */
#ifndef MSD_ENGINE_CONTACT_SEPARATION_PAIRS_H
#define MSD_ENGINE_CONTACT_SEPARATION_PAIRS_H

#include "engine/contact/separation.h"

#define LANE_DOUBLE
#include "engine/contact/separation_planes.h"

static inline double3 cell_read_at(const msd_real *state, size_t stride, int32_t slot) {
  const size_t at = (size_t)slot;
  return (double3){(double)state[at], (double)state[stride + at], (double)state[2 * stride + at]};
}

static inline double3 cell_way(const cell_particle *a) {
  return double3_subtract(a->next, a->x);
}

static inline double cell_way_length(const cell_particle *a) {
  const double3 way = cell_way(a);
  return sqrt(double3_dot(way, way));
}

/* Reads the current position of a particle back from the state, as rounded. */
static inline void cell_take_next(const separation_step *s, int32_t n) {
  cell_particle *a = &s->cells->particles[n];
  a->next = cell_read_at(s->behind, s->stride, s->cells->corners.slots[n]);
  a->way = cell_way_length(a);
}

/* Moves a particle by another displacement from x and leaves its velocity as it is. */
static inline void cell_hold(const separation_step *s, int32_t n, double3 way) {
  const cell_particle *a = &s->cells->particles[n];
  const size_t slot = (size_t)s->cells->corners.slots[n];
  s->behind[slot] = (msd_real)(a->x.x + way.x);
  s->behind[s->stride + slot] = (msd_real)(a->x.y + way.y);
  s->behind[2 * s->stride + slot] = (msd_real)(a->x.z + way.z);
  cell_take_next(s, n);
}

/* The same with the velocity of that displacement. */
static inline void cell_go(const separation_step *s, int32_t n, double3 way) {
  const size_t slot = (size_t)s->cells->corners.slots[n];
  s->behind[3 * s->stride + slot] = (msd_real)(way.x / s->dt);
  s->behind[4 * s->stride + slot] = (msd_real)(way.y / s->dt);
  s->behind[5 * s->stride + slot] = (msd_real)(way.z / s->dt);
  cell_hold(s, n, way);
}

/* The pair of the k-th entry of corners.corners. */
static inline separation_pair *separation_pair_at(const cells *c, int32_t k) {
  return &c->pairs[(uint32_t)c->corners.corners[k] / PAIR_CORNERS];
}

static inline int cell_corner_at(const cells *c, int32_t k) {
  return (int)((uint32_t)c->corners.corners[k] % PAIR_CORNERS);
}

static inline const cell_particle *separation_corner(const cells *c, const separation_pair *p, int corner) {
  return &c->particles[p->particles[corner]];
}

static inline void cell_take_before(const cells *c, const separation_pair *p, double3 x[PAIR_CORNERS]) {
  for (int corner = 0; corner < PAIR_CORNERS; corner++)
    x[corner] = separation_corner(c, p, corner)->x;
}

static inline void cell_take_behind(const cells *c, const separation_pair *p, double3 next[PAIR_CORNERS]) {
  for (int corner = 0; corner < PAIR_CORNERS; corner++)
    next[corner] = separation_corner(c, p, corner)->next;
}

/* An upper bound of the approach of the two sides since x: the longest displacement of each. */
static inline double cell_approach(const cells *c, const separation_pair *p) {
  double way[PAIR_CORNERS];
  for (int corner = 0; corner < PAIR_CORNERS; corner++)
    way[corner] = lane_most(0, separation_corner(c, p, corner)->way);
  return lane_most(way[0], way[cell_last_of_a(p->kind)]) +
         lane_most(lane_most(way[cell_first_of_b(p->kind)], way[2]), way[3]);
}

/* A lower bound of the remaining gap; the last term covers rounding. */
static inline double separation_gap_after(const cells *c, const separation_pair *p) {
  return p->gap - cell_approach(c, p) - p->least / 16;
}

/* True if each side ends on its own side of the plane. */
static inline bool separation_is_divided(const separation_pair *p, const double3 next[PAIR_CORNERS]) {
  const separation_sides then = separation_sides_of(p->kind, p->normal, next);
  return then.a > p->plane && then.b < p->plane;
}

static inline bool cell_is_moved(const cell_particle *a) {
  return a->x.x != a->next.x || a->x.y != a->next.y || a->x.z != a->next.z;
}

/* True if a kinematic corner moves. */
static inline bool cell_is_led(const cells *c, const separation_pair *p) {
  bool led = false;
  for (int corner = 0; corner < PAIR_CORNERS; corner++)
    led = led || (separation_corner(c, p, corner)->is_kinematic > 0 &&
                  cell_is_moved(separation_corner(c, p, corner)));
  return led;
}

#endif
