/* Moving mass to the particles that ask for most substeps. */
#include "tests/support/unit_networks.h"

#include <stdlib.h>
#include <string.h>

static const double FRAME = 1.0 / 64;

enum { MOST = 20000 };
static double masses_before[MOST];

static void keep_masses(const msd_world *world) {
  const int32_t count = msd_world_get_particle_count(world);
  cr_assert_leq(count, MOST);
  for (int32_t i = 0; i < count; i++)
    masses_before[i] = (double)msd_particle_get_mass(world, i);
}

static bool has_masses_before(const msd_world *world) {
  for (int32_t i = 0; i < msd_world_get_particle_count(world); i++)
    if ((double)msd_particle_get_mass(world, i) != masses_before[i])
      return false;
  return true;
}

static msd_mass_pool all_of(const msd_world *world, double fraction) {
  return (msd_mass_pool){{0, msd_world_get_particle_count(world)}, fraction};
}

static msd_mass_redistribution shift_all(msd_world *world, double fraction) {
  const msd_mass_pool pool = all_of(world, fraction);
  msd_mass_redistribution made;
  keep_masses(world);
  cr_assert_eq(msd_world_redistribute_mass(world, &pool, 1, (msd_real)FRAME, &made), MSD_OK);
  return made;
}

static int32_t substeps_of(const msd_world *world) {
  int32_t substeps;
  cr_assert_eq(msd_world_find_substeps(world, (msd_real)FRAME, &substeps), MSD_OK);
  return substeps;
}

/* kg, of all that can move. */
static double free_mass(const msd_world *world) {
  double sum = 0;
  for (int32_t i = 0; i < msd_world_get_particle_count(world); i++)
    sum += msd_particle_is_pinned(world, i) ? 0 : (double)msd_particle_get_mass(world, i);
  return sum;
}

/* The radius of A = W sum (dt^2 k + 2 dt mu)(x_a + x_b) at a substep: the limit of the powers of A, from
   below. It shares nothing with the engine. */
static double radius_by_powers(const msd_world *world, double dt) {
  static double x[MOST], y[MOST];
  const int32_t count = msd_world_get_particle_count(world), springs = msd_world_get_spring_count(world);
  double radius = 0;
  for (int32_t i = 0; i < count; i++)
    x[i] = msd_particle_is_pinned(world, i) ? 0 : 1;
  for (int n = 0; n < 400; n++) {
    memset(y, 0, sizeof y);
    for (int32_t e = 0; e < springs; e++) {
      const msd_spring_def def = msd_spring_get_def(world, e);
      const double part =
          (dt * dt * (double)def.stiffness + 2 * dt * (double)def.damping) * (x[def.a] + x[def.b]);
      y[def.a] += part;
      y[def.b] += part;
    }
    double quotient = 0, norm = 0, most = 0;
    for (int32_t i = 0; i < count; i++) {
      const double mass = (double)msd_particle_get_mass(world, i);
      quotient += x[i] * y[i];
      norm += mass * x[i] * x[i];
      y[i] = msd_particle_is_pinned(world, i) ? 0 : y[i] / mass;
      most = fmax(most, y[i]);
    }
    radius = quotient / norm;
    for (int32_t i = 0; i < count; i++)
      x[i] = y[i] / most;
  }
  return radius;
}

/* A network of heavy particles, of which some are light, as in a mesh with a few slivers. Numbers are drawn in
   statements of their own: the order of arguments is the compiler's. */
static msd_world *network_with_slivers(uint64_t seed) {
  uint64_t random = seed;
  msd_world *world = empty_world();
  const int count = 100 + below(&random, 200);
  for (int i = 0; i < count; i++) {
    const double x = uniform(&random), y = uniform(&random), z = uniform(&random);
    const bool is_light = below(&random, 30) == 0;
    const double share = uniform(&random);
    add_particle(world, x, y, z, i == 0 ? 1e-4 : is_light ? pow(10, -4 * share) : 0.5 + share);
  }
  for (int e = 0; e < 3 * count; e++) {
    const int a = e % count, b = (a + 1 + below(&random, count - 1)) % count;
    const double stiffness = 100 + 1000 * uniform(&random);
    const bool is_damped = below(&random, 2) == 1;
    const double damping = 2 * uniform(&random);
    join(world, a, b, physical(stiffness, is_damped ? damping : 0));
  }
  cr_assert_eq(msd_particle_pin(world, 1 + below(&random, count - 1)), MSD_OK);
  return world;
}

