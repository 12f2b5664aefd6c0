/* Friction with memory makes no energy, and takes nothing of the certified step. */
#include "tests/support/eigenvalue.h"
#include "tests/support/friction.h"
#include "tests/support/share.h"

#include <criterion/criterion.h>

static const double EPSILON = sizeof(msd_real) == sizeof(float) ? 0x1p-23 : 0x1p-52;

/* ------------------------------------------------------------------------------------------------- energy */

/* J, and what rounding of places may make of it. */
typedef struct joules {
  double kinetic, contact, slack;
} joules;

static double kinetic_energy(const rubbing *r, const msd_real *state) {
  double sum = 0;
  for (int32_t k = RUBBING_SPEED; k < RUBBING_STATE; k++) {
    const double v = (double)state[k], inverse = (double)r->inverse_mass[k % RUBBING_PARTICLES];
    sum += inverse > 0 ? v * v / inverse / 2 : 0;
  }
  return sum;
}

static double furthest(const msd_real *state) {
  double most = 0;
  for (int32_t k = 0; k < RUBBING_SPEED; k++)
    most = fmax(most, fabs((double)state[k]));
  return most;
}

/* |s|, of the engine's own soft pin, when it has followed. */
static double stretch_at(const rubbing *r, int32_t n, const msd_real *state) {
  const tangential_spring held = near_pairs_get_tangential(&r->near, n);
  double s[3] = {0, 0, 0};
  if (held.most >= 0)
    rubbing_weigh(r, n, state, s);
  for (int axis = 0; axis < 3; axis++)
    s[axis] = held.most >= 0 ? s[axis] - (double)held.anchor[axis] : (double)held.anchor[axis];
  const double length = rubbing_across(r, n, s);
  return held.most >= 0 ? fmin(length, (double)held.most) : length;
}

static void add_spring(const rubbing *r, const msd_real *state, double mass, double way, joules *sum) {
  const double dt = (double)r->dt, stiffness = (1 - (double)r->relaxation) * mass / (dt * dt);
  sum->contact += stiffness * way * way / 2;
  sum->slack += 8 * EPSILON * stiffness * fabs(way) * furthest(state);
}

static void add_stretches(const rubbing *r, const msd_real *state, joules *sum) {
  for (int32_t n = 0; n < r->near.count; n++)
    add_spring(r, state, rubbing_component(r, NEAR_MASS, n), stretch_at(r, n, state), sum);
}

/* Of those that have acted: C at a state behind the substep or before it. */
static void add_gaps(const rubbing *r, const msd_real *state, joules *sum) {
  for (int32_t n = 0; n < r->near.count; n++) {
    near_contact contact;
    double before[3], at[3];
    if (!near_pairs_get_contact(&r->near, n, &contact))
      continue;
    rubbing_weigh(r, n, r->before, before);
    rubbing_weigh(r, n, state, at);
    const double distance = rubbing_distance(r, n, r->before),
                 gap = distance - rubbing_wanted(r, n, distance) + rubbing_along(r, n, at) -
                       rubbing_along(r, n, before);
    add_spring(r, state, rubbing_component(r, NEAR_MASS, n), fmin(0, gap), sum);
  }
}

/* The energy of a substep before and behind it. */
static void take_substep(rubbing *r, msd_simd simd, joules energy[2]) {
  energy[0] = energy[1] = (joules){.kinetic = kinetic_energy(r, r->before)};
  add_stretches(r, r->before, &energy[0]);
  rubbing_push(r, simd);
  rubbing_move(r, simd);
  energy[1].kinetic = kinetic_energy(r, r->behind);
  add_gaps(r, r->before, &energy[0]);
  add_gaps(r, r->behind, &energy[1]);
  add_stretches(r, r->behind, &energy[1]);
  memcpy(r->before, r->behind, sizeof r->before);
}

/* Particles of 0.01 to 100 kg in a box that is not much larger than pairs are thick; many share each of
   them. */
