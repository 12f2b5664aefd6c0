/* Nearest points of colliders, and what moves with them. The oracles are the distances of
   tests/support/colliders.h and rigid motion. */
#include "engine/collider/motion.h"

#include "tests/support/colliders.h"

static const double THICKNESS = 0.005, FRAME = 1.0 / 60;

static const msd_quaternion NONE = {1, 0, 0, 0};

/* ------------------------------------------------------------------------------------------ nearest points */

Test(collider_motion, the_nearest_point_is_on_the_surface_straight_below_a_place) {
  for (int n = 0; n < 4000; n++) {
    generator random = {.state = 1 + (uint64_t)n};
    msd_collider_def def = random_collider(&random, (msd_collider_kind)(n % 4), 1);
    const collider_entry entry = collider_entry_of(&def);
    def = collider_def_of(&entry);
    const msd_vec3 place = random_place(&random, 2);
    const collider_touch touch = collider_find_touch(&entry, place);
    const double distance = distance_from(&def, place);
    double along = 0, square = 0;
    for (int c = 0; c < 3; c++) {
      along += (component(place, c) - component(touch.point, c)) * component(touch.normal, c);
      square += component(touch.normal, c) * component(touch.normal, c);
    }
    cr_assert_float_eq(square, 1, 16 * EPSILON, "%d", n);
    cr_assert_float_eq(along, distance, 32 * EPSILON, "%d", n);
    cr_assert_float_eq(distance_from(&def, touch.point), 0, 32 * EPSILON, "%d", n);
  }
}

/* In the middle there is no nearest point, but a normal there has to be. */
Test(collider_motion, every_place_has_a_normal_of_length_one) {
  const msd_collider_def all[] = {plane_of(vector(0, 3, 0)),
                                  sphere_of(2),
                                  box_of(1, 1, 1),
                                  box_of(1e-30, 1, 1e-30),
                                  capsule_of(1, vector(0, 0, 0), vector(0, 0, 0)),
                                  capsule_of(1, vector(0, -1, 0), vector(0, 1, 0)),
                                  capsule_of(1, vector(0, 0, 0), vector(1e-20, 0, 0))};
  for (size_t n = 0; n < sizeof all / sizeof *all; n++) {
    const collider_entry entry = collider_entry_of(&all[n]);
    const collider_touch touch = collider_find_touch(&entry, vector(0, 0, 0));
    cr_expect_float_eq(vec3_length(touch.normal), 1, 4 * EPSILON, "%d", (int)n);
  }
}

Test(collider_motion, a_capsule_without_length_is_a_sphere_however_short_it_is) {
  for (double length = 0; length<1e-3; length = length> 0 ? length * 1e4 : 1e-42) {
    msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
    add_collider(world, capsule_of(0.1, vector(0, 0, 0), vector(length, 0, 0)));
    add_particle(world, 1, 0, 1, 0);
    set_velocity(world, 0, 0, -1, 0);
    for (int n = 0; n < 120; n++)
      step(world, FRAME, 4);
    cr_expect_float_eq((double)msd_particle_get_position(world, 0).y, 0.1 + THICKNESS, 1e-6, "%g m", length);
    msd_destroy_world(world);
  }
}

/* ---------------------------------------------------------------------------------------------- what moves */

Test(collider_motion, a_lift_carries_what_stands_on_it) {
  for (int kind = 0; kind < 2; kind++) {
    msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
    ok(world, msd_world_set_gravity(world, vector(0, -9.81, 0)));
    add_collider(world, kind ? box_of(1, 1, 1) : plane_of(vector(0, 1, 0)));
    const double top = (kind ? 0.5 : 0) + THICKNESS;
    add_particle(world, 1, 0.1, top, 0.2);
    for (int frame = 1; frame <= 60; frame++) {
      move_collider(world, 0, vector(0.01 * frame, 0.02 * frame, 0), NONE);
      step(world, FRAME, 40);
      const msd_vec3 x = msd_particle_get_position(world, 0), v = msd_particle_get_velocity(world, 0);
      cr_assert_float_eq((double)x.y, top + 0.02 * frame, 1e-5);
      cr_assert_float_eq((double)v.y, 0.02 / FRAME, 1e-2);
      if (frame > 20) /* friction has taken it along */
        cr_assert_float_eq((double)v.x, 0.01 / FRAME, 1e-2);
    }
    step(world, FRAME, 40); /* the lift stands, and the particle, thrown up, is on its way */
    cr_expect_float_eq((double)msd_particle_get_velocity(world, 0).y, 0.02 / FRAME - 9.81 * FRAME, 1e-2);
    msd_destroy_world(world);
  }
}

