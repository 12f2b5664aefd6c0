#include "tests/support/scene_text.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

TestSuite(collider_reader, .init = enter_scratch_folder, .fini = leave_scratch_folder);

#define FRAME                                                                                                \
  "{ \"msd\": 1, \"frame_time\": 0.015625, \"substeps\": 4, \"bodies\": [ { \"type\": \"particles\", "       \
  "\"name\": "                                                                                               \
  "\"p\", \"position\": [[0, 2, 0]] } ], %s }"

static scene *load(const char *members) {
  return load_framed(FRAME, members);
}

static bool is_vector(msd_vec3 v, double x, double y, double z) {
  return fabs((double)v.x - x) < 1e-6 && fabs((double)v.y - y) < 1e-6 && fabs((double)v.z - z) < 1e-6;
}

Test(collider_reader, each_kind_is_placed_with_its_shape) {
  scene *s =
      load("\"colliders\": [ { \"type\": \"plane\", \"position\": [1, 2, 3], \"normal\": [0, 3, 4] }, { "
           "\"type\": \"sphere\", \"position\": [4, 5, 6], \"radius\": 0.5, \"friction\": 0.7 }, { \"type\": "
           "\"capsule\", \"from\": [0, 0, 0], \"to\": [0, 2, 4], \"radius\": 0.25 }, { \"type\": \"box\", "
           "\"position\": [7, 8, 9], \"size\": [1, 2, 3], \"rotation\": [0, 90, 0] } ]");
  cr_assert_eq(msd_world_get_collider_count(s->world), 4);
  cr_assert_eq(s->collider_count, 4);
  const msd_collider_def plane = msd_collider_get_def(s->world, 0),
                         sphere = msd_collider_get_def(s->world, 1);
  const msd_collider_def capsule = msd_collider_get_def(s->world, 2), box = msd_collider_get_def(s->world, 3);
  cr_expect_eq(plane.kind, MSD_COLLIDER_PLANE);
  cr_expect(is_vector(plane.position, 1, 2, 3) && is_vector(plane.normal, 0, 0.6, 0.8));
  cr_expect_eq(plane.friction, MSD_CONTACT_FRICTION);
  cr_expect_eq(sphere.kind, MSD_COLLIDER_SPHERE);
  cr_expect(is_vector(sphere.position, 4, 5, 6) && sphere.radius == (msd_real)0.5);
  cr_expect_eq(sphere.friction, (msd_real)0.7);
  cr_expect_eq(capsule.kind, MSD_COLLIDER_CAPSULE);
  cr_expect(is_vector(capsule.position, 0, 1, 2), "it turns about its middle");
  cr_expect(is_vector(capsule.from, 0, -1, -2) && is_vector(capsule.to, 0, 1, 2));
  cr_expect_eq(capsule.radius, (msd_real)0.25);
  cr_expect_eq(box.kind, MSD_COLLIDER_BOX);
  cr_expect(is_vector(box.position, 7, 8, 9) && is_vector(box.size, 1, 2, 3));
  cr_expect(fabs(box.rotation.w - sqrt(0.5)) < 1e-6 && fabs(box.rotation.y - sqrt(0.5)) < 1e-6);
  scene_free(s);
}

Test(collider_reader, what_is_left_out_is_the_default) {
  scene *s =
      load("\"colliders\": [ { \"type\": \"plane\" }, { \"type\": \"sphere\" }, { \"type\": \"box\" } ]");
  const msd_collider_def plane = msd_collider_get_def(s->world, 0),
                         sphere = msd_collider_get_def(s->world, 1);
  cr_expect(is_vector(plane.position, 0, 0, 0) && is_vector(plane.normal, 0, 1, 0));
  cr_expect(is_vector(sphere.position, 0, 0, 0) && sphere.radius == 1);
  cr_expect(is_vector(msd_collider_get_def(s->world, 2).size, 1, 1, 1));
  scene_free(s);
}

