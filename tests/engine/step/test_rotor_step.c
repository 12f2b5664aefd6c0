/* The motion of rotors against theory: closed forms of one and two of them, what every network keeps, and
   what a step that fails leaves behind. */
#include "tests/support/rotors.h"

#include "engine/world/world.h"

#include <string.h>

static double angle(const msd_world *world, int32_t rotor) {
  return world->model.rotors.angle[rotor];
}

static double turning(const msd_world *world, int32_t rotor) {
  return world->model.rotors.velocity[rotor];
}

/* A rotor on a spring to the frame. */
static msd_world *torsion_pendulum(msd_integrator integrator, double inertia, msd_torsion_spring_def spring,
                                   double start) {
  msd_world *world = new_world(integrator);
  add_rotor(world, inertia, start, 0);
  add_angular(world, spring, 0, MSD_GROUND, 0);
  return world;
}

static const char *name_of(int integrator) {
  return msd_integrator_name((msd_integrator)integrator);
}

/* -------------------------------------------------------------------------------------------- pendulums */

/* T = 2 pi sqrt(I/k), from the times at which the angle passes zero. */
Test(rotor_step, a_torsion_pendulum_has_its_period) {
  const double inertia = 0.02, stiffness = 0.5, dt = 0.00048828125,
               wanted = 2 * PI * sqrt(inertia / stiffness);
  for (int integrator = 0; integrator < MSD_INTEGRATOR_COUNT; integrator++) {
    msd_world *world = torsion_pendulum((msd_integrator)integrator, inertia, angular(stiffness, 0), 1);
    double first = 0, last = 0, before = angle(world, 0);
    int crossings = 0;
    for (int step_number = 1; crossings < 21; step_number++) {
      step(world, dt, 1);
      const double now = angle(world, 0);
      if ((now < 0) != (before < 0)) {
        last = (step_number - now / (now - before)) * dt;
        first = crossings == 0 ? last : first;
        crossings++;
      }
      before = now;
    }
    const double period = (last - first) / 10;
    cr_assert(fabs(period - wanted) < 1e-3 * wanted, "%s: %.9g s, not %.9g s", name_of(integrator), period,
              wanted);
    msd_destroy_world(world);
  }
}

/* Two equal pendulums and a weak spring between them swing in the modes w1^2 = k/I and w2^2 = (k + 2 c)/I:
   from one turned by 1 the angles are (cos w1 t +- cos w2 t)/2, and at pi/(w2 - w1) all motion is in the
   other. */
Test(rotor_step, coupled_pendulums_beat_with_the_difference_of_their_modes) {
  const double inertia = 0.5, stiffness = 8, coupling = 0.5, dt = 0.015625;
  const double w1 = sqrt(stiffness / inertia), w2 = sqrt((stiffness + 2 * coupling) / inertia);
  msd_world *world = new_world(MSD_RK4);
  add_rotor(world, inertia, 1, 0);
  add_rotor(world, inertia, 0, 0);
  add_angular(world, angular(stiffness, 0), 0, MSD_GROUND, 0);
  add_angular(world, angular(stiffness, 0), 1, MSD_GROUND, 0);
  add_angular(world, angular(coupling, 0), 0, 1, 0);
  const int steps = (int)(2 * PI / (w2 - w1) / dt);
  double handed_over = 0;
  for (int n = 1; n <= steps; n++) {
    step(world, dt, 4);
    const double t = n * dt, a = cos(w1 * t), b = cos(w2 * t);
    cr_assert(fabs(angle(world, 0) - (a + b) / 2) < 1e-6 && fabs(angle(world, 1) - (a - b) / 2) < 1e-6,
              "at %g s: %g and %g", t, angle(world, 0), angle(world, 1));
    if (fabs(t - PI / (w2 - w1)) < 2 * PI / (w1 + w2))
      handed_over = largest(handed_over, fabs(angle(world, 1)));
  }
  cr_assert_gt(handed_over, 0.98);
  msd_destroy_world(world);
}

/* theta'' = -2 zeta w theta' - w^2 theta; the error falls with the order's power of the step. */
static double error_at_the_end(msd_integrator integrator, int steps) {
  const double w = 2, zeta = 0.125, end = 4;
  msd_world *world = torsion_pendulum(integrator, 0.5, angular(0.5 * w * w, 2 * zeta * w * 0.5), 1);
  step(world, end, steps);
  const double damped = w * sqrt(1 - zeta * zeta);
  const double exact = exp(-zeta * w * end) * (cos(damped * end) + zeta * w / damped * sin(damped * end));
  const double error = fabs(angle(world, 0) - exact);
  msd_destroy_world(world);
  return error;
}

