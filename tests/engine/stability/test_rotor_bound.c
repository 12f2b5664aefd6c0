/* The certified step of rotors against dense eigenvalues of the matrix that decides, and against what
   happens. */
#include "tests/support/eigenvalue.h"
#include "tests/support/rotors.h"
#include "tests/support/stability.h"

#include <stdlib.h>

/* --------------------------------------------------------------------------------- the truth, computed here */

static double inverse_inertia(const msd_world *world, int32_t rotor) {
  if (rotor == MSD_GROUND)
    return 0;
  const msd_rotor_def def = msd_rotor_get_def(world, rotor);
  return def.pinned ? 0 : 1 / (double)def.inertia;
}

static int springs_at(const msd_world *world, int32_t rotor) {
  int count = 0;
  for (int32_t s = 0; s < msd_world_get_torsion_spring_count(world); s++) {
    const msd_torsion_spring_def def = msd_torsion_spring_get_def(world, s);
    count +=
        rotor != MSD_GROUND && !msd_torsion_spring_is_broken(world, s) && (def.a == rotor || def.b == rotor);
  }
  return count;
}

/* dt^2 k + weight dt mu of a spring from the definitions of the laws. */
static double kappa(const msd_world *world, int32_t spring, double dt, double weight) {
  const msd_torsion_spring_def def = msd_torsion_spring_get_def(world, spring);
  const double wa = inverse_inertia(world, def.a), wb = inverse_inertia(world, def.b);
  if (msd_torsion_spring_is_broken(world, spring) || wa + wb == 0)
    return 0;
  const double inertia = 1 / (wa + wb);
  const double max_stable = 1 / (springs_at(world, def.a) * wa + springs_at(world, def.b) * wb);
  const double w = 2 * PI * (double)def.frequency;
  switch (def.law) {
  case MSD_SPRING_COEFFICIENT:
    return (def.ck < 0 ? max_stable : (double)def.ck * inertia) +
           weight * (def.cd < 0 ? max_stable : (double)def.cd * inertia);
  case MSD_SPRING_FREQUENCY:
    return dt * dt * inertia * w * w + weight * dt * 2 * (double)def.damping_ratio * inertia * w;
  default:
    return dt * dt * (double)def.stiffness + weight * dt * (double)def.damping;
  }
}

/* The radius of W^1/2 (dt^2 K + weight dt D) W^1/2: the motion is stable exactly while it is below 4 with
   weight 2 (symplectic Euler). */
static double true_radius(const msd_world *world, double dt, double weight) {
  const int n = msd_world_get_rotor_count(world);
  double *m = calloc((size_t)(n * n), sizeof *m);
  for (int32_t s = 0; s < msd_world_get_torsion_spring_count(world); s++) {
    const msd_torsion_spring_def def = msd_torsion_spring_get_def(world, s);
    const double part = kappa(world, s, dt, weight);
    const double wa = inverse_inertia(world, def.a), wb = inverse_inertia(world, def.b);
    m[def.a * n + def.a] += part * wa;
    if (def.b == MSD_GROUND)
      continue;
    m[def.b * n + def.b] += part * wb;
    m[def.a * n + def.b] -= part * sqrt(wa * wb);
    m[def.b * n + def.a] -= part * sqrt(wa * wb);
  }
  const double radius = largest_eigenvalue(m, n, n);
  free(m);
  return radius;
}

/* --------------------------------------------------------------------------------------------- networks */

static msd_world *chain(int rotors, bool from_frame, msd_torsion_spring_def spring) {
  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  for (int i = 0; i < rotors; i++)
    add_rotor(world, 1, 0, 0);
  if (from_frame)
    add_angular(world, spring, 0, MSD_GROUND, 0);
  for (int32_t i = 0; i + 1 < rotors; i++)
    add_angular(world, spring, i, i + 1, 0);
  return world;
}

static double random_number(uint32_t *seed) {
  *seed = *seed * 1664525u + 1013904223u;
  return (*seed >> 8) / 16777216.0;
}