Test(collider_motion, a_particle_keeps_its_place_on_a_turntable) {
  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  ok(world, msd_world_set_gravity(world, vector(0, -9.81, 0)));
  set_contact(world, THICKNESS, 5, 0);
  add_collider(world, box_of(2, 0.1, 2));
  add_particle(world, 1, 0.5, 0.05 + THICKNESS, 0.3);
  set_velocity(world, 0, 0.3 * PI, 0, -0.5 * PI);
  for (int frame = 1; frame <= 120; frame++) {
    move_collider(world, 0, vector(0, 0, 0), degrees(0, 3 * frame, 0));
    step(world, FRAME, 20);
    const msd_collider_def def = msd_collider_get_def(world, 0);
    double place[3];
    local_place(&def, msd_particle_get_position(world, 0), place);
    cr_assert_float_eq(place[0], 0.5, 1e-4, "frame %d", frame);
    cr_assert_float_eq(place[2], 0.3, 1e-4, "frame %d", frame);
  }
  msd_destroy_world(world);
}

/* The surface of a drum that turns takes along by friction alone, and its speed is that of its rim. */
Test(collider_motion, what_is_round_spins_under_a_particle_and_moves_it_by_friction_alone) {
  const msd_collider_def all[] = {sphere_of(1), capsule_of(1, vector(0, 0, -2), vector(0, 0, 2))};
  for (int n = 0; n < 4; n++) {
    msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
    ok(world, msd_world_set_gravity(world, vector(0, -9.81, 0)));
    const double mu = n / 2 * 0.25;
    set_contact(world, THICKNESS, mu, 0);
    add_collider(world, all[n % 2]);
    add_particle(world, 1, 0, 1 + THICKNESS, 0);
    for (int frame = 1; frame <= 6; frame++) {
      move_collider(world, 0, vector(0, 0, 0), degrees(0, 0, 10 * frame));
      step(world, FRAME, 4);
    }
    const msd_vec3 v = msd_particle_get_velocity(world, 0);
    cr_expect_float_eq((double)v.x, -mu * 9.81 * 6 * FRAME, 0.02 * mu + 1e-5, "%d", n);
    cr_expect_lt(fabs((double)v.y), 0.03 * mu + 1e-5, "%d", n);
    msd_destroy_world(world);
  }
}

/* As far as it moves in a substep and further than it is thick. */
Test(collider_motion, a_wall_passes_nothing_that_is_in_its_way) {
  enum { PARTICLES = 100 };
  for (int n = 0; n < 6; n++) {
    generator random = {.state = 1 + (uint64_t)n};
    msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
    set_contact(world, THICKNESS, n % 3 * 0.3, 0);
    add_collider(world, box_of(0.01, 40, 40));
    for (int i = 0; i < PARTICLES; i++) {
      const msd_vec3 v = random_place(&random, 5);
      add_particle(world, 1, 0.02 + 3 * random_share(&random), 2 * random_share(&random),
                   2 * random_share(&random));
      set_velocity(world, i, (double)v.x, (double)v.y, (double)v.z);
    }
    for (int frame = 1; frame <= 12; frame++) { /* 30 m/s */
      move_collider(world, 0, vector(0.5 * frame, 0, 0), NONE);
      step(world, FRAME, n % 2 ? 40 : 1);
      for (int i = 0; i < PARTICLES; i++)
        cr_assert_gt((double)msd_particle_get_position(world, i).x, 0.5 * frame + 0.01 - 1e-5, "%d, frame %d",
                     n, frame);
    }
    msd_destroy_world(world);
  }
}

