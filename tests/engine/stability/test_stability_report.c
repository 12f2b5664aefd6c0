/* The stability report against dense eigenvalues, against simulation, and against formulas.

   The oracle here is the matrix itself, written out and diagonalized by Jacobi rotations. */
#include "tests/support/eigenvalue.h"
#include "tests/support/unit_networks.h"

#include <criterion/criterion.h>

#include <msd/msd.h>

#include <math.h>
#include <string.h>

/* ------------------------------------------------------------------------------------------ small networks */

enum { PARTICLES_MAX = 12, SIDE = 3 * PARTICLES_MAX };

/* Any masses over six orders, any positions, some pins, a mixture of laws, perhaps a broken spring, perhaps
   several parts. */
static msd_world *random_network(uint64_t seed, bool with_coefficients) {
  msd_world *world = empty_world();
  const int particles = 2 + below(&seed, PARTICLES_MAX - 1);
  for (int i = 0; i < particles; i++)
    add_particle(world, 4 * uniform(&seed), 4 * uniform(&seed), 4 * uniform(&seed),
                 exp(log(1e6) * (uniform(&seed) - 0.5)));
  const int springs = 1 + below(&seed, 3 * particles);
  for (int n = 0; n < springs; n++) {
    const int32_t a = below(&seed, particles), b = below(&seed, particles);
    if (a == b)
      continue;
    const bool is_physical = !with_coefficients || uniform(&seed) < 0.5;
    const double damping = uniform(&seed) < 0.3 ? 0 : exp(4 * uniform(&seed) - 3);
    msd_spring_def def = is_physical ? physical(exp(8 * uniform(&seed) - 1), damping)
                                     : coefficient(0.3 * uniform(&seed), 0.2 * uniform(&seed));
    if (uniform(&seed) < 0.5)
      def.rest_length = (msd_real)(3 * uniform(&seed));
    const int32_t spring = join(world, a, b, def);
    if (uniform(&seed) < 0.1)
      cr_assert_eq(msd_spring_break(world, spring), MSD_OK);
  }
  for (int32_t i = 0; i < particles; i++)
    if (uniform(&seed) < 0.15)
      cr_assert_eq(msd_particle_pin(world, i), MSD_OK);
  return world;
}

/* --------------------------------------------------------------------------------------------- the oracle */

typedef struct matrix {
  double at[SIDE][SIDE];
  int size;
} matrix;

static double inverse_mass(const msd_world *world, int32_t particle) {
  return msd_particle_is_pinned(world, particle) ? 0 : 1 / (double)msd_particle_get_mass(world, particle);
}

/* dt^2 k and dt mu of a spring, whatever its law. */
static void weights_of(const msd_world *world, int32_t spring, double dt, double *stiff, double *damped) {
  const msd_spring_def def = msd_spring_get_def(world, spring);
  const double reduced = 1 / (inverse_mass(world, def.a) + inverse_mass(world, def.b));
  const bool is_physical = def.law == MSD_SPRING_STIFFNESS;
  *stiff = is_physical ? dt * dt * (double)def.stiffness : reduced * (double)def.ck;
  *damped = is_physical ? dt * (double)def.damping : reduced * (double)def.cd;
}

static bool moves_something(const msd_world *world, int32_t spring) {
  const msd_spring_def def = msd_spring_get_def(world, spring);
  return !msd_spring_is_broken(world, spring) && inverse_mass(world, def.a) + inverse_mass(world, def.b) > 0;
}

/* The radius of A: that of M^-1/2 (sum kappa (e_a + e_b)(e_a + e_b)') M^-1/2. */
static double true_radius(const msd_world *world, double dt) {
  static matrix m;
  m = (matrix){.size = msd_world_get_particle_count(world)};
  for (int32_t e = 0; e < msd_world_get_spring_count(world); e++) {
    if (!moves_something(world, e))
      continue;
    const msd_spring_def def = msd_spring_get_def(world, e);
    double stiff, damped;
    weights_of(world, e, dt, &stiff, &damped);
    const int32_t ends[2] = {def.a, def.b};
    for (int p = 0; p < 2; p++)
      for (int q = 0; q < 2; q++)
        m.at[ends[p]][ends[q]] +=
            (stiff + 2 * damped) * sqrt(inverse_mass(world, ends[p]) * inverse_mass(world, ends[q]));
  }
  return largest_eigenvalue(&m.at[0][0], m.size, SIDE);
}

