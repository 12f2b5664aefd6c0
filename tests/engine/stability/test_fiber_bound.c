/* What is certified about fibers: the operator of the theory, by a dense matrix of its own, and networks in
   motion. */
#include "tests/support/constraint_matrix.h"
#include "tests/support/crumpled.h"
#include "tests/support/fibers.h"

#include "engine/stability/bound.h"
#include "engine/stability/fiber_bound.h"

/* ------------------------------------------------------------------------------------------ the operator */

/* Fibers between random corners, some on the same ones; springs beside them with every third seed. */
static msd_world *fiber_tangle(uint64_t seed) {
  generator random = {.state = seed};
  msd_world *world = empty_world();
  const int32_t particles = 5 + random_below(&random, MATRIX_PARTICLES - 5);
  add_crumpled_particles(world, &random, particles);
  for (int32_t n = 0; n < 2 * particles; n++) {
    const corners c = different_corners(&random, particles);
    msd_constraint_def def =
        constraint_of(MSD_CONSTRAINT_FIBER, c.at[0], c.at[1], c.at[2], n % 2 ? c.at[3] : -1);
    for (int turn = 0; turn < 1 + n % 3; turn++) {
      def.rest = (msd_real)fabs((double)random_real(&random));
      def.weights[0] = 0;
      for (int k = 1; k < (n % 2 ? 4 : 3); k++) {
        def.weights[k] = random_real(&random);
        def.weights[0] -= def.weights[k];
      }
      give_law(&def, n % 2 ? 0 : 3);
      if (def.weights[1] != 0 || def.weights[2] != 0)
        add_constraint(world, def);
    }
  }
  for (int32_t n = 0; seed % 3 == 0 && n < particles; n++) {
    const corners ends = different_corners(&random, particles);
    msd_spring_def def = msd_default_spring_def();
    def.a = ends.at[0], def.b = ends.at[1];
    def.stiffness = 50, def.damping = 1;
    ASSERT_OK(world, msd_add_springs(world, &def, 1, NULL));
  }
  if (seed % 4 == 0)
    ASSERT_OK(world, msd_particle_pin(world, 1));
  return world;
}

/* sum of kappa b b' over springs and fibers, over the roots of the masses. */
static double radius_by_definition(const msd_world *world, double dt) {
  matrix m = {.size = msd_world_get_particle_count(world)};
  for (int32_t c = 0; c < msd_world_get_constraint_count(world); c++) {
    const msd_constraint_def def = msd_constraint_get_def(world, c);
    double gradient[MATRIX_SIZE];
    const places all = places_of(world);
    shape_at(&def, &all, gradient);
    const tuning t = constraint_tuning_of(world, &def, gradient, dt);
    for (int i = 0; i < 4 && def.particles[i] >= 0; i++)
      for (int j = 0; j < 4 && def.particles[j] >= 0; j++)
        m.at[def.particles[i]][def.particles[j]] += (dt * dt * t.stiffness + 2 * dt * t.damping) *
                                                    fabs((double)def.weights[i] * (double)def.weights[j]);
  }
  for (int32_t s = 0; s < msd_world_get_spring_count(world); s++) {
    const msd_spring_def def = msd_spring_get_def(world, s);
    const double kappa = dt * dt * (double)def.stiffness + 2 * dt * (double)def.damping;
    m.at[def.a][def.a] += kappa, m.at[def.b][def.b] += kappa;
    m.at[def.a][def.b] += kappa, m.at[def.b][def.a] += kappa;
  }
  for (int i = 0; i < m.size; i++)
    for (int j = 0; j < m.size; j++)
      m.at[i][j] *= sqrt(inverse_mass_of(world, i) * inverse_mass_of(world, j));
  return matrix_spectrum(&m).most;
}