Test(rotor_step, the_integrators_have_their_orders) {
  static const double orders[MSD_INTEGRATOR_COUNT] = {
      [MSD_SYMPLECTIC_EULER] = 1,   [MSD_EXPLICIT_EULER] = 1, [MSD_VELOCITY_VERLET] = 2, [MSD_RK4] = 4,
      [MSD_SEQUENTIAL_IMPULSE] = 1,
  };
  for (int integrator = 0; integrator < MSD_INTEGRATOR_COUNT; integrator++) {
    const double coarse = error_at_the_end((msd_integrator)integrator, 256);
    const double fine = error_at_the_end((msd_integrator)integrator, 512);
    cr_assert(fabs(log2(coarse / fine) - orders[integrator]) < 0.1, "%s: order %g", name_of(integrator),
              log2(coarse / fine));
  }
}

/* ------------------------------------------------------------------------------------------- many turns */

/* Wound by 1000 turns, a spring drives its rotor as a short one would: its torque is a straight line of the
   angle all the way, and the motion a cosine of 1000 turns. */
Test(rotor_step, a_spring_winds_up_over_many_turns_and_lets_go_along_a_straight_line) {
  const double inertia = 1, stiffness = 0.25, turns = 2 * PI * 1000, dt = 0.015625;
  msd_world *world = torsion_pendulum(MSD_RK4, inertia, angular(stiffness, 0), 0);
  ok(world, msd_torsion_spring_set_rest_angle(world, 0, (msd_real)turns));
  const double rest = (double)(msd_real)turns;
  cr_assert_float_eq(msd_torsion_spring_get_torque(world, 0), -stiffness * rest, 1e-12 * rest);
  for (int n = 1; n <= 64 * 20; n++) {
    step(world, dt, 4);
    const double exact = rest * (1 - cos(sqrt(stiffness / inertia) * n * dt));
    cr_assert_float_eq(angle(world, 0), exact, 1e-9 * rest);
    cr_assert_float_eq(msd_torsion_spring_get_torque(world, 0), stiffness * (angle(world, 0) - rest),
                       1e-12 * stiffness * rest);
  }
  msd_destroy_world(world);
}

/* A float would stand still: half of its step of 1/1024 rad there is 500 times what a substep adds. */
Test(rotor_step, a_rotor_at_ten_thousand_radians_still_turns_slowly) {
  for (int integrator = 0; integrator < MSD_INTEGRATOR_COUNT; integrator++) {
    msd_world *world = new_world((msd_integrator)integrator);
    add_rotor(world, 1, 10000, 0.0009765625);
    step(world, 1, 1024);
    cr_assert_float_eq(angle(world, 0), 10000 + 0.0009765625, 1e-8, "%s", name_of(integrator));
    msd_destroy_world(world);
  }
}

/* ------------------------------------------------------------------------------------------ coefficients */

/* Ck = Cd = 1: C = 0 after the first step for every start, rest after the second. */
Test(rotor_step, a_spring_with_both_coefficients_1_is_satisfied_after_one_step_and_at_rest_after_two) {
  for (int to_frame = 0; to_frame < 2; to_frame++) {
    msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
    add_rotor(world, 0.5, 3, -2);
    if (!to_frame)
      add_rotor(world, 4, -1, 5);
    add_angular(world, angular_coefficient(1, 1), 0, to_frame ? MSD_GROUND : 1, 0.5);
    const double dt = 0.0078125;
    step(world, dt, 1);
    const double other = to_frame ? 0 : angle(world, 1);
    cr_assert_float_eq(angle(world, 0) - other - 0.5, 0, 1e-13);
    step(world, dt, 1);
    const double other_turning = to_frame ? 0 : turning(world, 1);
    cr_assert_float_eq(turning(world, 0) - other_turning, 0, 1e-11);
    cr_assert_float_eq(angle(world, 0) - (to_frame ? 0 : angle(world, 1)) - 0.5, 0, 1e-13);
    msd_destroy_world(world);
  }
}

