/* Steps with scaled masses: what they keep, what they are close to, and what they refuse. */

#include "tests/support/networks.h"
#include "tests/support/scarce_memory.h"
#include "tests/support/share.h"
#include "tests/support/snapshots.h"

#include <math.h>

enum { SIDE = 21 };

typedef struct sheet_making {
  msd_mass_scaling scaling;
  msd_simd simd;
  int threads;
  bool pinned;
  msd_real drag;
} sheet_making;

/* Level, at that height. */
static void add_plane(msd_world *world, double height) {
  msd_collider_def plane = msd_default_collider_def();
  plane.kind = MSD_COLLIDER_PLANE;
  plane.position = (msd_vec3){0, (msd_real)height, 0};
  ASSERT_OK(world, msd_add_colliders(world, &plane, 1, NULL));
}

/* A sheet of 1 m and 1 kg that lies level, in springs of 100,000 N/m against masses of 2 g. */
static msd_world *sheet_with(const sheet_making *m) {
  msd_world_def def = msd_default_world_def();
  def.mass_scaling = m->scaling;
  def.simd = m->simd;
  def.thread_count = m->threads;
  def.linear_damping = m->drag;
  msd_world *world = world_from_def(&def);
  graph g = graph_cloth(SIDE, SIDE, CLOTH_BEND);
  for (int32_t i = 0; i < g.particles; i++) {
    msd_particle_def particle = msd_default_particle_def();
    particle.position = (msd_vec3){(msd_real)(i % SIDE) / (SIDE - 1), 0, (msd_real)(i / SIDE) / (SIDE - 1)};
    particle.mass = (msd_real)1 / (SIDE * SIDE);
    particle.pinned = m->pinned && (i == 0 || i == SIDE - 1);
    ASSERT_OK(world, msd_add_particles(world, &particle, 1, NULL));
  }
  for (int32_t s = 0; s < g.springs; s++) {
    const bool bends = abs(g.a[s] - g.b[s]) == 2 || abs(g.a[s] - g.b[s]) == 2 * SIDE;
    msd_spring_def spring = msd_default_spring_def();
    spring.a = g.a[s];
    spring.b = g.b[s];
    spring.stiffness = bends ? 10 : 1000;
    spring.damping = spring.stiffness / 10000;
    ASSERT_OK(world, msd_add_springs(world, &spring, 1, NULL));
  }
  graph_free(&g);
  return world;
}

static msd_world *sheet(msd_mass_scaling scaling, bool pinned) {
  return sheet_with(&(sheet_making){.scaling = scaling, .pinned = pinned});
}

static void run(msd_world *world, int frames, int substeps) {
  for (int frame = 0; frame < frames; frame++)
    ASSERT_OK(world, msd_world_step(world, (msd_real)1 / 60, substeps));
}

static const int THREADS[] = {1, 2, 3, 5, 8, 16};
enum { THREAD_COUNTS = sizeof THREADS / sizeof *THREADS };

Test(scaled_step, gives_the_same_bits_in_every_width_and_on_any_number_of_threads) {
  uint64_t first = 0;
  for (int simd = MSD_SIMD_SCALAR; simd < MSD_SIMD_COUNT; simd++)
    for (int n = 0; n < THREAD_COUNTS; n++) {
      const int threads = THREADS[n];
      msd_world *world =
          sheet_with(&(sheet_making){MSD_MASS_SCALING_SELECTIVE, (msd_simd)simd, threads, true, 0});
      run(world, 1, 3); /* pinned, then free */
      ASSERT_OK(world, msd_particle_unpin(world, 0));
      ASSERT_OK(world, msd_particle_unpin(world, SIDE - 1));
      ASSERT_OK(world, msd_particle_set_velocity(world, 30, (msd_vec3){1, 2, 3}));
      run(world, 2, 3);
      first = first ? first : msd_world_hash(world);
      cr_expect_eq(msd_world_hash(world), first, "width %d, %d threads", simd, threads);
      msd_destroy_world(world);
    }
}

