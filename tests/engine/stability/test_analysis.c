/* Networks of several blocks of particles and springs, which threads share. */
#include "tests/support/networks.h"
#include "tests/support/picture.h"
#include "tests/support/stability.h"

#include "engine/stability/analysis.h"
#include "engine/world/world.h"

#include <math.h>

enum { COLUMNS = 110, ROWS = 90, PARTICLES = COLUMNS * ROWS };

/* A sheet of masses over a factor of ten, with springs across it, pins and broken springs. `shuffled`: its
   springs follow no order. */
static msd_world *sheet(bool shuffled, msd_spring_law kind) {
  generator g = {.state = 5};
  graph sheet = graph_cloth(COLUMNS, ROWS, CLOTH_SHEAR);
  for (int n = 0; n < 300; n++)
    graph_join(&sheet, random_below(&g, PARTICLES / 2), PARTICLES / 2 + random_below(&g, PARTICLES / 2));
  for (int32_t e = sheet.springs - 1; shuffled && e > 0; e--) {
    const int32_t other = random_below(&g, e + 1), a = sheet.a[e], b = sheet.b[e];
    sheet.a[e] = sheet.a[other], sheet.b[e] = sheet.b[other];
    sheet.a[other] = a, sheet.b[other] = b;
  }
  msd_world *world = empty_world();
  for (int32_t i = 0; i < PARTICLES; i++) {
    msd_particle_def p = msd_default_particle_def();
    p.position = sheet.at[i];
    p.mass = (msd_real)(1.1 + (double)random_real(&g));
    ASSERT_OK(world, msd_add_particles(world, &p, 1, NULL));
  }
  for (int32_t e = 0; e < sheet.springs; e++) {
    msd_spring_def s = msd_default_spring_def();
    s.law = kind == MSD_SPRING_NONE ? (msd_spring_law)(1 + random_below(&g, 3)) : kind;
    s.a = sheet.a[e], s.b = sheet.b[e];
    s.stiffness = (msd_real)(100 * (1.5 + (double)random_real(&g)));
    s.damping = (msd_real)0.25;
    s.ck = s.cd = (msd_real)0.03125;
    s.frequency = 2;
    s.damping_ratio = (msd_real)0.25;
    ASSERT_OK(world, msd_add_springs(world, &s, 1, NULL));
  }
  for (int32_t i = 0; i < 3 * COLUMNS; i++)
    ASSERT_OK(world, msd_particle_pin(world, i));
  for (int32_t e = 0; e < sheet.springs; e += 7)
    ASSERT_OK(world, msd_spring_break(world, e));
  graph_free(&sheet);
  return world;
}

Test(analysis, answers_have_the_same_bits_on_any_number_of_threads) {
  for (int kind = 0; kind < 2; kind++) {
    msd_world *world = sheet(kind == 1, kind == 0 ? MSD_SPRING_STIFFNESS : MSD_SPRING_NONE);
    static const int threads[] = {1, 2, 3, 16};
    msd_stability_explanation first, other;
    int32_t substeps, same;
    for (size_t n = 0; n < sizeof threads / sizeof *threads; n++) {
      ASSERT_OK(world, msd_world_set_thread_count(world, threads[n]));
      memset(&other, 0, sizeof other);
      cr_assert_eq(msd_world_explain_stability(world, (msd_real)0.25, &other), MSD_OK);
      cr_assert_eq(msd_world_find_substeps(world, (msd_real)0.25, &same), MSD_OK);
      if (n == 0)
        first = other, substeps = same;
      cr_assert_eq(substeps, same);
      cr_assert_eq(first.limit.stable_substep, other.limit.stable_substep, "%d threads", threads[n]);
      cr_assert_eq(first.limit.stable_substep_quick, other.limit.stable_substep_quick);
      cr_assert_eq(first.limit.energy_safe_substep, other.limit.energy_safe_substep);
      cr_assert_eq(first.limit.radius, other.limit.radius, "%d threads", threads[n]);
      cr_assert_eq(first.limit.tightness, other.limit.tightness, "%d threads", threads[n]);
      cr_assert_eq(first.limit.sweeps, other.limit.sweeps);
      cr_assert_eq(first.cause.spring, other.cause.spring);
      cr_assert_eq(first.cause.particle, other.cause.particle);
      cr_assert_eq(first.coefficient_limit, other.coefficient_limit);
      for (int i = 0; i < MSD_INTEGRATOR_COUNT; i++)
        cr_assert_eq(first.limit.integrator_stable_substep[i], other.limit.integrator_stable_substep[i]);
    }
    msd_destroy_world(world);
  }
}