Test(collider_reader, names_are_given_or_made_up) {
  scene *s =
      load("\"colliders\": [ { \"type\": \"plane\", \"name\": \"sphere 2\" }, { \"type\": \"sphere\" }, { "
           "\"type\": \"sphere\", \"name\": \"p\" } ]");
  cr_expect_str_eq(s->colliders[0].name, "sphere 2");
  cr_expect_str_eq(s->colliders[1].name, "sphere 3");
  cr_expect_str_eq(s->colliders[2].name, "p", "a body may have the same name");
  scene_free(s);
}

static void take_frames(scene *s, int frames) {
  for (int f = 0; f < frames; f++)
    cr_assert_eq(scene_step(s, s->frame_time, s->substeps), MSD_OK, "%s", msd_world_message(s->world));
}

#define LIFT                                                                                                 \
  "\"colliders\": [ { \"type\": \"plane\", \"name\": \"lift\", \"keyframes\": [ { \"time\": 0, "             \
  "\"position\": "                                                                                           \
  "[0, 1, 0] }, { \"time\": 1, \"position\": [0, 3, 0] } ] } ]"

/* A lift that rises at 2 m/s meets what falls, and carries it. */
Test(collider_reader, a_collider_is_where_its_keys_say_and_carries_what_it_meets) {
  scene *s = load(LIFT);
  cr_expect(is_vector(msd_collider_get_def(s->world, 0).position, 0, 1, 0), "it begins where they say");
  for (int frame = 1; frame <= 80; frame++) {
    take_frames(s, 1);
    const double at = fmin(1 + 2 * frame / 64.0, 3);
    cr_expect(is_vector(msd_collider_get_def(s->world, 0).position, 0, at, 0), "frame %d", frame);
    if (frame == 60) {
      const double height = (double)msd_particle_get_position(s->world, 0).y - at;
      cr_expect(height > 0.0049 && height < 0.0051, "one thickness above it, not %g", height);
    }
  }
  scene_free(s);
}

Test(collider_reader, a_rotation_goes_over_more_than_half_a_turn) {
  scene *s = load(
      "\"colliders\": [ { \"type\": \"box\", \"position\": [0, 0, 5], \"keyframes\": [ { \"time\": 0 }, { "
      "\"time\": 1, \"rotation\": [0, 0, 360] } ] } ]");
  for (int quarter = 1; quarter <= 4; quarter++) {
    take_frames(s, 16);
    const msd_quaternion q = msd_collider_get_def(s->world, 0).rotation;
    const double angle = quarter * 3.14159265358979323846 / 4, sign = q.w * cos(angle) + q.z * sin(angle);
    cr_expect(fabs(fabs(sign) - 1) < 1e-6, "after %d quarters", quarter);
    cr_expect(is_vector(msd_collider_get_def(s->world, 0).position, 0, 0, 5));
  }
  scene_free(s);
}

Test(collider_reader, a_restored_world_goes_on_with_its_colliders) {
  scene *whole = load(LIFT), *part = load(LIFT);
  take_frames(whole, 64);
  take_frames(part, 31);
  size_t size;
  cr_assert_eq(msd_world_save(part->world, NULL, 0, &size), MSD_OK);
  void *snapshot = malloc(size);
  cr_assert_eq(msd_world_save(part->world, snapshot, size, &size), MSD_OK);
  scene_free(part);
  part = load(LIFT);
  cr_assert_eq(msd_world_restore(part->world, snapshot, size), MSD_OK);
  take_frames(part, 64 - 31);
  cr_expect_eq(msd_world_hash(part->world), msd_world_hash(whole->world));
  free(snapshot);
  scene_free(part);
  scene_free(whole);
}

/* What lies on a floor does not fall for ever. */
Test(collider_reader, loose_bodies_are_not_warned_of_where_there_is_something_to_fall_on) {
  static const char *const members[] = {"\"colliders\": []", "\"colliders\": [ { \"type\": \"plane\" } ]",
                                        "\"contact\": { \"self_collision\": true }"};
  for (int i = 0; i < 3; i++) {
    char text[512];
    snprintf(text, sizeof text,
             "{ \"msd\": 1, \"bodies\": [ { \"type\": \"rope\", \"pinned\": [0] }, { \"type\": \"rope\", "
             "\"from\": [0, 0, 1], \"to\": [1, 0, 1] } ], %s }",
             members[i]);
    scene_error error;
    scene *s = load_text(text, &error);
    cr_assert(s != NULL, "%s", error.text);
    cr_expect_eq(s->warnings.count, i == 0);
    scene_free(s);
  }
}