Test(scaled_step, any_step_stays_finite_and_comes_to_rest) {
  static const int substeps[] = {1, 2, 7, 30};
  for (size_t n = 0; n < sizeof substeps / sizeof *substeps; n++) {
    msd_world *world =
        sheet_with(&(sheet_making){.scaling = MSD_MASS_SCALING_SELECTIVE, .pinned = true, .drag = 1});
    run(world, share_of(600), substeps[n]);
    const msd_stats stats = msd_world_get_stats(world);
    cr_expect_lt(stats.max_speed, in_part ? 10.0 : 1.0, "%d: %g", substeps[n], stats.max_speed);
    cr_expect_lt(stats.max_stretch, 0.6, "%d: %g", substeps[n], stats.max_stretch);
    msd_destroy_world(world);
  }
}

/* Symplectic Euler falls by g dt^2 n (n + 1)/2 in n substeps. */
Test(scaled_step, a_free_sheet_falls_as_a_stone_does_whatever_moves_in_it) {
  msd_world *world = sheet(MSD_MASS_SCALING_SELECTIVE, false);
  ASSERT_OK(world, msd_particle_set_velocity(world, 40, (msd_vec3){30, 0, 0}));
  const msd_stats before = msd_world_get_stats(world);
  run(world, 30, 4);
  const msd_stats after = msd_world_get_stats(world);
  const double dt = (double)((msd_real)1 / 60) / 4, n = 120;
  cr_expect_float_eq(after.center_of_mass[1], -9.81 * dt * dt * n * (n + 1) / 2, 2e-5, "%g",
                     after.center_of_mass[1]);
  cr_expect_float_eq(after.momentum[0], before.momentum[0], 2e-6, "%g",
                     after.momentum[0] - before.momentum[0]);
  cr_expect_float_eq(after.momentum[1], -9.81 * dt * n, 2e-5);
  cr_expect_gt(after.kinetic_energy, 0.5 * 24 * 0.9, "it moves in itself too");
  msd_destroy_world(world);
}

/* Without springs that are too stiff masses are what they are. */
Test(scaled_step, at_a_short_step_it_is_the_plain_one) {
  msd_world *scaled = sheet(MSD_MASS_SCALING_SELECTIVE, true), *plain = sheet(MSD_MASS_SCALING_NONE, true);
  run(scaled, 6, 400);
  run(plain, 6, 400);
  for (int32_t i = 0; i < SIDE * SIDE; i++) {
    const msd_vec3 a = msd_particle_get_position(scaled, i), b = msd_particle_get_position(plain, i);
    cr_assert_float_eq((double)a.y, (double)b.y, 1e-5, "particle %d: %g", i, (double)(a.y - b.y));
  }
  msd_destroy_world(scaled);
  msd_destroy_world(plain);
}

Test(scaled_step, a_hanging_sheet_stretches_and_falls_as_with_short_steps) {
  msd_world *scaled =
      sheet_with(&(sheet_making){.scaling = MSD_MASS_SCALING_SELECTIVE, .pinned = true, .drag = 2});
  msd_world *plain = sheet_with(&(sheet_making){.pinned = true, .drag = 2});
  run(scaled, 20, 16);
  run(plain, 20, 160);
  const double fall = msd_world_get_stats(scaled).center_of_mass[1],
               true_fall = msd_world_get_stats(plain).center_of_mass[1];
  cr_expect_float_eq(fall, true_fall, 0.01 * fabs(true_fall), "%g beside %g", fall, true_fall);
  run(scaled, share_of(280), 16);
  run(plain, share_of(280), 160);
  const double stretch = msd_world_get_stats(scaled).max_stretch,
               wanted = msd_world_get_stats(plain).max_stretch;
  cr_expect_float_eq(stretch, wanted, (in_part ? 0.5 : 0.03) * wanted, "%g beside %g", stretch, wanted);
  msd_destroy_world(scaled);
  msd_destroy_world(plain);
}

