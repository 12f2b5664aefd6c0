/* Soft pins: that they move as theory says, can have any stiffness, and never change the bits. */
#include "tests/support/laboratory.h"
#include "tests/support/scarce_memory.h"
#include "tests/support/soft_pins.h"

#include <msd/damped_spring.h>

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static double x_of(const msd_world *world, int32_t particle) {
  return (double)msd_particle_get_position(world, particle).x;
}

/* ------------------------------------------------------------------------------------------ a lone particle */

/* x'' = -w^2 x - 2 zeta w x' from x, v: the position after t, straight from the textbook. */
static long double textbook(long double w, long double zeta, long double x, long double v, long double t) {
  if (zeta == 1)
    return expl(-w * t) * (x + (v + w * x) * t);
  const long double y = zeta * w;
  if (zeta < 1) {
    const long double r = w * sqrtl(1 - zeta * zeta);
    return expl(-y * t) * (x * cosl(r * t) + (v + y * x) / r * sinl(r * t));
  }
  const long double r = w * sqrtl(zeta * zeta - 1), fast = -y - r, slow = -y + r;
  return ((v - fast * x) * expl(slow * t) - (v - slow * x) * expl(fast * t)) / (2 * r);
}

static void assert_exact(double hertz, double ratio, double dt, bool is_physical, msd_integrator integrator) {
  const double x0 = 0.75, v0 = -3, mass = 0.25, w = 2 * PI * (double)(msd_real)hertz;
  msd_world *world = new_world(integrator);
  add_particle(world, mass, x0, 0, 0);
  set_velocity(world, 0, v0, 0, 0);
  msd_soft_pin_def def = held(0, hertz, ratio);
  if (is_physical) {
    def.law = MSD_SPRING_STIFFNESS;
    def.stiffness = (msd_real)(mass * w * w);
    def.damping = (msd_real)(2 * (double)def.damping_ratio * mass * w);
  }
  soft_pin(world, def);
  double last = x0;
  for (int n = 1; n <= 6; n++) {
    step(world, dt, n % 2 + 1);
    const double t = n * (double)(msd_real)dt, x = x_of(world, 0), scale = fabs(x0) + fabs(v0) / w;
    const double truth =
        (double)textbook((long double)w, (long double)(double)def.damping_ratio, x0, v0, (long double)t);
    /* Stiffness and damping are rounded to msd_real, which moves the phase and the decay. */
    const double bound = EPSILON * scale * (20 + 4 * w * t * (1 + ratio) * fmin(1, exp(3 - ratio * w * t)));
    cr_assert(fabs(x - truth) <= bound, "%g Hz, ratio %g, %g s: %.9g, should be %.9g", hertz, ratio, t, x,
              truth);
    if (n % 2 == 0) /* one substep: the mean velocity of the whole step */
      cr_assert_float_eq((double)msd_particle_get_velocity(world, 0).x, (x - last) / (double)(msd_real)dt,
                         4 * EPSILON * scale / dt);
    last = x;
  }
  msd_destroy_world(world);
}

Test(soft_pin, a_particle_that_feels_nothing_else_moves_exactly_however_long_the_step) {
  const double hertz[] = {0.01, 1, 4, 60, 3000}, ratios[] = {0.05, 0.5, 1, 1.5, 20},
               steps[] = {1e-4, 0.0166, 1, 30};
  for (int f = 0; f < 5; f++)
    for (int r = 0; r < 5; r++)
      for (int s = 0; s < 4; s++)
        if (hertz[f] * steps[s] < 2000)
          for (int law_kind = 0; law_kind < 2; law_kind++) {
            assert_exact(hertz[f], ratios[r], steps[s], law_kind == 1, MSD_SYMPLECTIC_EULER);
            assert_exact(hertz[f], ratios[r], steps[s], law_kind == 1, MSD_SEQUENTIAL_IMPULSE);
          }
}

