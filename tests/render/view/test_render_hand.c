#include "render/view/hand.h"

#include <msd/damped_spring.h>

#include <criterion/criterion.h>
#include <math.h>

static const double PI = 3.14159265358979323846;

static msd_world *new_world(msd_integrator integrator) {
  msd_world_def def = msd_default_world_def();
  def.integrator = integrator;
  msd_world *world;
  cr_assert(msd_create_world(&def, &world) == MSD_OK);
  return world;
}

static msd_world *world_with_a_particle(msd_integrator integrator) {
  msd_world *world = new_world(integrator);
  msd_particle_def p = msd_default_particle_def();
  cr_assert(msd_add_particles(world, &p, 1, NULL) == MSD_OK);
  return world;
}

static void weightless(msd_world *world) {
  cr_assert(msd_world_set_gravity(world, (msd_vec3){0, 0, 0}) == MSD_OK);
}

static void step(hand *h, msd_world *world, double dt) {
  hand_step(h, world, dt);
  cr_assert(msd_world_step(world, (msd_real)dt, 1) == MSD_OK);
}

/* Held 1 m beside its middle, and led 2 m along x. */
Test(hand, leads_a_collider_by_the_point_where_it_was_taken) {
  const double steps[] = {1e-3, 1.0 / 60, 0.1};
  for (int i = 0; i < 3; i++) {
    msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
    msd_collider_def def = msd_default_collider_def();
    def.kind = MSD_COLLIDER_SPHERE;
    def.rotation = msd_quaternion_from_degrees((msd_vec3){0, 90, 0});
    cr_assert(msd_add_colliders(world, &def, 1, NULL) == MSD_OK);
    hand h = hand_empty();
    hand_grab_collider(&h, world, 1, (double[]){0, 0, 0});
    cr_expect_eq(h.collider, -1, "there is one only");
    hand_grab_collider(&h, world, 0, (double[]){0, 1, 0});
    h.goal[0] = 2;
    double before = 0;
    for (double t = 0; t < 1; t += steps[i]) {
      step(&h, world, steps[i]);
      const double x = (double)msd_collider_get_def(world, 0).position.x;
      cr_expect(x >= before - 1e-6 && x <= 2 + 1e-6, "from %g to %g", before, x);
      before = x;
    }
    cr_expect_float_eq(before, 2, 1e-3);
    cr_expect_float_eq((double)msd_collider_get_def(world, 0).position.y, 0, 1e-6);
    cr_expect_float_eq(msd_collider_get_def(world, 0).rotation.y, sqrt(0.5), 1e-6, "it does not turn");
    hand_release(&h, world);
    step(&h, world, 0.1);
    cr_expect_eq((double)msd_collider_get_def(world, 0).position.x, before, "let go, it stands");
    msd_destroy_world(world);
  }
}

/* A needle of three pins beside a particle of another body. */
Test(hand, leads_pins_alike_by_the_point_where_they_were_taken) {
  const msd_vec3 placed[4] = {{5, 5, 5}, {0, 0, 0}, {0, 1, 0}, {(msd_real)0.1, 2, 0}};
  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  weightless(world);
  for (int i = 0; i < 4; i++) {
    msd_particle_def p = msd_default_particle_def();
    p.position = placed[i];
    p.pinned = i > 0;
    cr_assert(msd_add_particles(world, &p, 1, NULL) == MSD_OK);
  }
  hand h = hand_empty();
  hand_grab_pins(&h, world, (msd_range){2, 3}, (double[]){0, 0, 0});
  cr_expect_eq(h.pins.count, 0, "there are not as many");
  hand_grab_pins(&h, world, (msd_range){1, 3}, (double[]){0, 0.5, 0.1});
  h.goal[0] = 2;
  for (int n = 0; n < 90; n++) {
    step(&h, world, 1.0 / 60);
    for (int i = 1; i < 4; i++) {
      const msd_vec3 at = msd_particle_get_position(world, i), first = msd_particle_get_position(world, 1);
      cr_expect_float_eq((double)at.x - (double)first.x, (double)placed[i].x, 1e-6, "step %d, pin %d", n, i);
      cr_expect_eq(at.y, placed[i].y);
      cr_expect_eq(at.z, 0);
    }
  }
  cr_expect_float_eq((double)msd_particle_get_position(world, 1).x, 2, 1e-4);
  hand_release(&h, world);
  const msd_vec3 left = msd_particle_get_position(world, 3);
  step(&h, world, 0.1);
  cr_expect_eq(msd_particle_get_position(world, 3).x, left.x, "let go, they stand");
  cr_expect(msd_particle_is_pinned(world, 3));
  cr_expect_eq(msd_particle_get_position(world, 0).x, 5, "nothing else was led");
  msd_destroy_world(world);
}

