/* Cells around one particle, between triangles that stand, are led or are free. */
#ifndef MSD_TESTS_SUPPORT_CAGES_H
#define MSD_TESTS_SUPPORT_CAGES_H

#include "tests/support/colliders.h"

#include "engine/contact/separation.h"
#include "engine/store/particle.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PAIRS_MAX = 1100, SLOTS = 1 + 3 * PAIRS_MAX };

static const double SIZE = 0.02, THICKNESS = 0.005, TIME_STEP = 1e-3;

/* Particle 0 between triangles that stand, each of three particles of its own. */
typedef struct cage {
  cells cells;
  memory memory;
  separation_step step;
  int32_t particles, pairs;
  msd_real before[COMPONENTS * SLOTS], behind[COMPONENTS * SLOTS], inverse_mass[SLOTS];
} cage;

static inline cage *cage_new(void) {
  cage *c = calloc(1, sizeof *c);
  cr_assert_not_null(c);
  c->particles = 1;
  c->memory = (memory){.allocator = memory_default_allocator(), .limit = SIZE_MAX};
  c->inverse_mass[0] = 1;
  c->step = (separation_step){.cells = &c->cells,
                              .before = c->before,
                              .inverse_mass = c->inverse_mass,
                              .behind = c->behind,
                              .stride = SLOTS,
                              .dt = TIME_STEP};
  return c;
}

static inline void cage_free(cage *c) {
  separation_free(&c->cells, &c->memory);
  free(c);
}

static inline void put(msd_real *state, int32_t slot, double3 at) {
  state[slot] = (msd_real)at.x;
  state[SLOTS + slot] = (msd_real)at.y;
  state[2 * SLOTS + slot] = (msd_real)at.z;
}

static inline double3 get(const msd_real *state, int32_t slot) {
  return (double3){(double)state[slot], (double)state[SLOTS + slot], (double)state[2 * SLOTS + slot]};
}

static inline double3 plus(double3 a, double3 b) {
  return double3_add_scaled(a, b, 1);
}

static inline double length(double3 a) {
  return sqrt(double3_dot(a, a));
}

/* A triangle around the point at -gap along a direction from the origin, across it. */
static inline void add_triangle(cage *c, double3 up, double gap) {
  const double3 n = double3_scale(up, 1 / length(up)),
                other = fabs(n.x) < 0.5 ? (double3){1, 0, 0} : (double3){0, 1, 0};
  const double3 u = double3_cross(n, other), v = double3_cross(n, u), foot = double3_scale(n, -gap);
  for (int k = 0; k < 3; k++) {
    const double3 off = plus(double3_scale(u, cos(2.0944 * k)), double3_scale(v, sin(2.0944 * k)));
    put(c->before, c->particles + k, double3_add_scaled(foot, off, SIZE));
    put(c->behind, c->particles + k, double3_add_scaled(foot, off, SIZE));
  }
  c->particles += 3;
  c->pairs++;
}

static inline void make_cells(cage *c) {
  cr_assert(separation_reserve(&c->cells, &c->memory, SLOTS));
  cr_assert(separation_make_room(&c->cells, &c->memory, 0, c->pairs));
  for (int32_t n = 0; n < c->pairs; n++)
    separation_put(&c->cells, n, (const int32_t[]){0, 1 + 3 * n, 2 + 3 * n, 3 + 3 * n}, PAIR_POINT_TRIANGLE,
                   THICKNESS);
  cr_assert(separation_finish(&c->cells, &c->memory, 0, c->pairs, NULL, 1));
}

static inline void act(cage *c) {
  const parallel_range pairs = {0, c->pairs}, particles = {0, c->cells.corners.count};
  separation_read(&c->step, particles);
  separation_divide(&c->step, pairs);
  separation_clip(&c->step, particles);
  const bool stops = separation_check(&c->step, pairs);
  cr_assert(separation_transfer(&c->step, &c->memory));
  if (stops)
    separation_stop(&c->step, particles);
}

/* Leads the particle from the origin on a way, as far as it may go. */
static inline double3 lead(cage *c, double3 way) {
  put(c->behind, 0, way);
  make_cells(c);
  act(c);
  return get(c->behind, 0);
}

static inline double tiny(void) {
  return IS_DOUBLE ? 1e-8 : 1e-5;
}

static inline void expect_way(double3 kept, double3 expected) {
  const double off = length(double3_subtract(kept, expected));
  cr_expect_leq(off, 2 * tiny(), "%g %g %g, and not %g %g %g", kept.x, kept.y, kept.z, expected.x, expected.y,
                expected.z);
}

/* Moves the n-th triangle before the next time. */
static inline void move_triangle(cage *c, int32_t n, double3 way) {
  for (int32_t slot = 1 + 3 * n; slot < 4 + 3 * n; slot++)
    put(c->behind, slot, plus(get(c->before, slot), way));
}

static inline double3 random_direction(generator *random) {
  const msd_vec3 v = random_vector(random, 1);
  return (double3){(double)v.x, (double)v.y, (double)v.z};
}

static inline void stand_still(cage *c) {
  memcpy(c->before, c->behind, sizeof c->before);
}

#endif