/* All that has changed is seen, and nothing that is not in the snapshot. */
Test(scaled_step, goes_on_from_snapshots_after_every_change) {
  msd_world *world = sheet(MSD_MASS_SCALING_SELECTIVE, true), *copy = NULL;
  for (int change = 0; change < 6; change++) {
    run(world, 1, change % 2 ? 0 : 3);
    msd_spring_def def = msd_spring_get_def(world, 17);
    def.stiffness *= 4;
    if (change == 1)
      for (int32_t s = 200; s < 260; s++)
        ASSERT_OK(world, msd_spring_break(world, s));
    if (change == 2)
      ASSERT_OK(world, msd_particle_set_mass(world, 100, 3));
    if (change == 3)
      ASSERT_OK(world, msd_particle_unpin(world, 0));
    if (change == 4)
      ASSERT_OK(world, msd_spring_set_law(world, 17, &def));
    if (change == 5)
      ASSERT_OK(world, msd_particle_pin(world, 300));
    run(world, 1, 3);
    ASSERT_OK(world, msd_copy_world(world, &copy));
    cr_expect_eq(msd_world_get_mass_scaling(copy), MSD_MASS_SCALING_SELECTIVE);
    run(world, 1, 3);
    run(copy, 1, 3);
    cr_expect_eq(msd_world_hash(copy), msd_world_hash(world), "change %d", change);
    msd_destroy_world(copy);
  }
  msd_destroy_world(world);
}

Test(scaled_step, a_pulled_pin_takes_the_sheet_along_and_torn_parts_let_go) {
  msd_world *world = sheet(MSD_MASS_SCALING_SELECTIVE, true);
  run(world, 2, 4);
  ASSERT_OK(world, msd_particle_move_to(world, 0, (msd_vec3){0, (msd_real)0.1, 0}));
  run(world, 1, 4);
  cr_expect_float_eq((double)msd_particle_get_position(world, 0).y, 0.1, 1e-6);
  cr_expect_gt((double)msd_particle_get_position(world, 1).y, 0.02, "%g",
               (double)msd_particle_get_position(world, 1).y);
  for (int32_t s = 0; s < msd_world_get_spring_count(world); s++) {
    const msd_spring_def def = msd_spring_get_def(world, s);
    if ((def.a < 2 * SIDE) != (def.b < 2 * SIDE))
      ASSERT_OK(world, msd_spring_break(world, s));
  }
  const double speed = (double)msd_particle_get_velocity(world, SIDE * SIDE - 1).y;
  double momentum = 0, after = 0;
  for (int32_t i = 2 * SIDE; i < SIDE * SIDE; i++)
    momentum += (double)msd_particle_get_velocity(world, i).y;
  run(world, 6, 4);
  for (int32_t i = 2 * SIDE; i < SIDE * SIDE; i++)
    after += (double)msd_particle_get_velocity(world, i).y;
  cr_expect_float_eq((after - momentum) / (SIDE * SIDE - 2 * SIDE), -0.981, 1e-5,
                     "what is cut off falls freely");
  cr_expect_lt((double)msd_particle_get_velocity(world, SIDE * SIDE - 1).y, speed);
  msd_destroy_world(world);
}