Test(fiber_bound, the_certified_step_is_that_of_the_operator) {
  for (uint64_t seed = 1; seed <= 100; seed++) {
    msd_world *world = fiber_tangle(seed);
    const msd_stability found = report_of(world, 0.01);
    cr_assert(found.every_shape);
    const double at_limit = radius_by_definition(world, found.stable_substep);
    cr_assert(at_limit < 4 && at_limit > 3.99, "seed %d: the radius is %.9g", (int)seed, at_limit);
    const double quick = radius_by_definition(world, found.stable_substep_quick);
    cr_assert(quick < 4, "seed %d: the radius is %.9g at the quick limit", (int)seed, quick);
    cr_assert(found.radius >= radius_by_definition(world, 0.01) * (1 - 1e-9), "seed %d", (int)seed);
    msd_destroy_world(world);
  }
}

Test(fiber_bound, the_linearized_step_is_stable_at_any_shape) {
  for (uint64_t seed = 1; seed <= 60; seed++) {
    msd_world *world = fiber_tangle(seed);
    const double step = report_of(world, 0.01).stable_substep;
    generator random = {.state = 1000 + seed};
    for (int shape = 0; shape < 4; shape++) {
      for (int32_t i = 0; i < msd_world_get_particle_count(world); i++)
        ASSERT_OK(world, msd_particle_set_position(world, i,
                                                   random_vector(&random, (msd_real)(0.25 * (1 + shape)))));
      const double radius = linear_radius(world, step, true);
      cr_assert_lt(radius, 4, "seed %d, shape %d: %g", (int)seed, shape, radius);
    }
    msd_destroy_world(world);
  }
}

/* One fiber, b = (1, 1/2, 1/2): K w is (1 + 1/4 + 1/4) k w, with nothing lost. */
Test(fiber_bound, a_lone_fiber_is_certified_to_its_own_limit) {
  msd_world *world = empty_world();
  const msd_vec3 at[3] = {{0, 1, 0}, {-1, 0, 0}, {1, 0, 0}};
  for (int i = 0; i < 3; i++) {
    msd_particle_def p = msd_default_particle_def();
    p.position = at[i];
    p.mass = 2;
    ASSERT_OK(world, msd_add_particles(world, &p, 1, NULL));
  }
  msd_constraint_def def = constraint_of(MSD_CONSTRAINT_FIBER, 0, 1, 2, -1);
  cr_assert_eq(msd_fiber_weights(at, 3, (msd_vec3){0, 1, 0}, def.weights), MSD_OK);
  def.stiffness = 3;
  add_constraint(world, def);
  const msd_stability_explanation r = explanation_of(world, 0.01);
  cr_assert_float_eq(r.limit.stable_substep, 2 / sqrt(1.5 * 3 / 2), 1e-5);
  cr_assert(r.limit.every_shape && r.cause.limiting == MSD_LIMITING_CONSTRAINT && r.cause.constraint == 0);
  cr_assert_float_eq(linearized_limit_of(world), r.limit.stable_substep, 1e-4);
  msd_destroy_world(world);
}

/* With physical fibers alone, as frequencies go with the masses. */
Test(fiber_bound, particles_of_the_required_masses_are_certified) {
  for (uint64_t seed = 1; seed <= 40; seed++) {
    const double dt = 0.02;
    msd_world *world = fiber_tangle(seed);
    msd_constraint_def def = msd_default_constraint_def();
    def.stiffness = 30;
    def.damping = (msd_real)0.25;
    for (int32_t c = 0; c < msd_world_get_constraint_count(world); c++)
      ASSERT_OK(world, msd_constraint_set_law(world, c, &def));
    double masses[MATRIX_PARTICLES];
    ASSERT_OK(world, msd_world_find_required_masses(world, (msd_real)dt, masses));
    for (int32_t i = 0; i < msd_world_get_particle_count(world); i++)
      if (masses[i] > 0)
        ASSERT_OK(world, msd_particle_set_mass(world, i, (msd_real)(masses[i] * (1 + 1e-6))));
    const double radius = radius_by_definition(world, dt), step = report_of(world, dt).stable_substep;
    cr_assert(radius <= 4 && radius > 2 && step >= dt, "seed %d: radius %g, step %g", (int)seed, radius,
              step);
    msd_destroy_world(world);
  }
}