Test(hand, leads_a_particle_to_the_goal_without_overshoot_at_any_step) {
  const double steps[] = {1e-3, 1.0 / 60, 0.1, 1, 100};
  for (int integrator = 0; integrator < MSD_INTEGRATOR_COUNT; integrator++)
    for (int i = 0; i < 5; i++) {
      msd_world *world = world_with_a_particle((msd_integrator)integrator);
      weightless(world);
      hand h = hand_empty();
      hand_grab(&h, world, 0);
      h.goal[0] = 2;
      double before = 0;
      for (double t = 0; t < 1; t += steps[i]) {
        step(&h, world, steps[i]);
        double x = (double)msd_particle_get_position(world, 0).x;
        cr_expect(x >= before - 1e-6 && x <= 2 + 1e-6, "from %g to %g in a step of %g s", before, x,
                  steps[i]);
        before = x;
      }
      cr_expect_float_eq(before, 2, 1e-3, "after a second at steps of %g s it is at %g", steps[i], before);
      hand_release(&h, world);
      msd_destroy_world(world);
    }
}

/* x = g (1 - (1 + w t) exp(-w t)): a critically damped spring from rest. An soft pin has w = 2 pi f; a pin,
   with integrators without exact soft pins, w = 2 ln 2 / 0.04. */
Test(hand, follows_the_exact_damped_spring) {
  for (int integrator = 0; integrator < MSD_INTEGRATOR_COUNT; integrator++) {
    msd_world *world = world_with_a_particle((msd_integrator)integrator);
    weightless(world);
    hand h = hand_empty();
    hand_grab(&h, world, 0);
    h.goal[1] = 1;
    double w = h.leads_pin ? 2 * log(2) / 0.04 : 2 * PI * HAND_FREQUENCY;
    cr_expect_eq(h.leads_pin, integrator != MSD_SYMPLECTIC_EULER && integrator != MSD_SEQUENTIAL_IMPULSE);
    for (int i = 1; i <= 12; i++) {
      step(&h, world, 0.01);
      double t = 0.01 * i;
      cr_expect_float_eq((double)msd_particle_get_position(world, 0).y, 1 - (1 + w * t) * exp(-w * t), 1e-5);
    }
    hand_release(&h, world);
    msd_destroy_world(world);
  }
}

Test(hand, throws_what_it_lets_go) {
  for (int integrator = 0; integrator < 2; integrator++) {
    msd_world *world = world_with_a_particle((msd_integrator)integrator);
    weightless(world);
    hand h = hand_empty();
    hand_grab(&h, world, 0);
    /* The pointer moves at 3 m/s. */
    for (int i = 0; i < 60; i++) {
      h.goal[0] = 3 * i / 60.0;
      step(&h, world, 1.0 / 60);
    }
    hand_release(&h, world);
    cr_expect_eq(h.particle, -1);
    cr_expect_not(msd_particle_is_pinned(world, 0));
    cr_expect_float_eq((double)msd_particle_get_velocity(world, 0).x, 3, 0.5);
    double x = (double)msd_particle_get_position(world, 0).x;
    step(&h, world, 1.0 / 60);
    cr_expect_float_eq((double)msd_particle_get_position(world, 0).x, x + 3.0 / 60, 0.5 / 60, "it flies on");
    msd_destroy_world(world);
  }
}

Test(hand, leaves_pins_pinned) {
  msd_world *world = world_with_a_particle(MSD_SYMPLECTIC_EULER);
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
  msd_world *world = world_with_a_particle(MSD_SYMPLECTIC_EULER);
  hand h = hand_empty();
  hand_grab(&h, world, 7);
  cr_expect_eq(h.particle, -1);
  step(&h, world, 1.0 / 60);
  hand_release(&h, world);
  msd_destroy_world(world);
}

/* The load is the whole rope. At rest the soft pin, stepped as msd/soft_pin.h says, hangs by X = W/m dt Q/(1 -
   T + E^2). */
Test(hand, a_held_rope_hangs_as_much_lower_as_theory_says) {
  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  msd_rope_def rope = msd_default_rope_def();
  rope.particles = 12;
  rope.mass = 0.5;
  msd_body body;
  cr_assert(msd_add_rope(world, &rope, &body) == MSD_OK);
  cr_assert(msd_world_set_linear_damping(world, 4) == MSD_OK);
  hand h = hand_empty();
  hand_grab(&h, world, body.particles.first);
  const double dt = 1.0 / 60, w = 2 * PI * HAND_FREQUENCY, m = (double)msd_particle_get_mass(world, 0);
  const double mass = msd_world_get_stats(world).total_mass, start = h.goal[1];
  for (int n = 0; n < 1200; n++)
    step(&h, world, dt);
  /* Drag scales Q and S of the closed form, and the weight. */
  msd_damped_spring s = msd_damped_spring_make_stiffness(mass / m * w * w, mass / m * 2 * w, dt);
  const double decay = exp(-4 * dt);
  const double room =
      1 - s.pos_pos - decay * s.vel_vel + decay * (s.pos_pos * s.vel_vel - s.pos_vel * s.vel_pos);
  const double lag = mass / m * 9.81 * dt * decay * s.pos_vel / room;
  cr_expect_float_eq(start - (double)msd_particle_get_position(world, 0).y, lag, 0.01 * lag);
  cr_expect_float_eq(lag, 9.81 / (w * w), 0.25 * lag, "which is near W/k");
  hand_release(&h, world);
  msd_destroy_world(world);
}