/* A wave takes about 32 substeps through the rope, whose springs alone would ask for 1000. */
Test(scaled_step, is_certified_at_any_step_and_takes_few_substeps_by_itself) {
  graph g = graph_rope(1000, false);
  msd_world *world = world_of(&g, &(making){.undamped = true});
  msd_stability plain, scaled;
  int32_t found = 0;
  ASSERT_OK(world, msd_world_analyze_stability(world, 1, &plain));
  ASSERT_OK(world, msd_world_find_substeps(world, 1, &found));
  cr_expect_eq(found, plain.substeps);
  ASSERT_OK(world, msd_world_set_mass_scaling(world, MSD_MASS_SCALING_SELECTIVE));
  for (int n = 0; n < 4; n++) {
    ASSERT_OK(world, msd_world_analyze_stability(world, (msd_real)pow(10, n - 2), &scaled));
    cr_expect(scaled.certified && scaled.radius <= 3.92 && scaled.used < 1, "%g: %g", scaled.substep,
              scaled.radius);
  }
  ASSERT_OK(world, msd_world_analyze_stability(world, 1, &scaled));
  ASSERT_OK(world, msd_world_find_substeps(world, 1, &found));
  cr_expect_eq(scaled.stable_substep, plain.stable_substep, "that is without scaled masses");
  cr_expect_eq(found, scaled.substeps);
  const double wanted = 999.0 / 32 * plain.stable_substep;
  cr_expect_float_eq(scaled.integrator_stable_substep[MSD_SYMPLECTIC_EULER], wanted, 0.05 * wanted,
                     "%g beside %g", scaled.integrator_stable_substep[MSD_SYMPLECTIC_EULER], wanted);
  msd_destroy_world(world);
  graph_free(&g);
}

static void expect_refused(msd_world *world, const char *what) {
  const uint64_t before = msd_world_hash(world);
  cr_expect_eq(msd_world_step(world, (msd_real)0.01, 1), MSD_BAD_VALUE);
  cr_expect(strstr(msd_world_message(world), what), "%s", msd_world_message(world));
  cr_expect_eq(msd_world_hash(world), before);
  ASSERT_OK(world, msd_world_set_mass_scaling(world, MSD_MASS_SCALING_NONE));
  ASSERT_OK(world, msd_world_step(world, (msd_real)0.01, 0));
  msd_destroy_world(world);
}

/* Until they ignore each other, and themselves. */
Test(scaled_step, refuses_surfaces_that_may_touch) {
  msd_world *world = sheet(MSD_MASS_SCALING_SELECTIVE, true);
  const int32_t triangles[] = {0, 1, 1 + SIDE, 40, 41, 41 + SIDE};
  msd_collision_mesh_def surface = msd_default_collision_mesh_def();
  surface.triangle_count = 1;
  for (int n = 0; n < 2; n++) {
    surface.triangles = triangles + 3 * n;
    ASSERT_OK(world, msd_add_collision_meshes(world, &surface, 1, NULL));
  }
  ASSERT_OK(world, msd_collision_mesh_exclude(world, 0, 0));
  cr_expect_eq(msd_world_step(world, (msd_real)0.01, 1), MSD_BAD_VALUE);
  cr_expect(strstr(msd_world_message(world), "does not support self-collision; use \"none\""), "%s",
            msd_world_message(world));
  ASSERT_OK(world, msd_collision_mesh_exclude(world, 1, 1));
  cr_expect_eq(msd_world_step(world, (msd_real)0.01, 1), MSD_BAD_VALUE);
  ASSERT_OK(world, msd_collision_mesh_exclude(world, 0, 1));
  ASSERT_OK(world, msd_world_step(world, (msd_real)0.01, 1));
  surface.self_collision = false;
  ASSERT_OK(world, msd_add_collision_meshes(world, &surface, 1, NULL));
  expect_refused(world, "does not support self-collision");
}

/* A surface that touches nothing, in wind. */
static void blow_at(msd_world *world) {
  const int32_t triangles[] = {0, 1, SIDE, 30, 31, 30 + SIDE, 200, 201, 200 + SIDE};
  msd_collision_mesh_def surface = msd_default_collision_mesh_def();
  surface.triangles = triangles;
  surface.triangle_count = 3;
  surface.self_collision = false;
  ASSERT_OK(world, msd_add_collision_meshes(world, &surface, 1, NULL));
  msd_wind_def wind = msd_default_wind_def();
  wind.velocity = (msd_vec3){5, 2, 3};
  ASSERT_OK(world, msd_world_set_wind(world, &wind));
}

/* What acts behind a substep, of a free sheet: a catch to a pin that it is 1 m too far from, or a plane that it
   comes at. */