/* Beside a spring: a loose particle moves by another rule (engine/step/loose.h). */
Test(soft_pin, a_soft_pin_without_stiffness_and_damping_changes_nothing) {
  msd_world *worlds[2];
  for (int n = 0; n < 2; n++) {
    worlds[n] = new_world(MSD_SYMPLECTIC_EULER);
    ok(worlds[n], msd_world_set_gravity(worlds[n], at(0, -8, 0)));
    add_particle(worlds[n], 1, 0.5, 0.25, 0);
    add_spring(worlds[n], physical(1, 0), 0, add_particle(worlds[n], 1, 0.5, 1.25, 0), 1);
  }
  msd_soft_pin_def def = held(0, 0, 1);
  soft_pin(worlds[1], def);
  for (int n = 0; n < 2; n++)
    step(worlds[n], 0.5, 16);
  cr_expect_float_eq((double)msd_particle_get_position(worlds[0], 0).y,
                     (double)msd_particle_get_position(worlds[1], 0).y, 8 * EPSILON);
  for (int n = 0; n < 2; n++)
    msd_destroy_world(worlds[n]);
}

Test(soft_pin, a_moving_point_is_followed_without_lag) {
  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  add_particle(world, 2, 0, 0, 0);
  const int32_t a = soft_pin(world, held(0, 3, 1));
  double lag = 0;
  for (int n = 1; n <= 120; n++) {
    ok(world, msd_soft_pin_move_to(world, a, at(0.03125 * n, -0.015625 * n, 0)));
    step(world, 1.0 / 64, 3);
    cr_assert_eq((double)msd_soft_pin_get_def(world, a).position.x, 0.03125 * n);
    lag = 0.03125 * n - x_of(world, 0);
  }
  /* What is left of the start: a lag of v t e^-wt. A force that saw a resting point would lag by 2 v/w = 0.2
     m. */
  cr_expect_lt(fabs(lag), 60 * EPSILON, "lags by %g m", lag);
  cr_expect_float_eq((double)msd_particle_get_velocity(world, 0).x, 2, 2e3 * EPSILON);
  step(world, 1.0 / 64, 3);
  cr_expect_eq((double)msd_soft_pin_get_def(world, a).position.x, 0.03125 * 120,
               "the point stands still afterwards");
  msd_destroy_world(world);
}

/* At rest x = P x + Q u, V = R x + S u with u = V + g dt: x = g dt Q/(1 - T + E^2). */
Test(soft_pin, under_gravity_it_rests_where_theory_says) {
  const double frequencies[] = {1, 2, 10, 100}, ratios[] = {0.5, 1, 3};
  for (int f = 0; f < 4; f++)
    for (int r = 0; r < 3; r++) {
      const double dt = 1.0 / 64, w = 2 * PI * (double)(msd_real)frequencies[f];
      msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
      ok(world, msd_world_set_gravity(world, at(-8, 0, 0)));
      add_particle(world, 0.5, 0, 0, 0);
      const int32_t a = soft_pin(world, held(0, frequencies[f], ratios[r]));
      step(world, 4000 * dt, 4000);
      const msd_damped_spring s = msd_damped_spring_make(w, ratios[r], dt);
      const double room = 1 - (s.pos_pos + s.vel_vel) + s.pos_pos * s.vel_vel - s.pos_vel * s.vel_pos;
      const double rest = -8 * dt * s.pos_vel / room;
      cr_expect_float_eq(x_of(world, 0), rest, 1e3 * EPSILON * fabs(rest));
      cr_expect_float_eq((double)msd_particle_get_velocity(world, 0).x, 0, 1e4 * EPSILON * fabs(rest) / dt);
      cr_expect_float_eq((double)msd_soft_pin_get_force(world, a).x, 4, 1e3 * EPSILON);
      if (f == 1 && r == 1) /* the estimate of the header: 1 - U^2/12 of m g/k */
        cr_expect_float_eq(rest / (-8 / (w * w)), 1 - w * w * dt * dt / 12, 1e-4);
      msd_destroy_world(world);
    }
}

/* The drag acts on the velocity that the soft pin knows, not on the mean that is told: V* = V decay, X' = P X +
   Q V*, V' = R X + S V*. */
Test(soft_pin, linear_damping_acts_on_the_velocity_of_the_particle) {
  const double dt = 1.0 / 32, drag = 3, w = 2 * PI * 2, ratio = 0.25;
  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  ok(world, msd_world_set_linear_damping(world, (msd_real)drag));
  add_particle(world, 1, 1, 0, 0);
  soft_pin(world, held(0, 2, ratio));
  const msd_damped_spring s = msd_damped_spring_make(w, ratio, dt);
  const double decay = exp(-drag * dt);
  double x = 1, v = 0;
  for (int n = 1; n <= 64; n++) {
    step(world, dt, 1);
    const double before = x;
    x = s.pos_pos * before + s.pos_vel * decay * v;
    v = s.vel_pos * before + s.vel_vel * decay * v;
    cr_assert_float_eq(x_of(world, 0), x, 1e3 * EPSILON, "substep %d: %.9g and not %.9g", n, x_of(world, 0),
                       x);
  }
  msd_destroy_world(world);
}