/* dt = 4/(D + sqrt(D^2 + 4 K)), K and D the sums of w k and w mu over both ends. */
static double step_of_sums(const msd_world *world) {
  static double stiffness[PARTICLES], damping[PARTICLES];
  memset(stiffness, 0, sizeof stiffness);
  memset(damping, 0, sizeof damping);
  double least = INFINITY;
  for (int pass = 0; pass < 2; pass++)
    for (int32_t e = 0; e < msd_world_get_spring_count(world); e++) {
      const msd_spring_def s = msd_spring_get_def(world, e);
      const bool a_moves = !msd_particle_is_pinned(world, s.a), b_moves = !msd_particle_is_pinned(world, s.b);
      if (msd_spring_is_broken(world, e) || (!a_moves && !b_moves))
        continue;
      if (pass == 0) {
        stiffness[s.a] += a_moves * (double)s.stiffness / (double)msd_particle_get_mass(world, s.a);
        stiffness[s.b] += b_moves * (double)s.stiffness / (double)msd_particle_get_mass(world, s.b);
        damping[s.a] += a_moves * (double)s.damping / (double)msd_particle_get_mass(world, s.a);
        damping[s.b] += b_moves * (double)s.damping / (double)msd_particle_get_mass(world, s.b);
        continue;
      }
      const double k = stiffness[s.a] + stiffness[s.b], d = damping[s.a] + damping[s.b];
      least = fmin(least, 4 / (d + sqrt(d * d + 4 * k)));
    }
  return least;
}

Test(analysis, no_spring_is_left_out_and_none_counts_twice) {
  for (int shuffled = 0; shuffled < 2; shuffled++) {
    msd_world *world = sheet(shuffled == 1, MSD_SPRING_STIFFNESS);
    const double quick = step_of_sums(world);
    for (int threads = 1; threads <= 4; threads++) {
      ASSERT_OK(world, msd_world_set_thread_count(world, threads));
      cr_assert_float_eq(report_of(world, 0.25).stable_substep_quick, quick, 3e-6 * quick);
    }
    msd_destroy_world(world);
  }
}

/* So many springs that sweeps are rationed: the bound is still close to what many would find. */
Test(analysis, a_large_network_is_certified_to_a_few_percent_of_its_limit) {
  msd_world *world = empty_world();
  msd_cloth_def def = msd_default_cloth_def();
  def.columns = def.rows = 400;
  def.stretch.law = def.shear.law = MSD_SPRING_STIFFNESS;
  def.stretch.stiffness = 1024;
  def.shear.stiffness = 256;
  def.mass = 400 * 400;
  ASSERT_OK(world, msd_add_cloth(world, &def, NULL));
  /* A particle in the middle of unit mass has 2 (4 1024 + 4 256) of a row of A with x = 1. */
  const double limit = sqrt(4 / (2.0 * 4 * (1024 + 256)));
  const msd_stability found = report_of(world, 0.25);
  cr_assert_float_eq(found.stable_substep, limit, 1e-5 * limit);
  cr_assert_geq(found.tightness, 0.99);
  cr_assert_lt(found.sweeps, 10);
  for (int32_t e = 0; e < msd_world_get_spring_count(world); e++)
    if (e % 3 == 0) {
      msd_spring_def softer = msd_spring_get_def(world, e);
      softer.stiffness /= 4;
      ASSERT_OK(world, msd_spring_set_law(world, e, &softer));
    }
  const msd_stability uneven = report_of(world, 0.25);
  cr_assert_geq(uneven.stable_substep, limit);
  cr_assert_geq(uneven.tightness, 0.9);
  msd_destroy_world(world);
}