static msd_world *pushed_sheet(msd_simd simd, int threads, bool caught) {
  msd_world *world = sheet_with(&(sheet_making){MSD_MASS_SCALING_SELECTIVE, simd, threads, false, 0});
  add_plane(world, -0.02);
  msd_particle_def pin = msd_default_particle_def();
  pin.position = (msd_vec3){0, 1, 0};
  pin.pinned = true;
  ASSERT_OK(world, msd_add_particles(world, &pin, 1, NULL));
  msd_spring_def hard_limit = msd_default_spring_def();
  hard_limit.a = SIDE * SIDE, hard_limit.b = SIDE + 5, hard_limit.law = MSD_SPRING_HARD_LIMIT,
  hard_limit.mode = MSD_SPRING_TENSION_ONLY;
  hard_limit.rest_length = (msd_real)0.9;
  if (caught)
    ASSERT_OK(world, msd_add_springs(world, &hard_limit, 1, NULL));
  return world;
}

Test(scaled_step, what_acts_behind_it_gives_the_same_bits_in_every_width_and_on_any_number_of_threads) {
  uint64_t first = 0;
  for (int simd = MSD_SIMD_SCALAR; simd < MSD_SIMD_COUNT; simd++)
    for (int n = 0; n < THREAD_COUNTS; n += in_part ? 3 : 1) {
      const int threads = THREADS[n];
      msd_world *world = pushed_sheet((msd_simd)simd, threads, true);
      run(world, 6, 4);
      blow_at(world);
      run(world, 6, 4);
      first = first ? first : msd_world_hash(world);
      cr_expect_eq(msd_world_hash(world), first, "width %d, %d threads", simd, threads);
      msd_destroy_world(world);
    }
}

/* Particles in any order, so that springs find them by their indices, in all that moves them. */
static msd_world *penetration_on_a_plane(msd_simd simd, int threads) {
  enum { PARTICLES = 600 };
  generator random = {.state = 7};
  msd_world_def def = msd_default_world_def();
  def.mass_scaling = MSD_MASS_SCALING_SELECTIVE;
  def.simd = simd;
  def.thread_count = threads;
  msd_world *world = world_from_def(&def);
  for (int i = 0; i < PARTICLES; i++) {
    msd_particle_def particle = msd_default_particle_def();
    particle.position = random_vector(&random, 1);
    particle.velocity = (msd_vec3){0, -1, 0};
    ASSERT_OK(world, msd_add_particles(world, &particle, 1, NULL));
  }
  for (int s = 0; s < 4 * PARTICLES; s++) {
    msd_spring_def spring = msd_default_spring_def();
    spring.a = s % PARTICLES;
    spring.b = (spring.a + 1 + random_below(&random, PARTICLES - 1)) % PARTICLES;
    spring.law = s % 40 ? MSD_SPRING_STIFFNESS : MSD_SPRING_HARD_LIMIT;
    spring.mode = s % 40 ? MSD_SPRING_BOTH : MSD_SPRING_TENSION_ONLY;
    spring.stiffness = s % 40 ? (msd_real)1e6 : 0;
    spring.damping = s % 40 ? (msd_real)1e3 : 0;
    ASSERT_OK(world, msd_add_springs(world, &spring, 1, NULL));
  }
  add_plane(world, -1.01);
  return world;
}

/* What a substep leaves is all that the next one begins with. */
Test(scaled_step, substeps_of_one_call_are_those_of_several) {
  const msd_real substep = (msd_real)1 / 1024; /* whose multiples are exact */
  uint64_t first = 0;
  for (int simd = MSD_SIMD_SCALAR; simd < MSD_SIMD_COUNT; simd++)
    for (int threads = 1; threads <= 3; threads++) {
      msd_world *one = penetration_on_a_plane((msd_simd)simd, threads),
                *other = penetration_on_a_plane((msd_simd)simd, threads);
      ASSERT_OK(one, msd_world_step(one, 24 * substep, 24));
      for (int n = 0; n < 24; n++)
        ASSERT_OK(other, msd_world_step(other, substep, 1));
      first = first ? first : msd_world_hash(one);
      cr_expect_eq(msd_world_hash(one), first, "width %d, %d threads", simd, threads);
      cr_expect_eq(msd_world_hash(other), first, "width %d, %d threads, by themselves", simd, threads);
      msd_destroy_world(one);
      msd_destroy_world(other);
    }
}