static void begin_crowd(rubbing *r, uint64_t seed, double speed) {
  rubbing_begin(r, seed);
  r->dt = (msd_real)0.05;
  r->relaxation = (msd_real)(seed % 3 == 0 ? 0.4 : 0);
  rubbing_weigh_all(r, 0);
  rubbing_scatter(r, speed);
  for (int32_t k = 0; k < RUBBING_SPEED; k++)
    r->before[k] /= 16;
  rubbing_put(r, 0, RUBBING_PAIRS, rubbing_put_any);
}

static void turn_some(rubbing *r, double speed) {
  for (int32_t k = RUBBING_SPEED; k < RUBBING_STATE; k++)
    if (random_below(&r->random, 6) == 0)
      r->before[k] = (msd_real)(speed * (2 * rubbing_share(&r->random) - 1));
}

/* Pairs open and close, so that what is shared changes, and the masses with it. */
Test(friction_energy, what_moves_and_what_is_held_never_grow_together) {
  int turned = 0, stretched = 0, substeps = 0;
  for (uint64_t seed = 1; seed <= 60; seed++) {
    rubbing r;
    const double speed = pow(10, -(double)(seed % 4));
    begin_crowd(&r, seed, speed);
    uint16_t acted[(RUBBING_PAIRS + NEAR_GROUP - 1) / NEAR_GROUP] = {0};
    for (int n = 0; n < share_of(80); n++) {
      joules energy[2];
      take_substep(&r, MSD_SIMD_WIDEST, energy);
      const double before = energy[0].kinetic + energy[0].contact,
                   behind = energy[1].kinetic + energy[1].contact;
      cr_assert_leq(behind, before * (1 + 64 * EPSILON) + energy[0].slack + energy[1].slack,
                    "seed %d, substep %d: %g J of %g more", (int)seed, n, behind - before, before);
      substeps++;
      stretched += energy[1].contact > 0.01 * energy[1].kinetic;
      turned += memcmp(acted, r.near.acting, sizeof acted) != 0;
      memcpy(acted, r.near.acting, sizeof acted);
      if (n % 9 == 4)
        rubbing_hold(&r, MSD_SIMD_WIDEST);
      if (n % 4 == 3)
        turn_some(&r, speed);
    }
    rubbing_end(&r);
  }
  cr_expect(turned > substeps / 4 && stretched > substeps / 4, "%d and %d of %d", turned, stretched,
            substeps);
}

/* What slows down others is not given back to them: with no pull all comes to rest, or apart. */
Test(friction_energy, what_is_left_to_itself_comes_to_rest) {
  for (uint64_t seed = 1; seed <= 10; seed++) {
    rubbing r;
    begin_crowd(&r, seed, 0.1);
    double least = INFINITY;
    const double begin = kinetic_energy(&r, r.before);
    for (int n = 0; n < share_of(300); n++) {
      joules energy[2];
      take_substep(&r, MSD_SIMD_WIDEST, energy);
      least = fmin(least, energy[1].kinetic);
    }
    cr_expect_leq(kinetic_energy(&r, r.before), begin);
    cr_expect_lt(least, begin);
    rubbing_end(&r);
  }
}

/* --------------------------------------------------------------------------------------------- eigenvalues */

enum { FREE = RUBBING_SPEED / 4, SIZE = 2 * FREE };

/* Of the first particles, three numbers for each; the others are held. */
typedef struct linear {
  /* dt^2 k and dt d of springs, in the norm of the masses; what pairs take of a way from where they are held,
     and of one in a substep. */
  double k[FREE][FREE], d[FREE][FREE], by_place[FREE][FREE], by_way[FREE][FREE];
  double step[SIZE][SIZE];
} linear;

/* Adds factor/sqrt(m_i m_j) g_i g_j n n^T, with g by particle. */
static void add_along(const rubbing *r, double to[FREE][FREE], double factor,
                      const double g[RUBBING_PARTICLES], const double n[3]) {
  for (int i = 0; i < FREE; i++)
    for (int j = 0; j < FREE; j++)
      to[i][j] += factor * sqrt((double)r->inverse_mass[i / 3] * (double)r->inverse_mass[j / 3]) * g[i / 3] *
                  g[j / 3] * n[i % 3] * n[j % 3];
}

