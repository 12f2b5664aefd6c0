#define _POSIX_C_SOURCE 200809L
#include "tests/support/scene_text.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void enter(void);

TestSuite(skeleton_reader, .init = enter, .fini = leave_scratch_folder);

/* In cm: a hip at 1 m with a spine of 0.5 m and a leg of 0.8 m to the side of it; the root goes 1 m along z in
   its second of frames and turns by 90 degrees about y, and the leg by -90 about x. The leg has positions, as
   some programs write them, which are left out. */
static void enter(void) {
  enter_scratch_folder();
  write_text(
      "man.bvh",
      "HIERARCHY\nROOT Hips { OFFSET 0 0 0 CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation "
      "Yrotation\nEnd Site { OFFSET 0 50 0 }\nJOINT Leg\n{ OFFSET 10 0 0 CHANNELS 4 Xposition Yposition "
      "Zposition Xrotation End Site { OFFSET 0 -80 0 } } }\nMOTION Frames: 3 Frame Time: 0.5\n"
      "0 100 0 0 0 0 10 0 0 0\n0 100 50 0 0 0 10 0 0 -90\n0 100 100 0 0 90 10 0 0 0\n");
}

#define FRAME                                                                                                \
  "{ \"msd\": 1, \"gravity\": [0,0,0], \"frame_time\": 0.015625, \"substeps\": 2, \"bodies\": [ { "          \
  "\"type\": "                                                                                               \
  "\"cloth\", \"name\": \"c\", \"origin\": [0, 1, 0.2], \"columns\": 3, \"rows\": 3, \"pinned\": [\"top\"] " \
  "} ], %s }"
#define MAN                                                                                                  \
  "{ \"type\": \"skeleton\", \"name\": \"man\", \"file\": \"man.bvh\", \"scale\": 0.01, \"radius\": 0.1"

static scene *load(const char *members) {
  return load_framed(FRAME, members);
}

static void expect_near(msd_vec3 v, double x, double y, double z) {
  cr_expect(fabs((double)v.x - x) < 1e-6 && fabs((double)v.y - y) < 1e-6 && fabs((double)v.z - z) < 1e-6,
            "at %g %g %g", (double)v.x, (double)v.y, (double)v.z);
}

static void take_frames(scene *s, int frames) {
  for (int f = 0; f < frames; f++)
    cr_assert_eq(scene_step(s, s->frame_time, s->substeps), MSD_OK, "%s", msd_world_message(s->world));
}

Test(skeleton_reader, each_bone_is_a_capsule_named_by_its_joint) {
  scene *s = load("\"colliders\": [ " MAN ", \"friction\": 0.7 }, { \"type\": \"plane\" } ]");
  static const char *const names[] = {"plane 2", "man Hips", "man Hips 2", "man Leg"};
  cr_assert(s->collider_count == 4 && msd_world_get_collider_count(s->world) == 4);
  for (int c = 0; c < 4; c++)
    cr_expect_str_eq(s->colliders[c].name, names[c]);
  const msd_collider_def spine = msd_collider_get_def(s->world, 1), leg = msd_collider_get_def(s->world, 3);
  cr_expect(spine.kind == MSD_COLLIDER_CAPSULE && spine.radius == (msd_real)0.1);
  cr_expect_eq(spine.friction, (msd_real)0.7);
  expect_near(spine.position, 0, 1, 0);
  expect_near(spine.from, 0, 0, 0);
  expect_near(spine.to, 0, 0.5, 0);
  expect_near(leg.position, 0.1, 1, 0);
  expect_near(leg.to, 0, -0.8, 0);
  scene_free(s);
}

/* After 0.5 s the leg points along -x90: down goes to z; after 1 s all has turned about y. */
Test(skeleton_reader, bones_move_as_the_frames_say) {
  scene *s = load("\"colliders\": [ " MAN " } ]");
  take_frames(s, 32);
  msd_collider_def leg = msd_collider_get_def(s->world, 2);
  expect_near(leg.position, 0.1, 1, 0.5);
  cr_expect(fabs(fabs(leg.rotation.w) - sqrt(0.5)) < 1e-6 && leg.rotation.x * leg.rotation.w < 0);
  take_frames(s, 32);
  leg = msd_collider_get_def(s->world, 2);
  expect_near(leg.position, 0, 1, 0.9);
  expect_near(msd_collider_get_def(s->world, 0).position, 0, 1, 1);
  take_frames(s, 32);
  expect_near(msd_collider_get_def(s->world, 0).position, 0, 1, 1);
  scene_free(s);
}