/* Rings, hubs, pins, the frame, unequal inertias; springs of the given laws. */
static msd_world *penetration(uint32_t seed, bool physical_law, bool coefficients) {
  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  const int rotors = 3 + (int)(random_number(&seed) * 15);
  for (int i = 0; i < rotors; i++) {
    if (i > 1 && random_number(&seed) < 0.1)
      add_pinned_rotor(world, 0, 0);
    else
      add_rotor(world, pow(10, 2 * random_number(&seed) - 1), 0, 0);
  }
  for (int n = 0; n < 3 * rotors; n++) {
    const int32_t a = (int32_t)(random_number(&seed) * rotors);
    int32_t b = (int32_t)(random_number(&seed) * (rotors + 1)) - 1;
    b = a == b ? MSD_GROUND : b;
    msd_torsion_spring_def def = angular(100 * random_number(&seed), 3 * random_number(&seed));
    if (coefficients && (!physical_law || n % 3 == 0)) {
      def = angular_coefficient(0.03 * random_number(&seed), 0.03 * random_number(&seed));
      if (n % 2 == 0 && !physical_law)
        def.ck = def.cd = MSD_MAX_STABLE;
    } else if (n % 5 == 1) {
      def.law = MSD_SPRING_FREQUENCY;
      def.frequency = (msd_real)random_number(&seed);
      def.damping_ratio = (msd_real)0.25;
    }
    const int32_t spring = add_angular(world, def, a, b, 0);
    if (n % 7 == 3)
      ok(world, msd_torsion_spring_break(world, spring));
  }
  return world;
}

/* --------------------------------------------------------------------------------------- the certificate */

Test(rotor_stability, a_certified_step_is_never_above_the_true_limit) {
  for (uint32_t seed = 1; seed <= 60; seed++) {
    msd_world *world = penetration(seed, true, seed % 2 == 0);
    const msd_stability report = report_of(world, 0.0078125);
    const double step = report.rotor_stable_substep;
    cr_assert(step > 0 && isfinite(step));
    cr_assert_eq(report.stable_substep, step);
    cr_assert_leq(report.stable_substep_quick, step);
    cr_assert_lt(true_radius(world, step, 2), 4, "penetration %u: symplectic Euler", seed);
    const double rk4 = report.integrator_stable_substep[MSD_RK4];
    cr_assert_geq(rk4, step);
    cr_assert_lt(true_radius(world, rk4, 8 / 2.785293563405282), 8, "penetration %u: RK4", seed);
    /* The signs of rings cost something, but not more than the factor 2 of the degree bound. */
    cr_assert_gt(true_radius(world, 2 * step, 2), 4, "penetration %u: the step is far too small", seed);
    cr_assert_geq(report.radius * (1 + 1e-12), true_radius(world, 0.0078125, 2));
    msd_destroy_world(world);
  }
}

/* Chains and trees have no rings: the limit itself is found, to the tightness of the sweeps. */
Test(rotor_stability, the_step_of_a_chain_is_its_limit_to_a_thousandth) {
  for (int rotors = 1; rotors <= 60; rotors++)
    for (int n = 0; n < 6; n++) {
      if (n % 2 == 0 && rotors == 1)
        continue;
      msd_world *world = chain(rotors, n % 2 == 1,
                               n < 2   ? angular(3, 0)
                               : n < 4 ? angular(2, 0.5)
                                       : angular(0, 0.75));
      const double step = report_of(world, 0.01).rotor_stable_substep;
      cr_assert_lt(true_radius(world, step, 2), 4);
      cr_assert_gt(true_radius(world, 1.001 * step, 2), 4, "%d rotors, case %d: %g", rotors, n,
                   true_radius(world, step, 2));
      msd_destroy_world(world);
    }
}

/* Fixed at one end, N equal rotors have w = 2 sqrt(k/I) sin((2N-1) pi/(2(2N+1))) at most; stable below 2/w.
   */