/* dt^2 k 2 x 2/4 of two springs k is the need of the light one, and it gets a hundredth of the others. */
Test(mass_redistribution, of_one_light_particle_is_what_its_springs_ask_for) {
  const double k = 1000, light = 1e-4, fraction = 0.01;
  msd_world *world = rope(51, physical(k, 0));
  cr_assert_eq(msd_particle_set_mass(world, 25, (msd_real)light), MSD_OK);
  const msd_mass_redistribution made = shift_all(world, fraction);
  const double mass = 50 + light, heavier = light + fraction * mass;
  const double fewest = ceil(FRAME * sqrt(k / heavier));
  cr_assert_leq(made.substeps_after, fewest);
  cr_assert_geq(made.substeps_after, fewest - 1, "x = 1 is nearly the mode of a particle between heavy ones");
  cr_assert_eq(made.substeps_before, ceil(FRAME * sqrt(k / light * (1 + light) / 2 * 1.0)), "%d",
               (int)made.substeps_before);
  msd_destroy_world(world);
}

Test(mass_redistribution, keeps_the_mass_within_the_fraction_and_certifies_what_it_says) {
  for (uint64_t seed = 1; seed <= 40; seed++) {
    msd_world *world = network_with_slivers(seed);
    const double fraction = seed % 2 == 0 ? 0.001 : 0.01, mass = free_mass(world);
    const int32_t before = substeps_of(world);
    const msd_mass_redistribution made = shift_all(world, fraction);
    cr_expect_eq(made.substeps_before, before);
    cr_assert_lt(made.substeps_after, before, "network %d", (int)seed);
    cr_expect_float_eq(free_mass(world) / mass, 1, 1e-6);
    cr_expect_float_eq(made.mass / mass, 1, 1e-12);
    cr_expect_leq(made.moved, fraction * mass * (1 + 1e-6));
    cr_expect_eq(substeps_of(world), made.substeps_after);
    const double radius = radius_by_powers(world, FRAME / made.substeps_after);
    cr_expect_lt(radius, 4, "network %d: %.9g", (int)seed, radius);
    double moved = 0, factor = 1;
    int heavier = 0;
    for (int32_t i = 0; i < msd_world_get_particle_count(world); i++) {
      const double now = (double)msd_particle_get_mass(world, i);
      cr_expect(!msd_particle_is_pinned(world, i) || now == masses_before[i], "a pin keeps its mass");
      heavier += now > masses_before[i];
      moved += fmax(now - masses_before[i], 0);
      factor = fmax(factor, now / masses_before[i]);
    }
    cr_expect_eq(made.heavier, heavier);
    cr_expect_eq(made.particles, msd_world_get_particle_count(world) - 1);
    cr_expect_float_eq(made.moved / moved, 1, 1e-9);
    cr_expect_float_eq(made.largest_factor / factor, 1, 1e-9);
    msd_destroy_world(world);
  }
}

/* What is lacked at one substep fewer is more than may be moved. */
Test(mass_redistribution, takes_the_fewest_substeps_that_the_fraction_pays_for) {
  static double needed[MOST];
  for (uint64_t seed = 50; seed < 60; seed++) {
    msd_world *world = network_with_slivers(seed), *copy;
    cr_assert_eq(msd_copy_world(world, &copy), MSD_OK);
    const double fraction = 0.003;
    const msd_mass_redistribution made = shift_all(world, fraction);
    double lack = 0;
    cr_assert_eq(msd_world_find_required_masses(copy, (msd_real)(FRAME / (made.substeps_after - 1)), needed),
                 MSD_OK);
    for (int32_t i = 0; i < msd_world_get_particle_count(copy); i++)
      lack += fmax(needed[i] - (double)msd_particle_get_mass(copy, i), 0);
    cr_expect_gt(lack, fraction * free_mass(copy), "network %d", (int)seed);
    msd_destroy_world(copy);
    msd_destroy_world(world);
  }
}

static void expect_nothing(msd_world *world, double fraction) {
  const int32_t substeps = substeps_of(world);
  const msd_mass_redistribution made = shift_all(world, fraction);
  cr_expect(has_masses_before(world));
  cr_expect(made.substeps_before == substeps && made.substeps_after == substeps);
  cr_expect(made.heavier == 0 && made.moved == 0 && made.largest_factor == 1);
  msd_destroy_world(world);
}

