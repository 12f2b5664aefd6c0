/* Borders, as seams read them: the springs of a seam from a border to a rope show what it has, in its order. */
#include "tests/support/scene_text.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

TestSuite(border, .init = enter_scratch_folder, .fini = leave_scratch_folder);

/* A cloth of 4 x 3 with triangles, 0 1 2 3 in the first row:

     0  1  2  3
     4  5  6  7
     8  9 10 11

   and a rope far away with as many particles as the border is to have. */
#define FRAME                                                                                                \
  "{ \"msd\": 1, \"bodies\": [ { \"type\": \"cloth\", \"name\": \"c\", \"columns\": 4, \"rows\": 3, \"u\": " \
  "[3, 0, 0], \"v\": [0, -2, 0] }, { \"type\": \"rope\", \"name\": \"r\", \"particles\": %d, \"from\": [0, " \
  "0, 9], \"to\": [1, 0, 9] } ], \"seams\": [ { \"between\": [\"c\", %s, \"r\", [\"all\"]] } ] }"

static void expect_border(const char *text, int count, const int32_t *particles) {
  char scene_text[1024];
  cr_assert((size_t)snprintf(scene_text, sizeof scene_text, FRAME, count, text) < sizeof scene_text);
  scene_error error;
  scene *s = load_text(scene_text, &error);
  cr_assert(s != NULL, "%s", error.text);
  cr_assert_eq(s->joints.count, count, "%s: %d springs", text, (int)s->joints.count);
  for (int32_t i = 0; i < count; i++) {
    const msd_spring_def def = msd_spring_get_def(s->world, s->joints.first + i);
    cr_expect_eq(def.a, particles[i], "%s: %d is %d", text, (int)i, (int)def.a);
    cr_expect_eq(def.b, 12 + i);
  }
  scene_free(s);
}

#define EXPECT_BORDER(text, ...)                                                                             \
  expect_border(text, (int)COUNT_OF(((const int32_t[]){__VA_ARGS__})), (const int32_t[]){__VA_ARGS__})

Test(border, a_list_keeps_its_order_and_names_go_by_index) {
  EXPECT_BORDER("[7, 2, 11]", 7, 2, 11);
  EXPECT_BORDER("[\"left\"]", 0, 4, 8);
  EXPECT_BORDER("[3, \"left\", { \"box\": { \"center\": [3, -1.5, 0], \"size\": [0, 1, 0] } }]", 3, 0, 4, 8,
                7, 11);
}

Test(border, the_way_between_two_is_the_shorter_one) {
  EXPECT_BORDER("{ \"along\": [0, 3] }", 0, 1, 2, 3);
  EXPECT_BORDER("{ \"along\": [3, 0] }", 3, 2, 1, 0);
  EXPECT_BORDER("{ \"along\": [4, 2] }", 4, 0, 1, 2);
  EXPECT_BORDER("{ \"along\": [4, \"bottom_right\"] }", 4, 8, 9, 10, 11);
}

Test(border, a_third_particle_says_which_way_it_is) {
  EXPECT_BORDER("{ \"along\": [0, 9, 3] }", 0, 4, 8, 9, 10, 11, 7, 3);
  EXPECT_BORDER("{ \"along\": [0, 2, 3] }", 0, 1, 2, 3);
}

Test(border, what_is_no_border_is_refused) {
  static const bad_text cases[] = {
      {"3", "between[1]: is 3", "\"along\": [3, 17]"},
      {"[]", "between[1]: is empty", "a list of particles"},
      {"[99]", "between[1][0]: there is no particle 99", "0 to 11"},
      {"{ \"alone\": [0, 3] }", "between[1].alone", "did you mean \"along\"?"},
      {"{ \"along\": [0] }", "between[1].along", "two particles"},
      {"{ \"along\": [0, \"top\"] }", "between[1].along[1]", "4 particles"},
      {"{ \"along\": [0, 3, 0] }", "between[1].along: names a particle twice", "one between"},
      {"{ \"along\": [8, 3] }", "between[1].along: both ways", "name one between"},
      {"{ \"along\": [0, 5] }", "between[1].along", "is on no border"},
      {"{ \"along\": [0, 5, 3] }", "between[1].along", "is on no border"}};
  expect_refused(
      cases, COUNT_OF(cases),
      "{ \"msd\": 1, \"bodies\": [ { \"type\": \"cloth\", \"name\": \"c\", \"columns\": 4, \"rows\": 3 }, "
      "{ \"type\": \"rope\", \"name\": \"r\" } ], \"seams\": [ { \"between\": [\"c\", %s, \"r\", [0, 1]] "
      "} ] }");
}

/* Two squares with nothing in common, and two triangles that meet in a point. */
Test(border, borders_that_are_two_or_meet_are_refused) {
  write_text("m.obj", "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 5 0 0\nv 6 0 0\nv 6 1 0\nv 5 1 0\n"
                      "v 0 -1 0\nv -1 -1 0\nf 1 2 3 4\nf 5 6 7 8\nf 1 9 10\n");
  static const bad_text cases[] = {
      {"{ \"along\": [1, 6] }", "between[1].along", "no border leads between"},
      {"{ \"along\": [0, 2] }", "between[1].along", "where borders meet"},
      {"{ \"along\": [1, 6, 2] }", "between[1].along", "by way of the middle one"}};
  expect_refused(
      cases, COUNT_OF(cases),
      "{ \"msd\": 1, \"bodies\": [ { \"type\": \"mesh\", \"name\": \"c\", \"file\": \"m.obj\" }, "
      "{ \"type\": \"rope\", \"name\": \"r\" } ], \"seams\": [ { \"between\": [\"c\", %s, \"r\", [0, 1]] "
      "} ] }");
}
