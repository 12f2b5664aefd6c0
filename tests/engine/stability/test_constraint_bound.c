/* What is certified about springs on constraints, against dense eigenvalues of the linearized network:
   stiffness and damping by the definitions of the laws, Hessians by differences (constraint_matrix.h). */
#include "tests/support/constraint_matrix.h"
#include "tests/support/crumpled.h"

#include "engine/stability/constraint_bound.h"
#include "engine/stability/softening_weights.h"
#include "engine/stability/steps.h"

#include <msd/builder.h>

/* ------------------------------------------------------------------------------------------- networks */

typedef enum choice { LAWS_OWN, LAWS_MAX_STABLE } choice;

static msd_world *penetration(uint64_t seed, int32_t springs, choice which) {
  generator random = {.state = seed};
  msd_world *world = empty_world();
  const int32_t particles = 5 + random_below(&random, MATRIX_PARTICLES - 5);
  add_crumpled_particles(world, &random, particles);
  for (int32_t s = 0; s < springs; s++) {
    const corners ends = different_corners(&random, particles);
    msd_spring_def def = msd_default_spring_def();
    def.a = ends.at[0];
    def.b = ends.at[1];
    def.rest_length = (msd_real)fabs((double)random_real(&random));
    def.stiffness = 100;
    def.damping = 1;
    def.law = which == LAWS_MAX_STABLE ? MSD_SPRING_COEFFICIENT : MSD_SPRING_STIFFNESS;
    ASSERT_OK(world, msd_add_springs(world, &def, 1, NULL));
  }
  const int32_t constraints = 1 + random_below(&random, 3 * particles);
  for (int32_t c = 0; c < constraints; c++)
    add_random_constraint(world, &random, (msd_constraint_kind)random_below(&random, KINDS),
                          which == LAWS_MAX_STABLE ? 1 : 3 * random_below(&random, 2));
  if (seed % 3 == 0)
    ASSERT_OK(world, msd_particle_pin(world, 1));
  return world;
}

/* ------------------------------------------------------------------------------ of one constraint */

/* The least eigenvalue of diag(own) - matrix over the size of the matrix: not below 0 where own is a bound.
   What a fiber is to the analysis counts with its own terms, which have no margin. */
static double room_under_own(const msd_world *world, double dt, double factor, bool geometric) {
  memory m = {.allocator = world->model.memory.allocator, .limit = world->model.memory.limit};
  analysis a;
  cr_assert(analysis_open(&a, &world->model, &m));
  matrix left = network_matrix(world, dt, geometric);
  const spectrum whole = matrix_spectrum(&left);
  double own[MATRIX_PARTICLES];
  for (int i = 0; i < left.size / 3; i++)
    own[i] = (a.count > a.model_springs ? 1 : factor) * step_load_at(a.own[i], dt);
  for (int32_t e = a.model_springs; e < a.count; e++) { /* kappa (x + y)^2 <= 2 kappa (x^2 + y^2) */
    own[analysis_spring_at(&a, e).a] += 2 * step_load_at(analysis_load_of(&a, e), dt);
    own[analysis_spring_at(&a, e).b] += 2 * step_load_at(analysis_load_of(&a, e), dt);
  }
  for (int i = 0; i < left.size; i++)
    for (int j = 0; j < left.size; j++)
      left.at[i][j] = (i == j ? own[i / 3] : 0) - left.at[i][j];
  analysis_close(&a);
  return matrix_spectrum(&left).least / fmax(whole.most, -whole.least);
}

static msd_world *lone_constraint(uint64_t seed, msd_constraint_kind kind, int law_kind) {
  generator random = {.state = seed};
  msd_world *world = empty_world();
  add_crumpled_particles(world, &random, 4);
  add_random_constraint(world, &random, kind, law_kind);
  return world;
}

Test(constraint_bound, own_terms_bound_stiffness_and_damping_of_every_kind_at_random_shapes) {
  for (int kind = 0; kind < KINDS; kind++)
    for (uint64_t seed = 1; seed <= 150; seed++) {
      msd_world *world = lone_constraint(seed, (msd_constraint_kind)kind, 0);
      const double room = room_under_own(world, 0.01 * (double)(seed % 7 + 1), 1 / CONSTRAINT_MARGIN, true);
      cr_assert(room > -1e-6, "%s %d: %g", msd_constraint_kind_name((msd_constraint_kind)kind), (int)seed,
                room);
      msd_destroy_world(world);
    }
}