/* The largest eigenvalue of M^-1 (dt^2 K + 2 dt D) at the present positions. */
static double true_shape_radius(const msd_world *world, double dt) {
  static matrix m;
  m = (matrix){.size = 3 * msd_world_get_particle_count(world)};
  for (int32_t e = 0; e < msd_world_get_spring_count(world); e++) {
    if (!moves_something(world, e))
      continue;
    const msd_spring_def def = msd_spring_get_def(world, e);
    double stiff, damped;
    weights_of(world, e, dt, &stiff, &damped);
    const msd_vec3 a = msd_particle_get_position(world, def.a), b = msd_particle_get_position(world, def.b);
    const double d[3] = {(double)a.x - (double)b.x, (double)a.y - (double)b.y, (double)a.z - (double)b.z};
    const double length = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    const double across = 1 - (double)def.rest_length / length;
    const int32_t ends[2] = {def.a, def.b};
    for (int p = 0; p < 2; p++)
      for (int q = 0; q < 2; q++) {
        const double w =
            sqrt(inverse_mass(world, ends[p]) * inverse_mass(world, ends[q])) * (p == q ? 1 : -1);
        for (int r = 0; r < 3; r++)
          for (int c = 0; c < 3; c++) {
            const double along = d[r] * d[c] / (length * length);
            m.at[3 * ends[p] + r][3 * ends[q] + c] +=
                w * (stiff * (along + across * ((r == c) - along)) + 2 * damped * along);
          }
      }
  }
  return largest_eigenvalue(&m.at[0][0], m.size, SIDE);
}

/* The dt at which a growing function of it reaches 4; INFINITY when it does not below 1e6 s, 0 when it is there
   at 1e-9 s. */
static double step_at_four(const msd_world *world, double (*radius)(const msd_world *, double)) {
  double low = 1e-9, high = 1e6;
  if (radius(world, low) >= 4)
    return 0;
  if (radius(world, high) < 4)
    return INFINITY;
  while (high / low > 1 + 1e-9) {
    const double middle = sqrt(low * high);
    if (radius(world, middle) < 4)
      low = middle;
    else
      high = middle;
  }
  return low;
}

/* --------------------------------------------------------------------------------------- certified limits */

Test(stability_report, the_certified_step_is_never_above_the_limit_of_the_operator) {
  for (uint64_t seed = 1; seed <= 150; seed++) {
    msd_world *world = random_network(seed, seed % 2 == 0);
    const double limit = step_at_four(world, true_radius);
    const msd_stability report = report_of(world, 0.01);
    cr_assert_leq(report.stable_substep, limit, "network %d: %.9g is over %.9g", (int)seed,
                  report.stable_substep, limit);
    cr_assert_leq(report.stable_substep_quick, report.stable_substep);
    if (isfinite(limit) && limit > 0)
      cr_assert_leq(report.tightness, report.stable_substep / limit + 1e-3, "network %d", (int)seed);
    msd_destroy_world(world);
  }
}

Test(stability_report, the_radius_is_never_below_that_of_the_operator) {
  for (uint64_t seed = 1; seed <= 150; seed++) {
    msd_world *world = random_network(seed, seed % 2 == 0);
    for (double dt = 1e-4; dt < 10; dt *= 7) {
      const double truth = true_radius(world, (double)(msd_real)dt);
      const msd_stability report = report_of(world, dt);
      /* The engine keeps 1/mass in msd_real, this oracle in double. */
      cr_assert_geq(report.radius, truth * (1 - 2e-7), "network %d at %g s: %.9g is below %.9g", (int)seed,
                    dt, report.radius, truth);
      cr_assert_leq(report.radius, 2 * truth + 1e-12, "network %d at %g s", (int)seed, dt);
      if (dt < report.stable_substep)
        cr_assert_lt(report.radius, 4);
    }
    msd_destroy_world(world);
  }
}