Test(rotor_stability, a_chain_turns_from_stable_to_unstable_at_its_certified_step) {
  for (int n = 0; n < 3; n++) {
    const int rotors = n == 0 ? 2 : n == 1 ? 7 : 20;
    const double w = 2 * sqrt(5.0) * sin((2 * rotors - 1) * PI / (2 * (2 * rotors + 1)));
    bool stays[2];
    for (int over = 0; over < 2; over++) {
      msd_world *world = chain(rotors, true, angular(5, 0));
      const double step = report_of(world, 0.01).rotor_stable_substep;
      cr_assert(fabs(step * w / 2 - 1) < 1e-3, "%g, not %g", step, 2 / w);
      for (int i = 0; i < rotors; i++) {
        msd_rotor_def def = msd_rotor_get_def(world, i);
        def.angle = i % 2 == 0 ? 1 : -1;
        ok(world, msd_rotor_set_def(world, i, &def));
      }
      const msd_real dt = (msd_real)((over ? 1.001 : 0.9995) * step);
      stays[over] = true;
      for (int steps = 0; steps < 20000 && stays[over]; steps++)
        stays[over] = msd_world_step(world, dt, 1) == MSD_OK && fabs(angle_of(world, 0)) < 1e3;
      msd_destroy_world(world);
    }
    cr_assert(stays[0] && !stays[1], "%d rotors: %d and %d", rotors, stays[0], stays[1]);
  }
}

Test(rotor_stability, the_max_stable_coefficients_are_certified_at_every_step) {
  for (uint32_t seed = 1; seed <= 20; seed++) {
    msd_world *world = penetration(seed, false, true);
    const int32_t springs = msd_world_get_torsion_spring_count(world);
    for (int32_t s = 0; s < springs; s++) {
      const msd_torsion_spring_def def = angular_coefficient(-1, -1);
      ok(world, msd_torsion_spring_set_law(world, s, &def));
    }
    const msd_stability report = report_of(world, 0.01);
    cr_assert_eq(report.rotor_stable_substep, (double)INFINITY);
    cr_assert(report.radius <= 3 + 1e-9 && report.substeps == 1);
    cr_assert_leq(true_radius(world, 1, 2), report.radius + 1e-9);
    msd_destroy_world(world);
  }
}

/* Ck + 2 Cd = 5 is over 4 whatever the step, alone and beside a physical spring. */
Test(rotor_stability, coefficients_that_no_step_bears_are_told) {
  for (int n = 0; n < 2; n++) {
    msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
    add_rotor(world, 1, 0, 0);
    add_angular(world, angular_coefficient(3, 1), 0, MSD_GROUND, 0);
    if (n == 1)
      add_angular(world, angular(1, 0), 0, MSD_GROUND, 0);
    const msd_stability_explanation report = explanation_of(world, 0.5);
    cr_assert(report.limit.rotor_stable_substep == 0 && report.limit.stable_substep == 0 &&
              report.limit.substeps == 0);
    cr_assert_float_eq(report.limit.radius, n == 0 ? 5 : 5.25, 1e-9);
    cr_assert_eq(report.remedy.mass_factor, (double)INFINITY, "%g", report.remedy.mass_factor);
    cr_assert_float_eq(report.remedy.coefficient_factor, n == 0 ? 0.8 : 3.75 / 5, 1e-5);
    cr_assert_eq(msd_world_step(world, 1, 0), MSD_NO_STABLE_STEP);
    msd_destroy_world(world);
  }
}

Test(rotor_stability, without_torsion_springs_there_is_no_limit) {
  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  cr_assert_eq(report_of(world, 1).rotor_stable_substep, (double)INFINITY);
  add_rotor(world, 1, 0, 0);
  add_rotor(world, 1, 0, 0);
  cr_assert_eq(report_of(world, 1).rotor_stable_substep, (double)INFINITY);
  add_pinned_rotor(world, 0, 0);
  add_angular(world, angular(1e6, 10), 2, MSD_GROUND, 0); /* moves nothing */
  cr_assert_eq(report_of(world, 1).rotor_stable_substep, (double)INFINITY);
  add_angular(world, angular(0, 0), 0, 1, 0);
  cr_assert_eq(report_of(world, 1).stable_substep, (double)INFINITY);
  ok(world, msd_world_step(world, 1000, 0));
  cr_assert_eq(msd_world_get_steps(world), 1);
  msd_destroy_world(world);
}