Test(mass_redistribution, moves_nothing_where_that_saves_nothing) {
  msd_world *ring = rope(40, physical(1e4, 0.1));
  join(ring, 39, 0, physical(1e4, 0.1));
  expect_nothing(ring, 1);
  expect_nothing(cloth(8, coefficient(MSD_MAX_STABLE, MSD_MAX_STABLE), none(), none()), 1);
  expect_nothing(empty_world(), 1);
  msd_world *limited = network_with_slivers(3);
  cr_assert_eq(msd_world_set_clamp_stiffness(limited, true), MSD_OK);
  expect_nothing(limited, 0.1);
  msd_world *explicit_euler = network_with_slivers(3);
  cr_assert_eq(msd_world_set_integrator(explicit_euler, MSD_EXPLICIT_EULER), MSD_OK);
  expect_nothing(explicit_euler, 0.1);
  msd_world *pinned = rope(2, physical(1e4, 0));
  for (int32_t i = 0; i < 2; i++)
    cr_assert_eq(msd_particle_pin(pinned, i), MSD_OK);
  expect_nothing(pinned, 1);
}

/* Someone who has no springs needs nothing and could give all. */
Test(mass_redistribution, leaves_mass_to_all) {
  msd_world *world = rope(3, physical(1e6, 0));
  add_particle(world, 0, 5, 0, 1e-3);
  for (int32_t i = 0; i < 3; i++)
    cr_assert_eq(msd_particle_set_mass(world, i, (msd_real)1e-6), MSD_OK);
  const msd_mass_redistribution made = shift_all(world, 1);
  cr_expect_gt(made.heavier, 0);
  cr_expect_gt(msd_particle_get_mass(world, 3), 0.4e-3);
  cr_expect_not(msd_particle_is_pinned(world, 3));
  msd_destroy_world(world);
}

/* Two ropes with a light particle each. */
static msd_world *two_ropes(double first, double second) {
  msd_world *world = rope(20, physical(1000, 0));
  msd_rope_def def = msd_default_rope_def();
  def.particles = 20;
  def.mass = 20;
  def.from.y = def.to.y = 5;
  def.to.x = 19;
  def.stretch = physical(1000, 0);
  cr_assert_eq(msd_add_rope(world, &def, NULL), MSD_OK);
  cr_assert_eq(msd_particle_set_mass(world, 10, (msd_real)first), MSD_OK);
  cr_assert_eq(msd_particle_set_mass(world, 30, (msd_real)second), MSD_OK);
  return world;
}

Test(mass_redistribution, moves_no_more_than_what_is_outside_of_the_pools_pays_for) {
  msd_world *world = two_ropes(1e-5, 1e-3);
  msd_world *alone = two_ropes(1, 1e-3);
  const int32_t other = substeps_of(alone);
  const msd_mass_pool pool = {{0, 20}, 0.01};
  msd_mass_redistribution made;
  cr_assert_eq(msd_world_redistribute_mass(world, &pool, 1, (msd_real)FRAME, &made), MSD_OK);
  cr_expect_eq(made.substeps_after, other);
  cr_expect_eq(made.particles, 20);
  cr_expect_eq(made.heavier, 1);
  cr_expect_leq(made.moved, 2e-3,
                "x = 1 asks for twice as much as the other one weighs, and more is allowed");
  msd_destroy_world(alone);
  msd_destroy_world(world);
}

Test(mass_redistribution, pools_are_given_the_same_substeps) {
  msd_world *world = two_ropes(1e-5, 1e-3);
  const msd_mass_pool pools[] = {{{0, 20}, 0.01}, {{20, 20}, 0.001}};
  const double first = 19 + 1e-5, second = 19 + 1e-3;
  msd_mass_redistribution made;
  cr_assert_eq(msd_world_redistribute_mass(world, pools, 2, (msd_real)FRAME, &made), MSD_OK);
  cr_expect_eq(made.substeps_after, substeps_of(world));
  cr_expect_leq(made.substeps_after, ceil(FRAME * sqrt(1000 / (1e-3 + 1e-3 * second))), "that of the second");
  double sums[2] = {0, 0};
  for (int32_t i = 0; i < 40; i++)
    sums[i / 20] += (double)msd_particle_get_mass(world, i);
  cr_expect_float_eq(sums[0] / first, 1, 1e-6);
  cr_expect_float_eq(sums[1] / second, 1, 1e-6);
  msd_destroy_world(world);
}