Test(stability_report, ropes_grids_and_lattices_are_certified_within_2_percent) {
  const msd_spring_def spring = physical(300, 0.2);
  msd_world *worlds[3] = {rope(12, spring), empty_world(), empty_world()};
  for (int32_t i = 0; i < 12; i++) {
    add_particle(worlds[1], i % 4, i / 4, 0, 1);
    add_particle(worlds[2], i % 2, i / 2 % 2, i / 4, 1);
  }
  for (int32_t i = 0; i < 12; i++) {
    if (i % 4 < 3)
      join(worlds[1], i, i + 1, spring);
    if (i < 8)
      join(worlds[1], i, i + 4, spring);
    if (i % 2 < 1)
      join(worlds[2], i, i + 1, spring);
    if (i / 2 % 2 < 1)
      join(worlds[2], i, i + 2, spring);
    if (i < 8)
      join(worlds[2], i, i + 4, spring);
  }
  for (int n = 0; n < 3; n++) {
    const double limit = step_at_four(worlds[n], true_radius);
    const msd_stability report = report_of(worlds[n], 0.01);
    cr_assert_geq(report.stable_substep, 0.99 * limit, "network %d: %g of %g", n, report.stable_substep,
                  limit);
    cr_assert_leq(report.sweeps, 50);
    msd_destroy_world(worlds[n]);
  }
}

/* Critical Ck = Cd at any shape: 4/3 for a pair; a rope of N has 4 cos^2(pi/2N) as the radius of its kappa = 1,
   a square mesh of N x N twice that. */
Test(stability_report, coefficient_limits_have_their_closed_forms) {
  const double pi = 3.14159265358979323846;
  for (int n = 2; n <= 30; n += 7) {
    const double c = cos(pi / (2 * n)), of_rope = 4 / (1.5 * 4 * c * c), of_mesh = of_rope / 2;
    msd_world *world = rope(n, coefficient(0.1, 0.1));
    double limit = explanation_of(world, 0.01).coefficient_limit;
    cr_assert(limit <= of_rope && limit > 0.99 * of_rope, "rope of %d: %g, not %g", n, limit, of_rope);
    msd_destroy_world(world);
    world = cloth(n, coefficient(0.1, 0.1), none(), none());
    limit = explanation_of(world, 0.01).coefficient_limit;
    cr_assert(limit <= of_mesh && limit > 0.99 * of_mesh, "mesh of %d: %g, not %g", n, limit, of_mesh);
    msd_destroy_world(world);
  }
}

Test(stability_report, published_critical_coefficients_of_meshes_are_met) {
  const msd_spring_def spring = coefficient(0.01, 0.01);
  msd_world *world = cloth(30, spring, spring, none());
  cr_assert_float_eq(explanation_of(world, 0.01).coefficient_limit, 0.167, 0.001);
  msd_destroy_world(world);
  world = cloth(30, spring, spring, spring);
  cr_assert_float_eq(explanation_of(world, 0.01).coefficient_limit, 0.112, 0.0015);
  msd_destroy_world(world);
}

Test(stability_report, max_stable_coefficients_are_one_over_the_weighted_mean_of_springs) {
  /* A hub of 8 with a tenth of the mass of its leaves: n = (10 * 8 + 1)/(10 + 1). */
  msd_world *world = empty_world();
  add_particle(world, 0, 0, 0, 0.1);
  for (int32_t i = 1; i <= 8; i++) {
    add_particle(world, i, 1, 0, 1);
    join(world, 0, i, coefficient(-1, -1));
  }
  const msd_stability_explanation report = explanation_of(world, 0.01);
  cr_assert_float_eq(report.max_stable_min, 11 / 81.0, 1e-6);
  cr_assert_float_eq(report.max_stable_max, 11 / 81.0, 1e-6);
  cr_assert_leq(report.limit.radius, 3 + 1e-6);
  msd_destroy_world(world);
}

