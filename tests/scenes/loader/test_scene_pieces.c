#include "tests/support/scene_text.h"

#include <criterion/criterion.h>
#include <string.h>

TestSuite(scene_pieces, .init = enter_scratch_folder, .fini = leave_scratch_folder);

static void expect_pieces(const char *scene_text, int32_t count, int32_t loose, int32_t loose_particle) {
  scene_error error;
  scene *s = load_text(scene_text, &error);
  cr_assert(s != NULL, "%s", error.text);
  scene_pieces pieces;
  cr_assert(scene_count_pieces(s, &pieces));
  cr_expect(pieces.count == count && pieces.loose == loose && pieces.loose_particle == loose_particle,
            "%d pieces, %d loose, the first at %d: %s", (int)pieces.count, (int)pieces.loose,
            (int)pieces.loose_particle, scene_text);
  scene_free(s);
}

#define SCENE(bodies) "{ \"msd\": 1, \"bodies\": [ " bodies " ] }"

Test(scene_pieces, springs_joints_and_constraints_join) {
  expect_pieces(
      SCENE("{ \"type\": \"rope\", \"particles\": 5 }, { \"type\": \"cloth\", \"columns\": 3, \"rows\": 3 }"),
      2, 2, 0);
  expect_pieces(
      "{ \"msd\": 1, \"bodies\": [ { \"type\": \"rope\", \"name\": \"a\" }, { \"type\": \"rope\", \"name\": "
      "\"b\", \"pinned\": [\"last\"] } ], \"connections\": [ { \"between\": [\"a\", 0, \"b\", 1] } ] }",
      1, 0, -1);
  expect_pieces(
      SCENE(
          "{ \"type\": \"particles\", \"position\": [[0,0,0],[1,0,0],[0,1,0],[5,5,5]], \"constraints\": [ { "
          "\"type\": \"angle\", \"particles\": [0, 1, 2] } ] }"),
      2, 2, 0);
  expect_pieces(SCENE("{ \"type\": \"balloon\", \"sphere\": { \"subdivisions\": 0 }, \"stretch\": {} }"), 1,
                1, 0);
}

Test(scene_pieces, pins_and_soft_pins_hold) {
  expect_pieces(
      SCENE("{ \"type\": \"rope\", \"pinned\": [\"first\"] }, { \"type\": \"rope\", \"soft_pins\": [ "
            "{ \"particle\": 1 } "
            "] }, { \"type\": \"particles\", \"position\": [[9, 9, 9]] }"),
      3, 1, 4);
}

Test(scene_pieces, rotors_are_none) {
  expect_pieces(SCENE("{ \"type\": \"rotors\", \"angle\": [0] }"), 0, 0, -1);
}

static void expect_warning(const char *text, const char *line) {
  scene_error error;
  scene *s = load_text(text, &error);
  cr_assert(s != NULL, "%s", error.text);
  cr_expect_eq(s->warnings.count, line ? 1 : 0);
  if (line && s->warnings.count > 0)
    cr_expect_str_eq(s->warnings.lines[0], line);
  scene_free(s);
}

/* A mesh of two triangles that share no vertex. */
Test(scene_pieces, what_falls_for_ever_is_warned_of) {
  write_text("m.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 5 0\nv 1 5 0\nv 0 6 0\nf 1 2 3\nf 4 5 6\n");
  expect_warning(SCENE("{ \"type\": \"mesh\", \"name\": \"m\", \"file\": \"m.obj\", \"pinned\": [\"top\"] }"),
                 "./test.json: 1 of 2 connected components is attached to nothing: mesh \"m\" vertex 0 will "
                 "fall freely; "
                 "pin it, or add a collider");
}

#define HELD_AND_LOOSE                                                                                       \
  "\"bodies\": [ { \"type\": \"rope\", \"pinned\": [0] }, { \"type\": \"rope\" }, { \"type\": \"rope\" } ]"

Test(scene_pieces, what_falls_alone_or_without_gravity_is_not) {
  expect_warning(
      "{ \"msd\": 1, " HELD_AND_LOOSE " }",
      "./test.json: 2 of 3 connected components are attached to nothing: rope \"rope 2\" particle 0 will "
      "fall freely; pin it, or add a collider");
  expect_warning("{ \"msd\": 1, \"gravity\": [0, 0, 0], " HELD_AND_LOOSE " }", NULL);
  expect_warning(SCENE("{ \"type\": \"rope\", \"pinned\": [0] }"), NULL);
  expect_warning(SCENE("{ \"type\": \"particles\", \"position\": [[0, 0, 0]], \"mass\": 1 }"), NULL);
}