static void random_direction(rubbing *r, double n[3]) {
  double square = 0;
  for (int axis = 0; axis < 3; axis++) {
    n[axis] = rubbing_share(&r->random) - 0.5 + 1e-3 * axis;
    square += n[axis] * n[axis];
  }
  for (int axis = 0; axis < 3; axis++)
    n[axis] /= sqrt(square);
}

/* Springs between any two particles, also held ones. */
static void add_springs(rubbing *r, linear *l) {
  for (int spring = 0; spring < 3 * FREE; spring++) {
    double g[RUBBING_PARTICLES] = {0}, n[3];
    random_direction(r, n);
    const int32_t a = random_below(&r->random, FREE / 3);
    g[a] = 1;
    g[(a + 1 + random_below(&r->random, FREE / 3)) % (FREE / 3 + 1)] = -1;
    const double stiffness = pow(10, 2 * rubbing_share(&r->random));
    add_along(r, l->k, stiffness, g, n);
    add_along(r, l->d, rubbing_share(&r->random) * sqrt(stiffness) / 10, g, n);
  }
}

/* dt so that k + 2 d is at so much of 4: of dt^2 k + 2 dt d = 4 the dt is found by halves. */
static void choose_step(linear *l, double share) {
  static double sum[FREE][FREE];
  double low = 0, high = 1e3;
  for (int turn = 0; turn < 50; turn++) {
    const double dt = (low + high) / 2;
    for (int i = 0; i < FREE; i++)
      for (int j = 0; j < FREE; j++)
        sum[i][j] = dt * dt * l->k[i][j] + 2 * dt * l->d[i][j];
    if (largest_eigenvalue(sum[0], FREE, FREE) < 4)
      low = dt;
    else
      high = dt;
  }
  const double dt = share * low;
  for (int i = 0; i < FREE; i++)
    for (int j = 0; j < FREE; j++) {
      l->k[i][j] *= dt * dt;
      l->d[i][j] *= dt;
    }
}

/* All pairs act and stick. `by_way`: in one out of so many the normal force acts on the way, since it is nearer
   than it is thick; 0: in none. */
static void add_pairs(rubbing *r, linear *l, int by_way) {
  static rubbing_pair all[RUBBING_PAIRS];
  double shared[RUBBING_PARTICLES];
  for (int32_t n = 0; n < r->near.count; n++)
    all[n].acts = true;
  rubbing_share_masses(r, all, shared);
  for (int32_t n = 0; n < r->near.count; n++) {
    double g[RUBBING_PARTICLES] = {0};
    int32_t slots[PAIR_CORNERS];
    near_pairs_slots(&r->near, n, slots);
    for (int corner = 0; corner < PAIR_CORNERS; corner++)
      g[slots[corner]] = rubbing_component(r, NEAR_WEIGHT + corner, n);
    const double mass = rubbing_mass(r, n, shared);
    for (int axis = 0; axis < 3; axis++) {
      double across[3] = {axis == 0, axis == 1, axis == 2}, normal[3];
      for (int k = 0; k < 3; k++)
        normal[k] = rubbing_component(r, NEAR_NORMAL + k, n);
      if (axis == 0)
        add_along(r, by_way && n % by_way == 0 ? l->by_way : l->by_place, mass, g, normal);
      /* Of 1 - n n^T = (1 - n n^T)^2 each row makes a part. */
      rubbing_across(r, n, across);
      add_along(r, l->by_place, mass, g, across);
    }
  }
}

static void multiply(double a[FREE][FREE], double b[FREE][FREE], double out[FREE][FREE]) {
  for (int i = 0; i < FREE; i++)
    for (int j = 0; j < FREE; j++) {
      out[i][j] = 0;
      for (int k = 0; k < FREE; k++)
        out[i][j] += a[i][k] * b[k][j];
    }
}

/* From x and u, the way of the last substep, to those of the next one: y = x + (1 - d) u - k x, and
   x' = y - P y - W (y - x). */
