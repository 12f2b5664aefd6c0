/* What soft pins take of the stable step: nothing from critical damping on, however stiff. */
#include "tests/support/soft_pins.h"

Test(soft_pin_stability, from_critical_damping_on_it_takes_nothing_of_the_stable_step) {
  for (int stiff = 0; stiff < 3; stiff++) {
    msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
    add_pin(world, 0, 0, 0);
    add_particle(world, 1, 1, 0, 0);
    add_spring(world, physical(400, 3), 0, 1, 1);
    msd_stability before, after;
    ok(world, msd_world_analyze_stability(world, (msd_real)0.001, &before));
    soft_pin(world, held(1, pow(10, 4 * stiff), 1 + stiff));
    ok(world, msd_world_analyze_stability(world, (msd_real)0.001, &after));
    cr_expect_eq(before.stable_substep, after.stable_substep);
    msd_destroy_world(world);
  }
}

/* th = w sqrt(1 - zeta^2) dt < pi: half a period of its swing. */
Test(soft_pin_stability, an_underdamped_soft_pin_alone_is_certified_to_half_its_period) {
  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  add_particle(world, 0.3, 1, 0, 0);
  soft_pin(world, held(0, 5, 0.6));
  msd_stability s;
  ok(world, msd_world_analyze_stability(world, (msd_real)0.001, &s));
  cr_expect_float_eq(s.stable_substep, PI / (2 * PI * 5 * 0.8), 1e-5);
  cr_expect_float_eq(s.integrator_stable_substep[MSD_VELOCITY_VERLET],
                     (-2 * 0.6 + sqrt(4 * 0.36 + 4)) / (2 * PI * 5), 1e-5);
  msd_destroy_world(world);
}

/* Unit masses: the spring weighs 2 dt^2 k at its softest end, and the soft pin as ck + 2 cd does, at every
   step. */
Test(soft_pin_stability, an_soft_pin_that_limits_is_named) {
  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  for (int i = 0; i < 3; i++)
    add_particle(world, 1, i, 0, 0);
  add_spring(world, physical(1, 0), 0, 1, 1);
  soft_pin(world, msd_default_soft_pin_def());
  msd_stability_explanation why;
  ok(world, msd_world_explain_stability(world, (msd_real)0.01, &why));
  cr_expect(why.cause.limiting == MSD_LIMITING_SPRING && why.cause.spring == 0 && why.cause.soft_pin == -1);
  msd_soft_pin_def def = held(1, 50, 0.1);
  soft_pin(world, def);
  ok(world, msd_world_explain_stability(world, (msd_real)0.01, &why));
  cr_expect(why.cause.limiting == MSD_LIMITING_SOFT_PIN && why.cause.soft_pin == 1, "%d", why.cause.limiting);
  cr_expect(why.cause.spring == -1 && why.cause.constraint == -1 && why.cause.particle == 1);
  def.particle = 2; /* alone there */
  def.frequency = 500;
  ok(world, msd_soft_pin_set_def(world, 1, &def));
  ok(world, msd_world_explain_stability(world, (msd_real)0.01, &why));
  cr_expect(why.cause.soft_pin == 1 && why.cause.particle == 2);
  msd_destroy_world(world);
}

/* How many times the largest speed of the first thousand steps is passed in the steps after them. What is
   unstable grows by a factor in each step, and soon; what drifts or swings does not. */
static double growth(msd_world *world, double share, int steps) {
  msd_stability s;
  ok(world, msd_world_analyze_stability(world, (msd_real)0.001, &s));
  const double dt = share * fmin(s.stable_substep, 10);
  double most[2] = {0, 0};
  for (int n = 0; n < steps; n++) {
    if (msd_world_step(world, (msd_real)dt, 1) == MSD_DIVERGED)
      return INFINITY;
    most[n >= 1000] = fmax(most[n >= 1000], msd_world_get_stats(world).max_speed);
  }
  return most[1] / most[0];
}