/* A file of a few kB can have many joints and many frames of next to no numbers. */
Test(skeleton_reader, frames_keep_rotations_of_the_joints_that_turn_alone) {
  scene *s = load("\"colliders\": [ " MAN " } ]");
  const skeleton *man = s->animation.skeletons[0].bones;
  cr_assert_eq(man->joint_count, 4);
  cr_expect_eq(man->turn_count, 2);
  cr_expect(man->joints[0].turn == 0 && man->joints[1].turn == -1 && man->joints[2].turn == 1);
  scene_free(s);
}

Test(skeleton_reader, start_fps_loop_and_place_are_as_given) {
  scene *s =
      load("\"colliders\": [ " MAN ", \"start\": 0.5, \"fps\": 4, \"loop\": true, \"position\": [5, 0, "
           "0], \"rotation\": [0, 90, 0] } ]");
  take_frames(s, 32);
  expect_near(msd_collider_get_def(s->world, 0).position, 5, 1, 0);
  take_frames(s, 16);
  expect_near(msd_collider_get_def(s->world, 0).position, 5.5, 1, 0);
  take_frames(s, 32);
  expect_near(msd_collider_get_def(s->world, 0).position, 6.5, 1, 0);
  scene_free(s);
}

Test(skeleton_reader, joints_may_have_radii_of_their_own_or_none) {
  scene *s =
      load("\"colliders\": [ { \"type\": \"skeleton\", \"file\": \"man.bvh\", \"radius\": { \"Hips\": 3, "
           "\"Leg\": 0 } } ]");
  cr_assert_eq(s->collider_count, 2);
  cr_expect_eq(msd_collider_get_def(s->world, 0).radius, 3);
  cr_expect_str_eq(s->colliders[1].name, "skeleton 1 Hips 2");
  scene_free(s);
  s = load("\"colliders\": [ { \"type\": \"skeleton\", \"file\": \"man.bvh\", \"radius\": { \"default\": 2, "
           "\"Leg\": 1 } } ]");
  cr_expect_eq(msd_collider_get_def(s->world, 0).radius, 2);
  cr_expect_eq(msd_collider_get_def(s->world, 2).radius, 1);
  scene_free(s);
  s = load("\"colliders\": [ { \"type\": \"skeleton\", \"file\": \"man.bvh\" } ]");
  cr_expect_eq(msd_collider_get_def(s->world, 0).radius, (msd_real)0.05);
  scene_free(s);
}

/* The pins stand 0.2 m before the hips and 0, 0.5 and 1 m beside them. */
Test(skeleton_reader, pins_follow_a_joint_as_if_they_were_of_its_bone) {
  scene *s =
      load("\"colliders\": [ " MAN " } ], \"animation\": [ { \"particles\": [\"c\", \"top\"], \"attach_to\": "
           "[\"man\", \"Hips\"] } ]");
  expect_near(msd_particle_get_position(s->world, 2), 1, 1, 0.2);
  take_frames(s, 32);
  expect_near(msd_particle_get_position(s->world, 2), 1, 1, 0.7);
  take_frames(s, 32);
  expect_near(msd_particle_get_position(s->world, 0), 0.2, 1, 1);
  expect_near(msd_particle_get_position(s->world, 2), 0.2, 1, 0);
  scene_free(s);
}

Test(skeleton_reader, a_restored_world_goes_on_with_the_same_bits) {
  const char *members =
      "\"colliders\": [ " MAN ", \"loop\": true } ], \"animation\": [ { \"particles\": [\"c\", "
      "\"top\"], \"attach_to\": [\"man\", \"Leg\"] } ]";
  scene *whole = load(members), *part = load(members);
  take_frames(whole, 100);
  take_frames(part, 41);
  size_t size;
  cr_assert_eq(msd_world_save(part->world, NULL, 0, &size), MSD_OK);
  void *snapshot = malloc(size);
  cr_assert_eq(msd_world_save(part->world, snapshot, size, &size), MSD_OK);
  scene_free(part);
  part = load(members);
  cr_assert_eq(msd_world_restore(part->world, snapshot, size), MSD_OK);
  take_frames(part, 59);
  cr_expect_eq(msd_world_hash(part->world), msd_world_hash(whole->world));
  free(snapshot);
  scene_free(part);
  scene_free(whole);
}