/* Pairs of particles in stiff springs, each with a motion of its own, so that the lanes of a vector are of many
   free bodies, and a plane that all come to. */
static msd_world *falling_pairs(msd_simd simd) {
  enum { PAIRS = 21 };
  msd_world_def def = msd_default_world_def();
  msd_world *world = NULL;
  def.mass_scaling = MSD_MASS_SCALING_SELECTIVE;
  def.simd = simd;
  cr_assert_eq(msd_create_world(&def, &world), MSD_OK);
  add_plane(world, 0);
  for (int i = 0; i < 2 * PAIRS; i++) {
    msd_particle_def particle = msd_default_particle_def();
    particle.position = (msd_vec3){(msd_real)i, (msd_real)(0.05 + 0.01 * (i % 7)), (msd_real)(i % 2)};
    particle.velocity = (msd_vec3){(msd_real)(i / 2 % 3), (msd_real)(-i / 2 % 5), (msd_real)(i / 2 % 4)};
    ASSERT_OK(world, msd_add_particles(world, &particle, 1, NULL));
  }
  for (int i = 0; i < PAIRS; i++) {
    msd_spring_def spring = msd_default_spring_def();
    spring.a = 2 * i, spring.b = 2 * i + 1;
    spring.stiffness = 1e6;
    spring.damping = 1e3;
    ASSERT_OK(world, msd_add_springs(world, &spring, 1, NULL));
  }
  return world;
}

Test(scaled_step, many_free_components_in_one_vector_give_the_same_bits_in_every_width) {
  uint64_t first = 0;
  for (int simd = MSD_SIMD_SCALAR; simd < MSD_SIMD_COUNT; simd++) {
    msd_world *world = falling_pairs((msd_simd)simd);
    run(world, 10, 4);
    cr_expect_gt(msd_world_get_stats(world).contacts, 0);
    first = first ? first : msd_world_hash(world);
    cr_expect_eq(msd_world_hash(world), first, "width %d", simd);
    msd_destroy_world(world);
  }
}

/* The whole of a free body has the impulse that it was given, whatever is heavy against what in it. */
Test(scaled_step, a_sheet_that_lands_level_stops_at_once_and_lies_at_rest) {
  msd_world *world = pushed_sheet(MSD_SIMD_WIDEST, 1, false);
  double lowest = INFINITY;
  for (int frame = 0; frame < share_of(120); frame++) {
    run(world, 1, 20);
    for (int32_t i = 0; i < SIDE * SIDE; i++)
      lowest = fmin(lowest, (double)msd_particle_get_position(world, i).y);
  }
  cr_expect_gt(lowest, -0.0201, "%g: the plane is at -0.02 m", lowest);
  cr_expect_lt(msd_world_get_stats(world).max_speed, 0.06, "%g", msd_world_get_stats(world).max_speed);
  msd_destroy_world(world);
}

/* In the kinetic energy of scaled masses four turns give at most four times what a catch stores; that of the
   masses is a part of it. */
Test(scaled_step, a_tight_hard_limit_gives_a_resting_sheet_no_more_than_was_stored_in_it) {
  msd_world *world = pushed_sheet(MSD_SIMD_WIDEST, 1, true);
  ASSERT_OK(world, msd_world_set_gravity(world, (msd_vec3){0, 0, 0}));
  const double far = hypot(1, hypot(0.05, 0.25)) - 0.9, dt = (double)((msd_real)1 / 60) / 4;
  const double stored = 4 * 0.5 / (SIDE * SIDE) * far * far / (dt * dt);
  double most = 0;
  for (int frame = 0; frame < share_of(60); frame++) {
    run(world, 1, 4);
    most = fmax(most, msd_world_get_stats(world).kinetic_energy);
  }
  cr_expect_leq(most, stored, "%g of %g J", most, stored);
  cr_expect_gt(most, 0.0001 * stored, "%g of %g J", most, stored);
  msd_destroy_world(world);
}