Test(rotor_step, a_spring_is_stable_where_Ck_plus_twice_Cd_is_below_4) {
  for (int i = 1; i <= 40; i++)
    for (int j = 1; j < 20; j++) {
      const double ck = 0.1 * i, cd = 0.1 * j, sum = ck + 2 * cd;
      if (fabs(sum - 4) < 0.02)
        continue;
      msd_world *world = torsion_pendulum(MSD_SYMPLECTIC_EULER, 2, angular_coefficient(ck, cd), 1);
      const bool stays = msd_world_step(world, 2000, 2000) == MSD_OK && fabs(angle(world, 0)) < 1;
      cr_assert_eq(stays, sum < 4, "Ck %g, Cd %g: %g", ck, cd, angle(world, 0));
      msd_destroy_world(world);
    }
}

/* Between two of a chain's rotors, each with two springs, 1/n = 1/2; at its free end w_a + 2 w_b over w_a +
   w_b. */
Test(rotor_step, the_max_stable_coefficient_counts_the_springs_at_both_ends) {
  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  const double inertias[] = {1, 2, 4, 8};
  for (int i = 0; i < 4; i++)
    add_rotor(world, inertias[i], 0, 0);
  for (int32_t i = 0; i < 3; i++)
    add_angular(world, angular_coefficient(-1, 0), i, i + 1, -1);
  step(world, 1, 1);
  /* C = 1, so each torque is k = 1/(n_a w_a + n_b w_b), from rest. */
  const double k[3] = {1 / (1 + 2 * 0.5), 1 / (2 * 0.5 + 2 * 0.25), 1 / (2 * 0.25 + 0.125)};
  cr_assert_float_eq(turning(world, 0), -k[0], 1e-14);
  cr_assert_float_eq(turning(world, 1), (k[0] - k[1]) / 2, 1e-14);
  cr_assert_float_eq(turning(world, 2), (k[1] - k[2]) / 4, 1e-14);
  cr_assert_float_eq(turning(world, 3), k[2] / 8, 1e-14);
  msd_destroy_world(world);
}

/* k is capped to I/dt^2, mu to I/dt: the spring then is one with both coefficients 1. */
Test(rotor_step, the_limit_softens_a_spring_to_what_the_step_bears) {
  msd_world *stiff = torsion_pendulum(MSD_SYMPLECTIC_EULER, 2, angular(1e9, 1e9), 1);
  ok(stiff, msd_world_set_clamp_stiffness(stiff, true));
  step(stiff, 0.0078125, 1);
  cr_assert_float_eq(angle(stiff, 0), 0, 1e-15);
  step(stiff, 0.0078125, 1);
  cr_assert_float_eq(turning(stiff, 0), 0, 1e-12);
  ok(stiff, msd_world_step(stiff, 1, 0)); /* one substep whatever the springs */
  cr_assert_eq(msd_world_get_steps(stiff), 3);
  msd_destroy_world(stiff);
}

/* --------------------------------------------------------------------------------------------- networks */

/* A ring of unequal rotors with springs of all laws and a few across, turning as it likes. */
static msd_world *ring(msd_integrator integrator) {
  enum { ROTORS = 12 };
  msd_world *world = new_world(integrator);
  for (int i = 0; i < ROTORS; i++)
    add_rotor(world, 1 + 0.25 * (i % 5), 0.5 * i * i, 3 - i);
  for (int32_t i = 0; i < ROTORS; i++) {
    add_angular(world, angular(20 + i, 0.5), i, (i + 1) % ROTORS, 0.25 * i);
    if (i % 3 == 0)
      add_angular(world, angular_coefficient(0.1, 0.05), i, (i + 5) % ROTORS, 0);
  }
  return world;
}

static double angular_momentum(const msd_world *world) {
  double sum = 0;
  for (int32_t i = 0; i < msd_world_get_rotor_count(world); i++)
    sum += (double)world->model.rotors.inertia[i] * turning(world, i);
  return sum;
}

Test(rotor_step, springs_between_rotors_keep_the_angular_momentum) {
  for (int integrator = 0; integrator < MSD_INTEGRATOR_COUNT; integrator++) {
    msd_world *world = ring((msd_integrator)integrator);
    ok(world, msd_world_set_impulse_iterations(world, 3));
    const double before = angular_momentum(world);
    step(world, 1, 1024);
    double size = 0; /* explicit Euler blows the springs up, and keeps the sum all the same */
    for (int i = 0; i < 12; i++)
      size = largest(size, (double)world->model.rotors.inertia[i] * fabs(turning(world, i)));
    cr_assert(fabs(angular_momentum(world) - before) < 1e-11 * size, "%s: %.17g, not %.17g",
              name_of(integrator), angular_momentum(world), before);
    msd_destroy_world(world);
  }
}

