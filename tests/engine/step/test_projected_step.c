/* Steps by Gauss-Seidel: what they keep, what they come to with ever shorter substeps, and what they refuse. */

#include "tests/support/networks.h"
#include "tests/support/scarce_memory.h"
#include "tests/support/share.h"
#include "tests/support/snapshots.h"

#include <math.h>

enum { SIDE = 17, HUB = 90 };

typedef struct sheet_making {
  msd_simd simd;
  int threads;
  bool pinned, tethers, hub;
  msd_real stiffness;
} sheet_making;

static void add_spring(msd_world *world, int32_t a, int32_t b, const sheet_making *m) {
  msd_spring_def spring = msd_default_spring_def();
  spring.a = a;
  spring.b = b;
  spring.law = m->stiffness > 0 ? MSD_SPRING_STIFFNESS : MSD_SPRING_COEFFICIENT;
  spring.stiffness = m->stiffness;
  spring.damping = m->stiffness / 10000;
  ASSERT_OK(world, msd_add_springs(world, &spring, 1, NULL));
}

/* A level sheet of 1 m and 1 kg, of rigid springs where no stiffness is given. The hub has a spring to so many
   particles that there is no color for all. */
static msd_world *sheet_with(const sheet_making *m) {
  msd_world_def def = msd_default_world_def();
  def.solver = MSD_SOLVER_GAUSS_SEIDEL;
  def.simd = m->simd;
  def.thread_count = m->threads;
  msd_world *world = world_from_def(&def);
  graph g = graph_cloth(SIDE, SIDE, CLOTH_BEND);
  for (int32_t i = 0; i < g.particles; i++) {
    msd_particle_def particle = msd_default_particle_def();
    particle.position = (msd_vec3){(msd_real)(i % SIDE) / (SIDE - 1), 0, (msd_real)(i / SIDE) / (SIDE - 1)};
    particle.mass = (msd_real)1 / (SIDE * SIDE);
    particle.pinned = m->pinned && (i == 0 || i == SIDE - 1);
    ASSERT_OK(world, msd_add_particles(world, &particle, 1, NULL));
  }
  for (int32_t s = 0; s < g.springs; s++)
    add_spring(world, g.a[s], g.b[s], m);
  for (int32_t i = 0; m->hub && i < HUB; i++)
    add_spring(world, 150, 160 + i, m);
  graph_free(&g);
  if (m->tethers) {
    msd_tethers_def tethers = msd_default_tethers_def();
    tethers.spring.law = MSD_SPRING_HARD_LIMIT;
    tethers.spring.ck = 1;
    tethers.particles = (msd_range){0, SIDE * SIDE};
    ASSERT_OK(world, msd_add_tethers(world, &tethers, NULL));
  }
  return world;
}

static msd_world *sheet(void) {
  return sheet_with(&(sheet_making){.pinned = true, .tethers = true});
}

static void run(msd_world *world, int frames, int substeps) {
  for (int frame = 0; frame < frames; frame++)
    ASSERT_OK(world, msd_world_step(world, (msd_real)1 / 60, substeps));
}

Test(gauss_seidel, gives_the_same_bits_in_every_width_and_on_any_number_of_threads) {
  uint64_t first = 0;
  for (int simd = MSD_SIMD_SCALAR; simd < MSD_SIMD_COUNT; simd++)
    for (int threads = 1; threads <= 5; threads += 2) {
      msd_world *world = sheet_with(&(sheet_making){(msd_simd)simd, threads, .pinned = true, .tethers = true,
                                                    .hub = true, .stiffness = 500});
      run(world, 1, 3);
      ASSERT_OK(world, msd_particle_unpin(world, 0));
      ASSERT_OK(world, msd_particle_set_velocity(world, 30, (msd_vec3){1, 2, 3}));
      run(world, 2, 3);
      first = first ? first : msd_world_hash(world);
      cr_expect_eq(msd_world_hash(world), first, "width %d, %d threads", simd, threads);
      msd_destroy_world(world);
    }
}