Test(stability_report, pins_broken_springs_and_lone_particles_do_not_count) {
  msd_world *world = empty_world();
  for (int i = 0; i < 5; i++)
    add_particle(world, i, 0, 0, 1);
  join(world, 0, 1, physical(100, 0));
  const int32_t stiff = join(world, 2, 3, physical(1e6, 0));
  /* A pair of unit masses: radius 4 k dt^2 of A's (x + y) twice over, 2 k dt^2 w (1 + 1) = 4. */
  cr_assert_float_eq(report_of(world, 0.01).stable_substep, sqrt(4 / (4 * 1e6)) * sqrt(2), 1e-8);
  cr_assert_eq(msd_spring_break(world, stiff), MSD_OK);
  cr_assert_float_eq(report_of(world, 0.01).stable_substep, sqrt(2.0 / 100), 1e-6);
  cr_assert_eq(msd_particle_pin(world, 0), MSD_OK);
  cr_assert_float_eq(report_of(world, 0.01).stable_substep, sqrt(4.0 / 100), 1e-6);
  cr_assert_eq(msd_particle_set_mass(world, 1, (msd_real)0.25), MSD_OK);
  cr_assert_float_eq(report_of(world, 0.01).stable_substep, sqrt(0.25 * 4 / 100), 1e-6);
  cr_assert_eq(msd_particle_pin(world, 1), MSD_OK);
  const msd_stability_explanation report = explanation_of(world, 0.01);
  cr_assert_eq(report.limit.stable_substep, INFINITY);
  cr_assert_eq(linearized_limit_of(world), INFINITY);
  cr_assert_eq(report.cause.spring, -1);
  cr_assert_eq(report.cause.particle, -1);
  cr_assert_eq(report.cause.cause, MSD_CAUSE_NONE);
  cr_assert_eq(report.limit.substeps, 1);
  cr_assert_eq(report.limit.radius, 0);
  msd_destroy_world(world);
}

Test(stability_report, an_empty_world_bears_any_step) {
  msd_world *world = empty_world();
  const msd_stability report = report_of(world, 1);
  cr_assert_eq(report.stable_substep, INFINITY);
  cr_assert_eq(report.substeps, 1);
  cr_assert_eq(stretch_of(world, 1).present, 0);
  msd_destroy_world(world);
}

Test(stability_report, coefficients_over_the_limit_leave_no_stable_step) {
  msd_world *world = rope(20, coefficient(1, 1));
  msd_stability_explanation report = explanation_of(world, 0.01);
  cr_assert_eq(report.limit.stable_substep, 0);
  cr_assert_eq(linearized_limit_of(world), 0);
  cr_assert_eq(report.limit.substeps, 0);
  cr_assert_geq(report.limit.radius, 4);
  cr_assert_eq(report.remedy.mass_factor, INFINITY, "no mass helps");
  cr_assert_eq(report.remedy.stiffness_factor, 0, "there is no stiffness to lower");
  /* With the limit every step is certified: 3 at most. */
  cr_assert_eq(msd_world_set_clamp_stiffness(world, true), MSD_OK);
  report = explanation_of(world, 0.01);
  cr_assert_leq(report.limit.radius, 3 + 1e-6);
  cr_assert_eq(report.limit.substeps, 1);
  cr_assert_gt(softening_of(world, 0.01).springs, 0);
  msd_destroy_world(world);
}

/* --------------------------------------------------------------------------------------------- this shape */

Test(stability_report, the_limit_of_this_shape_is_the_largest_eigenvalue) {
  for (uint64_t seed = 1; seed <= 40; seed++) {
    msd_world *world = random_network(seed, seed % 4 == 0);
    const double limit = step_at_four(world, true_shape_radius);
    const double linearized_limit = linearized_limit_of(world);
    if (isfinite(limit) && limit > 0)
      cr_assert(fabs(linearized_limit / limit - 1) < 1e-3, "network %d: %.9g, not %.9g", (int)seed,
                linearized_limit, limit);
    else
      cr_assert_eq(linearized_limit, limit, "network %d: %g, not %g", (int)seed, linearized_limit, limit);
    cr_assert_leq(report_of(world, 0.01).stable_substep, linearized_limit, "network %d", (int)seed);
    msd_destroy_world(world);
  }
}

/* Each particle of a square mesh put at 0 or 1 on the x axis, like the squares of a chessboard: all springs at
   their rest length, and all in one direction. */
