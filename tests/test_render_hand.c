#include "render/hand.h"

#include <criterion/criterion.h>
#include <math.h>

static msd_world *world_with_a_particle(void) {
  msd_world_def def = msd_default_world_def();
  msd_world *world;
  cr_assert(msd_create_world(&def, &world) == MSD_OK);
  msd_particle_def p = msd_default_particle_def();
  cr_assert(msd_add_particles(world, &p, 1, NULL) == MSD_OK);
  return world;
}

static void step(hand *h, msd_world *world, double dt) {
  hand_step(h, world, dt);
  cr_assert(msd_world_step(world, (msd_real)dt, 1) == MSD_OK);
}

Test(hand, leads_a_particle_to_the_goal_without_overshoot_at_any_step) {
  const double steps[] = {1e-3, 1.0 / 60, 0.1, 1, 100};
  for (int i = 0; i < 5; i++) {
    msd_world *world = world_with_a_particle();
    hand h = hand_empty();
    hand_grab(&h, world, 0);
    h.goal[0] = 2;
    double before = 0;
    for (double t = 0; t < 1; t += steps[i]) {
      step(&h, world, steps[i]);
      double x = (double)msd_particle_get_position(world, 0).x;
      cr_expect(x >= before - 1e-6 && x <= 2 + 1e-6, "from %g to %g in a step of %g s", before, x, steps[i]);
      before = x;
    }
    cr_expect_float_eq(before, 2, 1e-3, "after a second at steps of %g s it is at %g", steps[i], before);
    cr_expect_float_eq((double)msd_particle_get_position(world, 0).y, 0, 1e-6, "the hand carries its weight");
    hand_release(&h, world);
    msd_destroy_world(world);
  }
}

/* x = g (1 - (1 + w t) exp(-w t)), w = 2 ln 2 / 0.04: the critically damped spring from rest. */
Test(hand, follows_the_exact_damped_spring) {
  msd_world *world = world_with_a_particle();
  hand h = hand_empty();
  hand_grab(&h, world, 0);
  h.goal[1] = 1;
  double w = 2 * log(2) / 0.04;
  for (int i = 1; i <= 12; i++) {
    step(&h, world, 0.01);
    double t = 0.01 * i;
    cr_expect_float_eq((double)msd_particle_get_position(world, 0).y, 1 - (1 + w * t) * exp(-w * t), 1e-5);
  }
  hand_release(&h, world);
  msd_destroy_world(world);
}

Test(hand, throws_what_it_lets_go) {
  msd_world *world = world_with_a_particle();
  hand h = hand_empty();
  hand_grab(&h, world, 0);
  for (int i = 0; i < 60; i++) { /* a pointer that moves at 3 m/s */
    h.goal[0] = 3 * i / 60.0;
    step(&h, world, 1.0 / 60);
  }
  hand_release(&h, world);
  cr_expect_eq(h.particle, -1);
  cr_expect_not(msd_particle_is_pinned(world, 0));
  cr_expect_float_eq((double)msd_particle_get_velocity(world, 0).x, 3, 0.5);
  msd_destroy_world(world);
}

Test(hand, leaves_pins_pinned) {
  msd_world *world = world_with_a_particle();
  cr_assert(msd_particle_pin(world, 0) == MSD_OK);
  hand h = hand_empty();
  hand_grab(&h, world, 0);
  h.goal[2] = 1;
  for (int i = 0; i < 60; i++)
    step(&h, world, 1.0 / 60);
  hand_release(&h, world);
  cr_expect(msd_particle_is_pinned(world, 0));
  step(&h, world, 1.0 / 60);
  cr_expect_float_eq((double)msd_particle_get_position(world, 0).z, 1, 1e-3);
  msd_destroy_world(world);
}

Test(hand, holds_nothing_where_there_is_no_particle) {
  msd_world *world = world_with_a_particle();
  hand h = hand_empty();
  hand_grab(&h, world, 7);
  cr_expect_eq(h.particle, -1);
  step(&h, world, 1.0 / 60);
  hand_release(&h, world);
  msd_destroy_world(world);
}