/* Where soft pins are forces they share an array with those of constraints. */
Test(soft_pin, one_that_lets_go_leaves_no_force_behind) {
  msd_world *world = new_world(MSD_VELOCITY_VERLET);
  for (int i = 0; i < 3; i++)
    add_particle(world, 1, i, i % 2, 0);
  add_particle(world, 1, 9, 0, 0);
  msd_constraint_def fold = msd_default_constraint_def();
  for (int32_t i = 0; i < 3; i++)
    fold.particles[i] = i;
  fold.stiffness = 1;
  ok(world, msd_add_constraints(world, &fold, 1, NULL));
  msd_soft_pin_def def = held(3, 1, 0);
  const int32_t a = soft_pin(world, def);
  step(world, 0.125, 8);
  def.particle = -1;
  ok(world, msd_soft_pin_set_def(world, a, &def));
  const double speed = (double)msd_particle_get_velocity(world, 3).x;
  cr_assert_lt(speed, -1, "it was pulled");
  step(world, 0.125, 8);
  cr_expect_eq((double)msd_particle_get_velocity(world, 3).x, speed);
  msd_destroy_world(world);
}

Test(soft_pin, a_velocity_that_is_set_counts_from_there) {
  const double dt = 0.125, w = 2 * PI * 2;
  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  add_particle(world, 1, 1, 0, 0);
  soft_pin(world, held(0, 2, 1));
  step(world, dt, 1);
  const double x = x_of(world, 0);
  set_velocity(world, 0, 5, 0, 0);
  step(world, dt, 1);
  cr_expect_float_eq(x_of(world, 0), (double)textbook((long double)w, 1, x, 5, dt), 20 * EPSILON);
  msd_destroy_world(world);
}

Test(soft_pin, ck_and_cd_of_one_bring_a_particle_there_and_to_rest_in_two_substeps) {
  for (int i = 0; i < MSD_INTEGRATOR_COUNT; i++) {
    if (i != MSD_SYMPLECTIC_EULER && i != MSD_SEQUENTIAL_IMPULSE)
      continue;
    msd_world *world = new_world((msd_integrator)i);
    add_particle(world, 3, 0.5, 0, 0);
    set_velocity(world, 0, 7, -2, 0);
    msd_soft_pin_def def = held(0, 0, 0);
    def.law = MSD_SPRING_COEFFICIENT;
    def.position = at(0.25, 0, 0);
    soft_pin(world, def);
    step(world, 1.0 / 64, 1);
    cr_expect_float_eq(x_of(world, 0), 0.25, 4 * EPSILON);
    step(world, 1.0 / 64, 1);
    cr_expect_float_eq(x_of(world, 0), 0.25, 4 * EPSILON);
    cr_expect_float_eq((double)msd_particle_get_velocity(world, 0).x, 0, 100 * EPSILON);
    cr_expect_float_eq((double)msd_particle_get_velocity(world, 0).y, 0, 100 * EPSILON);
    msd_destroy_world(world);
  }
}

/* The error at 1 s against the textbook shrinks with the step to that power. */
Test(soft_pin, integrators_that_take_it_as_a_force_keep_their_order) {
  const struct {
    msd_integrator integrator;
    double order;
  } kinds[] = {{MSD_EXPLICIT_EULER, 1}, {MSD_VELOCITY_VERLET, 2}, {MSD_RK4, 4}};
  for (int k = 0; k < 3; k++) {
    double errors[2];
    for (int n = 0; n < 2; n++) {
      msd_world *world = new_world(kinds[k].integrator);
      add_particle(world, 2, 1, 0, 0);
      msd_soft_pin_def def = held(0, 0.5, 0.25);
      const int32_t a = soft_pin(world, def);
      ok(world, msd_soft_pin_move_to(world, a, at(2, 0, 0)));
      step(world, 1, IS_DOUBLE ? 64 << n : 8 << n);
      const long double w = 2 * (long double)PI * 0.5L;
      errors[n] = fabs(x_of(world, 0) - (2 + (double)textbook(w, 0.25L, 1, -2, 1)));
      msd_destroy_world(world);
    }
    const double order = log2(errors[0] / errors[1]);
    cr_expect(order > kinds[k].order - 0.5 && order < kinds[k].order + 1, "%s: order %.2f (errors %g and %g)",
              msd_integrator_name(kinds[k].integrator), order, errors[0], errors[1]);
  }
}

