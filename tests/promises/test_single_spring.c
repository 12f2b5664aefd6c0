/* One spring: what its coefficients and its frequency mean, and where it is stable.

   data/ckcd_single.csv holds trajectories of v -= Cd v + Ck x/dt; x += dt v. */
#include "tests/support/laboratory.h"
#include "tests/support/table.h"

/* ---------------------------------------------------------------------- coefficient springs           */

Test(single_spring, coefficient_springs_follow_the_table) {
  table *t = table_read("ckcd_single.csv", 9);
  for (int first = 0, end; first < t->rows; first = end) {
    const double ck = t->at[first][0], cd = t->at[first][1], dt = t->at[first][2];
    double amplitude = fabs(t->at[first][3]);
    for (end = first; end < t->rows && t->at[end][0] == ck && t->at[end][1] == cd && t->at[end][2] == dt;
         end++)
      amplitude = largest(amplitude, fabs(t->at[end][6]));
    const double rest = exp2(ceil(log2(2 * amplitude)));
    oscillator o =
        new_oscillator(MSD_SYMPLECTIC_EULER, coefficient(ck, cd), 1, rest, t->at[first][3], t->at[first][4]);
    int n = 0;
    for (int r = first; r < end; r++) {
      for (; n < (int)t->at[r][5]; n++)
        step(o.world, dt, 1);
      /* Each step rounds the place (to EPSILON * 2 rest); undamped springs carry each rounding on. */
      const double tolerance = 4 * EPSILON * rest * (n + 4);
      cr_expect(fabs(displacement(&o) - t->at[r][6]) <= tolerance &&
                    fabs(velocity(&o) - t->at[r][7]) <= 4 * tolerance / dt,
                "Ck %g Cd %g dt %g step %d: x %.9g v %.9g, table %.9g and %.9g", ck, cd, dt, n,
                displacement(&o), velocity(&o), t->at[r][6], t->at[r][7]);
    }
    msd_destroy_world(o.world);
  }
  free(t);
}

/* Two free particles of any masses, in any direction: at rest length after one step, at rest after two. */
Test(single_spring, the_max_stable_spring_settles_in_two_steps_not_one) {
  static const double masses[][2] = {{1, 1}, {1, 3}, {0.001, 50}, {1e3, 1e3}};
  static const double steps[] = {1.0 / 60, 1e-3, 0.5, 3};
  for (int m = 0; m < 4; m++)
    for (int s = 0; s < 4; s++) {
      const double dt = steps[s];
      msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
      add_particle(world, masses[m][0], 0, 0, 0);
      add_particle(world, masses[m][1], 0.6, 0.48, 0.64);
      const double approach = 0.25 / dt; /* of a along the spring: a quarter of its length a step */
      set_velocity(world, 0, 0.6 * approach, 0.48 * approach, 0.64 * approach);
      add_spring(world, coefficient(1, 1), 0, 1, 2);
      step(world, dt, 1);
      const double after_one = (double)msd_spring_get_length(world, 0);
      const msd_vec3 va = msd_particle_get_velocity(world, 0), vb = msd_particle_get_velocity(world, 1);
      const double rate = 0.6 * ((double)vb.x - (double)va.x) + 0.48 * ((double)vb.y - (double)va.y) +
                          0.64 * ((double)vb.z - (double)va.z);
      cr_expect(fabs(after_one - 2) < 8 * EPSILON * 2, "length %.9g after one step", after_one);
      cr_expect(fabs(rate * dt - 1) < 16 * EPSILON, "after one step the ends part at %.9g, not -x0/dt = %.9g",
                rate, 1 / dt);
      step(world, dt, 1);
      const msd_vec3 wa = msd_particle_get_velocity(world, 0), wb = msd_particle_get_velocity(world, 1);
      for (int c = 0; c < 3; c++)
        cr_expect(fabs(component(wb, c) - component(wa, c)) * dt < 32 * EPSILON,
                  "still moving by %.3e per step", (component(wb, c) - component(wa, c)) * dt);
      cr_expect(fabs((double)msd_spring_get_length(world, 0) - 2) < 32 * EPSILON);
      msd_destroy_world(world);
    }
}