/* A million substeps are the most that are counted. */
Test(mass_redistribution, rescues_what_no_number_of_substeps_is_certified_for) {
  msd_world *world = rope(21, physical(1000, 0));
  cr_assert_eq(msd_particle_set_mass(world, 10, (msd_real)1e-14), MSD_OK);
  const msd_mass_redistribution made = shift_all(world, 0.01);
  cr_expect_eq(made.substeps_before, 0);
  cr_expect_leq(made.substeps_after, ceil(FRAME * sqrt(1000 / 0.2)));
  cr_expect_eq(substeps_of(world), made.substeps_after);
  msd_destroy_world(world);
}

/* A square sheet of two triangles a cell with folds, in which one vertex is light. */
static msd_world *folded_sheet(double stiffness) {
  enum { SIDE = 12 };
  static msd_vec3 vertices[SIDE * SIDE];
  static int32_t triangles[6 * (SIDE - 1) * (SIDE - 1)];
  int32_t *next = triangles;
  for (int i = 0; i < SIDE * SIDE; i++)
    vertices[i] = (msd_vec3){(msd_real)(i % SIDE), (msd_real)(i / SIDE), (msd_real)(0.2 * (i % 3))};
  for (int i = 0; i < (SIDE - 1) * (SIDE - 1); i++) {
    const int32_t a = i / (SIDE - 1) * SIDE + i % (SIDE - 1);
    const int32_t corners[] = {a, a + 1, a + SIDE, a + SIDE, a + 1, a + SIDE + 1};
    memcpy(next, corners, sizeof corners);
    next += 6;
  }
  msd_world *world = empty_world();
  msd_mesh_def def = msd_default_mesh_def();
  def.vertices = vertices;
  def.vertex_count = SIDE * SIDE;
  def.triangles = triangles;
  def.triangle_count = 2 * (SIDE - 1) * (SIDE - 1);
  def.stretch = physical(1e6, 10);
  def.bend = physical(stiffness, stiffness / 1000);
  def.bend_kind = MSD_BEND_DIHEDRAL;
  cr_assert_eq(msd_add_mesh(world, &def, NULL), MSD_OK);
  cr_assert_eq(msd_particle_set_mass(world, 5 * SIDE + 5, (msd_real)0.02), MSD_OK);
  return world;
}

Test(mass_redistribution, serves_constraints_too) {
  for (double stiffness = 10; stiffness < 2e6; stiffness *= 10) {
    msd_world *world = folded_sheet(stiffness);
    const double mass = free_mass(world);
    const msd_mass_redistribution made = shift_all(world, 0.01);
    cr_expect_lt(made.substeps_after, 0.9 * made.substeps_before, "%g N m/rad: %d to %d", stiffness,
                 (int)made.substeps_before, (int)made.substeps_after);
    cr_expect_eq(substeps_of(world), made.substeps_after);
    cr_expect_float_eq(free_mass(world) / mass, 1, 1e-6);
    cr_expect_eq(softened_constraints(world, FRAME / made.substeps_after), 0);
    msd_destroy_world(world);
  }
}

static void expect_refused(msd_world *world, const msd_mass_pool *pools, int count, double frame,
                           msd_result result, const char *reason) {
  msd_mass_redistribution made = {.heavier = 77};
  cr_expect_eq(msd_world_redistribute_mass(world, pools, count, (msd_real)frame, &made), result, "%s",
               reason);
  cr_expect(strstr(msd_world_message(world), reason), "\"%s\" is not in: %s", reason,
            msd_world_message(world));
  cr_expect(has_masses_before(world));
  cr_expect_eq(made.heavier, 77);
}