Test(soft_pin, a_pin_is_not_moved_and_feels_nothing) {
  for (int i = 0; i < MSD_INTEGRATOR_COUNT; i++) {
    msd_world *world = new_world((msd_integrator)i);
    add_pin(world, 1, 2, 3);
    const int32_t a = soft_pin(world, held(0, 4, 1));
    step(world, 0.125, 4);
    cr_expect_eq(x_of(world, 0), 1);
    cr_expect_eq((double)msd_soft_pin_get_force(world, a).x, 0);
    ok(world, msd_particle_unpin(world, 0));
    step(world, 0.125, 4);
    cr_expect_lt(x_of(world, 0), 1, "let go, it is drawn to the point");
    cr_expect_neq((double)msd_soft_pin_get_force(world, a).x, 0);
    msd_destroy_world(world);
  }
}

Test(soft_pin, its_energy_is_half_k_times_the_distance_squared) {
  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  add_particle(world, 2, 3, 4, 0);
  msd_soft_pin_def def = held(0, 0.5, 1);
  const int32_t a = soft_pin(world, def);
  const double k = 2 * (2 * PI * 0.5) * (2 * PI * 0.5);
  cr_expect_float_eq(msd_world_get_stats(world).elastic_energy, 0.5 * k * 25, 1e-4);
  cr_expect_eq(msd_world_get_stats(world).soft_pins, 1);
  def.particle = -1;
  ok(world, msd_soft_pin_set_def(world, a, &def));
  cr_expect_eq(msd_world_get_stats(world).elastic_energy, 0);
  msd_destroy_world(world);
}

/* ------------------------------------------------------------------------------------------ the same bits */

/* Long enough for runs, and a penetration, which has indexed springs, records and another order of slots. */
static uint64_t hash_with(bool is_tangled, msd_integrator integrator, int threads, msd_simd simd) {
  msd_world *world = new_world(integrator);
  ok(world, msd_world_set_gravity(world, at(0, -9.81, 0)));
  msd_cloth_def cloth = msd_default_cloth_def();
  cloth.columns = 31;
  cloth.rows = 41;
  cloth.shear = cloth.stretch;
  msd_body body;
  ok(world, msd_add_cloth(world, &cloth, &body));
  generator random = {.state = 5};
  for (int n = 0; is_tangled && n < 5000; n++) {
    const int32_t a = (int32_t)(next_random(&random) % 1271), b = (int32_t)(next_random(&random) % 1271);
    if (a != b)
      add_spring(world, physical(0.001, 1e-6), a, b, 0.1);
  }
  for (int32_t i = 0; i < 1271; i += 17) {
    msd_soft_pin_def def = held(i, 1 + i % 9, 0.5 + 0.1 * (i % 13));
    def.position = msd_particle_get_position(world, i);
    if (i % 3 == 0)
      def.law = MSD_SPRING_COEFFICIENT, def.ck = def.cd = (msd_real)0.05;
    soft_pin(world, def);
  }
  ok(world, msd_world_set_thread_count(world, threads));
  ok(world, msd_world_set_simd(world, simd));
  for (int n = 0; n < 4; n++) {
    for (int32_t a = 0; a < msd_world_get_soft_pin_count(world); a += 5)
      ok(world, msd_soft_pin_move_to(world, a, at(0.1 * n, 0.01 * a, 0.2)));
    step(world, 1.0 / 60, 5);
  }
  const uint64_t hash = msd_world_hash(world);
  msd_destroy_world(world);
  return hash;
}

Test(soft_pin, threads_widths_and_ways_through_the_springs_change_no_bit) {
  const msd_integrator kinds[] = {MSD_SYMPLECTIC_EULER, MSD_SEQUENTIAL_IMPULSE, MSD_RK4};
  for (int is_tangled = 0; is_tangled < 2; is_tangled++)
    for (int k = 0; k < 3; k++) {
      const uint64_t expected = hash_with(is_tangled, kinds[k], 1, MSD_SIMD_SCALAR);
      for (int threads = 1; threads <= 5; threads += 2)
        for (int simd = MSD_SIMD_SCALAR; simd < MSD_SIMD_COUNT; simd++)
          cr_assert_eq(hash_with(is_tangled, kinds[k], threads, (msd_simd)simd), expected,
                       "%s, %d threads, simd %d, tangled %d", msd_integrator_name(kinds[k]), threads, simd,
                       is_tangled);
    }
}

