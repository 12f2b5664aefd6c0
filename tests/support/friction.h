/* Near pairs that rub: crowds of them at random, substeps of these, and what the formulas of contact_pairs.h
   make of one in double precision. */
#ifndef MSD_TESTS_SUPPORT_FRICTION_H
#define MSD_TESTS_SUPPORT_FRICTION_H

#include "engine/contact/contact_pairs.h"
#include "engine/kernel/contacts.h"

#include "tests/support/networks.h"

#include <math.h>

/* Three groups, of which the last is not full. */
enum { RUBBING_PARTICLES = 32, RUBBING_PAIRS = 2 * NEAR_GROUP + 9 };

/* States of six components by slot: x and v. */
enum { RUBBING_SPEED = 3 * RUBBING_PARTICLES, RUBBING_STATE = 6 * RUBBING_PARTICLES };

typedef struct rubbing {
  memory m;
  near_pairs near;
  generator random;
  msd_real dt, relaxation;
  msd_real inverse_mass[RUBBING_PARTICLES];
  /* Before and behind a substep; and where it has led before pairs push. */
  msd_real before[RUBBING_STATE], behind[RUBBING_STATE], led[RUBBING_STATE];
} rubbing;

/* What the formulas make of a pair in a substep, and what they remember of it. */
typedef struct rubbing_pair {
  bool acts, is_held;
  double soft_pin[3], most, mass;
  /* C, sums of g x and g u, and F. */
  double gap, apart[3], slid[3], force[3];
} rubbing_pair;

/* 0..1 */
static inline double rubbing_share(generator *random) {
  return (double)random_below(random, 1025) / 1024;
}

static inline void rubbing_begin(rubbing *r, uint64_t seed) {
  *r = (rubbing){.m = {.allocator = memory_default_allocator(), .limit = SIZE_MAX},
                 .random = {.state = seed},
                 .dt = (msd_real)0.01};
  for (int32_t i = 0; i < RUBBING_PARTICLES; i++)
    r->inverse_mass[i] = 1;
  cr_assert(near_pairs_reserve(&r->near, &r->m, RUBBING_PARTICLES));
}

static inline void rubbing_end(rubbing *r) {
  near_pairs_free(&r->near, &r->m);
  cr_assert_eq(r->m.used, 0);
}

/* Puts pairs behind those that there are, or in place of all. */
static inline void rubbing_put(rubbing *r, int32_t first, int32_t count, void put(rubbing *r, int32_t n)) {
  cr_assert(near_pairs_make_room(&r->near, &r->m, first, count));
  for (int32_t n = first; n < count; n++)
    put(r, n);
  cr_assert(near_pairs_finish(&r->near, &r->m, first, count, r->inverse_mass, NULL, 1));
}

/* A pair of any four particles, of either kind and with any normal. */
static inline void rubbing_put_any(rubbing *r, int32_t n) {
  int32_t slots[PAIR_CORNERS];
  const int32_t first = random_below(&r->random, RUBBING_PARTICLES);
  for (int corner = 0; corner < PAIR_CORNERS; corner++)
    slots[corner] = (first + corner * (1 + 2 * (n % 4))) % RUBBING_PARTICLES;
  const double b = 0.1 + 0.3 * rubbing_share(&r->random), c = 0.1 + 0.3 * rubbing_share(&r->random);
  double normal[3], square = 0;
  for (int axis = 0; axis < 3; axis++) {
    normal[axis] = rubbing_share(&r->random) - 0.5 + (axis == n % 3);
    square += normal[axis] * normal[axis];
  }
  near_witness witness = {.weight = {1, (msd_real)-b, (msd_real)-c, (msd_real)(b + c - 1)}};
  if (n % 2)
    witness = (near_witness){.weight = {(msd_real)(1 - b), (msd_real)b, (msd_real)-c, (msd_real)(c - 1)}};
  for (int axis = 0; axis < 3; axis++)
    witness.normal[axis] = (msd_real)(normal[axis] / sqrt(square));
  near_pairs_put(&r->near, n, slots, &witness, (msd_real)0.01, (msd_real)rubbing_share(&r->random));
}

/* x in a cube of 1/4 m and v at random. */
static inline void rubbing_scatter(rubbing *r, double speed) {
  for (int32_t k = 0; k < RUBBING_SPEED; k++) {
    r->before[k] = (msd_real)(rubbing_share(&r->random) / 4);
    r->before[RUBBING_SPEED + k] = (msd_real)(speed * (2 * rubbing_share(&r->random) - 1));
  }
}