/* The same of a blade that turns about its end, for all that has not yet come by its tip. */
Test(collider_motion, a_blade_that_turns_passes_nothing_that_is_in_its_way) {
  enum { PARTICLES = 60 };
  for (int n = 0; n < 8; n++) {
    generator random = {.state = 1 + (uint64_t)n};
    msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
    set_contact(world, THICKNESS, 0.2, 0);
    const bool is_box = n % 2;
    add_collider(world, is_box ? box_of(4, 0.02, 4) : capsule_of(0.01, vector(-2, 0, 0), vector(2, 0, 0)));
    for (int i = 0; i < PARTICLES; i++) {
      const double turn = PI * (0.1 + 0.8 * random_share(&random)), far = 0.2 + 0.4 * random_share(&random);
      add_particle(world, 1, far * cos(turn), far * sin(turn), 0);
    }
    for (int frame = 1; frame <= 9; frame++) {
      move_collider(world, 0, vector(0, 0, 0), degrees(0, 0, 10 * frame));
      step(world, FRAME, n % 4 < 2 ? 40 : 1);
      const msd_collider_def def = msd_collider_get_def(world, 0);
      for (int i = 0; i < PARTICLES; i++) {
        double place[3];
        local_place(&def, msd_particle_get_position(world, i), place);
        if (fabs(place[0]) < 1.9)
          cr_assert_gt(place[1], 0.01 + THICKNESS - 1e-5, "%d, frame %d, particle %d", n, frame, i);
      }
    }
    msd_destroy_world(world);
  }
}

/* Up to nearly half a turn at once: only what the collider can come to is touched. */
Test(collider_motion, what_is_out_of_reach_is_left_alone_by_any_turn) {
  const msd_collider_def all[] = {sphere_of(1), capsule_of(0.2, vector(0, 0, 0), vector(1, 0, 0)),
                                  box_of(1, 1, 1)};
  for (size_t n = 0; n < sizeof all / sizeof *all; n++)
    for (double turn = 30; turn <= 150; turn += 30) {
      msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
      add_collider(world, all[n]);
      add_particle(world, 1, 10, 1, 0);
      move_collider(world, 0, vector(0, 0, 0), degrees(0, 0, turn));
      step(world, FRAME, 1);
      cr_expect_eq(msd_particle_get_velocity(world, 0).x, 0, "%d, %g degrees", (int)n, turn);
      cr_expect_eq((double)msd_particle_get_position(world, 0).x, 10);
      msd_destroy_world(world);
    }
}

/* A frame stands where the share of the step that is over says, in every substep. */
Test(collider_motion, is_rigid_and_reaches_as_far_as_any_point_moves) {
  for (int n = 0; n < 400; n++) {
    generator random = {.state = 50 + (uint64_t)n};
    const msd_collider_def def = random_collider(&random, (msd_collider_kind)(1 + n % 3), 1);
    collider_entry c = collider_entry_of(&def);
    const msd_collider_def there = random_collider(&random, def.kind, 1);
    c.target = collider_entry_of(&there).pose;
    c.moves = true;
    const collider_motion m = collider_motion_make(&c, (contact_settings){0}, 0.25, 0.5);
    for (int axis = 0; axis < 3; axis++) {
      const msd_vec3 a = m.axis[axis], b = m.turn[axis], s = m.swing[axis];
      const msd_vec3 turned = {a.x + b.x, a.y + b.y, a.z + b.z}, swung = {a.x + s.x, a.y + s.y, a.z + s.z};
      cr_expect_float_eq(vec3_length(a), 1, 4 * EPSILON);
      cr_expect_float_eq(vec3_length(turned), 1, 8 * EPSILON);
      cr_expect_float_eq(vec3_length(swung), 1, 8 * EPSILON);
    }
    /* Corners of a box, ends of a capsule, the middle of a sphere. */
    for (int corner = 0; corner < 8; corner++) {
      double way = 0;
      msd_vec3 p = def.kind == MSD_COLLIDER_BOX       ? vector((corner & 1 ? 0.5 : -0.5) * (double)def.size.x,
                                                               (corner & 2 ? 0.5 : -0.5) * (double)def.size.y,
                                                               (corner & 4 ? 0.5 : -0.5) * (double)def.size.z)
                   : def.kind == MSD_COLLIDER_CAPSULE ? (corner % 2 ? def.from : def.to)
                                                      : vector(0, 0, 0);
      for (int k = 0; k < 3; k++) {
        const double moved = component(m.shift, k) + component(m.turn[0], k) * (double)p.x +
                             component(m.turn[1], k) * (double)p.y + component(m.turn[2], k) * (double)p.z;
        way += moved * moved;
      }
      cr_expect_leq(sqrt(way), (double)m.reach * (1 + 8 * EPSILON), "%d", n);
    }
  }
}