Test(soft_pin, a_restored_world_goes_on_with_the_same_bits) {
  generator random = {.state = 3};
  msd_world *world = new_penetration(&random, true), *copy = new_world(MSD_RK4);
  ok(world, msd_world_set_gravity(world, at(0, -9.81, 0)));
  step(world, 0.01, 3);
  ok(world, msd_soft_pin_move_to(world, 1, at(3, 2, 1)));
  size_t size;
  ok(world, msd_world_save(world, NULL, 0, &size));
  unsigned char *bytes = malloc(size);
  cr_assert(bytes != NULL);
  ok(world, msd_world_save(world, bytes, size, &size));
  ok(copy, msd_world_restore(copy, bytes, size));
  cr_assert_eq(msd_world_get_soft_pin_count(copy), msd_world_get_soft_pin_count(world));
  for (int32_t a = 0; a < msd_world_get_soft_pin_count(world); a++) {
    const msd_soft_pin_def p = msd_soft_pin_get_def(world, a), q = msd_soft_pin_get_def(copy, a);
    cr_expect(p.particle == q.particle && p.law == q.law && p.stiffness == q.stiffness);
    cr_expect(p.frequency == q.frequency && p.damping_ratio == q.damping_ratio &&
              p.position.x == q.position.x);
    cr_expect_eq(component(msd_soft_pin_get_force(world, a), 1),
                 component(msd_soft_pin_get_force(copy, a), 1));
  }
  step(world, 0.01, 3);
  step(copy, 0.01, 3);
  cr_expect_eq(msd_world_hash(copy), msd_world_hash(world));
  cr_expect_eq((double)msd_soft_pin_get_def(copy, 1).position.x, 3);
  free(bytes);
  msd_destroy_world(world);
  msd_destroy_world(copy);
}

/* ------------------------------------------------------------------------------------------------- misuse */

Test(soft_pin, one_that_is_set_anew_holds_another_particle_or_none) {
  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  add_particle(world, 1, 1, 0, 0);
  add_particle(world, 1, 1, 0, 0);
  msd_soft_pin_def def = held(0, 4, 1);
  const int32_t a = soft_pin(world, def);
  step(world, 0.125, 1);
  def.particle = 1;
  ok(world, msd_soft_pin_set_def(world, a, &def));
  cr_expect_eq((double)msd_soft_pin_get_force(world, a).x, 0, "it has given nothing yet");
  step(world, 0.125, 1);
  cr_expect_lt(x_of(world, 1), 1);
  const double x = x_of(world, 1), v = (double)msd_particle_get_velocity(world, 1).x;
  def.particle = -1;
  ok(world, msd_soft_pin_set_def(world, a, &def));
  step(world, 0.125, 1);
  cr_expect_float_eq(x_of(world, 1), x + 0.125 * v, 4 * EPSILON, "let go, it flies on");
  cr_expect_eq((double)msd_soft_pin_get_force(world, a).x, 0);
  msd_destroy_world(world);
}

static void assert_refused(msd_world *world, msd_result result, msd_result expected, const char *says) {
  cr_expect_eq(result, expected, "%s", msd_result_string(result));
  cr_expect(strstr(msd_world_message(world), says) != NULL, "'%s' does not say '%s'",
            msd_world_message(world), says);
}

Test(soft_pin, integrator_and_law_tell_whether_it_is_exact) {
  for (int integrator = 0; integrator < MSD_INTEGRATOR_COUNT; integrator++) {
    const bool expected = integrator == MSD_SYMPLECTIC_EULER || integrator == MSD_SEQUENTIAL_IMPULSE;
    msd_world *world = new_world((msd_integrator)integrator);
    add_particle(world, 1, 0, 0, 0);
    add_particle(world, 1, 1, 0, 0);
    soft_pin(world, held(0, 5, 1));
    msd_soft_pin_def def = held(1, 5, 1);
    def.law = MSD_SPRING_COEFFICIENT;
    soft_pin(world, def);
    cr_assert_eq(msd_integrator_has_exact_soft_pins((msd_integrator)integrator), expected);
    cr_assert_eq(msd_soft_pin_is_exact(world, 0), expected);
    cr_assert_not(msd_soft_pin_is_exact(world, 1), "coefficients have no closed form");
    cr_assert(!msd_soft_pin_is_exact(world, 2) && !msd_soft_pin_is_exact(world, -1));
    msd_destroy_world(world);
  }
}

