/* What the store of colliders keeps: definitions, and where they are during a step. */
#include "engine/store/collider.h"

#include "tests/support/colliders.h"

static double dot4(msd_quaternion a, msd_quaternion b) {
  return a.w * b.w + a.x * b.x + a.y * b.y + a.z * b.z;
}

Test(collider, a_definition_comes_back_with_directions_of_length_one) {
  for (int n = 0; n < 40; n++) {
    generator random = {.state = 1 + (uint64_t)n};
    msd_collider_def def = random_collider(&random, (msd_collider_kind)(n % 4), 3);
    def.rotation =
        (msd_quaternion){3 * def.rotation.w, 3 * def.rotation.x, 3 * def.rotation.y, 3 * def.rotation.z};
    const collider_entry entry = collider_entry_of(&def);
    const msd_collider_def back = collider_def_of(&entry);
    cr_expect_float_eq(dot4(back.rotation, back.rotation), 1, 4 * DBL_EPSILON);
    cr_expect_float_eq(dot4(back.rotation, def.rotation), 3, 1e-14);
    cr_expect_float_eq(vec3_length(back.normal), 1, 4 * EPSILON);
    cr_expect(back.kind == def.kind && back.radius == def.radius && back.friction == def.friction);
    cr_expect_eq(memcmp(&back.position, &def.position, sizeof def.position), 0);
    cr_expect_eq(memcmp(&back.from, &def.from, sizeof def.from), 0);
    cr_expect_eq(memcmp(&back.size, &def.size, sizeof def.size), 0);
    cr_expect_not(entry.moves);
  }
}

Test(collider, directions_without_length_or_beyond_numbers_are_none) {
  const double bad[] = {0, INFINITY, NAN};
  for (int n = 0; n < 3; n++) {
    msd_quaternion q = {bad[n], 0, 0, 0};
    msd_vec3 v = {0, (msd_real)bad[n], 0};
    cr_expect_not(collider_normalize(&q));
    cr_expect_not(collider_normalize_vector(&v));
  }
  msd_vec3 v = vector(0, 1e30, 0);
  cr_expect(collider_normalize_vector(&v));
  cr_expect_eq((double)v.y, 1);
}

/* From a place to another and a quarter turn; also where the numbers of the turn have the other sign. */
Test(collider, a_collider_goes_evenly_and_turns_the_short_way) {
  for (int sign = -1; sign <= 1; sign += 2) {
    const msd_collider_def def = sphere_of(1);
    collider_entry c = collider_entry_of(&def);
    const msd_quaternion turn = degrees(0, 90, 0);
    c.target = (collider_pose){{4, 0, -8}, {sign * turn.w, sign * turn.x, sign * turn.y, sign * turn.z}};
    c.moves = true;
    collider_begin_step(&(collider_store){.count = 1, .entries = &c}, 8);
    for (double share = 0; share <= 1; share += 0.125) {
      const collider_pose pose = collider_pose_at(&c, share);
      cr_expect_float_eq(pose.position.x, 4 * share, 1e-15);
      cr_expect_float_eq(pose.position.z, -8 * share, 1e-15);
      cr_expect_float_eq(dot4(pose.rotation, pose.rotation), 1, 1e-15);
      cr_expect_float_eq(fabs(2 * acos(fmin(fabs(pose.rotation.w), 1))), PI / 2 * share, 1e-7);
    }
  }
}

Test(collider, one_that_stands_is_where_it_is_at_any_time) {
  const msd_collider_def def = sphere_of(1);
  collider_entry c = collider_entry_of(&def);
  c.target.position.x = 7;
  cr_expect_eq(collider_pose_at(&c, 0.5).position.x, 0);
  c.moves = true;
  cr_expect_eq(collider_pose_at(&c, -1).position.x, 0);
  cr_expect_eq(collider_pose_at(&c, 2).position.x, 7);
}

Test(collider, a_step_that_ends_early_leaves_it_on_its_way) {
  const msd_collider_def def = sphere_of(1);
  collider_entry c = collider_entry_of(&def);
  c.target.position.x = 8;
  c.moves = true;
  collider_store s = {.count = 1, .entries = &c, .substeps = 8};
  collider_end_step(&s, 3);
  cr_expect_eq(c.pose.position.x, 3);
  cr_expect_not(c.moves);
  collider_end_step(&s, 8);
  cr_expect_eq(c.pose.position.x, 3);
}

Test(collider, settings_are_finite_and_relaxation_is_below_one) {
  cr_expect(contact_settings_are_sound((contact_settings){0, 0, 0, false}));
  cr_expect(contact_settings_are_sound((contact_settings){1, 1, (msd_real)0.999, false}));
  const msd_real bad[] = {-1, (msd_real)INFINITY, (msd_real)NAN};
  for (int n = 0; n < 3; n++) {
    cr_expect_not(contact_settings_are_sound((contact_settings){bad[n], 0, 0, false}));
    cr_expect_not(contact_settings_are_sound((contact_settings){0, bad[n], 0, false}));
    cr_expect_not(contact_settings_are_sound((contact_settings){0, 0, bad[n], false}));
  }
  cr_expect_not(contact_settings_are_sound((contact_settings){0, 0, 1, false}));
}