Test(collider_reader, what_is_wrong_is_named_with_its_place) {
  static const bad_text cases[] = {
      {"\"colliders\": {}", "colliders: is an object", "a list of colliders"},
      {"\"colliders\": [ 1 ]", "colliders[0]: is 1", "an object { } with a \"type\""},
      {"\"colliders\": [ { } ]", "colliders[0].type: is missing", "\"sphere\""},
      {"\"colliders\": [ { \"type\": \"mesh\" } ]", "colliders[0].file: is missing",
       "the name of an OBJ, PLY, STL or glTF file"},
      {"\"colliders\": [ { \"type\": \"mesh\", \"file\": \"none.obj\" } ]", "colliders[0].file: ./none.obj",
       "beside the scene file"},
      {"\"colliders\": [ { \"type\": \"mesh\", \"file\": \"a.obj\", \"scale\": 0 } ]",
       "colliders[0].scale: is 0", "a factor above 0"},
      {"\"colliders\": [ { \"type\": \"spere\" } ]", "colliders[0].type", "did you mean \"sphere\"?"},
      {"\"colliders\": [ { \"type\": \"sphere\", \"size\": 1 } ]", "colliders[0].size: unknown key",
       "radius"},
      {"\"colliders\": [ { \"type\": \"sphere\", \"radius\": 0 } ]", "colliders[0].radius: is 0",
       "a length above 0 in m"},
      {"\"colliders\": [ { \"type\": \"plane\", \"normal\": [0, 0, 0] } ]",
       "colliders[0].normal: has no length", "out of the plane"},
      {"\"colliders\": [ { \"type\": \"plane\", \"normal\": 1 } ]", "colliders[0].normal: is 1",
       "three numbers"},
      {"\"colliders\": [ { \"type\": \"capsule\", \"from\": [0,0,0] } ]", "colliders[0].to: is missing",
       "an end [x, y, z]"},
      {"\"colliders\": [ { \"type\": \"box\", \"size\": [1, 0, 1] } ]", "colliders[0].size[1]: is 0",
       "a length above 0"},
      {"\"colliders\": [ { \"type\": \"box\", \"size\": 1 } ]", "colliders[0].size: is 1", "three lengths"},
      {"\"colliders\": [ { \"type\": \"box\", \"rotation\": [0] } ]", "colliders[0].rotation",
       "three angles"},
      {"\"colliders\": [ { \"type\": \"box\", \"friction\": -1 } ]", "colliders[0].friction: is -1",
       "of 0 or more"},
      {"\"colliders\": [ { \"type\": \"box\", \"keyframes\": [] } ]", "colliders[0].keyframes: is empty",
       "at least one key"},
      {"\"colliders\": [ { \"type\": \"box\" }, { \"type\": \"box\", \"keyframes\": [ { \"time\": 1, "
       "\"offset\": "
       "[0,0,0] } ] } ]",
       "colliders[1].keyframes[0].offset: unknown key", "time, position, rotation"},
      {"\"colliders\": [ { \"type\": \"box\", \"keyframes\": [ { \"time\": 1 }, { \"time\": 0 } ] } ]",
       "colliders[0].keyframes[1].time: is 0 s", "put the keyframes in order"},
      {"\"colliders\": [ { \"type\": \"box\", \"name\": \"a\" }, { \"type\": \"plane\", \"name\": \"a\" } ]",
       "colliders[1].name: \"a\" is the name of colliders[0]", "its own"},
      {"\"colliders\": [ { \"type\": \"box\", \"name\": \"\" } ]", "colliders[0].name: is empty",
       "give it a name"},
  };
  expect_refused(cases, COUNT_OF(cases), FRAME);
}