/* Damped and undriven, a network loses energy; undamped RK4 keeps it to its order. */
Test(rotor_step, damping_takes_energy_out_until_the_springs_are_at_rest) {
  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  for (int i = 0; i < 5; i++)
    add_rotor(world, 1, i, 0);
  add_angular(world, angular(50, 5), 0, MSD_GROUND, 0);
  for (int32_t i = 0; i < 4; i++)
    add_angular(world, angular(50, 5), i + 1, i, 0.5);
  step(world, 120, 12000);
  const msd_stats stats = msd_world_get_stats(world);
  cr_assert_lt(stats.kinetic_energy + stats.elastic_energy, 1e-12);
  for (int i = 0; i < 5; i++)
    cr_assert_float_eq(angle(world, i), 0.5 * i, 1e-6);
  msd_destroy_world(world);
}

/* Springs that share no rotor, with every law, iterations and warm start: the impulses are the forces. */
Test(rotor_step, an_impulse_is_the_force_for_lone_springs_to_round_off) {
  for (int n = 0; n < 4; n++) {
    msd_world *worlds[2] = {new_world(MSD_SYMPLECTIC_EULER), new_world(MSD_SEQUENTIAL_IMPULSE)};
    for (int w = 0; w < 2; w++) {
      msd_world *world = worlds[w];
      for (int i = 0; i < 5; i++)
        add_rotor(world, 1 + i, i, -i);
      add_angular(world, angular(30, 2), 0, 3, 0.25);
      add_angular(world, angular_coefficient(0.5, 0.75), 4, 1, 7);
      add_angular(world, angular(3, 0.5), 2, MSD_GROUND, -1);
      ok(world, msd_rotor_apply_torque(world, 2, 10));
      ok(world, msd_world_set_linear_damping(world, (msd_real)0.25));
      ok(world, msd_world_set_impulse_iterations(world, n % 2 == 0 ? 1 : 7));
      ok(world, msd_world_set_impulse_warm_start(world, n >= 2));
      step(world, 2, 256);
    }
    for (int i = 0; i < 5; i++)
      cr_assert(fabs(angle(worlds[0], i) - angle(worlds[1], i)) < 1e-12 &&
                    fabs(turning(worlds[0], i) - turning(worlds[1], i)) < 1e-12,
                "rotor %d: %.17g and %.17g", i, angle(worlds[0], i), angle(worlds[1], i));
    msd_destroy_world(worlds[0]);
    msd_destroy_world(worlds[1]);
  }
}

/* Passes converge to the impulses that ask for no more: L = -dt (k C + mu C')/(1 - cd), with C' after the
   step. */
Test(rotor_step, iterations_of_impulses_converge) {
  double left[2];
  for (int n = 0; n < 2; n++) {
    msd_world *world = new_world(MSD_SEQUENTIAL_IMPULSE);
    for (int i = 0; i < 6; i++)
      add_rotor(world, 1, i % 3, 0);
    for (int32_t i = 0; i < 5; i++)
      add_angular(world, angular(100, 8), i, i + 1, 0);
    ok(world, msd_world_set_impulse_iterations(world, n == 0 ? 2 : 200));
    double start[6];
    for (int i = 0; i < 6; i++)
      start[i] = angle(world, i);
    const double dt = 0.03125, cd = 2 * 8 * dt;
    step(world, dt, 1);
    left[n] = 0;
    for (int32_t e = 0; e < 5; e++) {
      const double error = start[e] - start[e + 1], rate = turning(world, e) - turning(world, e + 1);
      const double wanted = -dt * (100 * error + 8 * rate) / (1 - cd);
      left[n] = largest(left[n], fabs(world->model.torsion_springs.given[e] - wanted));
    }
    msd_destroy_world(world);
  }
  cr_assert(left[0] > 1e-3 && left[1] < 1e-12, "%g, then %g", left[0], left[1]);
}

/* ---------------------------------------------------------------------------------- drives, pins and drag */

