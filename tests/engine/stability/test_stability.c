/* The stability report against the true spectral radius, and against closed forms of regular networks. */
#include "tests/support/true_limit.h"

#include <float.h>
#include <math.h>

/* Everything a report promises, against the truth. */
static void assert_promises(const char *name, const msd_world *world) {
  const double limit = true_limit(world), dts[] = {0.01, 1e-4, 1};
  for (int k = 0; k < 3; k++) {
    const double dt = (double)(msd_real)dts[k], radius = true_radius(world, dt);
    const msd_stability_explanation r = explanation_of(world, dt);
    cr_assert_eq(r.limit.substep, dt);
    /* The engine has inverse masses as msd_real. */
    cr_assert(r.limit.radius >= radius * (1 - 1e-7), "%s: radius %.12g is said to be below %.12g", name,
              radius, r.limit.radius);
    cr_assert(r.limit.stable_substep <= limit * (1 + 1e-9), "%s: %.12g s certified, %.12g s is the limit",
              name, r.limit.stable_substep, limit);
    cr_assert(r.limit.stable_substep_quick <= r.limit.stable_substep * (1 + 1e-12),
              "%s: quick %.12g over %.12g", name, r.limit.stable_substep_quick, r.limit.stable_substep);
    cr_assert(linearized_limit_of(world) >= r.limit.stable_substep, "%s", name);
    cr_assert(r.limit.tightness >= 0 && r.limit.tightness <= 1, "%s: tightness %g", name, r.limit.tightness);
    if (isfinite(limit))
      cr_assert(r.limit.stable_substep >= r.limit.tightness * limit * (1 - 1e-5),
                "%s: %.12g s of %.12g s are said to be a part of %g", name, r.limit.stable_substep, limit,
                r.limit.tightness);
    cr_assert(dt >= r.limit.stable_substep || r.limit.radius < 4,
              "%s: %g s is certified and the radius there is %g", name, dt, r.limit.radius);
    if (r.limit.substeps > 0) {
      cr_assert(dt / r.limit.substeps < r.limit.stable_substep, "%s", name);
      cr_assert(r.limit.substeps == 1 || dt / (r.limit.substeps - 1) >= r.limit.stable_substep, "%s", name);
    } else {
      cr_assert(r.limit.stable_substep < dt / 999999, "%s: no substeps, and %g s is certified", name,
                r.limit.stable_substep);
    }
  }
}

/* --------------------------------------------------------------------------- certified is below the truth */

static void small_networks(void (*check)(const char *name, const making *m, const graph *g)) {
  named_graph list[] = {
      {"pair", graph_rope(2, false)},
      {"rope", graph_rope(9, false)},
      {"rope with bend", graph_rope(14, true)},
      {"square cloth", graph_cloth(4, 4, CLOTH_STRETCH)},
      {"cloth", graph_cloth(5, 4, CLOTH_BEND)},
      {"block", graph_block(3, false)},
      {"sheared block", graph_block(2, true)},
      {"star", graph_star(20, 0)},
      {"star around the last", graph_star(12, 11)},
      {"tree of springs", graph_random(20, 12, 1)},
      {"random", graph_random(18, 40, 2)},
      {"dense", graph_random(8, 60, 3)},
      {"doubled rope", graph_doubled(graph_rope(8, true), true)},
  };
  for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
    for (int law_kind = 0; law_kind < LAWS_COUNT; law_kind++)
      for (int variant = 0; variant < 4; variant++)
        check(list[i].name,
              &(making){(laws)law_kind, .seed = variant % 2 ? 7 : 0, .pins = variant / 2 == 1,
                        .breaks = variant ? variant + 1 : 0},
              &list[i].graph);
    graph_free(&list[i].graph);
  }
}

static void check_promises(const char *name, const making *m, const graph *g) {
  msd_world *world = world_of(g, m);
  assert_promises(name, world);
  msd_destroy_world(world);
}

Test(stability, certified_steps_are_below_the_true_limit_on_networks_of_every_shape) {
  small_networks(check_promises);
}