Test(single_spring, the_max_stable_undamped_spring_has_a_period_of_six_steps) {
  static const double shape[] = {1, 0, -1, -1, 0, 1}; /* of x after 0..5 steps from rest */
  oscillator o = new_oscillator(MSD_SYMPLECTIC_EULER, coefficient(1, 0), 2, 1, 0.25, 0);
  for (int n = 0; n < 600; n++) {
    cr_assert(fabs(displacement(&o) - 0.25 * shape[n % 6]) < 4 * EPSILON * (n + 1), "step %d: x = %.9g", n,
              displacement(&o));
    step(o.world, 1.0 / 60, 1);
  }
  msd_destroy_world(o.world);
}

/* The largest |x| or |v| dt in the last three of `steps` steps, divided by that at the start. */
static double growth(msd_integrator integrator, double ck, double cd, double x0, int steps) {
  const double dt = 0x1p-6;
  oscillator o = new_oscillator(integrator, coefficient(ck, cd), 1, 1, x0, -x0 / dt);
  double size = 0;
  for (int n = 0; n < steps && fabs(displacement(&o)) < 0.5; n++) { /* beyond, the spring is not linear */
    step(o.world, dt, 1);
    if (n >= steps - 3)
      size = largest(size, largest(fabs(displacement(&o)), fabs(velocity(&o)) * dt));
  }
  size = largest(size, fabs(displacement(&o)));
  msd_destroy_world(o.world);
  return size / x0;
}

Test(single_spring, a_spring_is_stable_just_below_ck_plus_2_cd_of_4) {
  static const double below[][2] = {{3.9, 0},  {3.5, 0.23}, {3, 0.48},    {2, 0.98},
                                    {1, 1.48}, {0.1, 1.93}, {1.32, 1.32}, {0.001, 1.98}};
  for (int i = 0; i < 8; i++) {
    const double g = growth(MSD_SYMPLECTIC_EULER, below[i][0], below[i][1], 0x1p-10, 400);
    cr_expect(g < 40, "Ck %g Cd %g grew %g times", below[i][0], below[i][1], g);
  }
}

Test(single_spring, a_spring_blows_up_just_above_ck_plus_2_cd_of_4) {
  static const double above[][2] = {{4.1, 0},  {3.5, 0.28}, {3, 0.53},    {2, 1.03},
                                    {1, 1.53}, {0.1, 2.0},  {1.35, 1.35}, {0.001, 2.03}};
  for (int i = 0; i < 8; i++) {
    const double g = growth(MSD_SYMPLECTIC_EULER, above[i][0], above[i][1], 0x1p-10, 400);
    cr_expect(g > 200, "Ck %g Cd %g grew only %g times", above[i][0], above[i][1], g);
  }
}

Test(single_spring, equal_coefficients_are_stable_up_to_four_thirds) {
  cr_expect_lt(growth(MSD_SYMPLECTIC_EULER, 1.32, 1.32, 0x1p-10, 1000), 1e-2, "settles");
  cr_expect_gt(growth(MSD_SYMPLECTIC_EULER, 1.345, 1.345, 0x1p-10, 1000), 200, "blows up");
}

Test(single_spring, explicit_euler_never_settles_the_max_stable_spring) {
  const double g = growth(MSD_EXPLICIT_EULER, 1, 1, 0x1p-10, 1000);
  cr_expect(g > 0.5, "explicit Euler shrank it to %g", g); /* its eigenvalues are the sixth roots of unity */
  cr_expect_lt(growth(MSD_SYMPLECTIC_EULER, 1, 1, 0x1p-10, 1000), 1e-3, "while symplectic Euler settles");
}