/* Symplectic Euler falls by g dt^2 n (n + 1)/2 in n substeps. */
Test(gauss_seidel, a_free_sheet_falls_as_a_stone_does_whatever_moves_in_it) {
  msd_world *world = sheet_with(&(sheet_making){.stiffness = 300});
  ASSERT_OK(world, msd_particle_set_velocity(world, 40, (msd_vec3){30, 0, 0}));
  const msd_stats before = msd_world_get_stats(world);
  run(world, 30, 4);
  const msd_stats after = msd_world_get_stats(world);
  const double dt = (double)((msd_real)1 / 60) / 4, n = 120;
  cr_expect_float_eq(after.center_of_mass[1], -9.81 * dt * dt * n * (n + 1) / 2, 2e-5, "%g",
                     after.center_of_mass[1]);
  cr_expect_float_eq(after.momentum[0], before.momentum[0], 1e-5, "%g",
                     after.momentum[0] - before.momentum[0]);
  msd_destroy_world(world);
}

Test(gauss_seidel, any_number_of_substeps_is_certified_and_comes_to_rest) {
  static const int substeps[] = {1, 3, 10};
  for (size_t n = 0; n < sizeof substeps / sizeof *substeps; n++) {
    msd_world *world = sheet();
    ASSERT_OK(world, msd_world_set_linear_damping(world, 2));
    msd_stability found;
    ASSERT_OK(world, msd_world_analyze_stability(world, (msd_real)(1 / 60.0 / substeps[n]), &found));
    cr_expect(found.certified && found.radius == 0 && found.substeps >= 1, "%d", found.substeps);
    run(world, share_of(250), substeps[n]);
    const msd_stats stats = msd_world_get_stats(world);
    cr_expect_lt(stats.max_speed, in_part ? 10.0 : 0.5, "%d: %g", substeps[n], stats.max_speed);
    cr_expect_lt(stats.max_stretch, 0.5 / substeps[n], "%d: %g", substeps[n], stats.max_stretch);
    msd_destroy_world(world);
  }
}

/* The substeps are sqrt(l/(10 g n)) long, and hold what they are said to hold. */
Test(gauss_seidel, automatic_substeps_hold_a_rope_to_a_few_hundredths) {
  msd_world_def def = msd_default_world_def();
  def.solver = MSD_SOLVER_GAUSS_SEIDEL;
  def.linear_damping = 4;
  msd_world *world = world_from_def(&def);
  for (int32_t i = 0; i <= 40; i++) {
    msd_particle_def particle = msd_default_particle_def();
    particle.position = (msd_vec3){0, -(msd_real)0.125 * (msd_real)i, 0};
    particle.pinned = i == 0;
    ASSERT_OK(world, msd_add_particles(world, &particle, 1, NULL));
    if (i > 0)
      add_spring(world, i - 1, i, &(sheet_making){.stiffness = 0});
  }
  int32_t substeps;
  ASSERT_OK(world, msd_world_find_substeps(world, (msd_real)0.25, &substeps));
  cr_expect_eq(substeps, 1 + (int32_t)(0.25 / sqrt(0.125 / (10 * (double)(msd_real)9.81 * 40))), "%d",
               substeps);
  for (int step = 0; step < 40; step++)
    ASSERT_OK(world, msd_world_step(world, (msd_real)0.25, 0));
  const msd_stats stats = msd_world_get_stats(world);
  cr_expect_lt(stats.mean_stretch, 0.06, "%g", stats.mean_stretch);
  cr_expect_gt(stats.mean_stretch, 0.005, "%g", stats.mean_stretch);
  ASSERT_OK(world, msd_world_set_gravity(world, (msd_vec3){0, 0, 0}));
  ASSERT_OK(world, msd_world_find_substeps(world, (msd_real)0.25, &substeps));
  cr_expect_eq(substeps, 1, "nothing falls, and forces would take any step");
  msd_destroy_world(world);
}