Test(stability, mass_ratios_of_a_million_change_nothing) {
  for (uint64_t seed = 1; seed < 40; seed++) {
    generator random = {.state = seed};
    graph g = graph_random(14, 10 + random_below(&random, 30), seed);
    msd_world *world = world_of(&g, &(making){.laws = (laws)(seed % LAWS_COUNT)});
    for (int32_t i = 0; i < g.particles; i++)
      ASSERT_OK(world, msd_particle_set_mass(world, i, (msd_real)pow(10, 3 * (double)random_real(&random))));
    assert_promises("random masses", world);
    msd_destroy_world(world);
    graph_free(&g);
  }
}

Test(stability, stiffness_ratios_of_a_million_change_nothing) {
  for (uint64_t seed = 1; seed < 40; seed++) {
    generator random = {.state = seed};
    graph g = graph_random(14, 10 + random_below(&random, 30), seed);
    msd_world *world = world_of(&g, &(making){.laws = LAWS_PHYSICAL});
    for (int32_t s = 0; s < g.springs; s++) {
      msd_spring_def def = msd_default_spring_def();
      def.stiffness = (msd_real)pow(10, 3 * (double)random_real(&random));
      def.damping = random_below(&random, 2) ? (msd_real)pow(10, 3 * (double)random_real(&random) - 3) : 0;
      ASSERT_OK(world, msd_spring_set_law(world, s, &def));
    }
    assert_promises("random stiffness", world);
    msd_destroy_world(world);
    graph_free(&g);
  }
}

/* --------------------------------------------------------------------------------- closed forms, large nets */

/* Of a path of n unit masses with unit springs; the signless and the common Laplacian have one spectrum. */
static double path_radius(int n) {
  return 2 + 2 * cos(PI / n);
}

static void assert_tight(const char *name, const graph *g, double stiffness, double mass,
                         double unit_radius) {
  msd_world *world = world_of(g, &(making){.laws = LAWS_PHYSICAL});
  for (int32_t i = 0; i < g->particles; i++)
    ASSERT_OK(world, msd_particle_set_mass(world, i, (msd_real)mass));
  msd_spring_def def = msd_default_spring_def();
  def.stiffness = (msd_real)stiffness;
  for (int32_t s = 0; s < g->springs; s++)
    ASSERT_OK(world, msd_spring_set_law(world, s, &def));
  const double limit = 2 / sqrt(stiffness / mass * unit_radius);
  const msd_stability r = report_of(world, 0.01);
  cr_assert(r.stable_substep <= limit, "%s", name);
  cr_assert(r.stable_substep >= 0.98 * limit, "%s: %g of the limit after %d sweeps", name,
            r.stable_substep / limit, r.sweeps);
  cr_assert(r.tightness >= 0.95, "%s: tightness %g", name, r.tightness);
  cr_assert(r.sweeps >= 1 && r.sweeps <= 50);
  msd_destroy_world(world);
}

Test(stability, ropes_grids_and_lattices_are_certified_within_2_percent) {
  for (int n = 2; n < 300; n = n * 2 + 1) {
    graph rope = graph_rope(n, false);
    assert_tight("rope", &rope, 100, 0.25, path_radius(n));
    graph_free(&rope);
  }
  graph grid = graph_cloth(30, 30, CLOTH_STRETCH), slim = graph_cloth(50, 7, CLOTH_STRETCH),
        lattice = graph_block(8, false);
  assert_tight("grid", &grid, 1000, 1, 2 * path_radius(30));
  assert_tight("slim grid", &slim, 1000, 2, path_radius(50) + path_radius(7));
  assert_tight("lattice", &lattice, 10, 0.5, 3 * path_radius(8));
  graph_free(&grid);
  graph_free(&slim);
  graph_free(&lattice);
}

typedef struct critical {
  const char *name;
  graph graph;
  double flat, any_shape; /* measured, rounded to three digits */
} critical;

/* Measured critical c = Ck = Cd of unit masses: stepped from near the shape at rest, and at any shape. With
   kappa = 3c/2 and lambda the eigenvalue, 3 c lambda/2 = 4; an undamped unit spring has dt^2 lambda = 4. */