/* Masses of 0.01 to 100 kg; every so many particles one is led, 0: none. */
static inline void rubbing_weigh_all(rubbing *r, int32_t led) {
  for (int32_t i = 0; i < RUBBING_PARTICLES; i++)
    r->inverse_mass[i] = led && i % led == 0 ? 0 : (msd_real)pow(10, 4 * rubbing_share(&r->random) - 2);
}

static inline near_substep rubbing_substep_of(rubbing *r) {
  return (near_substep){r->before, r->behind, r->behind, RUBBING_PARTICLES, (double)r->dt};
}

/* From `before` on, by velocities that all particles have come to: all forces, as a thread alone finds them. */
static inline void rubbing_push(rubbing *r, msd_simd simd) {
  near_pairs *p = &r->near;
  for (int32_t k = 0; k < RUBBING_SPEED; k++) {
    r->led[k] = r->before[k] + r->dt * r->before[RUBBING_SPEED + k];
    r->led[RUBBING_SPEED + k] = r->before[RUBBING_SPEED + k];
  }
  memcpy(r->behind, r->led, sizeof r->behind);
  const near_substep substep = rubbing_substep_of(r);
  const parallel_range owned = {0, p->corners.count}, groups = {0, p->group_count};
  const near_kernel *kernel = near_kernel_choose(simd);
  kernel->read(p, &substep, owned);
  const int32_t acting = kernel->push(p, r->dt, r->relaxation, groups);
  if (acting > 0 && near_pairs_share(p, owned))
    kernel->push_again(p, r->dt, r->relaxation, groups);
}

static inline void rubbing_move(rubbing *r, msd_simd simd) {
  const near_substep substep = rubbing_substep_of(r);
  cr_assert(near_kernel_choose(simd)->move(&r->near, &substep, (parallel_range){0, r->near.corners.count}));
}

static inline void rubbing_hold(rubbing *r, msd_simd simd) {
  near_kernel_choose(simd)->hold(&r->near, r->before, RUBBING_PARTICLES,
                                 (parallel_range){0, r->near.group_count});
}

static inline double rubbing_component(const rubbing *r, int component, int32_t n) {
  return (double)r->near.groups[n / NEAR_GROUP].at[component][n % NEAR_GROUP];
}

/* The sum of some g times three components. */
static inline void rubbing_weigh_by(const rubbing *r, int first_weight, int32_t n, const msd_real *of,
                                    double sum[3]) {
  int32_t slots[PAIR_CORNERS];
  near_pairs_slots(&r->near, n, slots);
  for (int axis = 0; axis < 3; axis++) {
    sum[axis] = 0;
    for (int corner = 1; corner < PAIR_CORNERS; corner++)
      sum[axis] += rubbing_component(r, first_weight + corner, n) *
                   ((double)of[axis * RUBBING_PARTICLES + slots[corner]] -
                    (double)of[axis * RUBBING_PARTICLES + slots[0]]);
  }
}

/* The same at the points of action. */
static inline void rubbing_weigh(const rubbing *r, int32_t n, const msd_real *of, double sum[3]) {
  rubbing_weigh_by(r, NEAR_WEIGHT, n, of, sum);
}

static inline double rubbing_along(const rubbing *r, int32_t n, const double a[3]) {
  return a[0] * rubbing_component(r, NEAR_NORMAL, n) + a[1] * rubbing_component(r, NEAR_NORMAL + 1, n) +
         a[2] * rubbing_component(r, NEAR_NORMAL + 2, n);
}

/* The part of a across n; returns how long it is. */
static inline double rubbing_across(const rubbing *r, int32_t n, double a[3]) {
  const double along = rubbing_along(r, n, a);
  double square = 0;
  for (int axis = 0; axis < 3; axis++) {
    a[axis] -= along * rubbing_component(r, NEAR_NORMAL + axis, n);
    square += a[axis] * a[axis];
  }
  return sqrt(square);
}

/* s: what an soft pin makes of where a pair is. */
static inline double rubbing_stretch(const rubbing *r, int32_t n, const rubbing_pair *of,
                                     const double apart[3], double s[3]) {
  for (int axis = 0; axis < 3; axis++)
    s[axis] = of->is_held ? apart[axis] - of->soft_pin[axis] : 0;
  return rubbing_across(r, n, s);
}

static inline void rubbing_draw(rubbing_pair *of, const double s[3], double share) {
  for (int axis = 0; axis < 3; axis++)
    of->soft_pin[axis] = of->apart[axis] - share * s[axis];
}

/* D: of the closest points, along n. */
static inline double rubbing_distance(const rubbing *r, int32_t n, const msd_real *state) {
  double apart[3];
  rubbing_weigh_by(r, NEAR_CLOSEST, n, state, apart);
  return rubbing_along(r, n, apart);
}