Test(fiber_bound, springs_beside_fibers_have_limits_that_are_certified) {
  for (uint64_t seed = 3; seed <= 60; seed += 3) { /* those have springs */
    msd_world *world = fiber_tangle(seed);
    const double dt = 0.5 * report_of(world, 0.01).stable_substep;
    const msd_range all = {0, msd_world_get_spring_count(world)};
    msd_stiffness_limits limits;
    ASSERT_OK(world, msd_world_find_stiffness_limits(world, &all, 1, (msd_real)dt, &limits));
    cr_assert(limits.stiffness > 50, "seed %d: %g", (int)seed, limits.stiffness);
    for (int way = 0; way < 2; way++) {
      msd_spring_def def = msd_spring_get_def(world, 0);
      def.stiffness = (msd_real)(limits.stiffness * (way == 0 ? 0.999 : 1.1));
      for (int32_t e = 0; e < all.count; e++)
        ASSERT_OK(world, msd_spring_set_law(world, e, &def));
      cr_assert((report_of(world, dt).used < 1) == (way == 0), "seed %d, way %d: %g", (int)seed, way,
                report_of(world, dt).used);
    }
    msd_destroy_world(world);
  }
}

/* ----------------------------------------------------------------------------------------------- in motion */

static double energy_of(const msd_world *world) {
  const msd_stats d = msd_world_get_stats(world);
  return d.kinetic_energy + d.elastic_energy;
}

/* A sheet whose vertices are off by `size` cells, undamped. */
static msd_world *crumpled_sheet(sheet_kind kind, uint64_t seed, double size) {
  static const fiber_family families[3] = {{0, 80}, {1.0471975511965976, 80}, {2.0943951023931953, 80}};
  const sheet s = make_sheet(kind);
  generator random = {.state = seed};
  msd_world *world = empty_world();
  for (int32_t v = 0; v < SHEET_VERTICES; v++) {
    const msd_vec3 shake = random_vector(&random, (msd_real)(0.25 * size));
    msd_particle_def def = msd_default_particle_def();
    def.position = (msd_vec3){s.at[v].x + shake.x, s.at[v].y + shake.y, shake.z};
    def.mass = (msd_real)(0.01 * (2 + (double)random_real(&random)));
    ASSERT_OK(world, msd_add_particles(world, &def, 1, NULL));
  }
  add_sheet_fibers(world, &s, families, 3, 0);
  return world;
}

/* How often the energy of the beginning is there at the end, or before it ends. */
static double growth_of(msd_world *world, double dt, int steps) {
  const double begin = energy_of(world);
  for (int n = 0; n < steps; n += 50) {
    if (msd_world_step(world, (msd_real)(50 * dt), 50) != MSD_OK || !(energy_of(world) < 1e12 * begin))
      return INFINITY;
  }
  return energy_of(world) / begin;
}

Test(fiber_bound, crumpled_sheets_do_not_explode_below_their_limit_and_do_beyond) {
  for (uint64_t seed = 1; seed <= 8; seed++) {
    const sheet_kind kind = (sheet_kind)(seed % SHEET_KINDS);
    const double size = seed % 2 ? 0.3 : 2;
    msd_world *world = crumpled_sheet(kind, seed, size);
    const double limit = report_of(world, 0.01).stable_substep;
    const double below = growth_of(world, 0.98 * limit, 2000);
    cr_expect_lt(below, 1e6, "seed %d: the energy grew %g times", (int)seed, below);
    msd_destroy_world(world);
    world = crumpled_sheet(kind, seed, size);
    cr_expect_gt(growth_of(world, 1.6 * limit, 2000), 1e6, "seed %d", (int)seed);
    msd_destroy_world(world);
  }
}