/* Of rigid springs less is left the more often they are taken: some dt^2. */
Test(gauss_seidel, the_stretch_of_a_rope_falls_with_the_square_of_the_substep) {
  double stretch[3];
  for (int n = 0; n < 3; n++) {
    msd_world_def def = msd_default_world_def();
    def.solver = MSD_SOLVER_GAUSS_SEIDEL;
    def.linear_damping = 4;
    msd_world *world = world_from_def(&def);
    for (int32_t i = 0; i < 20; i++) {
      msd_particle_def particle = msd_default_particle_def();
      particle.position = (msd_vec3){0, (msd_real)-i, 0};
      particle.pinned = i == 0;
      ASSERT_OK(world, msd_add_particles(world, &particle, 1, NULL));
      if (i > 0)
        add_spring(world, i - 1, i, &(sheet_making){.stiffness = 0});
    }
    run(world, share_of(600), 2 << n);
    stretch[n] = msd_world_get_stats(world).max_stretch;
    msd_destroy_world(world);
  }
  for (int n = 1; n < 3; n++)
    cr_expect(in_part || fabs(stretch[n - 1] / stretch[n] - 4) < 0.4, "%g, then %g", stretch[n - 1],
              stretch[n]);
}

/* Of springs that a short substep can take both are the same motion. */
Test(gauss_seidel, moves_as_by_forces_where_substeps_are_short) {
  msd_world *swept = sheet_with(&(sheet_making){.pinned = true, .stiffness = 300});
  msd_world *forced = sheet_with(&(sheet_making){.pinned = true, .stiffness = 300});
  ASSERT_OK(forced, msd_world_set_solver(forced, MSD_SOLVER_EXPLICIT));
  run(swept, 10, 150);
  run(forced, 10, 150);
  for (int32_t i = 0; i < SIDE * SIDE; i++) {
    const msd_vec3 a = msd_particle_get_position(swept, i), b = msd_particle_get_position(forced, i);
    cr_assert_float_eq((double)a.y, (double)b.y, 0.003, "particle %d: %g, %g", i, (double)a.y, (double)b.y);
  }
  msd_destroy_world(swept);
  msd_destroy_world(forced);
}

/* All that has changed is seen, and nothing that is not in the snapshot. */
Test(gauss_seidel, goes_on_from_snapshots_after_every_change) {
  msd_world *world = sheet(), *copy = NULL;
  for (int change = 0; change < 7; change++) {
    run(world, 1, change % 2 ? 0 : 3);
    msd_spring_def def = msd_spring_get_def(world, 17);
    def.law = MSD_SPRING_STIFFNESS;
    def.stiffness = 100;
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
      ASSERT_OK(world, msd_particle_pin(world, 200));
    if (change == 6)
      ASSERT_OK(world, msd_world_set_gravity(world, (msd_vec3){0, -100, 0}));
    run(world, 1, change % 2 ? 3 : 0);
    ASSERT_OK(world, msd_copy_world(world, &copy));
    cr_expect_eq(msd_world_get_solver(copy), MSD_SOLVER_GAUSS_SEIDEL);
    run(world, 1, 0);
    run(copy, 1, 0);
    cr_expect_eq(msd_world_hash(copy), msd_world_hash(world), "change %d", change);
    msd_destroy_world(copy);
  }
  msd_destroy_world(world);
}

Test(gauss_seidel, moves_what_is_added_and_leaves_what_is_destroyed) {
  msd_world *world = sheet();
  run(world, 2, 3);
  msd_particle_def particle = msd_default_particle_def();
  particle.position = (msd_vec3){2, 0, 0};
  ASSERT_OK(world, msd_add_particles(world, &particle, 1, NULL));
  add_spring(world, SIDE * SIDE - 1, SIDE * SIDE, &(sheet_making){.stiffness = 0});
  run(world, 2, 3);
  ASSERT_OK(world, msd_destroy_range(world, MSD_OBJECT_PARTICLE, (msd_range){60, 20}));
  run(world, 2, 3);
  ASSERT_OK(world, msd_world_compact(world, NULL));
  run(world, share_of(60), 10);
  cr_expect_lt(msd_world_get_stats(world).max_stretch, 1);
  msd_destroy_world(world);
}