Test(stability, critical_coefficients_are_those_measured) {
  critical table[] = {
      {"pair", graph_rope(2, false), 1.333, 1.333},
      {"long rope", graph_rope(500, false), 0.667, 0.667},
      {"square mesh 30x30", graph_cloth(30, 30, CLOTH_STRETCH), 0.669, 0.334},
      {"with shear springs", graph_cloth(30, 30, CLOTH_SHEAR), 0.335, 0.167},
      {"with bend springs", graph_cloth(30, 30, CLOTH_BEND), 0.265, 0.112},
      {"lattice 8^3", graph_block(8, false), 0.693, 0.231},
  };
  for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
    critical *c = &table[i];
    msd_world *world = world_of(&c->graph, &(making){.laws = LAWS_PHYSICAL});
    msd_spring_def def = msd_default_spring_def();
    def.stiffness = 1;
    for (int32_t s = 0; s < c->graph.springs; s++)
      ASSERT_OK(world, msd_spring_set_law(world, s, &def));
    const msd_stability_explanation r = explanation_of(world, 0.01);
    cr_assert(r.coefficient_limit <= c->any_shape + 0.0005, "%s: %g is certified, %g is the limit", c->name,
              r.coefficient_limit, c->any_shape);
    cr_assert(r.coefficient_limit >= 0.98 * c->any_shape, "%s: only %g of %g", c->name, r.coefficient_limit,
              c->any_shape);
    const double flat = 2.0 / 3 * linearized_limit_of(world) * linearized_limit_of(world);
    cr_assert(fabs(flat - c->flat) <= 0.02 * c->flat, "%s: %g at the flat shape, not %g", c->name, flat,
              c->flat);
    msd_destroy_world(world);
    graph_free(&c->graph);
  }
}

/* ------------------------------------------------------------------------------------------ coefficients */

static void set_all_coefficients(msd_world *world, msd_real ck, msd_real cd) {
  msd_spring_def def = msd_default_spring_def();
  def.law = MSD_SPRING_COEFFICIENT;
  def.ck = ck;
  def.cd = cd;
  for (int32_t s = 0; s < msd_world_get_spring_count(world); s++)
    ASSERT_OK(world, msd_spring_set_law(world, s, &def));
}

static void check_max_stable(const char *name, const making *m, const graph *g) {
  if (m->laws != LAWS_PHYSICAL)
    return;
  msd_world *world = world_of(g, m);
  set_all_coefficients(world, MSD_MAX_STABLE, MSD_MAX_STABLE);
  const msd_stability r = report_of(world, 0.01);
  cr_assert(true_radius(world, 1) <= 3 + 1e-6, "%s: %g", name, true_radius(world, 1));
  cr_assert(r.radius <= 3 + 1e-5, "%s: %g", name, r.radius);
  cr_assert(isinf(r.stable_substep) && isinf(r.stable_substep_quick), "%s: %g", name, r.stable_substep);
  cr_assert_eq(r.substeps, 1);
  msd_destroy_world(world);
}

/* kappa + 2 delta = 3, below 4 with room to spare. */
Test(stability, the_max_stable_coefficients_are_stable_at_any_step_on_any_network) {
  small_networks(check_max_stable);
}

static void check_coefficient_limit(const char *name, const making *m, const graph *g) {
  if (m->laws != LAWS_PHYSICAL)
    return;
  msd_world *world = world_of(g, m);
  const double limit = explanation_of(world, 0.01).coefficient_limit;
  if (true_radius(world, 1) == 0) {
    msd_destroy_world(world);
    return;
  }
  set_all_coefficients(world, (msd_real)limit, (msd_real)limit);
  const double radius = true_radius(world, 1);
  cr_assert(radius <= 4 * (1 + 1e-6), "%s: radius %.9g at c = %g", name, radius, limit);
  cr_assert(radius >= 4 * 0.9 || radius == 0, "%s: radius only %.9g at c = %g", name, radius, limit);
  msd_destroy_world(world);
}

Test(stability, the_coefficient_limit_is_certified_and_near_the_truth) {
  small_networks(check_coefficient_limit);
}