/* Without damping, so that the Hessian shows; and the part that shape does not move is not more than it needs:
   for equal corners the Gauss-Newton bound is at most twice the eigenvalue. */
Test(constraint_bound, own_terms_bound_the_hessians_alone) {
  for (int kind = 0; kind < KINDS; kind++)
    for (uint64_t seed = 1; seed <= 150; seed++) {
      msd_world *world = lone_constraint(seed, (msd_constraint_kind)kind, 0);
      msd_constraint_def def = msd_constraint_get_def(world, 0);
      def.damping = 0;
      ASSERT_OK(world, msd_constraint_set_law(world, 0, &def));
      const double room = room_under_own(world, 1, 1 / CONSTRAINT_MARGIN, true);
      cr_assert(room > -1e-6, "%s %d: %g", msd_constraint_kind_name((msd_constraint_kind)kind), (int)seed,
                room);
      msd_destroy_world(world);
    }
}

Test(constraint_bound, own_terms_of_frequencies_and_coefficients_bound_them) {
  for (int law_kind = 1; law_kind <= 3; law_kind++)
    for (int kind = 0; kind < KINDS; kind++)
      for (uint64_t seed = 1; seed <= 50; seed++) {
        msd_world *world = lone_constraint(seed, (msd_constraint_kind)kind, law_kind);
        const double room = room_under_own(world, 0.02, 1, law_kind == 3);
        cr_assert(room > -1e-6, "law %d %s %d: %g", law_kind,
                  msd_constraint_kind_name((msd_constraint_kind)kind), (int)seed, room);
        msd_destroy_world(world);
      }
}

/* Legs and heights that differ 30 times, and shapes next to straight, folded and flat, where gradients end. */
Test(constraint_bound, own_terms_bound_shapes_that_are_nearly_degenerate) {
  static const msd_vec3 shapes[5][4] = {
      {{1, (msd_real)1e-3, 0}, {0, 0, 0}, {-1, 0, 0}, {0, 0, 1}},
      {{1, (msd_real)1e-3, 0}, {0, 0, 0}, {(msd_real)0.5, 0, 0}, {0, 0, 1}},
      {{(msd_real)0.03, (msd_real)0.01, 0}, {0, 0, 0}, {1, 1, 0}, {0, (msd_real)-0.25, (msd_real)0.01}},
      {{0, 0, 0}, {1, 0, 0}, {3, (msd_real)0.05, 0}, {-2, (msd_real)0.06, (msd_real)0.01}},
      {{0, 0, 0}, {1, 0, 0}, {(msd_real)0.5, 1, 0}, {(msd_real)0.25, 1, (msd_real)-1e-3}},
  };
  for (int shape = 0; shape < 5; shape++)
    for (int kind = 0; kind < MSD_CONSTRAINT_MESH_VOLUME; kind++)
      for (int rest = 0; rest <= 3; rest++) {
        msd_world *world = empty_world();
        for (int i = 0; i < 4; i++) {
          msd_particle_def p = msd_default_particle_def();
          p.position = shapes[shape][i];
          ASSERT_OK(world, msd_add_particles(world, &p, 1, NULL));
        }
        msd_constraint_def def = constraint_of((msd_constraint_kind)kind, 0, 1, 2, 3);
        def.stiffness = 1;
        def.rest = (msd_real)rest;
        add_constraint(world, def);
        const double room = room_under_own(world, 1, 1 / CONSTRAINT_MARGIN, true);
        cr_assert(room > -1e-4, "shape %d, %s, rest %d: %g", shape,
                  msd_constraint_kind_name((msd_constraint_kind)kind), rest, room);
        msd_destroy_world(world);
      }
}

/* k |g_i| sum |g| is exact for corners of equal weight: an equilateral triangle whose area is at rest has |g| =
   1/2 of its side, 1, at each corner, so that k w |g|^2 3 = 3 k/4, and the limit of a step is 2/sqrt(3 k/4). Of
   the 4 that it may take the least room is kept. */