/* ------------------------------------------------------------------------------------- the world's report */

/* One spring of k between unit masses, and of k between unit rotors: 2 k dt^2 < 4. */
Test(rotor_stability, the_report_is_the_smaller_limit_of_particles_and_rotors) {
  for (int n = 0; n < 2; n++) {
    msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
    add_particle(world, 1, 0, 0, 0);
    add_particle(world, 1, 1, 0, 0);
    add_spring(world, physical(n == 0 ? 200 : 800, 0), 0, 1, 1);
    add_rotor(world, 1, 0, 0);
    add_rotor(world, 1, 0, 0);
    add_angular(world, angular(n == 0 ? 800 : 200, 0), 0, 1, 0);
    const msd_stability_explanation report = explanation_of(world, 0.16);
    cr_assert_float_eq(report.limit.stable_substep, 0.05, 1e-6);
    cr_assert_float_eq(report.limit.rotor_stable_substep, n == 0 ? 0.05 : 0.1, 1e-6);
    cr_assert_float_eq(linearized_limit_of(world), 0.05, 1e-4);
    cr_assert_float_eq(report.limit.radius, 1600 * 0.16 * 0.16, 1e-3);
    cr_assert_float_eq(report.remedy.damping_factor, 0.05 / 0.16, 1e-5);
    cr_assert_float_eq(report.remedy.stiffness_factor, pow(0.05 / 0.16, 2), 1e-5);
    cr_assert_eq(report.limit.substeps, 4);
    cr_assert_eq(report.cause.limiting, n == 0 ? MSD_LIMITING_ROTORS : MSD_LIMITING_SPRING);
    cr_assert_eq(report.cause.spring, n == 0 ? -1 : 0);
    ok(world, msd_world_step(world, (msd_real)0.16, 0));
    cr_assert_eq(msd_world_get_steps(world), 4);
    ok(world, msd_torsion_spring_break(world, 0));
    ok(world, msd_world_step(world, (msd_real)0.16, 0));
    cr_assert_eq(msd_world_get_steps(world), n == 0 ? 6 : 8, "a change of the rotors is not seen");
    msd_destroy_world(world);
  }
}

/* A weight that hangs from a spring needs few substeps, the rotor 26 of a second: k = 2500, dt < 2/50. */
Test(rotor_stability, a_stretch_plan_has_the_substeps_that_rotors_need) {
  for (int n = 0; n < 2; n++) {
    msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
    ok(world, msd_world_set_gravity(world, (msd_vec3){0, -10, 0}));
    add_pin(world, 0, 0, 0);
    add_particle(world, 1, 0, -1, 0);
    add_spring(world, physical(n == 0 ? 400 : 1, 0), 0, 1, 1);
    add_rotor(world, 1, 0, 0);
    add_angular(world, angular(2500, 0), 0, MSD_GROUND, 0);
    msd_stretch_target target = msd_default_stretch_target();
    target.frame_time = 1;
    msd_stretch_plan plan;
    cr_assert_eq(msd_world_plan_stretch(world, &target, &plan), MSD_OK);
    cr_assert(plan.reached && plan.substeps == 26, "%d substeps", plan.substeps);
    target.substeps_max = 25;
    cr_assert_eq(msd_world_plan_stretch(world, &target, &plan), MSD_NO_STABLE_STEP);
    msd_destroy_world(world);
  }
}