Test(stability, coefficients_over_the_limit_have_no_stable_step) {
  graph g = graph_cloth(5, 5, CLOTH_BEND);
  msd_world *world = world_of(&g, &(making){.laws = LAWS_PHYSICAL});
  set_all_coefficients(world, 1, 1);
  const msd_stability_explanation r = explanation_of(world, 0.01);
  cr_assert_eq(r.limit.stable_substep, 0);
  cr_assert_eq(r.limit.stable_substep_quick, 0);
  cr_assert_eq(r.limit.substeps, 0);
  cr_assert(r.limit.radius >= 4 && r.cause.spring >= 0 && r.cause.particle >= 0);
  cr_assert_eq(msd_world_step(world, (msd_real)0.01, 0), MSD_NO_STABLE_STEP);
  cr_assert_eq(msd_world_get_steps(world), 0);
  ASSERT_OK(world, msd_world_set_clamp_stiffness(world, true));
  ASSERT_OK(world, msd_world_step(world, (msd_real)0.01, 0));
  cr_assert_eq(msd_world_get_steps(world), 1);
  cr_assert_eq(softening_of(world, 0.01).springs, g.springs);
  msd_destroy_world(world);
  graph_free(&g);
}

/* --------------------------------------------------------------------------------------- nothing to limit */

static void assert_unlimited(const char *name, const msd_world *world) {
  const msd_stability_explanation r = explanation_of(world, 0.01);
  const double linearized_limit = linearized_limit_of(world);
  cr_assert(isinf(r.limit.stable_substep) && isinf(r.limit.stable_substep_quick) && isinf(linearized_limit),
            "%s: %g, %g, %g", name, r.limit.stable_substep, r.limit.stable_substep_quick, linearized_limit);
  cr_assert_eq(r.limit.radius, 0, "%s: radius %g", name, r.limit.radius);
  cr_assert_eq(r.limit.substeps, 1, "%s", name);
  cr_assert_eq(r.limit.tightness, 1, "%s: tightness %g", name, r.limit.tightness);
  cr_assert_eq(r.cause.particle, -1, "%s: particle %d", name, r.cause.particle);
  cr_assert_eq(r.cause.spring, -1, "%s: spring %d", name, r.cause.spring);
  cr_assert_eq(softening_of(world, 0.01).springs, 0, "%s", name);
  cr_assert_not(isnan(r.coefficient_limit), "%s", name);
}

Test(stability, without_springs_any_step_is_stable) {
  for (int32_t count = 0; count < 20; count += 19) {
    graph g = graph_of_points(count);
    msd_world *world = world_of(&g, &(making){0});
    assert_unlimited("no springs", world);
    ASSERT_OK(world, msd_world_step(world, 10, 0));
    cr_assert_eq(msd_world_get_steps(world), 1);
    msd_destroy_world(world);
    graph_free(&g);
  }
}

Test(stability, springs_between_pins_broken_or_without_stiffness_limit_nothing) {
  graph g = graph_rope(5, false);
  msd_world *pinned = world_of(&g, &(making){.laws = LAWS_MIXED}),
            *broken = world_of(&g, &(making){LAWS_MIXED, .breaks = 1}),
            *slack = world_of(&g, &(making){.laws = LAWS_PHYSICAL});
  for (int32_t i = 0; i < 5; i++)
    ASSERT_OK(pinned, msd_particle_pin(pinned, i));
  const msd_spring_def nothing = msd_default_spring_def();
  for (int32_t s = 0; s < 4; s++)
    ASSERT_OK(slack, msd_spring_set_law(slack, s, &nothing));
  assert_unlimited("pinned", pinned);
  assert_unlimited("broken", broken);
  assert_unlimited("slack", slack);
  msd_destroy_world(pinned);
  msd_destroy_world(broken);
  msd_destroy_world(slack);
  graph_free(&g);
}