Test(constraint_bound, a_triangle_at_rest_is_certified_to_the_margin) {
  msd_world *world = empty_world();
  const double height = sqrt(3) / 2;
  const msd_vec3 at[3] = {{0, 0, 0}, {1, 0, 0}, {(msd_real)0.5, (msd_real)height, 0}};
  for (int i = 0; i < 3; i++) {
    msd_particle_def p = msd_default_particle_def();
    p.position = at[i];
    ASSERT_OK(world, msd_add_particles(world, &p, 1, NULL));
  }
  msd_constraint_def def = constraint_of(MSD_CONSTRAINT_AREA, 0, 1, 2, -1);
  def.stiffness = 12;
  add_constraint(world, def);
  const msd_stability_explanation r = explanation_of(world, 0.01);
  const double limit = 2 / sqrt(0.75 * 12);
  const double certified = limit * sqrt((1 - SOFTENING_LEFT_LEAST / 4) / CONSTRAINT_MARGIN);
  cr_assert_float_eq(r.limit.stable_substep, certified, 1e-5 * limit, "%g, not %g", r.limit.stable_substep,
                     certified);
  const double linearized_limit = linearized_limit_of(world);
  cr_assert_float_eq(linearized_limit, limit, 1e-5 * limit, "%g, not %g", linearized_limit, limit);
  cr_assert(!r.limit.every_shape);
  cr_assert_eq(r.cause.constraint, 0);
  cr_assert_eq(r.cause.spring, -1);
  msd_destroy_world(world);
}

/* ---------------------------------------------------------------------------------------- of networks */

Test(constraint_bound, certified_steps_are_below_the_limit_of_the_shape_on_random_networks) {
  double least = INFINITY;
  for (uint64_t seed = 1; seed <= 200; seed++) {
    msd_world *world = penetration(seed, (int32_t)(seed % 15), LAWS_OWN);
    const msd_stability r = report_of(world, 0.01);
    const double radius = linear_radius(world, r.stable_substep, true);
    cr_assert(radius < 4, "network %d: radius %g at the certified %g s", (int)seed, radius, r.stable_substep);
    cr_assert(r.stable_substep_quick <= r.stable_substep * (1 + 1e-12), "network %d", (int)seed);
    cr_assert(r.stable_substep_quick > 0, "network %d", (int)seed);
    cr_assert(r.substeps > 0, "network %d", (int)seed);
    if (isfinite(r.stable_substep))
      cr_assert_eq(softened_constraints(world, r.stable_substep), 0, "network %d", (int)seed);
    for (double dt = 1e-3; dt < 2; dt *= 10)
      cr_assert(report_of(world, dt).radius >= linear_radius(world, (double)(msd_real)dt, true) * (1 - 1e-6),
                "network %d: radius at %g s", (int)seed, dt);
    least = fmin(least, radius);
    msd_destroy_world(world);
  }
  cr_assert(least > 0.02, "some certificate is far too careful: %g of 4", least);
}

Test(constraint_bound, the_max_stable_springs_and_constraints_use_three_of_four_at_every_shape) {
  double most = 0;
  for (uint64_t seed = 1; seed <= 300; seed++) {
    msd_world *world = penetration(seed, (int32_t)(seed % 15), LAWS_MAX_STABLE);
    msd_world *rods = penetration(seed, 0, LAWS_MAX_STABLE);
    const double radius = linear_radius(rods, 1, false);
    const msd_stability r = report_of(world, 1);
    most = fmax(most, radius);
    cr_assert(radius <= 3 + 1e-5, "network %d: %g", (int)seed, radius);
    cr_assert(r.radius <= 3 + 1e-5, "network %d: %g", (int)seed, r.radius);
    cr_assert(isinf(r.stable_substep) && isinf(r.stable_substep_quick), "network %d", (int)seed);
    cr_assert_eq(r.substeps, 1);
    msd_destroy_world(rods);
    msd_destroy_world(world);
  }
  cr_assert(most > 2.999, "no network reaches the bound: %g", most);
}