Test(rotor_stability, every_change_of_the_rotors_changes_the_automatic_substeps) {
  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  add_rotor(world, 1, 0, 0);
  add_angular(world, angular(100, 0), 0, MSD_GROUND, 0); /* dt < 2/sqrt(100) */
  ok(world, msd_world_step(world, 1, 0));
  cr_assert_eq(msd_world_get_steps(world), 6);
  msd_rotor_def rotor = msd_rotor_get_def(world, 0);
  rotor.inertia = 100;
  ok(world, msd_rotor_set_def(world, 0, &rotor));
  ok(world, msd_world_step(world, 1, 0));
  cr_assert_eq(msd_world_get_steps(world), 7);
  const msd_torsion_spring_def stiff = angular(40000, 0);
  ok(world, msd_torsion_spring_set_law(world, 0, &stiff));
  ok(world, msd_world_step(world, 1, 0));
  cr_assert_eq(msd_world_get_steps(world), 18);
  rotor.pinned = true;
  ok(world, msd_rotor_set_def(world, 0, &rotor));
  ok(world, msd_world_step(world, 1, 0));
  cr_assert_eq(msd_world_get_steps(world), 19);
  msd_destroy_world(world);
}

Test(rotor_stability, a_softened_network_is_certified_at_every_step) {
  for (uint32_t seed = 1; seed <= 20; seed++) {
    msd_world *world = penetration(seed, true, true);
    ok(world, msd_world_set_clamp_stiffness(world, true));
    const msd_stability report = report_of(world, 10);
    cr_assert(report.radius <= 3 + 1e-9, "penetration %u: %g", seed, report.radius);
    cr_assert_eq(report.substeps, 1);
    for (int32_t i = 0; i < msd_world_get_rotor_count(world); i++) {
      msd_rotor_def def = msd_rotor_get_def(world, i);
      def.angle = def.pinned ? 0 : 1;
      ok(world, msd_rotor_set_def(world, i, &def));
    }
    ok(world, msd_world_step(world, 5000, 500));
    for (int32_t i = 0; i < msd_world_get_rotor_count(world); i++)
      cr_assert_lt(fabs(angle_of(world, i)), 10, "penetration %u", seed);
    msd_destroy_world(world);
  }
}

/* Lone springs: the limit of symplectic Euler. Networks: without damping that too, damping alone cd < 2, or 1
   with iterations; nothing is proven of both. Explicit Euler can take dampers only. */
Test(rotor_stability, other_integrators_have_the_limits_that_are_proven) {
  msd_world *world = chain(1, true, angular(100, 1));
  msd_stability report = report_of(world, 1);
  cr_assert_float_eq(report.integrator_stable_substep[MSD_SEQUENTIAL_IMPULSE], report.stable_substep, 1e-12);
  cr_assert_eq(report.integrator_stable_substep[MSD_EXPLICIT_EULER], 0);
  cr_assert_eq(report.integrator_stable_substep[MSD_VELOCITY_VERLET], report.stable_substep);
  msd_destroy_world(world);

  world = chain(3, true, angular(100, 1));
  cr_assert_eq(report_of(world, 1).integrator_stable_substep[MSD_SEQUENTIAL_IMPULSE], 0);
  ok(world, msd_world_set_integrator(world, MSD_SEQUENTIAL_IMPULSE));
  cr_assert_eq(msd_world_step(world, 1, 0), MSD_NO_STABLE_STEP);
  msd_destroy_world(world);

  world = chain(3, true, angular(100, 0));
  report = report_of(world, 1);
  cr_assert_eq(report.integrator_stable_substep[MSD_SEQUENTIAL_IMPULSE], report.stable_substep);
  msd_destroy_world(world);

  world = chain(3, true, angular(0, 4)); /* between two unit rotors 2 mu dt < 2 */
  report = report_of(world, 1);
  cr_assert_float_eq(report.integrator_stable_substep[MSD_SEQUENTIAL_IMPULSE], 0.25, 1e-5);
  cr_assert_float_eq(report.integrator_stable_substep[MSD_EXPLICIT_EULER], report.stable_substep, 1e-12);
  ok(world, msd_world_set_impulse_iterations(world, 2));
  cr_assert_float_eq(report_of(world, 1).integrator_stable_substep[MSD_SEQUENTIAL_IMPULSE], 0.125, 1e-5);
  msd_destroy_world(world);
}