Test(stability_report, a_mesh_folded_onto_a_line_reaches_the_certified_limit) {
  const int side = 12;
  msd_world *world = cloth(side, physical(300, 0.5), none(), none());
  const double certified = report_of(world, 0.01).stable_substep;
  cr_assert_gt(linearized_limit_of(world), 1.3 * certified);
  for (int32_t i = 0; i < side * side; i++)
    cr_assert_eq(msd_particle_set_position(world, i, (msd_vec3){(msd_real)((i / side + i % side) % 2), 0, 0}),
                 MSD_OK);
  cr_assert_float_eq(msd_world_get_stats(world).max_stretch, 0, 1e-6);
  cr_assert_float_eq(linearized_limit_of(world) / certified, 1, 0.005);
  cr_assert_eq(report_of(world, 0.01).stable_substep, certified);
  msd_destroy_world(world);
}

/* A line of random masses and springs along x, at rest: linear as long as it does not fold. */
static msd_world *random_line(uint64_t seed, double damping) {
  msd_world *world = empty_world();
  const int particles = 3 + below(&seed, 6);
  for (int i = 0; i < particles; i++)
    add_particle(world, i, 0, 0, 0.5 + uniform(&seed));
  for (int32_t i = 0; i + 1 < particles; i++)
    join(world, i, i + 1, physical(100 + 400 * uniform(&seed), damping * uniform(&seed)));
  return world;
}

Test(stability_report, simulation_turns_unstable_within_a_thousandth_of_this_shapes_limit) {
  for (uint64_t seed = 1; seed <= 12; seed++) {
    msd_world *world = random_line(seed, seed % 2 == 0 ? 0 : 2);
    const double limit = linearized_limit_of(world);
    cr_assert_not(blows_up(world, 0.999 * limit, 20000), "line %d exploded below", (int)seed);
    cr_assert(blows_up(world, 1.001 * limit, 20000), "line %d did not explode above", (int)seed);
    msd_destroy_world(world);
  }
}

/* --------------------------------------------------------------------------------------- what limits, why */

/* The limit after that spring alone has been made a tenth softer. */
static double limit_without_some_of(uint64_t seed, int32_t spring) {
  msd_world *world = random_network(seed, false);
  msd_spring_def def = msd_spring_get_def(world, spring);
  def.stiffness *= (msd_real)0.9;
  def.damping *= (msd_real)0.9;
  cr_assert_eq(msd_spring_set_law(world, spring, &def), MSD_OK);
  const double step = report_of(world, 0.01).stable_substep;
  msd_destroy_world(world);
  return step;
}

Test(stability_report, no_other_spring_moves_the_limit_more_than_the_limiting_one) {
  for (uint64_t seed = 1; seed <= 40; seed++) {
    msd_world *world = random_network(seed, false);
    const msd_stability_explanation report = explanation_of(world, 0.01);
    const int32_t springs = msd_world_get_spring_count(world);
    msd_destroy_world(world);
    if (report.cause.spring < 0)
      continue;
    const double moved = limit_without_some_of(seed, report.cause.spring);
    cr_assert_gt(moved, report.limit.stable_substep * 1.001, "network %d", (int)seed);
    for (int32_t e = 0; e < springs; e++)
      cr_assert_leq(limit_without_some_of(seed, e), moved * 1.03, "network %d: spring %d, not %d", (int)seed,
                    (int)e, (int)report.cause.spring);
  }
}

Test(stability_report, the_cause_is_the_thing_that_stands_out) {
  msd_world *world = rope(10, physical(100, 0.1));
  cr_assert_eq(explanation_of(world, 0.01).cause.cause, MSD_CAUSE_ALL_ALIKE);
  const msd_spring_def stiff = physical(1e5, 0.1);
  cr_assert_eq(msd_spring_set_law(world, 6, &stiff), MSD_OK);
  msd_stability_explanation report = explanation_of(world, 0.01);
  cr_assert_eq(report.cause.spring, 6);
  cr_assert_eq(report.cause.cause, MSD_CAUSE_STIFF_SPRING);
  cr_assert_gt(report.cause.ratio, 100);
  msd_destroy_world(world);

  world = rope(10, physical(100, 0.1));
  cr_assert_eq(msd_particle_set_mass(world, 4, (msd_real)1e-3), MSD_OK);
  report = explanation_of(world, 0.01);
  cr_assert_eq(report.cause.particle, 4);
  cr_assert(report.cause.spring == 3 || report.cause.spring == 4);
  cr_assert_eq(report.cause.cause, MSD_CAUSE_LIGHT_PARTICLE);
  msd_destroy_world(world);

  world = empty_world();
  for (int32_t i = 0; i <= 30; i++)
    add_particle(world, i, i % 3, 0, 1);
  for (int32_t i = 1; i <= 30; i++)
    join(world, 0, i, physical(100, 0));
  report = explanation_of(world, 0.01);
  cr_assert_eq(report.cause.particle, 0);
  cr_assert_eq(report.cause.cause, MSD_CAUSE_MANY_SPRINGS);
  msd_destroy_world(world);
}