Test(constraint_bound, coefficients_below_the_limit_are_certified) {
  for (uint64_t seed = 1; seed <= 60; seed++) {
    msd_world *world = penetration(seed, (int32_t)(seed % 15), LAWS_MAX_STABLE);
    const double limit = explanation_of(world, 1).coefficient_limit;
    cr_assert(limit > 0 && limit <= 4.0 / 3, "network %d: %g", (int)seed, limit);
    for (int32_t s = 0; s < msd_world_get_spring_count(world); s++) {
      msd_spring_def def = msd_spring_get_def(world, s);
      def.ck = def.cd = (msd_real)(limit * (1 - 1e-5));
      ASSERT_OK(world, msd_spring_set_law(world, s, &def));
    }
    for (int32_t c = 0; c < msd_world_get_constraint_count(world); c++) {
      msd_constraint_def def = msd_constraint_get_def(world, c);
      def.ck = def.cd = (msd_real)(limit * (1 - 1e-5));
      ASSERT_OK(world, msd_constraint_set_law(world, c, &def));
    }
    const msd_stability r = report_of(world, 1);
    cr_assert(r.radius < 4 && isinf(r.stable_substep), "network %d: radius %g at %g", (int)seed, r.radius,
              limit);
    msd_destroy_world(world);
  }
}

Test(constraint_bound, with_the_limit_the_radius_is_at_most_3_at_any_step) {
  for (uint64_t seed = 1; seed <= 60; seed++) {
    msd_world *world = penetration(seed, (int32_t)(seed % 15), LAWS_OWN);
    ASSERT_OK(world, msd_world_set_clamp_stiffness(world, true));
    const msd_stability r = report_of(world, 10);
    cr_assert(r.radius <= 3 + 1e-5, "network %d: %g", (int)seed, r.radius);
    cr_assert(softening_of(world, 10).constraints > 0 &&
              softening_of(world, 10).constraints <= msd_world_get_constraint_count(world));
    cr_assert(softening_of(world, 10).stiffness_left < 1 && softening_of(world, 10).stiffness_left > 0);
    cr_assert_eq(softening_of(world, 1e-6).constraints, 0, "network %d", (int)seed);
    msd_destroy_world(world);
  }
}

/* The stiffest springs and constraints use 3 of the 4 of each particle, as (n - c)/n and c/n of it, whatever
   the masses: 1 is left to a pair elsewhere, whose dt^2 k (1 + 1) reaches it at 1/sqrt(2 k). At light particles
   between heavy ones the sums over springs are of no use to the quick bound. */
Test(constraint_bound, the_quick_bound_gives_springs_and_constraints_their_shares_of_a_particle) {
  msd_constraint_def angle = msd_default_constraint_def();
  angle.law = MSD_SPRING_COEFFICIENT;
  msd_world *world = empty_world();
  for (int32_t i = 0; i < 6; i++) {
    msd_particle_def p = msd_default_particle_def();
    p.position = (msd_vec3){(msd_real)i, (msd_real)(i % 2), 0};
    p.mass = i == 0 || i == 3 ? 1000 : 1;
    ASSERT_OK(world, msd_add_particles(world, &p, 1, NULL));
  }
  for (int32_t i = 0; i < 5; i++) {
    msd_spring_def def = msd_default_spring_def();
    def.a = i, def.b = i + 1;
    def.law = i == 4 ? MSD_SPRING_STIFFNESS : MSD_SPRING_COEFFICIENT;
    def.stiffness = 200;
    if (i != 3)
      ASSERT_OK(world, msd_add_springs(world, &def, 1, NULL));
  }
  for (int32_t i = 0; i < 2; i++) {
    for (int32_t n = 0; n < 3; n++)
      angle.particles[n] = i + n;
    add_constraint(world, angle);
  }
  const double quick = report_of(world, 0.01).stable_substep_quick;
  cr_assert_float_eq(quick, 1.0 / 20, 1e-5, "%g s", quick);
  msd_destroy_world(world);
}

/* The estimate has the Gauss-Newton part of constraints, and springs and fibers as they lie. */
Test(constraint_bound, the_limit_of_this_shape_is_that_of_the_dense_matrix) {
  for (uint64_t seed = 1; seed <= 40; seed++) {
    msd_world *world = penetration(seed, (int32_t)(seed % 15), LAWS_OWN);
    const double linearized_limit = linearized_limit_of(world);
    const double radius = linear_radius(world, linearized_limit, false);
    if (linearized_limit > report_of(world, 0.01).stable_substep)
      cr_assert_float_eq(radius, 4, 4e-3, "network %d: %g", (int)seed, radius);
    msd_destroy_world(world);
  }
}