Test(soft_pin_stability, networks_near_their_limit_bear_soft_pins_of_any_stiffness) {
  for (int kind = 0; kind < 2; kind++) {
    generator random = {.state = 77};
    for (int n = 0; n < 60; n++) {
      msd_world *world = new_penetration(&random, kind == 0);
      const double grown = growth(world, 0.98, 4000);
      cr_assert_lt(grown, 2, "network %d of kind %d: speeds grow %g times", n, kind, grown);
      msd_destroy_world(world);
    }
  }
}

/* What the test before would see. */
Test(soft_pin_stability, networks_beyond_their_limit_do_not) {
  generator random = {.state = 77};
  int gone = 0;
  for (int n = 0; n < 60; n++) {
    msd_world *world = new_penetration(&random, true);
    gone += !(growth(world, 2.5, 4000) < 2);
    msd_destroy_world(world);
  }
  cr_expect_gt(gone, 30, "only %d of 60", gone);
}

static msd_world *new_held_cloth(msd_integrator integrator, double stiffness, msd_body *body) {
  msd_world *world = new_world(integrator);
  ok(world, msd_world_set_gravity(world, at(0, -9.81, 0)));
  msd_cloth_def cloth = msd_default_cloth_def();
  cloth.columns = cloth.rows = 20;
  cloth.stretch = physical(2000, 0.2);
  ok(world, msd_add_cloth(world, &cloth, body));
  const int32_t held_ones[] = {0, 19, 187, 399};
  for (int n = 0; n < 4; n++) {
    msd_soft_pin_def def = msd_default_soft_pin_def();
    def.law = MSD_SPRING_STIFFNESS;
    def.particle = held_ones[n];
    def.stiffness = (msd_real)stiffness;
    def.damping = (msd_real)(2 * sqrt(stiffness * (double)msd_particle_get_mass(world, held_ones[n])));
    def.position = msd_particle_get_position(world, held_ones[n]);
    soft_pin(world, def);
  }
  return world;
}

Test(soft_pin_stability, a_cloth_hangs_still_from_soft_pins_of_1e12_newtons_per_meter) {
  msd_body body;
  msd_world *world = new_held_cloth(MSD_SYMPLECTIC_EULER, 1e12, &body);
  ok(world, msd_world_set_linear_damping(world, 3));
  for (int n = 0; n < 240; n++)
    step(world, 1.0 / 30, 0);
  const msd_stats stats = msd_world_get_stats(world);
  cr_expect_lt(stats.max_speed, 0.05);
  cr_expect_lt(stats.max_stretch, 0.5);
  double up = 0;
  for (int32_t a = 0; a < 4; a++)
    up += (double)msd_soft_pin_get_force(world, a).y;
  cr_expect_float_eq(up, 9.81 * stats.total_mass, 0.02 * 9.81 * stats.total_mass,
                     "the soft pins bear the weight: %g N of %g N", up, 9.81 * stats.total_mass);
  msd_destroy_world(world);
}

Test(soft_pin_stability, the_limit_softens_what_a_step_cannot_bear) {
  const msd_integrator kinds[] = {MSD_SYMPLECTIC_EULER, MSD_VELOCITY_VERLET};
  for (int k = 0; k < 2; k++) {
    msd_body body;
    msd_world *world = new_held_cloth(kinds[k], 1e8, &body);
    ok(world, msd_world_set_clamp_stiffness(world, true));
    msd_soft_pin_def def = held(0, 500, 0.01);
    ok(world, msd_soft_pin_set_def(world, 0, &def));
    def = held(19, 0, 0);
    def.law = MSD_SPRING_COEFFICIENT;
    ok(world, msd_soft_pin_set_def(world, 1, &def));
    msd_stability s;
    ok(world, msd_world_analyze_stability(world, (msd_real)(1.0 / 60), &s));
    cr_expect_lt(s.radius, 4);
    for (int n = 0; n < 600; n++)
      step(world, 1.0 / 60, 1);
    cr_expect_lt(msd_world_get_stats(world).max_speed, 30);
    msd_destroy_world(world);
  }
}