static void make_step(linear *l) {
  static double q[FREE][FREE], of_x[FREE][FREE], of_u[FREE][FREE], y_x[FREE][FREE], y_u[FREE][FREE];
  for (int i = 0; i < FREE; i++)
    for (int j = 0; j < FREE; j++) {
      q[i][j] = (i == j) - l->by_place[i][j] - l->by_way[i][j];
      y_x[i][j] = (i == j) - l->k[i][j];
      y_u[i][j] = (i == j) - l->d[i][j];
    }
  multiply(q, y_x, of_x);
  multiply(q, y_u, of_u);
  for (int i = 0; i < FREE; i++)
    for (int j = 0; j < FREE; j++) {
      const double to_x = of_x[i][j] + l->by_way[i][j];
      l->step[i][j] = to_x;
      l->step[FREE + i][j] = to_x - (i == j);
      l->step[i][FREE + j] = l->step[FREE + i][FREE + j] = of_u[i][j];
    }
}

/* By the 2^20-th power, whose norm is no less than the power of the radius. */
static double spectral_radius(linear *l) {
  static double square[SIZE][SIZE];
  double logarithm = 0;
  for (int turn = 0; turn <= 20; turn++) {
    double norm = 0;
    for (int i = 0; i < SIZE; i++)
      for (int j = 0; j < SIZE; j++)
        norm += l->step[i][j] * l->step[i][j];
    norm = sqrt(norm);
    logarithm += log(norm) / (double)(1 << turn);
    for (int i = 0; i < SIZE; i++)
      for (int j = 0; j < SIZE; j++)
        l->step[i][j] /= norm;
    memset(square, 0, sizeof square);
    for (int i = 0; i < SIZE && turn < 20; i++)
      for (int k = 0; k < SIZE; k++)
        for (int j = 0; j < SIZE; j++)
          square[i][j] += l->step[i][k] * l->step[k][j];
    if (turn < 20)
      memcpy(l->step, square, sizeof square);
  }
  return exp(logarithm);
}

static double radius_of(uint64_t seed, double share, int pairs, int by_way) {
  static linear l;
  rubbing r;
  memset(&l, 0, sizeof l);
  rubbing_begin(&r, seed);
  rubbing_weigh_all(&r, 0);
  for (int32_t i = FREE / 3; i < RUBBING_PARTICLES; i++)
    r.inverse_mass[i] = 0;
  rubbing_put(&r, 0, pairs, rubbing_put_any);
  add_springs(&r, &l);
  choose_step(&l, share);
  if (pairs > 0)
    add_pairs(&r, &l, by_way);
  make_step(&l);
  rubbing_end(&r);
  return spectral_radius(&l);
}

static const double NEARLY = 1e-4;

Test(friction_energy, springs_beyond_their_limit_have_an_eigenvalue_outside_the_unit_circle) {
  for (uint64_t seed = 1; seed <= 4; seed++) {
    cr_expect_gt(radius_of(seed, 1.02, 0, 0), 1 + 10 * NEARLY, "seed %d", (int)seed);
    cr_expect_lt(radius_of(seed, 0.98, 0, 0), 1 + NEARLY, "seed %d", (int)seed);
  }
}

Test(friction_energy, normal_forces_and_friction_held_by_place_take_nothing_of_the_certified_step) {
  for (uint64_t seed = 1; seed <= (uint64_t)share_of(40); seed++) {
    const double radius = radius_of(seed, 0.98, 1 + (int)seed % RUBBING_PAIRS, 0);
    cr_expect_lt(radius, 1 + NEARLY, "seed %d: %.9f", (int)seed, radius);
  }
}

/* Pairs that are nearer than they are thick. There is no proof for both kinds at once, and no such claim: of
   200 networks 4 have an eigenvalue of up to 1.005 at 0.98 of the limit, and 2 one of up to 1.0015 at half of
   it. */
Test(friction_energy, where_normal_forces_act_on_the_way_hardly_any_network_gains) {
  int gaining = 0;
  double most = 0;
  const int seeds = share_of(40);
  for (int seed = 1; seed <= seeds; seed++) {
    const double radius = radius_of((uint64_t)seed, 0.98, 1 + seed % RUBBING_PAIRS, 1 + seed % 3);
    gaining += radius > 1 + NEARLY;
    most = fmax(most, radius);
  }
  cr_expect(gaining <= 1 + seeds / 20, "%d of %d", gaining, seeds);
  cr_expect_lt(most, 1.01, "%.6f", most);
}