/* ------------------------------------------------------------------------------------------- reports */

static msd_world *rope(int32_t particles, msd_constraint_def bend) {
  msd_world *world = empty_world();
  for (int32_t i = 0; i < particles; i++) {
    msd_particle_def p = msd_default_particle_def();
    p.position.x = (msd_real)i;
    ASSERT_OK(world, msd_add_particles(world, &p, 1, NULL));
  }
  for (int32_t i = 0; i + 1 < particles; i++) {
    msd_spring_def def = msd_default_spring_def();
    def.a = i, def.b = i + 1;
    def.stiffness = 100;
    ASSERT_OK(world, msd_add_springs(world, &def, 1, NULL));
  }
  for (int32_t i = 0; i + 2 < particles; i++) {
    bend.particles[0] = i, bend.particles[1] = i + 1, bend.particles[2] = i + 2;
    add_constraint(world, bend);
  }
  return world;
}

static msd_constraint_def physical_angle(double stiffness, double damping) {
  msd_constraint_def def = msd_default_constraint_def();
  def.stiffness = (msd_real)stiffness;
  def.damping = (msd_real)damping;
  return def;
}

Test(constraint_bound, the_constraint_that_limits_is_found_and_so_is_why) {
  msd_world *world = rope(12, physical_angle(1, 0));
  cr_assert(explanation_of(world, 0.01).cause.spring >= 0);
  cr_assert_eq(explanation_of(world, 0.01).cause.constraint, -1);
  msd_constraint_def stiff = physical_angle(5000, 0);
  ASSERT_OK(world, msd_constraint_set_law(world, 4, &stiff));
  const msd_stability_explanation r = explanation_of(world, 0.01);
  cr_assert_eq(r.cause.constraint, 4);
  cr_assert_eq(r.cause.spring, -1);
  cr_assert_eq(r.cause.particle, 5, "the middle one moves it most");
  cr_assert_eq(r.cause.cause, MSD_CAUSE_STIFF_SPRING);
  msd_destroy_world(world);
}

Test(constraint_bound, what_moves_nothing_at_this_shape_is_not_softened) {
  msd_world *world = rope(5, physical_angle(100, 1)); /* straight: no angle has a direction */
  ASSERT_OK(world, msd_world_set_clamp_stiffness(world, true));
  cr_assert_eq(softening_of(world, 1).constraints, 0);
  ASSERT_OK(world, msd_particle_set_position(world, 2, (msd_vec3){2, 1, 0}));
  cr_assert_gt(softening_of(world, 1).constraints, 0, "bent");
  for (int32_t i = 0; i < 5; i++)
    ASSERT_OK(world, msd_particle_pin(world, i));
  cr_assert_eq(softening_of(world, 1).constraints, 0, "pinned");
  msd_destroy_world(world);
}

Test(constraint_bound, only_damping_is_certified_at_every_shape) {
  msd_constraint_def def = msd_default_constraint_def();
  def.law = MSD_SPRING_COEFFICIENT;
  def.ck = 0;
  msd_world *world = rope(5, def);
  cr_assert(report_of(world, 0.01).every_shape);
  def = physical_angle(0, 1);
  ASSERT_OK(world, msd_constraint_set_law(world, 1, &def));
  cr_assert(report_of(world, 0.01).every_shape);
  def = physical_angle(1, 0);
  ASSERT_OK(world, msd_constraint_set_law(world, 0, &def));
  cr_assert(!report_of(world, 0.01).every_shape);
  for (int32_t i = 0; i < 3; i++)
    ASSERT_OK(world, msd_particle_pin(world, i));
  cr_assert(report_of(world, 0.01).every_shape, "what moves nothing counts nothing");
  msd_destroy_world(world);
}

