#include "tests/support/scene_text.h"

#include <criterion/criterion.h>
#include <math.h>

TestSuite(contact_reader, .init = enter_scratch_folder, .fini = leave_scratch_folder);

/* Some of all kinds, and members of the scene. */
#define FRAME                                                                                                \
  "{ \"msd\": 1, \"bodies\": [ { \"type\": \"rope\", \"name\": \"r\", \"particles\": 5 }, { \"type\": "      \
  "\"particles\", \"name\": \"p\", \"position\": [[0, 2, 0]] }, { \"type\": \"cloth\", \"name\": \"c\", "    \
  "\"columns\": 4, \"rows\": 3, \"collision\": { \"thickness\": 0.02, \"friction\": 0.7 } }, { \"type\": "   \
  "\"block\", \"name\": \"b\", \"cells\": [2, 2, 2], \"collision\": { \"self_collision\": false } } ], %s }"

static scene *load(const char *members) {
  return load_framed(FRAME, members);
}

Test(contact_reader, contact_has_what_the_file_says_and_else_the_defaults) {
  static const char *const members[] = {"\"contact\": { \"thickness\": 0.01, \"friction\": 0, "
                                        "\"relaxation\": 0.5, \"error_on_intersection\": true }",
                                        "\"contact\": { }"};
  for (int n = 0; n < 2; n++) {
    scene *s = load(members[n]);
    const msd_contact_settings contact = msd_world_get_contact_settings(s->world),
                               standard = msd_default_contact_settings();
    cr_expect_eq(contact.thickness, n ? standard.thickness : (msd_real)0.01);
    cr_expect_eq(contact.friction, n ? standard.friction : 0);
    cr_expect_eq(contact.relaxation, n ? standard.relaxation : (msd_real)0.5);
    cr_expect_eq(contact.error_on_intersection, n ? standard.error_on_intersection : true);
    cr_expect_eq(msd_world_get_collision_mesh_count(s->world), 0,
                 "bodies do not touch unless they are told to");
    scene_free(s);
  }
}

/* 4 segments; 3 x 2 cells; 6 sides of 2 x 2. */
Test(contact_reader, bodies_touch_by_their_triangles_and_segments) {
  scene *s = load("\"contact\": { \"self_collision\": true }");
  cr_assert_eq(msd_world_get_collision_mesh_count(s->world), 3);
  cr_expect_eq(s->bodies[1].surface.number, -1, "loose particles have none");
  const msd_collision_mesh_def rope = msd_collision_mesh_get_def(s->world, s->bodies[0].surface.number);
  cr_expect(rope.segment_count == 4 && rope.triangle_count == 0 && rope.self_collision);
  cr_expect(rope.thickness == MSD_CONTACT_THICKNESS && rope.friction == MSD_CONTACT_FRICTION);
  cr_expect(rope.segments[6] == 3 && rope.segments[7] == 4);
  const msd_collision_mesh_def cloth = msd_collision_mesh_get_def(s->world, s->bodies[2].surface.number);
  cr_expect(cloth.segment_count == 0 && cloth.triangle_count == 12 && cloth.self_collision);
  cr_expect(cloth.thickness == (msd_real)0.02 && cloth.friction == (msd_real)0.7);
  const msd_collision_mesh_def block = msd_collision_mesh_get_def(s->world, s->bodies[3].surface.number);
  cr_expect(block.triangle_count == 48 && !block.self_collision);
  scene_free(s);
}

Test(contact_reader, those_ignore_each_other_that_the_file_pairs) {
  scene *s = load("\"contact\": { \"self_collision\": true, \"exclude\": [[\"c\", \"r\"], [\"r\", \"r\"], "
                  "[\"c\", \"p\"]] }");
  const int32_t rope = s->bodies[0].surface.number, cloth = s->bodies[2].surface.number,
                block = s->bodies[3].surface.number;
  cr_expect(msd_collision_mesh_excludes(s->world, rope, cloth));
  cr_expect(msd_collision_mesh_excludes(s->world, rope, rope));
  cr_expect_not(msd_collision_mesh_excludes(s->world, cloth, cloth));
  cr_expect_not(msd_collision_mesh_excludes(s->world, rope, block));
  cr_expect_not(msd_collision_mesh_excludes(s->world, cloth, block));
  scene_free(s);
}

Test(contact_reader, what_is_wrong_is_named_with_its_place) {
  static const bad_text cases[] = {
      {"\"contact\": 1", "contact: is 1", "an object"},
      {"\"contact\": { \"thicknes\": 1 }", "contact.thicknes: unknown key", "thickness"},
      {"\"contact\": { \"thickness\": -1 }", "contact.thickness: is -1", "0 or more in m"},
      {"\"contact\": { \"friction\": -1 }", "contact.friction: is -1", "0 or more"},
      {"\"contact\": { \"relaxation\": 1 }", "contact.relaxation: is 1", "0 to 0.99"},
      {"\"contact\": { \"self_collision\": 1 }", "contact.self_collision: is 1", "true or false"},
      {"\"contact\": { \"exclude\": 1 }", "contact.exclude: is 1", "a list of pairs"},
      {"\"contact\": { \"exclude\": [[\"c\"]] }", "contact.exclude[0]", "two names"},
      {"\"contact\": { \"exclude\": [[\"c\", 1]] }", "contact.exclude[0][1]: is 1", "the name of a body"},
      {"\"contact\": { \"exclude\": [[\"c\", \"rr\"]] }", "contact.exclude[0][1]: there is no body",
       "known here: r, p, c, b"},
  };
  expect_refused(cases, COUNT_OF(cases), FRAME);
}

Test(contact_reader, a_surface_that_is_wrong_is_named_with_its_place) {
  static const bad_text cases[] = {
      {"\"type\": \"rope\", \"collision\": 1", "bodies[0].collision: is 1", "an object"},
      {"\"type\": \"rope\", \"collision\": { \"frction\": 1 }", "bodies[0].collision.frction: unknown key",
       "friction"},
      {"\"type\": \"cloth\", \"collision\": { \"thickness\": -1 }", "bodies[0].collision.thickness: is -1",
       "0 or more in m"},
      {"\"type\": \"particles\", \"position\": [[0, 0, 0]], \"collision\": { }",
       "bodies[0].collision: is for ropes, cloths, meshes and blocks", "ropes, cloths"},
  };
  expect_refused(cases, COUNT_OF(cases), "{ \"msd\": 1, \"bodies\": [ { %s } ] }");
}