/* Q = (Ck/dt^2) x^2 + ((Cd - Ck)/dt) x v + (1 - Cd) v^2 becomes (1 - Cd) Q in each step, whatever the state. */
Test(single_spring, the_quadratic_form_of_a_spring_decays_by_its_law) {
  static const double springs[][2] = {{1, 0},   {0.5, 0.25},   {0.25, 0.75},
                                      {2, 0.5}, {0.0625, 1.5}, {3.5, 0.125}};
  const double dt = 0x1p-5;
  for (int i = 0; i < 6; i++) {
    const double ck = springs[i][0], cd = springs[i][1];
    oscillator o = new_oscillator(MSD_SYMPLECTIC_EULER, coefficient(ck, cd), 1, 1, 0.125, -0.5);
    double last = 0;
    for (int n = 0; n < 12; n++) {
      const double x = displacement(&o), v = velocity(&o), y = v * dt;
      const double q = ck * x * x + (cd - ck) * x * y + (1 - cd) * y * y; /* times dt^2 */
      const double size = largest(fabs(x), fabs(y));
      if (n > 0)
        cr_expect(fabs(q - (1 - cd) * last) <= 40 * EPSILON * largest(size, 0.05),
                  "Ck %g Cd %g step %d: %.9g, not %.9g", ck, cd, n, q, (1 - cd) * last);
      last = q;
      step(o.world, dt, 1);
    }
    msd_destroy_world(o.world);
  }
}

/* Cd = 2 sqrt(Ck) - Ck makes both roots z = 1 - sqrt(Ck): from rest x_n = z^n (1 + n sqrt(Ck)) x0. */
Test(single_spring, the_best_damping_joins_both_roots) {
  static const double cks[] = {0.04, 0.25, 0.5625, 1};
  for (int i = 0; i < 4; i++) {
    const double ck = cks[i], z = 1 - sqrt(ck);
    oscillator o = new_oscillator(MSD_SYMPLECTIC_EULER, coefficient(ck, 2 * sqrt(ck) - ck), 1, 1, 0.25, 0);
    for (int n = 1; n <= 30; n++) {
      step(o.world, 1.0 / 60, 1);
      const double x = 0.25 * pow(z, n) * (1 + n * sqrt(ck));
      cr_expect(fabs(displacement(&o) - x) < 16 * EPSILON / sqrt(ck), "Ck %g step %d: x %.9g, not %.9g", ck,
                n, displacement(&o), x);
    }
    msd_destroy_world(o.world);
  }
}

Test(single_spring, more_and_less_than_the_best_damping_settle_later) {
  const double best = growth(MSD_SYMPLECTIC_EULER, 0.25, 0.75, 0.125, 20);
  cr_expect_lt(5 * best, growth(MSD_SYMPLECTIC_EULER, 0.25, 0.55, 0.125, 20));
  cr_expect_lt(5 * best, growth(MSD_SYMPLECTIC_EULER, 0.25, 0.95, 0.125, 20));
}

/* k = Ck m/dt^2, mu = Cd m/dt with dt the substep and m the reduced mass. */
Test(single_spring, coefficients_become_stiffness_and_damping_at_the_substep) {
  static const double steps[] = {0.25, 0.03125};
  for (int i = 0; i < 2; i++) {
    msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
    add_particle(world, 1, 0, 0, 0);
    add_particle(world, 3, 1, 0, 0);
    const int32_t pin = add_pin(world, 2, 0, 0);
    const int32_t free_pair = add_spring(world, coefficient(0.25, 0.5), 0, 1, 1);
    const int32_t to_pin = add_spring(world, coefficient(0.25, 0.5), 1, pin, 1);
    for (int substeps = 1; substeps <= 4; substeps *= 2) {
      step(world, steps[i], substeps);
      const double h = steps[i] / substeps;
      cr_expect_float_eq((double)msd_spring_get_stiffness(world, free_pair) * h * h, 0.25 * 0.75,
                         4 * EPSILON);
      cr_expect_float_eq((double)msd_spring_get_damping(world, free_pair) * h, 0.5 * 0.75, 4 * EPSILON);
      cr_expect_float_eq((double)msd_spring_get_stiffness(world, to_pin) * h * h, 0.25 * 3, 8 * EPSILON);
      cr_expect_float_eq((double)msd_spring_get_damping(world, to_pin) * h, 0.5 * 3, 8 * EPSILON);
    }
    msd_destroy_world(world);
  }
}