/* A stiff rope has |g| = 1/length: half the length takes twice the substeps, found without being asked. */
Test(constraint_bound, automatic_substeps_follow_the_shape) {
  msd_world *world = rope(6, physical_angle(2000, 0));
  const int32_t promised = report_of(world, 0.0625).substeps;
  ASSERT_OK(world, msd_world_step(world, (msd_real)0.0625, 0));
  const int64_t straight = msd_world_get_steps(world);
  cr_assert_eq(straight, promised);
  for (int32_t i = 0; i < 6; i++)
    ASSERT_OK(world, msd_particle_set_position(world, i, (msd_vec3){(msd_real)i / 2, 0, 0}));
  ASSERT_OK(world, msd_world_step(world, (msd_real)0.0625, 0));
  const int64_t shrunk = msd_world_get_steps(world) - straight;
  cr_assert(shrunk >= 2 * straight - 2 && shrunk <= 2 * straight + 2, "%d substeps, then %d", (int)straight,
            (int)shrunk);
  msd_destroy_world(world);
}

/* The stiffest fold that a step leaves as it is, beside a damper between two unit masses. */
static double max_stable_fold(msd_integrator integrator, double damping, double dt) {
  msd_world *world = rope(3, physical_angle(0, 0));
  ASSERT_OK(world, msd_world_set_integrator(world, integrator));
  msd_particle_def particle = msd_default_particle_def();
  msd_spring_def damper = msd_default_spring_def();
  damper.damping = (msd_real)damping;
  ASSERT_OK(world, msd_particle_set_position(world, 2, (msd_vec3){1, 1, 0}));
  ASSERT_OK(world, msd_spring_break(world, 0));
  ASSERT_OK(world, msd_spring_break(world, 1));
  ASSERT_OK(world, msd_add_particles(world, &particle, 1, &damper.a));
  particle.position.z = 1;
  ASSERT_OK(world, msd_add_particles(world, &particle, 1, &damper.b));
  ASSERT_OK(world, msd_add_springs(world, &damper, 1, NULL));
  double left = 0, softened = 1e6;
  while (softened - left > 1e-3) {
    const double middle = (left + softened) / 2;
    const msd_constraint_def fold = physical_angle(middle, 0);
    ASSERT_OK(world, msd_constraint_set_law(world, 0, &fold));
    if (softened_constraints(world, dt) > 0)
      softened = middle;
    else
      left = middle;
  }
  msd_destroy_world(world);
  return left;
}

/* Of the radius that an integrator has for dt^2 k + c dt mu, the damper takes c dt mu (1 + 1). RK4 is stable
   on the negative axis down to -2.7853, where its 8 are used up by 2 d = 2 2.7853: c = 8/2.7853. */
Test(constraint_bound, a_damper_leaves_folds_the_rest_of_the_radius) {
  const struct {
    msd_integrator integrator;
    double radius, per_damping;
  } table[] = {{MSD_SYMPLECTIC_EULER, 4, 2}, {MSD_RK4, 8, 8 / 2.785293563405282}};
  const double dt = 1.0 / 64, damping = 40;
  for (int n = 0; n < 2; n++) {
    const double alone = max_stable_fold(table[n].integrator, 0, dt);
    const double beside = max_stable_fold(table[n].integrator, damping, dt);
    const double expected = 1 - table[n].per_damping * dt * damping * 2 / table[n].radius;
    cr_expect_float_eq(beside / alone, expected, 1e-4, "integrator %d: %g and not %g",
                       (int)table[n].integrator, beside / alone, expected);
  }
}

Test(constraint_bound, the_other_integrators_keep_their_rules) {
  msd_world *world = rope(6, physical_angle(50, (msd_real)0.5));
  msd_stability r = report_of(world, 0.01);
  cr_assert_eq(r.integrator_stable_substep[MSD_VELOCITY_VERLET], r.stable_substep);
  cr_assert_eq(r.integrator_stable_substep[MSD_EXPLICIT_EULER], 0);
  cr_assert(r.integrator_stable_substep[MSD_RK4] >= r.stable_substep);
  cr_assert_eq(r.integrator_stable_substep[MSD_SEQUENTIAL_IMPULSE], 0, "stiff and damped");
  msd_destroy_world(world);
  world = rope(6, physical_angle(50, 0));
  r = report_of(world, 0.01);
  cr_assert_eq(r.integrator_stable_substep[MSD_SEQUENTIAL_IMPULSE], r.stable_substep, "not damped");
  /* k < 8 instead of 4, less the least room of folds: of k + 2 d, and so 2.8722/2 of it of k + 2.8722 d. */
  const double least = SOFTENING_LEFT_LEAST, ratio = sqrt((8 - least * 4 / 2.7852936) / (4 - least));
  cr_assert_float_eq(r.integrator_stable_substep[MSD_RK4], ratio * r.stable_substep, 1e-4 * r.stable_substep);
  msd_destroy_world(world);
}