Test(hand, pulls_a_cloth_at_its_certified_step_without_harm) {
  for (int integrator = 0; integrator < 2; integrator++) {
    msd_world *world = new_world(integrator == 0 ? MSD_SYMPLECTIC_EULER : MSD_VELOCITY_VERLET);
    msd_cloth_def cloth = msd_default_cloth_def();
    cloth.columns = cloth.rows = 24;
    msd_body body;
    cr_assert(msd_add_cloth(world, &cloth, &body) == MSD_OK);
    cr_assert(msd_particle_pin(world, 0) == MSD_OK && msd_particle_pin(world, 23) == MSD_OK);
    hand h = hand_empty();
    hand_grab(&h, world, 24 * 12 + 12);
    msd_vec3 from = msd_particle_get_position(world, 24 * 12 + 12);
    for (int n = 0; n < 240; n++) {
      h.goal[0] = (double)from.x + 0.3 * sin(0.1 * n);
      h.goal[2] = (double)from.z + 1 + 0.5 * cos(0.37 * n);
      step(&h, world, 1.0 / 60);
    }
    cr_expect_lt(msd_world_get_stats(world).max_speed, 50);
    double pull = (double)msd_soft_pin_get_force(world, 0).z;
    if (integrator == 0)
      cr_expect_gt(fabs(pull), 1e-3, "the cloth pulls back: %g N", pull);
    hand_release(&h, world);
    cr_expect_not(msd_particle_is_pinned(world, 24 * 12 + 12));
    for (int n = 0; n < 240; n++)
      step(&h, world, 1.0 / 60);
    cr_expect_lt(msd_world_get_stats(world).max_speed, 50);
    msd_destroy_world(world);
  }
}

Test(hand, gives_an_soft_pin_back_as_it_was) {
  msd_world *world = world_with_a_particle(MSD_SYMPLECTIC_EULER);
  msd_soft_pin_def def = msd_default_soft_pin_def();
  def.particle = 0;
  def.position = (msd_vec3){0, 2, 0};
  cr_assert(msd_add_soft_pins(world, &def, 1, NULL) == MSD_OK);
  hand h = hand_empty();
  hand_grab(&h, world, 0);
  step(&h, world, 1.0 / 60);
  cr_expect_eq((double)msd_soft_pin_get_def(world, 0).position.y, 0);
  hand_release(&h, world);
  cr_expect_eq((double)msd_soft_pin_get_def(world, 0).position.y, 2);
  cr_expect_eq(msd_soft_pin_get_def(world, 0).law, MSD_SPRING_FREQUENCY);
  cr_expect_eq(msd_world_get_soft_pin_count(world), 1);

  msd_particle_def other = msd_default_particle_def();
  cr_assert(msd_add_particles(world, &other, 1, NULL) == MSD_OK);
  hand_grab(&h, world, 1);
  cr_expect_eq(msd_soft_pin_get_def(world, 0).particle, 0, "another particle is held by another soft pin");
  cr_expect_eq(msd_soft_pin_get_def(world, 1).particle, 1);
  hand_grab(&h, world, 0);
  cr_expect_eq(msd_soft_pin_get_def(world, 1).particle, -1);
  hand_release(&h, world);
  hand_grab(&h, world, 1);
  cr_expect_eq(msd_world_get_soft_pin_count(world), 2, "which it keeps");
  hand_release(&h, world);
  msd_destroy_world(world);
}

/* While the particle is held the panel changes the integrator, and Ctrl + click pins the particle. */
Test(hand, keeps_its_hold_when_the_world_changes_under_it) {
  msd_world *world = world_with_a_particle(MSD_SYMPLECTIC_EULER);
  hand h = hand_empty();
  hand_grab(&h, world, 0);
  h.goal[0] = 1;
  const msd_integrator ways[] = {MSD_RK4, MSD_SYMPLECTIC_EULER, MSD_EXPLICIT_EULER};
  for (int n = 0; n < 3; n++) {
    cr_assert(msd_world_set_integrator(world, ways[n]) == MSD_OK);
    for (int i = 0; i < 90; i++)
      step(&h, world, 1.0 / 60);
    cr_expect_eq(h.particle, 0);
    cr_expect_float_eq((double)msd_particle_get_position(world, 0).x, 1, 1e-3);
  }
  hand_release(&h, world);
  cr_expect_not(msd_particle_is_pinned(world, 0));
  msd_destroy_world(world);
}