/* With constraints as forces and what acts behind. */
Test(gauss_seidel, folds_and_colliders_beside_it_stay_within_the_energy_of_the_fall) {
  static const int substeps[] = {1, 3, 20};
  for (size_t n = 0; n < sizeof substeps / sizeof *substeps; n++) {
    msd_world *world = sheet();
    msd_collider_def ball = msd_default_collider_def();
    ball.kind = MSD_COLLIDER_SPHERE;
    ball.position = (msd_vec3){(msd_real)0.5, (msd_real)-0.5, (msd_real)0.6};
    ball.radius = (msd_real)0.25;
    ASSERT_OK(world, msd_add_colliders(world, &ball, 1, NULL));
    for (int32_t i = 0; i + 2 < msd_world_get_particle_count(world); i += 2) {
      msd_constraint_def angle = msd_default_constraint_def();
      angle.kind = MSD_CONSTRAINT_ANGLE;
      for (int32_t k = 0; k < 3; k++)
        angle.particles[k] = i + k;
      angle.stiffness = 1e6;
      ASSERT_OK(world, msd_add_constraints(world, &angle, 1, NULL));
    }
    for (int frame = 0; frame < share_of(120); frame++) {
      run(world, 1, substeps[n]);
      const msd_stats stats = msd_world_get_stats(world);
      const double fallen = -9.81 * stats.center_of_mass[1];
      cr_expect_leq(stats.kinetic_energy, 1.02 * fallen + 0.01, "%d substeps, frame %d: %g of %g J",
                    substeps[n], frame, stats.kinetic_energy, fallen);
    }
    msd_destroy_world(world);
  }
}

Test(gauss_seidel, refuses_what_is_not_proven_and_says_so) {
  msd_world *world = sheet();
  msd_soft_pin_def soft_pin = msd_default_soft_pin_def();
  soft_pin.particle = 30;
  ASSERT_OK(world, msd_add_soft_pins(world, &soft_pin, 1, NULL));
  const uint64_t before = msd_world_hash(world);
  cr_expect_eq(msd_world_step(world, (msd_real)0.01, 1), MSD_BAD_VALUE);
  cr_expect(strstr(msd_world_message(world), "solver \"gauss_seidel\" does not support soft pins"), "%s",
            msd_world_message(world));
  cr_expect_eq(msd_world_hash(world), before);
  cr_expect_eq(msd_world_set_integrator(world, MSD_RK4), MSD_BAD_VALUE);
  cr_expect(strstr(msd_world_message(world), "solver \"gauss_seidel\" needs integrator"), "%s",
            msd_world_message(world));
  cr_expect_eq(msd_world_set_energy_mode(world, MSD_ENERGY_BOUNDED), MSD_BAD_VALUE);
  cr_expect_eq(msd_world_set_mass_scaling(world, MSD_MASS_SCALING_SELECTIVE), MSD_BAD_VALUE);
  cr_expect_eq(msd_world_set_solver(world, MSD_SOLVER_COUNT), MSD_BAD_VALUE);
  ASSERT_OK(world, msd_world_set_solver(world, MSD_SOLVER_EXPLICIT));
  ASSERT_OK(world, msd_world_set_mass_scaling(world, MSD_MASS_SCALING_SELECTIVE));
  cr_expect_eq(msd_world_set_solver(world, MSD_SOLVER_GAUSS_SEIDEL), MSD_BAD_VALUE);
  cr_expect_eq(msd_world_get_solver(world), MSD_SOLVER_EXPLICIT);
  msd_destroy_world(world);
  msd_world_def def = msd_default_world_def();
  def.solver = MSD_SOLVER_GAUSS_SEIDEL;
  def.integrator = MSD_VELOCITY_VERLET;
  cr_expect_eq(msd_create_world(&def, &world), MSD_BAD_VALUE);
  def = msd_default_world_def();
  def.solver = MSD_SOLVER_COUNT;
  cr_expect_eq(msd_create_world(&def, &world), MSD_BAD_VALUE);
}