Test(stability, bad_questions_are_refused) {
  graph g = graph_rope(3, false);
  msd_world *world = world_of(&g, &(making){.laws = LAWS_PHYSICAL});
  msd_stability r;
  const msd_real bad[] = {0, -1, (msd_real)NAN, (msd_real)INFINITY};
  for (int i = 0; i < 4; i++)
    cr_assert_eq(msd_world_analyze_stability(world, bad[i], &r), MSD_BAD_FRAME_TIME);
  cr_assert_eq(msd_world_analyze_stability(NULL, 1, &r), MSD_BAD_VALUE);
  cr_assert_eq(msd_world_analyze_stability(world, 1, NULL), MSD_BAD_VALUE);
  msd_destroy_world(world);
  graph_free(&g);
}

/* ------------------------------------------------------------------------------------------- what limits */

Test(stability, the_limiting_spring_is_the_one_whose_softening_moves_the_limit) {
  graph g = graph_cloth(6, 6, CLOTH_SHEAR);
  for (int32_t stiff = 0; stiff < g.springs; stiff += 7) {
    msd_world *world = world_of(&g, &(making){LAWS_PHYSICAL, .soften = 64});
    msd_spring_def def = msd_default_spring_def();
    def.stiffness = 5000;
    ASSERT_OK(world, msd_spring_set_law(world, stiff, &def));
    const msd_stability_explanation r = explanation_of(world, 0.01);
    cr_assert_eq(r.cause.spring, stiff);
    const bool is_end = r.cause.particle == g.a[stiff] || r.cause.particle == g.b[stiff];
    cr_assert(is_end, "particle %d", r.cause.particle);
    def.stiffness = 1250;
    ASSERT_OK(world, msd_spring_set_law(world, stiff, &def));
    cr_assert(report_of(world, 0.01).stable_substep > 1.9 * r.limit.stable_substep);
    msd_destroy_world(world);
  }
  graph_free(&g);
}

Test(stability, a_light_particle_limits) {
  graph g = graph_cloth(6, 6, CLOTH_STRETCH);
  msd_world *world = world_of(&g, &(making){.laws = LAWS_PHYSICAL});
  ASSERT_OK(world, msd_particle_set_mass(world, 14, (msd_real)0.001));
  const msd_stability_explanation r = explanation_of(world, 0.01);
  const msd_spring_def def = msd_spring_get_def(world, r.cause.spring);
  cr_assert(def.a == 14 || def.b == 14);
  msd_destroy_world(world);
  graph_free(&g);
}

/* -------------------------------------------------------------------------------------- kept up to date */

/* What a step takes by itself is what the report says, after every kind of change. */
static void assert_steps_follow_the_report(const char *what, msd_world *world) {
  const double frame = (double)(msd_real)0.0166667;
  const msd_stability r = report_of(world, frame);
  assert_promises(what, world);
  const int64_t before = msd_world_get_steps(world);
  cr_assert(r.substeps > 0);
  ASSERT_OK(world, msd_world_step(world, (msd_real)frame, 0));
  cr_assert_eq(msd_world_get_steps(world) - before, r.substeps, "%s: %lld substeps, reported %d", what,
               (long long)(msd_world_get_steps(world) - before), r.substeps);
}

Test(stability, the_limit_follows_every_change_of_the_network) {
  graph g = graph_cloth(5, 4, CLOTH_BEND);
  msd_world *world = world_of(&g, &(making){.laws = LAWS_PHYSICAL});
  assert_steps_follow_the_report("at first", world);
  msd_spring_def stiff = msd_default_spring_def();
  stiff.stiffness = 50000;
  ASSERT_OK(world, msd_spring_set_law(world, 3, &stiff));
  assert_steps_follow_the_report("stiffer", world);
  ASSERT_OK(world, msd_spring_break(world, 3));
  assert_steps_follow_the_report("broken", world);
  ASSERT_OK(world, msd_particle_set_mass(world, 7, (msd_real)0.01));
  assert_steps_follow_the_report("lighter", world);
  ASSERT_OK(world, msd_particle_pin(world, 7));
  assert_steps_follow_the_report("pinned", world);
  ASSERT_OK(world, msd_particle_unpin(world, 7));
  assert_steps_follow_the_report("unpinned", world);
  stiff.a = 0;
  stiff.b = 19;
  ASSERT_OK(world, msd_add_springs(world, &stiff, 1, NULL));
  assert_steps_follow_the_report("one more spring", world);
  msd_destroy_world(world);
  graph_free(&g);
}