/* e of a pair that is so far apart. */
static inline double rubbing_wanted(const rubbing *r, int32_t n, double distance) {
  return fmin(rubbing_component(r, NEAR_THICKNESS, n), distance + (double)CONTACT_PUSH * (double)r->dt);
}

/* Which of them act. */
static inline void rubbing_approach(const rubbing *r, rubbing_pair *all) {
  for (int32_t n = 0; n < r->near.count; n++) {
    rubbing_weigh(r, n, r->before, all[n].apart);
    rubbing_weigh(r, n, r->before + RUBBING_SPEED, all[n].slid);
    for (int axis = 0; axis < 3; axis++)
      all[n].slid[axis] *= (double)r->dt;
    const double distance = rubbing_distance(r, n, r->before);
    all[n].gap = distance - rubbing_wanted(r, n, distance) + rubbing_along(r, n, all[n].slid);
    all[n].acts = all[n].gap < 0;
  }
}

static inline void rubbing_share_masses(const rubbing *r, const rubbing_pair *all,
                                        double shared[RUBBING_PARTICLES]) {
  memset(shared, 0, RUBBING_PARTICLES * sizeof *shared);
  for (int32_t n = 0; n < r->near.count; n++) {
    int32_t slots[PAIR_CORNERS];
    near_pairs_slots(&r->near, n, slots);
    for (int corner = 0; corner < PAIR_CORNERS && all[n].acts; corner++)
      shared[slots[corner]] += fabs(rubbing_component(r, NEAR_WEIGHT + corner, n));
  }
}

static inline double rubbing_mass(const rubbing *r, int32_t n, const double shared[RUBBING_PARTICLES]) {
  int32_t slots[PAIR_CORNERS];
  near_pairs_slots(&r->near, n, slots);
  double inverse = 0;
  for (int corner = 0; corner < PAIR_CORNERS; corner++)
    inverse += (double)r->inverse_mass[slots[corner]] * fabs(rubbing_component(r, NEAR_WEIGHT + corner, n)) *
               shared[slots[corner]];
  return inverse > 0 ? 1 / inverse : 0;
}

/* The soft pin of one that acts, as the substep begins, when its mass has become another one. */
static inline void rubbing_follow(const rubbing *r, int32_t n, rubbing_pair *of, double mass) {
  double s[3];
  const double length = rubbing_stretch(r, n, of, of->apart, s);
  const double share = length > of->most && of->is_held ? of->most / length : 1;
  rubbing_draw(of, s, of->is_held && mass > 0 ? share * fmin(16, sqrt(of->mass / mass)) : share);
  of->is_held = true;
  of->mass = mass;
}

static inline void rubbing_find_force(const rubbing *r, int32_t n, rubbing_pair *of) {
  const double mass = (1 - (double)r->relaxation) * of->mass;
  of->most = -rubbing_component(r, NEAR_FRICTION, n) * of->gap;
  double way[3];
  for (int axis = 0; axis < 3; axis++)
    way[axis] = of->apart[axis] - of->soft_pin[axis] + of->slid[axis];
  const double length = rubbing_across(r, n, way), share = length > of->most ? of->most / length : 1;
  for (int axis = 0; axis < 3; axis++)
    of->force[axis] = -mass * (of->gap * rubbing_component(r, NEAR_NORMAL + axis, n) + share * way[axis]);
}

/* The points of action have moved since rubbing_approach, at the same places: anchors move with z. */
static inline void rubbing_shift(const rubbing *r, rubbing_pair *all) {
  for (int32_t n = 0; n < r->near.count; n++) {
    double apart[3];
    rubbing_weigh(r, n, r->before, apart);
    for (int axis = 0; axis < 3; axis++)
      all[n].soft_pin[axis] += apart[axis] - all[n].apart[axis];
  }
  rubbing_approach(r, all);
}

/* What the formulas make of a substep that begins at `before`, with the points of action that it has used. */
static inline void rubbing_expect(const rubbing *r, rubbing_pair *all) {
  double shared[RUBBING_PARTICLES];
  rubbing_shift(r, all);
  rubbing_share_masses(r, all, shared);
  for (int32_t n = 0; n < r->near.count; n++) {
    memset(all[n].force, 0, sizeof all[n].force);
    all[n].is_held = all[n].is_held && all[n].acts;
    if (!all[n].acts)
      continue;
    rubbing_follow(r, n, &all[n], rubbing_mass(r, n, shared));
    rubbing_find_force(r, n, &all[n]);
  }
}

#endif