/* Impulses of damping alone can take cd < 2, and cd <= 1 with iterations. Of an angle between unit masses at
   unit distances sum w |g|^2 = 1 + 4 + 1. */
Test(constraint_bound, damping_alone_is_certified_for_impulses) {
  msd_world *world = empty_world();
  for (int32_t i = 0; i < 3; i++) {
    msd_particle_def p = msd_default_particle_def();
    p.position.x = (msd_real)i;
    ASSERT_OK(world, msd_add_particles(world, &p, 1, NULL));
  }
  msd_constraint_def def = constraint_of(MSD_CONSTRAINT_ANGLE, 0, 1, 2, -1);
  def.damping = (msd_real)0.25;
  add_constraint(world, def);
  const int impulse = MSD_SEQUENTIAL_IMPULSE;
  const double expected = 2 / (CONSTRAINT_MARGIN * 0.25 * 6);
  cr_assert_float_eq(report_of(world, 0.01).integrator_stable_substep[impulse], expected, 1e-5);
  ASSERT_OK(world, msd_world_set_impulse_iterations(world, 4));
  cr_assert_float_eq(report_of(world, 0.01).integrator_stable_substep[impulse], expected / 2, 1e-5);
  ASSERT_OK(world, msd_world_set_impulse_iterations(world, 1));
  def.law = MSD_SPRING_COEFFICIENT;
  def.ck = 0;
  const struct {
    double cd;
    bool certified;
  } table[] = {{1.99, true}, {2.01, false}, {-1, true}};
  for (int n = 0; n < 3; n++) {
    def.cd = (msd_real)table[n].cd;
    ASSERT_OK(world, msd_constraint_set_law(world, 0, &def));
    cr_assert_eq(report_of(world, 0.01).integrator_stable_substep[impulse] > 0, table[n].certified, "cd %g",
                 table[n].cd);
  }
  def.law = MSD_SPRING_FREQUENCY;
  def.frequency = 0;
  ASSERT_OK(world, msd_constraint_set_law(world, 0, &def));
  cr_assert(isinf(report_of(world, 0.01).integrator_stable_substep[impulse]));
  msd_destroy_world(world);
}

/* With k times f^2 and mu times f the limit moves to 1/f of itself, also when constraints are what limits. */
Test(constraint_bound, scaled_stiffness_scales_constraints_too) {
  msd_world *world = penetration(7, 5, LAWS_OWN);
  const double before = report_of(world, 0.01).stable_substep;
  ASSERT_OK(world, msd_world_scale_stiffness(world, 16));
  cr_assert_float_eq(report_of(world, 0.01).stable_substep, before / 4, 1e-4 * before);
  msd_constraint_def def = msd_default_constraint_def();
  def.stiffness = (msd_real)1e38;
  ASSERT_OK(world, msd_constraint_set_law(world, 0, &def));
  const msd_real kept = msd_spring_get_def(world, 0).stiffness;
  cr_assert_eq(msd_world_scale_stiffness(world, 1e300), MSD_BAD_VALUE);
  cr_assert_eq(msd_spring_get_def(world, 0).stiffness, kept);
  msd_destroy_world(world);
}

Test(constraint_bound, a_report_without_memory_says_so) {
  msd_world *world = penetration(3, 5, LAWS_OWN);
  const size_t limit = world->model.memory.limit;
  msd_stability found;
  int refusals = 0;
  msd_result result = MSD_OUT_OF_MEMORY;
  for (size_t bytes = 0; result != MSD_OK; bytes += 64) {
    world->model.memory.limit = bytes;
    result = msd_world_analyze_stability(world, (msd_real)PI, &found);
    cr_assert(result == MSD_OK || result == MSD_OUT_OF_MEMORY);
    refusals += result != MSD_OK;
  }
  cr_assert(refusals > 10);
  cr_assert(found.substeps > 0);
  world->model.memory.limit = limit;
  msd_destroy_world(world);
}