/* A step of n substeps is n steps: the same bits, where n divides without rounding. */
Test(single_spring, substeps_are_steps) {
  for (int law = 0; law < 3; law++)
    for (int integrator = 0; integrator < MSD_INTEGRATOR_COUNT; integrator++) {
      const msd_spring_def spring = law == 0   ? coefficient(0.25, 0.125)
                                    : law == 1 ? physical(64, 0.5)
                                               : frequency(2, 0.125);
      oscillator one = new_oscillator((msd_integrator)integrator, spring, 1, 1, 0.25, -1);
      oscillator other = new_oscillator((msd_integrator)integrator, spring, 1, 1, 0.25, -1);
      for (int n = 0; n < 20; n++) {
        step(one.world, 0x1p-4, 4);
        for (int s = 0; s < 4; s++)
          step(other.world, 0x1p-6, 1);
        cr_assert_eq(msd_world_hash(one.world), msd_world_hash(other.world), "law %d by %s: step %d", law,
                     msd_integrator_name((msd_integrator)integrator), n);
      }
      cr_expect_eq(msd_world_get_time(one.world), msd_world_get_time(other.world));
      cr_expect_eq(msd_world_get_steps(one.world), msd_world_get_steps(other.world));
      msd_destroy_world(one.world);
      msd_destroy_world(other.world);
    }
}

/* At rest a spring of coefficient Ck is stretched by W dt^2/(m_red Ck) under the load W. */
Test(single_spring, a_loaded_coefficient_spring_stretches_by_the_square_of_the_step) {
  static const double steps[] = {1.0 / 60, 1.0 / 240};
  static const double cks[] = {0.1, 0.5, 1};
  for (int s = 0; s < 2; s++)
    for (int i = 0; i < 3; i++) {
      const double dt = steps[s], ck = cks[i], mass = 2, g = 10;
      msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
      ok(world, msd_world_set_gravity(world, (msd_vec3){0, (msd_real)-g, 0}));
      add_pin(world, 0, 0, 0);
      add_particle(world, mass, 0, -1, 0);
      add_particle(world, mass, 0, -2, 0);
      add_spring(world, coefficient(ck / 2, (2 * sqrt(ck) - ck) / 2), 0, 1, 1);
      add_spring(world, coefficient(ck / 2, (2 * sqrt(ck) - ck) / 2), 1, 2, 1);
      for (int n = 0; n < 3000; n++)
        step(world, dt, 1);
      const double upper = 2 * mass * g * dt * dt / (mass * ck / 2);
      const double lower = mass * g * dt * dt / (mass / 2 * ck / 2);
      cr_expect_float_eq((double)msd_spring_get_length(world, 0) - 1, upper,
                         1e-4 * upper + 40 * EPSILON / ck);
      cr_expect_float_eq((double)msd_spring_get_length(world, 1) - 1, lower,
                         1e-4 * lower + 40 * EPSILON / ck);
      msd_destroy_world(world);
    }
}

/* ------------------------------------------------------------------------------------- frequency springs */

/* k = m (2 pi f)^2 and mu = 2 zeta m 2 pi f with the reduced mass m, at any step. */
Test(single_spring, frequency_and_ratio_become_stiffness_and_damping) {
  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  add_particle(world, 1, 0, 0, 0);
  add_particle(world, 3, 1, 0, 0);
  const int32_t s = add_spring(world, frequency(2, 0.25), 0, 1, 1);
  const double w = 2 * PI * 2, m = 0.75;
  for (int i = 0; i < 2; i++) {
    cr_expect_float_eq((double)msd_spring_get_stiffness(world, s), m * w * w, 4 * EPSILON * m * w * w);
    cr_expect_float_eq((double)msd_spring_get_damping(world, s), 2 * 0.25 * m * w, 4 * EPSILON * m * w);
    step(world, i ? 0.01 : 0.001, 1);
  }
  msd_destroy_world(world);
}