Test(soft_pin, a_particle_tells_which_soft_pin_holds_it) {
  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  for (int i = 0; i < 3; i++)
    add_particle(world, 1, i, 0, 0);
  soft_pin(world, msd_default_soft_pin_def());
  soft_pin(world, held(2, 5, 1));
  cr_assert_eq(msd_particle_get_soft_pin(world, 2), 1);
  cr_assert(msd_particle_get_soft_pin(world, 0) == -1 && msd_particle_get_soft_pin(world, 3) == -1);
  cr_assert_eq(msd_particle_get_soft_pin(world, -1), -1, "an soft pin of nothing holds nothing");
  msd_destroy_world(world);
}

Test(soft_pin, bad_definitions_are_refused_with_a_reason_and_change_nothing) {
  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  add_particle(world, 1, 0, 0, 0);
  add_particle(world, 1, 1, 0, 0);
  msd_soft_pin_def defs[2] = {held(0, 4, 1), held(1, 4, 1)};
  const msd_soft_pin_def good = defs[1];
  defs[1].cookie = 0;
  assert_refused(world, msd_add_soft_pins(world, defs, 2, NULL), MSD_UNINITIALIZED_DEF,
                 "soft_pin definition 1");
  defs[1] = good;
  defs[1].particle = 2;
  assert_refused(world, msd_add_soft_pins(world, defs, 2, NULL), MSD_BAD_INDEX, "particle is 2");
  defs[1].particle = -2;
  assert_refused(world, msd_add_soft_pins(world, defs, 2, NULL), MSD_BAD_INDEX, "particle is -2");
  defs[1].particle = 0;
  assert_refused(world, msd_add_soft_pins(world, defs, 2, NULL), MSD_BAD_VALUE, "already has a soft pin");
  defs[1] = good;
  defs[1].position.y = (msd_real)NAN;
  assert_refused(world, msd_add_soft_pins(world, defs, 2, NULL), MSD_BAD_VALUE, "point");
  defs[1] = good;
  defs[1].frequency = -1;
  assert_refused(world, msd_add_soft_pins(world, defs, 2, NULL), MSD_BAD_VALUE, "frequency");
  defs[1] = good;
  defs[1].law = MSD_SPRING_NONE;
  assert_refused(world, msd_add_soft_pins(world, defs, 2, NULL), MSD_BAD_VALUE, "law");
  defs[1].law = MSD_SPRING_COEFFICIENT;
  defs[1].ck = 2;
  assert_refused(world, msd_add_soft_pins(world, defs, 2, NULL), MSD_BAD_VALUE, "ck + 2 cd < 4");
  defs[1].ck = MSD_MAX_STABLE;
  assert_refused(world, msd_add_soft_pins(world, defs, 2, NULL), MSD_BAD_VALUE, "ck -1");
  defs[1].law = MSD_SPRING_STIFFNESS;
  defs[1].stiffness = (msd_real)INFINITY;
  assert_refused(world, msd_add_soft_pins(world, defs, 2, NULL), MSD_BAD_VALUE, "stiffness");
  assert_refused(world, msd_add_soft_pins(world, NULL, 2, NULL), MSD_BAD_VALUE, "NULL");
  assert_refused(world, msd_add_soft_pins(world, defs, -1, NULL), MSD_BAD_VALUE, "-1");
  cr_expect_eq(msd_world_get_soft_pin_count(world), 0, "all or none");
  cr_expect_eq(msd_add_soft_pins(NULL, defs, 1, NULL), MSD_BAD_VALUE);
  cr_expect_eq(msd_add_soft_pins(world, NULL, 0, NULL), MSD_OK);

  soft_pin(world, held(0, 4, 1));
  soft_pin(world, held(-1, 4, 1));
  assert_refused(world, msd_soft_pin_set_def(world, 2, &good), MSD_BAD_INDEX, "soft_pin 2");
  assert_refused(world, msd_soft_pin_set_def(world, 0, NULL), MSD_UNINITIALIZED_DEF, "soft_pin 0");
  msd_soft_pin_def second = held(0, 4, 1);
  assert_refused(world, msd_soft_pin_set_def(world, 1, &second), MSD_BAD_VALUE, "already has a soft pin");
  assert_refused(world, msd_soft_pin_move_to(world, 0, at(NAN, 0, 0)), MSD_BAD_VALUE, "must be finite");
  assert_refused(world, msd_soft_pin_move_to(world, -1, at(0, 0, 0)), MSD_BAD_INDEX, "soft_pin -1");
  cr_expect_eq(msd_soft_pin_get_def(world, 0).particle, 0);
  cr_expect_eq(msd_soft_pin_get_def(world, 9).particle, -1);
  cr_expect_eq(msd_soft_pin_get_def(NULL, 0).particle, -1);
  cr_expect_eq((double)msd_soft_pin_get_force(world, 9).x, 0);
  cr_expect_eq(msd_world_get_soft_pin_count(NULL), 0);
  cr_expect_eq(msd_soft_pin_set_def(NULL, 0, &good), MSD_BAD_INDEX);
  msd_destroy_world(world);
}