/* Two scenes with the same words are told apart by what the file says. */
Test(skeleton_reader, the_animation_knows_the_file) {
  scene *a = load("\"colliders\": [ " MAN " } ]");
  char *text = strdup(a->animation.text);
  scene_free(a);
  write_text("man.bvh",
             "HIERARCHY ROOT Hips\n{ OFFSET 0 0 0 CHANNELS 1 Yposition\nEnd Site { OFFSET 0 50 0 } }\n"
             "MOTION Frames: 2 Frame Time: 1\n0 7\n");
  scene *b = load("\"colliders\": [ " MAN " } ]");
  cr_expect_str_neq(b->animation.text, text);
  free(text);
  scene_free(b);
}

Test(skeleton_reader, what_is_wrong_is_named_with_its_place) {
  static const bad_text cases[] = {
      {"{ \"type\": \"skeleton\" }", "colliders[0].file: is missing", "the name of a BVH file"},
      {"{ \"type\": \"skeleton\", \"file\": \"boy.bvh\" }", "colliders[0].file: ", "boy.bvh"},
      {"{ \"type\": \"skeleton\", \"file\": \"bad.bvh\" }", "colliders[0].file: ./bad.bvh:1: \"JOINT\"",
       "\"HIERARCHY\""},
      {MAN ", \"keyframes\": [] }", "colliders[0].keyframes: unknown key", "position"},
      {"{ \"type\": \"skeleton\", \"file\": \"man.bvh\", \"scale\": 0 }", "colliders[0].scale: is 0",
       "above 0"},
      {"{ \"type\": \"skeleton\", \"file\": \"man.bvh\", \"scale\": 1e17 }",
       "colliders[0].scale: moves a joint", "lower it"},
      {MAN ", \"fps\": 0 }", "colliders[0].fps: is 0", "frames in a second"},
      {MAN ", \"start\": -1 }", "colliders[0].start: is -1", "0 or more in s"},
      {MAN ", \"loop\": 1 }", "colliders[0].loop: is 1", "true or false"},
      {"{ \"type\": \"skeleton\", \"file\": \"man.bvh\", \"radius\": -1 }", "colliders[0].radius: is -1",
       "0 for no capsule"},
      {"{ \"type\": \"skeleton\", \"file\": \"man.bvh\", \"radius\": 0 }", "colliders[0]: has no bone",
       "give one in \"radius\""},
      {"{ \"type\": \"skeleton\", \"file\": \"man.bvh\", \"radius\": { \"Leg\": \"x\" } }",
       "colliders[0].radius.Leg: is the text", "a radius in m"},
      {"{ \"type\": \"skeleton\", \"file\": \"man.bvh\", \"radius\": { \"Lek\": 1 } }",
       "colliders[0].radius.Lek: unknown key", "did you mean \"Leg\"?"},
      {"{ \"type\": \"skeleton\", \"file\": \"point.bvh\" }", "colliders[0].file: has one joint", "limbs"},
  };
  write_text("bad.bvh", "JOINT a\n");
  write_text("point.bvh", "HIERARCHY ROOT a { OFFSET 0 0 0 CHANNELS 3 Xposition Yposition Zposition }\n"
                          "MOTION Frames: 1 Frame Time: 0.5\n0 0 0\n");
  expect_refused(cases, COUNT_OF(cases),
                 "{ \"msd\": 1, \"bodies\": [ { \"type\": \"rope\" } ], \"colliders\": [ %s ] }");
}

Test(skeleton_reader, what_is_wrong_with_following_is_named_with_its_place) {
  static const bad_text cases[] = {
      {"\"attach_to\": \"man\"", "animation[0].attach_to: is the text", "[skeleton, joint]"},
      {"\"attach_to\": [\"man\"]", "animation[0].attach_to: is a list of 1", "[skeleton, joint]"},
      {"\"attach_to\": [\"man\", 3]", "animation[0].attach_to[1]: is 3", "the name of a joint"},
      {"\"attach_to\": [\"boy\", \"Leg\"]", "animation[0].attach_to[0]: there is no skeleton \"boy\"",
       "among the colliders"},
      {"\"attach_to\": [\"man\", \"Arm\"]", "animation[0].attach_to[1]: the skeleton has no joint \"Arm\"",
       "BVH"},
      {"\"attach_to\": [\"man\", \"Leg\"], \"keyframes\": []", "animation[0].keyframes: unknown key",
       "particles, attach_to"},
  };
  expect_refused(
      cases, COUNT_OF(cases),
      "{ \"msd\": 1, \"bodies\": [ { \"type\": \"rope\", \"name\": \"r\", \"pinned\": [\"first\"] } ], "
      "\"colliders\": [ " MAN " } ], \"animation\": [ { \"particles\": [\"r\", \"first\"], %s } ] }");
}