Test(single_spring, a_frequency_spring_is_the_physical_spring_of_its_conversion) {
  const double w = 2 * PI * 3, mass = 1.5;
  oscillator one = new_oscillator(MSD_SYMPLECTIC_EULER, frequency(3, 0.125), mass, 1, 0.25, 0);
  oscillator two =
      new_oscillator(MSD_SYMPLECTIC_EULER, physical(mass * w * w, 2 * 0.125 * mass * w), mass, 1, 0.25, 0);
  for (int n = 0; n < 500; n++) {
    step(one.world, 1e-3, 1);
    step(two.world, 1e-3, 1);
    cr_assert(fabs(displacement(&one) - displacement(&two)) < 4 * EPSILON * (n + 4), "step %d", n);
  }
  msd_destroy_world(one.world);
  msd_destroy_world(two.world);
}

/* f = sqrt(Ck)/(2 pi dt) and zeta = Cd/(2 sqrt(Ck)): the same numbers k and mu. */
Test(single_spring, a_coefficient_spring_has_the_frequency_of_its_conversion) {
  const double ck = 0.25, cd = 0.125, dt = 0x1p-6;
  oscillator one = new_oscillator(MSD_SYMPLECTIC_EULER, coefficient(ck, cd), 1, 1, 0.25, 0);
  oscillator two = new_oscillator(MSD_SYMPLECTIC_EULER,
                                  frequency(sqrt(ck) / (2 * PI * dt), cd / (2 * sqrt(ck))), 1, 1, 0.25, 0);
  for (int n = 0; n < 100; n++) {
    step(one.world, dt, 1);
    step(two.world, dt, 1);
    cr_assert(fabs(displacement(&one) - displacement(&two)) < 8 * EPSILON * (n + 4), "step %d", n);
  }
  msd_destroy_world(one.world);
  msd_destroy_world(two.world);
}

/* A critical spring from rest: x0 (1 + w t) e^(-w t), to the first order of the integrator. */
Test(single_spring, a_critical_spring_returns_without_overshoot) {
  const double w = 2 * PI * 0.5;
  double worst[2] = {0, 0};
  for (int halved = 0; halved < 2; halved++) {
    const double dt = 0x1p-8 / (1 + halved);
    oscillator o = new_oscillator(MSD_SYMPLECTIC_EULER, frequency(0.5, 1), 1, 1, 0.5, 0);
    for (int n = 1; n * dt <= 3; n++) {
      step(o.world, dt, 1);
      const double t = n * dt;
      worst[halved] = largest(worst[halved], fabs(displacement(&o) - 0.5 * (1 + w * t) * exp(-w * t)));
      cr_assert_gt(displacement(&o), -4 * EPSILON, "overshoot");
    }
    msd_destroy_world(o.world);
  }
  cr_expect_lt(worst[0], 0.005);
  cr_expect_float_eq(worst[0] / worst[1], 2, 0.05, "order 1: %g and %g", worst[0], worst[1]);
}

/* The logarithm of the ratio of maxima one period apart is 2 pi zeta/sqrt(1 - zeta^2). */
Test(single_spring, maxima_fall_by_the_logarithmic_decrement) {
  static const double ratios[] = {0.02, 0.1, 0.2};
  for (int i = 0; i < 3; i++) {
    const double zeta = ratios[i], dt = 1.0 / 4096;
    oscillator o = new_oscillator(MSD_SYMPLECTIC_EULER, frequency(1, zeta), 1, 1, 0.5, 0);
    double peak[4] = {0.5}, x = 0.5;
    for (int n = 0, peaks = 1; peaks < 4 && n < 8 * 4096; n++) {
      const double before = x, speed = velocity(&o);
      step(o.world, dt, 1);
      x = displacement(&o);
      if (n > 0 && before > 0 && speed > 0 && velocity(&o) <= 0)
        peak[peaks++] = before;
    }
    cr_assert_gt(peak[3], 0);
    const double decrement = log(peak[1] / peak[3]) / 2;
    cr_expect_float_eq(decrement, 2 * PI * zeta / sqrt(1 - zeta * zeta), 2e-3 * decrement + 1e-4,
                       "zeta %g: %g", zeta, decrement);
    msd_destroy_world(o.world);
  }
}