Test(soft_pin, a_step_that_diverges_leaves_the_point_where_the_state_is) {
  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  add_particle(world, 1, 0, 0, 0);
  add_particle(world, 1, 0, 0, 0);
  const double huge = IS_DOUBLE ? 1e308 : 3e38;
  set_velocity(world, 1, huge, 0, 0);
  const int32_t a = soft_pin(world, held(0, 4, 1));
  ok(world, msd_soft_pin_move_to(world, a, at(4, 0, 0)));
  cr_assert_eq(msd_world_step(world, 4, 4), MSD_DIVERGED);
  cr_expect_float_eq((double)msd_soft_pin_get_def(world, a).position.x, msd_world_get_time(world), 1e-6);
  msd_destroy_world(world);
}

Test(soft_pin, a_force_beyond_the_largest_number_is_the_largest_and_can_be_saved) {
  const double heavy = sizeof(msd_real) == 8 ? 1e306 : 1e37;
  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  msd_particle_def particle = msd_default_particle_def();
  particle.mass = (msd_real)heavy;
  cr_assert_eq(msd_add_particles(world, &particle, 1, NULL), MSD_OK);
  msd_soft_pin_def def = held(0, 4, 1);
  def.position.x = 1000;
  const int32_t a = soft_pin(world, def);
  cr_assert_eq(msd_world_step(world, (msd_real)0.01, 1), MSD_OK);
  const msd_vec3 force = msd_soft_pin_get_force(world, a);
  cr_expect(isfinite(force.x) && (double)force.x > heavy);
  size_t size;
  cr_assert_eq(msd_world_save(world, NULL, 0, &size), MSD_OK);
  void *bytes = malloc(size);
  cr_assert_eq(msd_world_save(world, bytes, size, &size), MSD_OK);
  cr_expect_eq(msd_world_restore(world, bytes, size), MSD_OK);
  free(bytes);
  msd_destroy_world(world);
}

Test(soft_pin, without_memory_the_world_stays_as_it_was) {
  int failures = 0;
  for (int allowed = 0; allowed < 12; allowed++) {
    scarce s = {.left = 1000000};
    msd_world_def def = msd_default_world_def();
    def.allocator = scarce_allocator(&s);
    msd_world *world;
    cr_assert_eq(msd_create_world(&def, &world), MSD_OK);
    add_particle(world, 1, 0, 0, 0);
    add_particle(world, 1, 0, 0, 0);
    soft_pin(world, held(0, 4, 1));
    s.left = allowed;
    msd_soft_pin_def more[40];
    for (int n = 0; n < 40; n++)
      more[n] = held(n == 7 ? 1 : -1, 4, 1);
    const msd_result result = msd_add_soft_pins(world, more, 40, NULL);
    failures += result == MSD_OUT_OF_MEMORY;
    cr_expect(result == MSD_OK || result == MSD_OUT_OF_MEMORY);
    cr_expect_eq(msd_world_get_soft_pin_count(world), result == MSD_OK ? 41 : 1);
    s.left = 1000000;
    step(world, 0.01, 1);
    msd_destroy_world(world);
  }
  cr_expect_geq(failures, 3);
}