/* Also where coefficient springs alone leave little room, and the sweeps begin without a certified step. */
Test(stability, mixed_networks_take_the_substeps_of_their_report) {
  for (uint64_t seed = 1; seed < 60; seed++) {
    graph g = graph_random(12, 20, seed);
    msd_world *world = world_of(&g, &(making){LAWS_MIXED, .seed = seed});
    generator random = {.state = seed};
    for (int32_t s = 0; s < g.springs; s += 2) {
      msd_spring_def def = msd_default_spring_def();
      def.law = MSD_SPRING_COEFFICIENT;
      def.ck = def.cd = (msd_real)(random_below(&random, 100) / 400.0);
      ASSERT_OK(world, msd_spring_set_law(world, s, &def));
    }
    const msd_stability r = report_of(world, 0.0166667);
    const msd_result result = msd_world_step(world, (msd_real)0.0166667, 0);
    if (r.substeps == 0) {
      cr_assert_eq(result, MSD_NO_STABLE_STEP, "seed %d", (int)seed);
    } else {
      ASSERT_OK(world, result);
      cr_assert_eq(msd_world_get_steps(world), r.substeps, "seed %d: %lld steps, reported %d", (int)seed,
                   (long long)msd_world_get_steps(world), r.substeps);
    }
    msd_destroy_world(world);
    graph_free(&g);
  }
}

Test(stability, asking_changes_nothing_and_keeps_no_memory) {
  graph g = graph_cloth(9, 9, CLOTH_BEND);
  msd_world *world = world_of(&g, &(making){LAWS_MIXED, .seed = 1});
  const uint64_t hash = msd_world_hash(world);
  const size_t bytes = msd_world_get_stats(world).bytes;
  for (int i = 0; i < 5; i++)
    report_of(world, 0.01);
  cr_assert_eq(msd_world_hash(world), hash);
  cr_assert_eq(msd_world_get_stats(world).bytes, bytes);
  msd_destroy_world(world);
  graph_free(&g);
}

Test(stability, capped_springs_are_those_over_their_share) {
  graph g = graph_rope(40, false);
  msd_world *world = world_of(&g, &(making){LAWS_PHYSICAL, .soften = 64});
  msd_spring_def stiff = msd_default_spring_def();
  stiff.stiffness = 1e6;
  for (int32_t s = 5; s < 12; s++)
    ASSERT_OK(world, msd_spring_set_law(world, s, &stiff));
  ASSERT_OK(world, msd_world_set_clamp_stiffness(world, true));
  const msd_stability r = report_of(world, 0.01);
  cr_assert_eq(softening_of(world, 0.01).springs, 7);
  cr_assert_eq(r.substeps, 1);
  for (int n = 0; n < 500; n++)
    ASSERT_OK(world, msd_world_step(world, (msd_real)0.01, 0));
  cr_assert_eq(msd_world_get_steps(world), 500);
  msd_destroy_world(world);
  graph_free(&g);
}

Test(stability, the_limit_leaves_of_a_spring_its_share_over_the_step_squared) {
  msd_world_def def = msd_default_world_def();
  def.clamp_stiffness = true;
  msd_world *world;
  cr_assert_eq(msd_create_world(&def, &world), MSD_OK);
  const msd_particle_def ends[2] = {msd_default_particle_def(), msd_default_particle_def()};
  ASSERT_OK(world, msd_add_particles(world, ends, 2, NULL));
  msd_spring_def spring = msd_default_spring_def();
  spring.a = 0, spring.b = 1;
  spring.stiffness = 1000000;
  ASSERT_OK(world, msd_add_springs(world, &spring, 1, NULL));
  const double dt = 1.0 / 128, share = 0.5; /* kg: 1/(n w + n w) of two unit masses with one spring */
  cr_assert_eq(softening_of(world, dt).springs, 1);
  cr_assert_float_eq(softening_of(world, dt).stiffness_left, share / (dt * dt) / 1e6, 1e-12);
  cr_assert_eq(softening_of(world, 1.0 / 4096).stiffness_left, 1);
  msd_destroy_world(world);
}