static double spread(generator *g, int least, int most) {
  return pow(10, least + random_below(g, 64 * (most - least) + 1) / 64.0);
}

/* Masses 10^8 apart, k/m up to 10^12, damped by dt k, with catches and angles between any of them. */
static msd_world *random_tangle(generator *g, double dt) {
  enum { PARTICLES = 24 };
  msd_world_def def = msd_default_world_def();
  def.mass_scaling = MSD_MASS_SCALING_SELECTIVE;
  def.gravity = (msd_vec3){0, 0, 0};
  msd_world *world = world_from_def(&def);
  for (int32_t i = 0; i < PARTICLES; i++) {
    msd_particle_def particle = msd_default_particle_def();
    particle.position = random_vector(g, 1);
    particle.velocity = (msd_vec3){0, -1, 0};
    particle.mass = (msd_real)spread(g, -4, 4);
    ASSERT_OK(world, msd_add_particles(world, &particle, 1, NULL));
  }
  for (int32_t s = 0; s < 3 * PARTICLES; s++) {
    msd_spring_def spring = msd_default_spring_def();
    spring.a = s % PARTICLES;
    spring.b = (spring.a + 1 + random_below(g, PARTICLES - 1)) % PARTICLES;
    spring.stiffness = msd_particle_get_mass(world, spring.a) * (msd_real)spread(g, 0, 12);
    spring.damping = (msd_real)dt * spring.stiffness;
    if (s % 6 == 5) {
      spring.law = MSD_SPRING_HARD_LIMIT;
      spring.mode = MSD_SPRING_TENSION_ONLY;
    }
    ASSERT_OK(world, msd_add_springs(world, &spring, 1, NULL));
    msd_constraint_def angle = msd_default_constraint_def();
    for (int32_t n = 0; n < 3; n++)
      angle.particles[n] = (spring.a + n * (1 + s / PARTICLES)) % PARTICLES;
    angle.stiffness = spring.stiffness / 100;
    angle.damping = spring.damping / 100;
    ASSERT_OK(world, msd_add_constraints(world, &angle, 1, NULL));
  }
  add_plane(world, -1.02);
  return world;
}

Test(scaled_step, penetrations_of_everything_that_hit_a_plane_keep_to_the_energy_they_came_with) {
  static const double steps[] = {1e-4, 1e-3, 1.0 / 60, 1};
  for (int n = 0; n < share_of(40); n++) {
    generator random = {.state = (uint64_t)n + 1};
    const double dt = steps[n % 4];
    msd_world *world = random_tangle(&random, dt);
    const double came = msd_world_get_stats(world).kinetic_energy;
    double most = 0;
    for (int k = 0; k < 40; k++) {
      ASSERT_OK(world, msd_world_step(world, (msd_real)(50 * dt), 50));
      most = fmax(most, msd_world_get_stats(world).kinetic_energy);
    }
    cr_expect_leq(most, 1.001 * came, "penetration %d, dt %g: %g of %g J", n, dt, most, came);
    msd_destroy_world(world);
  }
}