Test(rotor_step, a_torque_acts_for_one_step_of_the_world) {
  for (int integrator = 0; integrator < MSD_INTEGRATOR_COUNT; integrator++) {
    msd_world *world = new_world((msd_integrator)integrator);
    add_rotor(world, 4, 0, 0);
    ok(world, msd_rotor_apply_torque(world, 0, 5));
    ok(world, msd_rotor_apply_torque(world, 0, 3));
    step(world, 0.5, 16);
    cr_assert_float_eq(turning(world, 0), 8 * 0.5 / 4, 1e-14, "%s", name_of(integrator));
    step(world, 0.5, 16);
    cr_assert_float_eq(turning(world, 0), 1, 1e-14, "%s: it acts still", name_of(integrator));
    msd_destroy_world(world);
  }
}

Test(rotor_step, a_pinned_rotor_turns_at_its_velocity_whatever_acts_on_it) {
  for (int integrator = 0; integrator < MSD_INTEGRATOR_COUNT; integrator++) {
    msd_world *world = new_world((msd_integrator)integrator);
    ok(world, msd_world_set_linear_damping(world, 1));
    const int32_t pin = add_pinned_rotor(world, 1, 2), other = add_rotor(world, 1, 0, 0);
    add_angular(world, angular(10, 1), pin, other, 0);
    add_angular(world, angular(10, 1), pin, MSD_GROUND, 0);
    ok(world, msd_rotor_apply_torque(world, pin, 100));
    step(world, 4, 512);
    cr_assert_float_eq(angle(world, pin), 9, 1e-12, "%s", name_of(integrator));
    cr_assert_eq(turning(world, pin), 2);
    cr_assert_gt(angle(world, other), 5);
    msd_destroy_world(world);
  }
}

Test(rotor_step, linear_damping_lets_a_free_rotor_decay_exactly) {
  for (int integrator = 0; integrator < MSD_INTEGRATOR_COUNT; integrator++) {
    msd_world *world = new_world((msd_integrator)integrator);
    ok(world, msd_world_set_linear_damping(world, (msd_real)0.5));
    add_rotor(world, 3, 0, 7);
    step(world, 4, 32);
    cr_assert_float_eq(turning(world, 0), 7 * exp(-2), 1e-13, "%s", name_of(integrator));
    msd_destroy_world(world);
  }
}

Test(rotor_step, gravity_and_particles_do_not_touch_rotors) {
  msd_world *alone = ring(MSD_RK4), *together = ring(MSD_RK4);
  ok(together, msd_world_set_gravity(together, (msd_vec3){1, -10, 2}));
  add_particle(together, 1, 0, 0, 0);
  add_particle(together, 1, 1, 0, 0);
  add_spring(together, physical(100, 1), 0, 1, 0.5);
  step(alone, 1, 128);
  step(together, 1, 128);
  for (int i = 0; i < 12; i++)
    cr_assert(angle(alone, i) == angle(together, i) && turning(alone, i) == turning(together, i));
  cr_assert_eq(msd_world_get_steps(alone), 128);
  cr_assert_eq(msd_world_get_time(alone), 1);
  msd_destroy_world(alone);
  msd_destroy_world(together);
}

/* The state is in double whatever msd_real is, and these numbers are exact in both. */
Test(rotor_step, both_precisions_and_every_compiler_give_the_same_bits) {
  static const uint64_t hashes[MSD_INTEGRATOR_COUNT] = {
      [MSD_SYMPLECTIC_EULER] = 0x453ad12fe710e82e,   [MSD_EXPLICIT_EULER] = 0x856c2ef1fd9a1f70,
      [MSD_VELOCITY_VERLET] = 0xef005ca4147d051d,    [MSD_RK4] = 0x86ceb9e03419efaa,
      [MSD_SEQUENTIAL_IMPULSE] = 0x949175c4f4f75e76,
  };
  for (int integrator = 0; integrator < MSD_INTEGRATOR_COUNT; integrator++) {
    msd_world *world = new_world((msd_integrator)integrator);
    ok(world, msd_world_set_linear_damping(world, (msd_real)0.125));
    ok(world, msd_world_set_impulse_iterations(world, 2));
    for (int i = 0; i < 9; i++)
      add_rotor(world, 1 + 0.25 * (i % 5), 0.5 * i * i, 3 - i);
    for (int32_t i = 0; i < 9; i++)
      add_angular(world, i % 2 ? angular_coefficient(0.125, 0.25) : angular(20 + i, 0.5), i, (i + 4) % 9,
                  0.25 * i);
    ok(world, msd_rotor_apply_torque(world, 3, 10));
    step(world, 1, 1024);
    cr_expect_eq(msd_world_hash(world), hashes[integrator], "%s: 0x%016llx", name_of(integrator),
                 (unsigned long long)msd_world_hash(world));
    msd_destroy_world(world);
  }
}