/* Each allocation of the first step fails in turn. */
Test(gauss_seidel, without_memory_the_world_is_as_before) {
  msd_result result = MSD_OUT_OF_MEMORY;
  int allowed = 0;
  for (; result != MSD_OK; allowed++) {
    scarce memory = {.left = 100000};
    msd_world_def def = msd_default_world_def();
    def.allocator = scarce_allocator(&memory);
    def.solver = MSD_SOLVER_GAUSS_SEIDEL;
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
  cr_expect_gt(allowed, 20, "%d", allowed);
}

/* A string of 40 pieces, stretched by 1 % between pins, without weight. */
static msd_world *taut_string(msd_solver solver, int substeps, int frames) {
  msd_world_def def = msd_default_world_def();
  def.gravity = (msd_vec3){0, 0, 0};
  def.solver = solver;
  msd_world *world = NULL;
  cr_assert_eq(msd_create_world(&def, &world), MSD_OK);
  for (int i = 0; i <= 40; i++) {
    msd_particle_def particle = msd_default_particle_def();
    particle.position.x = (msd_real)(0.02525 * i);
    particle.mass = (msd_real)0.0003;
    particle.pinned = i == 0 || i == 40;
    ASSERT_OK(world, msd_add_particles(world, &particle, 1, NULL));
  }
  for (int i = 0; i < 40; i++) {
    msd_spring_def spring = msd_default_spring_def();
    spring.a = i;
    spring.b = i + 1;
    spring.rest_length = (msd_real)0.025;
    spring.law = MSD_SPRING_STIFFNESS;
    spring.stiffness = 40000;
    ASSERT_OK(world, msd_add_springs(world, &spring, 1, NULL));
  }
  for (int frame = 0; frame < frames; frame++)
    ASSERT_OK(world, msd_world_step(world, (msd_real)(1.0 / 60), substeps));
  return world;
}

Test(projected_step, the_residual_shows_that_a_taut_string_is_not_solved) {
  msd_world *coarse = taut_string(MSD_SOLVER_GAUSS_SEIDEL, 2, 10),
            *fine = taut_string(MSD_SOLVER_GAUSS_SEIDEL, 400, 10);
  const msd_solver_residual much = msd_world_get_solver_residual(coarse),
                            little = msd_world_get_solver_residual(fine);
  cr_expect_gt(much.largest, 5e-3);
  cr_expect_lt(little.largest, much.largest / 4);
  cr_expect_leq(much.mean, much.largest);
  cr_assert(much.spring >= 0 && much.spring < 40);
  ASSERT_OK(coarse, msd_particle_set_position(coarse, 5, msd_particle_get_position(coarse, 5)));
  cr_expect_eq(msd_world_get_solver_residual(coarse).spring, -1, "a change forgets the residual");
  msd_destroy_world(coarse);
  msd_destroy_world(fine);
}

Test(projected_step, explicit_springs_have_no_residual) {
  msd_world *world = taut_string(MSD_SOLVER_EXPLICIT, 400, 1);
  const msd_solver_residual none = msd_world_get_solver_residual(world);
  cr_expect(none.spring == -1 && none.largest == 0 && none.mean == 0);
  msd_destroy_world(world);
}

Test(projected_step, a_lone_spring_has_no_residual_at_rest_and_in_motion) {
  msd_world *world = taut_string(MSD_SOLVER_GAUSS_SEIDEL, 10, 0);
  for (int e = 1; e < 40; e++)
    ASSERT_OK(world, msd_spring_break(world, e));
  ASSERT_OK(world, msd_world_step(world, (msd_real)(1.0 / 60), 10));
  cr_expect_lt(msd_world_get_solver_residual(world).largest, 1e-4);
  msd_destroy_world(world);
}