/* A rope of stiff springs with folds that are as stiff and an soft pin in the middle. */
Test(scaled_step, constraints_and_soft_pins_of_any_stiffness_are_taken_at_any_step) {
  for (int frame_substeps = 1; frame_substeps < 40; frame_substeps *= 6) {
    msd_world *world = sheet_with(&(sheet_making){.scaling = MSD_MASS_SCALING_SELECTIVE, .drag = 1});
    for (int32_t i = 0; i + 2 < SIDE * SIDE; i++) {
      msd_constraint_def angle = msd_default_constraint_def();
      angle.kind = MSD_CONSTRAINT_ANGLE;
      for (int32_t n = 0; n < 3; n++)
        angle.particles[n] = i + n;
      angle.stiffness = i % SIDE < SIDE - 2 ? 100 : 0;
      angle.damping = angle.stiffness / 1000;
      ASSERT_OK(world, msd_add_constraints(world, &angle, 1, NULL));
    }
    msd_soft_pin_def soft_pin = msd_default_soft_pin_def();
    soft_pin.particle = SIDE * SIDE / 2;
    soft_pin.position = msd_particle_get_position(world, soft_pin.particle);
    soft_pin.law = MSD_SPRING_STIFFNESS;
    soft_pin.stiffness = 10000;
    soft_pin.damping = 10;
    ASSERT_OK(world, msd_add_soft_pins(world, &soft_pin, 1, NULL));
    run(world, share_of(300), frame_substeps);
    const msd_stats stats = msd_world_get_stats(world);
    const double fallen =
        (double)soft_pin.position.y - (double)msd_particle_get_position(world, soft_pin.particle).y;
    cr_expect_lt(stats.max_speed, 3, "%d: %g", frame_substeps, stats.max_speed);
    cr_expect_float_eq(fallen, 9.81 / 10000, in_part ? 0.05 : 0.002, "%d: %g m, of 1 kg", frame_substeps,
                       fallen);
    msd_destroy_world(world);
  }
}

Test(scaled_step, settings_that_exclude_each_other_say_so) {
  msd_world *world = sheet(MSD_MASS_SCALING_SELECTIVE, true), *none = NULL;
  cr_expect_eq(msd_world_set_integrator(world, MSD_RK4), MSD_BAD_VALUE);
  cr_expect(strstr(msd_world_message(world), "needs integrator \"symplectic_euler\""), "%s",
            msd_world_message(world));
  cr_expect_eq(msd_world_set_mass_scaling(world, MSD_MASS_SCALING_COUNT), MSD_BAD_VALUE);
  ASSERT_OK(world, msd_world_set_mass_scaling(world, MSD_MASS_SCALING_NONE));
  ASSERT_OK(world, msd_world_set_integrator(world, MSD_RK4));
  cr_expect_eq(msd_world_set_mass_scaling(world, MSD_MASS_SCALING_SELECTIVE), MSD_BAD_VALUE);
  cr_expect_eq(msd_world_get_mass_scaling(world), MSD_MASS_SCALING_NONE);
  msd_world_def def = msd_default_world_def();
  def.mass_scaling = MSD_MASS_SCALING_SELECTIVE;
  def.integrator = MSD_EXPLICIT_EULER;
  cr_expect_eq(msd_create_world(&def, &none), MSD_BAD_VALUE);
  msd_destroy_world(world);
}

/* Each allocation of the first step fails in turn. */
Test(scaled_step, without_memory_the_world_is_as_before) {
  msd_result result = MSD_OUT_OF_MEMORY;
  int allowed = 0;
  for (; result != MSD_OK; allowed++) {
    scarce memory = {.left = 100000};
    msd_world_def def = msd_default_world_def();
    def.allocator = scarce_allocator(&memory);
    def.mass_scaling = MSD_MASS_SCALING_SELECTIVE;
    msd_world *world = world_from_def(&def);
    graph g = graph_cloth(12, 12, CLOTH_BEND);
    populate(world, &g, &(making){.pins = true});
    const uint64_t before = msd_world_hash(world);
    memory.left = allowed;
    result = msd_world_step(world, 1, 0);
    cr_assert(result == MSD_OK || result == MSD_OUT_OF_MEMORY, "%d: %s", allowed, msd_world_message(world));
    cr_assert(result == MSD_OK || msd_world_hash(world) == before, "%d", allowed);
    memory.left = 100000;
    if (result != MSD_OK)
      ASSERT_OK(world, msd_world_step(world, 1, 0));
    msd_destroy_world(world);
    cr_assert_eq(memory.in_use, 0, "%d", allowed);
    graph_free(&g);
  }
  cr_expect_gt(allowed, 60);
}