Test(mass_redistribution, is_refused_whole) {
  const double nan = (double)NAN;
  const msd_mass_pool bad[][2] = {{{{0, 5}, 0.1}, {{-1, 3}, 0.1}},
                                  {{{0, 5}, 0.1}, {{18, 3}, 0.1}},
                                  {{{0, 5}, 0.1}, {{3, -1}, 0.1}},
                                  {{{0, 5}, 0.1}, {{4, 3}, 0.1}},
                                  {{{0, 5}, 0.1}, {{5, 5}, 0}},
                                  {{{0, 5}, 0.1}, {{5, 5}, 1.5}},
                                  {{{0, 5}, 0.1}, {{5, 5}, nan}},
                                  {{{0, 5}, 0.1}, {{5, 5}, -0.1}},
                                  {{{0, 5}, 0.1}, {{INT32_MAX, INT32_MAX}, 0.1}}};
  static const msd_result results[] = {MSD_BAD_INDEX, MSD_BAD_INDEX, MSD_BAD_INDEX,
                                       MSD_BAD_VALUE, MSD_BAD_VALUE, MSD_BAD_VALUE,
                                       MSD_BAD_VALUE, MSD_BAD_VALUE, MSD_BAD_INDEX};
  msd_world *world = rope(20, physical(1000, 0));
  cr_assert_eq(msd_particle_set_mass(world, 10, (msd_real)1e-5), MSD_OK);
  keep_masses(world);
  for (size_t n = 0; n < sizeof bad / sizeof *bad; n++)
    expect_refused(world, bad[n], 2, FRAME, results[n], "mass pool 1");
  const msd_mass_pool all = all_of(world, 0.1);
  const double steps[] = {0, -1, nan, (double)INFINITY};
  for (size_t n = 0; n < sizeof steps / sizeof *steps; n++)
    expect_refused(world, &all, 1, steps[n], MSD_BAD_FRAME_TIME, "frame time");
  expect_refused(world, NULL, 1, FRAME, MSD_BAD_VALUE, "NULL");
  expect_refused(world, &all, -1, FRAME, MSD_BAD_VALUE, "-1");
  cr_expect_eq(msd_world_redistribute_mass(NULL, &all, 1, (msd_real)FRAME, NULL), MSD_BAD_VALUE);
  cr_expect_eq(msd_world_redistribute_mass(world, &all, 1, (msd_real)FRAME, NULL), MSD_OK,
               "nobody has to look");
  cr_expect_not(has_masses_before(world));
  msd_destroy_world(world);
}

Test(mass_redistribution, a_pool_without_particles_overlaps_none) {
  msd_world *world = rope(20, physical(1000, 0));
  const msd_mass_pool pools[] = {{{0, 20}, 0.1}, {{5, 0}, 0.1}, {{0, 0}, 0.1}};
  cr_expect_eq(msd_world_redistribute_mass(world, pools, 3, (msd_real)FRAME, NULL), MSD_OK, "%s",
               msd_world_message(world));
  msd_destroy_world(world);
}

/* Large enough for threads to share it. */
static msd_world *large_sheet(void) {
  uint64_t random = 7;
  msd_world *world = cloth(110, physical(1000, 0.1), physical(500, 0), none());
  for (int32_t i = 0; i < msd_world_get_particle_count(world); i++)
    cr_assert_eq(msd_particle_set_mass(world, i, (msd_real)pow(uniform(&random), 4)), MSD_OK);
  return world;
}

Test(mass_redistribution, is_the_same_on_any_number_of_threads_and_in_snapshots) {
  static msd_real masses[MOST];
  for (int threads = 1; threads <= 3; threads++) {
    msd_world *world = large_sheet();
    const int32_t count = msd_world_get_particle_count(world);
    cr_assert_eq(msd_world_set_thread_count(world, threads), MSD_OK);
    const msd_mass_redistribution made = shift_all(world, 0.01);
    cr_assert_gt(made.heavier, 0);
    for (int32_t i = 0; i < count; i++) {
      cr_assert(threads == 1 || masses[i] == msd_particle_get_mass(world, i));
      masses[i] = msd_particle_get_mass(world, i);
    }
    size_t size = 0;
    msd_world *back = empty_world();
    cr_assert_eq(msd_world_save(world, NULL, 0, &size), MSD_OK);
    char *snapshot = malloc(size);
    cr_assert_not_null(snapshot);
    cr_assert_eq(msd_world_save(world, snapshot, size, &size), MSD_OK);
    cr_assert_eq(msd_world_restore(back, snapshot, size), MSD_OK);
    for (int32_t i = 0; i < count; i++)
      cr_assert_eq(masses[i], msd_particle_get_mass(back, i));
    cr_expect_eq(substeps_of(back), made.substeps_after);
    free(snapshot);
    msd_destroy_world(back);
    msd_destroy_world(world);
  }
}