/* -------------------------------------------------------------------------------------------- divergence */

/* A far too stiff rotor, a chain that is fine, and far too stiff or fine particles. */
static msd_world *mixed(msd_integrator integrator, double angular_stiffness, double stiffness) {
  msd_world *world = new_world(integrator);
  add_rotor(world, 1, 0, 0);
  add_rotor(world, 1, 1, 0);
  add_angular(world, angular(1, 0), 0, MSD_GROUND, 0);
  add_angular(world, angular(angular_stiffness, 0), 1, MSD_GROUND, 0);
  add_particle(world, 1, 0, 0, 0);
  add_particle(world, 1, 2, 0, 0);
  add_spring(world, physical(stiffness, 0), 0, 1, 1);
  return world;
}

/* After a divergence both networks are as after the last substep that both survived: as a second world that
   was asked for just these. */
static void check_divergence(msd_integrator integrator, double angular_stiffness, double stiffness,
                             const char *culprit) {
  msd_world *world = mixed(integrator, angular_stiffness, stiffness);
  msd_world *twin = mixed(integrator, angular_stiffness, stiffness);
  ok(world, msd_world_set_impulse_warm_start(world, true));
  ok(twin, msd_world_set_impulse_warm_start(twin, true));
  ok(world, msd_rotor_apply_torque(world, 0, 3));
  cr_assert_eq(msd_world_step(world, 1000, 1000), MSD_DIVERGED);
  cr_assert(strstr(msd_world_message(world), culprit) != NULL, "%s", msd_world_message(world));
  const int done = (int)msd_world_get_steps(world);
  cr_assert(done > 0 && done < 1000 && msd_world_get_time(world) == done);
  ok(twin, msd_rotor_apply_torque(twin, 0, 3));
  step(twin, done, done);
  cr_assert_eq(msd_world_hash(world), msd_world_hash(twin), "%s", name_of((int)integrator));
  cr_assert_eq(world->model.rotors.torque[0], 0);
  for (int e = 0; e < 2; e++)
    cr_assert_eq(world->model.torsion_springs.given[e], twin->model.torsion_springs.given[e]);
  msd_destroy_world(world);
  msd_destroy_world(twin);
}

Test(rotor_step, a_diverging_rotor_is_named_and_the_last_finite_state_kept) {
  for (int integrator = 0; integrator < MSD_INTEGRATOR_COUNT; integrator++)
    check_divergence((msd_integrator)integrator, 1e4, 0.01, "rotor 1 would no longer be finite");
}

Test(rotor_step, rotors_go_back_to_where_the_particles_diverged) {
  for (int integrator = 0; integrator < MSD_INTEGRATOR_COUNT; integrator++)
    check_divergence((msd_integrator)integrator, 0.01, 1e4, "particle ");
}

Test(rotor_step, whichever_diverges_first_ends_the_step) {
  /* Rotors are double, so that a float particle is lost with less. */
  check_divergence(MSD_SYMPLECTIC_EULER, 1e38, 30, "rotor 1 ");
  check_divergence(MSD_SYMPLECTIC_EULER, 1e4, 1e9, "particle ");
}

Test(rotor_step, a_rotor_that_is_lost_in_the_first_substep_leaves_everything_as_it_was) {
  msd_world *world = mixed(MSD_SYMPLECTIC_EULER, 1, 1);
  msd_rotor_def def = msd_rotor_get_def(world, 0);
  def.angular_velocity = 1e308;
  ok(world, msd_rotor_set_def(world, 0, &def));
  const uint64_t hash = msd_world_hash(world);
  cr_assert_eq(msd_world_step(world, 100, 1), MSD_DIVERGED);
  cr_assert(strstr(msd_world_message(world), "rotor 0") != NULL);
  cr_assert_eq(msd_world_hash(world), hash);
  cr_assert(msd_world_get_time(world) == 0 && msd_world_get_steps(world) == 0);
  msd_destroy_world(world);
}