static void scale_springs(msd_world *world, double stiffness, double damping, double coefficients) {
  for (int32_t e = 0; e < msd_world_get_spring_count(world); e++) {
    msd_spring_def def = msd_spring_get_def(world, e);
    def.stiffness = (msd_real)((double)def.stiffness * stiffness);
    def.damping = (msd_real)((double)def.damping * damping);
    def.ck = (msd_real)((double)def.ck * coefficients);
    def.cd = (msd_real)((double)def.cd * coefficients);
    cr_assert_eq(msd_spring_set_law(world, e, &def), MSD_OK);
  }
}

Test(stability_report, each_remedy_alone_reaches_the_step) {
  for (uint64_t seed = 2; seed <= 60; seed++) {
    msd_world *world = random_network(seed, seed % 2 == 0);
    const double dt = 0.02;
    const msd_stability_explanation report = explanation_of(world, dt);
    if (report.remedy.stiffness_factor > 0 && report.remedy.stiffness_factor < 1e12) {
      scale_springs(world, report.remedy.stiffness_factor * 0.9999, report.remedy.damping_factor * 0.9999, 1);
      cr_assert_lt(true_radius(world, (double)(msd_real)dt), 4, "stiffness of network %d", (int)seed);
      scale_springs(world, 1 / (report.remedy.stiffness_factor * 0.9999),
                    1 / (report.remedy.damping_factor * 0.9999), 1);
    }
    if (report.remedy.coefficient_factor > 0 && isfinite(report.remedy.coefficient_factor)) {
      scale_springs(world, 1, 1, report.remedy.coefficient_factor * 0.9999);
      cr_assert_lt(true_radius(world, (double)(msd_real)dt), 4, "coefficients of network %d", (int)seed);
      scale_springs(world, 1, 1, 1 / (report.remedy.coefficient_factor * 0.9999));
    }
    if (report.remedy.mass_factor > 0 && isfinite(report.remedy.mass_factor)) {
      for (int32_t i = 0; i < msd_world_get_particle_count(world); i++)
        cr_assert_eq(msd_particle_set_mass(world, i,
                                           (msd_real)((double)msd_particle_get_mass(world, i) *
                                                      report.remedy.mass_factor * 1.0001)),
                     MSD_OK);
      cr_assert_lt(true_radius(world, (double)(msd_real)dt), 4, "masses of network %d", (int)seed);
    }
    msd_destroy_world(world);
  }
}

/* -------------------------------------------------------------------------------------------------- misuse */

Test(stability_report, bad_steps_are_refused) {
  msd_world *world = rope(2, physical(100, 0));
  msd_stability report;
  cr_assert_eq(msd_world_analyze_stability(world, 0, &report), MSD_BAD_FRAME_TIME);
  cr_assert_eq(msd_world_analyze_stability(world, -1, &report), MSD_BAD_FRAME_TIME);
  cr_assert_eq(msd_world_analyze_stability(world, (msd_real)NAN, &report), MSD_BAD_FRAME_TIME);
  cr_assert_eq(msd_world_analyze_stability(world, (msd_real)INFINITY, &report), MSD_BAD_FRAME_TIME);
  cr_assert_eq(msd_world_analyze_stability(NULL, 1, &report), MSD_BAD_VALUE);
  cr_assert_eq(msd_world_analyze_stability(world, 1, NULL), MSD_BAD_VALUE);
  msd_destroy_world(world);
}