/* A cloth of springs of three laws in N/m. */
static msd_world *cloth_world(int columns, int rows) {
  msd_world *world = empty_world();
  msd_cloth_def def = msd_default_cloth_def();
  def.columns = columns;
  def.rows = rows;
  def.u = (msd_vec3){1, 0, 0};
  def.v = (msd_vec3){0, -1, 0};
  def.mass = 1;
  msd_spring_def *const parts[] = {&def.stretch, &def.shear, &def.bend};
  for (int n = 0; n < 3; n++) {
    *parts[n] = msd_default_spring_def();
    parts[n]->stiffness = (msd_real)(100 >> n);
    parts[n]->damping = (msd_real)0.125;
  }
  ASSERT_OK(world, msd_add_cloth(world, &def, NULL));
  return world;
}

static world_model *model_of(msd_world *world) {
  return &world->model;
}

/* Both ways to keep what springs are: by their laws, and one by one. */
Test(analysis, springs_of_few_laws_are_what_each_is_by_itself) {
  for (int some_are_broken = 0; some_are_broken < 2; some_are_broken++) {
    msd_world *world = cloth_world(70, 60);
    memory m = {.allocator = memory_default_allocator(), .limit = SIZE_MAX};
    ASSERT_OK(world, msd_particle_pin(world, 0));
    for (int32_t e = 0; some_are_broken && e < msd_world_get_spring_count(world); e += 5)
      ASSERT_OK(world, msd_spring_break(world, e));
    const spring_store *s = &model_of(world)->springs;
    analysis a;
    cr_assert(analysis_open(&a, model_of(world), &m));
    cr_assert_not_null(a.law);
    cr_expect_eq(a.list == NULL, !some_are_broken);
    cr_expect_eq(a.count, s->count - s->broken);
    for (int spread = 0; spread < 2; spread++) {
      for (int32_t e = 0; e < a.count; e++) {
        const analysis_spring at = analysis_spring_at(&a, e);
        const law_terms t = spring_effective_mass(s, &model_of(world)->particles, at.spring);
        const step_load load = analysis_load_of(&a, e);
        cr_assert(at.a == s->a[at.spring] && at.b == s->b[at.spring] && !spring_is_broken(s, at.spring));
        cr_assert(load.stiffness == t.stiffness && load.damping == t.damping && load.coefficient == 0);
      }
      cr_assert(analysis_spread(&a));
      cr_assert_null(a.law);
    }
    analysis_close(&a);
    cr_expect_eq(m.used, 0);
    msd_destroy_world(world);
  }
}

/* The same springs, each with a law of its own. */
Test(analysis, reports_do_not_depend_on_how_laws_are_kept) {
  msd_world *world = cloth_world(70, 60);
  ASSERT_OK(world, msd_particle_pin(world, 0));
  for (int32_t e = 0; e < msd_world_get_spring_count(world); e += 11)
    ASSERT_OK(world, msd_spring_break(world, e));
  const msd_stability_explanation shared = explanation_of(world, 0.01);
  msd_static_stretch stretch[2];
  cr_assert_eq(msd_world_estimate_stretch(world, (msd_real)0.01, &stretch[0]), MSD_OK);
  world_model *model = model_of(world);
  cr_assert(
      law_table_split(&model->springs.laws, &model->memory, model->springs.count, model->springs.capacity));
  const msd_stability_explanation apart = explanation_of(world, 0.01);
  cr_assert_eq(msd_world_estimate_stretch(world, (msd_real)0.01, &stretch[1]), MSD_OK);
  for (int n = 0; n < MSD_INTEGRATOR_COUNT; n++)
    cr_expect_eq(shared.limit.integrator_stable_substep[n], apart.limit.integrator_stable_substep[n]);
  cr_expect_eq(shared.limit.radius, apart.limit.radius);
  cr_expect_eq(shared.limit.energy_safe_substep, apart.limit.energy_safe_substep);
  cr_expect_gt(shared.limit.energy_safe_substep, 0);
  cr_expect_eq(shared.cause.spring, apart.cause.spring);
  cr_expect_eq(shared.coefficient_limit, apart.coefficient_limit);
  cr_expect_eq(shared.remedy.mass_factor, apart.remedy.mass_factor);
  cr_expect_eq(stretch[0].present, stretch[1].present);
  cr_expect_eq(stretch[0].max_stable, stretch[1].max_stable);
  msd_destroy_world(world);
}
