#include "tests/support/scene_text.h"

#include <criterion/criterion.h>
#include <stdio.h>

TestSuite(particle_selector, .init = enter_scratch_folder, .fini = leave_scratch_folder);

static void write_mesh(void) {
  write_text("m.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nv 0 2 0\nv 1 2 0\n"
                      "g low\nf 1 2 3\nf 2 4 3\ng high\nf 3 4 5\nf 4 6 5\n");
}

/* The pinned particles of a mesh that is put somewhere, as a string of 1 and 0. */
static const char *pins_of(const char *placed, const char *selector) {
  char text[512];
  write_mesh();
  snprintf(text, sizeof text, "{ \"type\": \"mesh\", \"file\": \"m.obj\"%s, \"pinned\": [%s] }", placed,
           selector);
  return pins_of_scene(load_bodies(text));
}

Test(particle_selector, a_box_selects_what_is_placed_in_it) {
  const char *row = "{ \"box\": { \"center\": [0.5, 1, 0], \"size\": [3, 0.1, 0] } }";
  cr_expect_str_eq(pins_of("", row), "001100");
  cr_expect_str_eq(pins_of(", \"position\": [0, 1, 0]", row), "110000", "where the scene has put the body");
  cr_expect_str_eq(pins_of(", \"scale\": 0.5", row), "000011");
  cr_expect_str_eq(
      pins_of(", \"rotation\": [0, 0, 180]", "{ \"box\": { \"center\": [0, -1, 0], \"size\": [0, 2, 0] } }"),
      "101010");
}

/* 0.7 and 0.1 are no numbers in binary: in single precision their sum is more than 0.75 and half of 0.1. */
Test(particle_selector, what_is_at_the_edge_is_in_whatever_is_rounded) {
  const char *placed = ", \"scale\": 0.1, \"position\": [0.7, 0, 0]";
  cr_expect_str_eq(pins_of(placed, "{ \"box\": { \"center\": [0.75, 0.05, 0], \"size\": [0.1, 0.1, 0] } }"),
                   "111100");
  cr_expect_str_eq(pins_of(placed, "{ \"sphere\": { \"center\": [0.75, 0, 0], \"radius\": 0.05 } }"),
                   "110000");
}

Test(particle_selector, a_sphere_selects_what_is_as_near_as_its_radius) {
  cr_expect_str_eq(pins_of("", "{ \"sphere\": { \"center\": [0, 0, 0], \"radius\": 1 } }"), "111000");
  cr_expect_str_eq(pins_of("", "{ \"sphere\": { \"center\": [0, 0, 0], \"radius\": 1.41 } }"), "111000");
  cr_expect_str_eq(pins_of("", "{ \"sphere\": { \"center\": [0, 0, 0], \"radius\": 1.42 } }"), "111100");
}

Test(particle_selector, a_group_of_the_file_is_its_vertices_beside_others) {
  cr_expect_str_eq(pins_of("", "{ \"group\": \"low\" }"), "111100");
  cr_expect_str_eq(pins_of("", "{ \"group\": \"high\" }, 0"), "101111");
}

Test(particle_selector, bodies_of_every_kind_have_boxes_wherever_particles_are_named) {
  const char *scene_text =
      "{ \"msd\": 1, \"bodies\": [ { \"type\": \"rope\", \"name\": \"r\", \"particles\": 5, \"pinned\": "
      "[{ \"box\": { \"center\": [0, 0, 0], \"size\": [0.6, 1, 1] } }], \"soft_pins\": [{ \"particle\": { "
      "\"sphere\": { \"center\": [1, 0, 0], \"radius\": 0.1 } } }] } ], \"animation\": [ { \"release\": "
      "[\"r\", { \"sphere\": { \"center\": [0.25, 0, 0], \"radius\": 0.01 } }], \"time\": 1 } ] }";
  scene_error error;
  scene *s = load_text(scene_text, &error);
  cr_assert(s != NULL, "%s", error.text);
  cr_expect(msd_particle_is_pinned(s->world, 0) && msd_particle_is_pinned(s->world, 1));
  cr_expect(!msd_particle_is_pinned(s->world, 2));
  cr_expect_eq(msd_soft_pin_get_def(s->world, 0).particle, 4);
  cr_assert_eq(s->animation.events[0].released_count, 1);
  cr_expect_eq(s->animation.events[0].released[0], 1);
  scene_free(s);
}

Test(particle_selector, what_selects_nothing_or_is_no_selector_is_refused) {
  write_mesh();
  const char *frame = "{ \"msd\": 1, \"bodies\": [ { \"type\": \"mesh\", \"name\": \"m\", \"file\": "
                      "\"m.obj\", \"pinned\": [%s] } ] }";
  const bad_text cases[] = {
      {"{}", "pinned[0]: must have exactly one", "\"sphere\": { \"center\""},
      {"{ \"box\": { \"center\": [0,0,0], \"size\": [1,1,1] }, \"group\": \"low\" }", "pinned[0]",
       "exactly one"},
      {"{ \"bax\": 1 }", "pinned[0].bax", "did you mean \"box\"?"},
      {"{ \"box\": { \"center\": [0,0,0] } }", "pinned[0].box.size: is missing", "three lengths"},
      {"{ \"box\": { \"center\": [0,0,0], \"size\": [1,-1,1] } }", "pinned[0].box.size", "0 or more"},
      {"{ \"sphere\": { \"radius\": 1 } }", "pinned[0].sphere.center: is missing", "[x, y, z]"},
      {"{ \"sphere\": { \"center\": [0,0,0] } }", "pinned[0].sphere.radius: is missing", "above 0"},
      {"{ \"sphere\": { \"center\": [0,0,9], \"radius\": 1 } }", "contains no particle of \"m\"",
       "between 0 0 0 and 1 2 0"},
      {"{ \"group\": 3 }", "pinned[0].group: is 3", "name of a group"},
      {"{ \"group\": \"hihg\" }", "pinned[0].group", "did you mean \"high\"?"}};
  expect_refused(cases, COUNT_OF(cases), frame);
  const bad_text cloth[] = {{"{ \"group\": \"low\" }", "pinned[0].group", "mesh and balloon"}};
  expect_refused(cloth, 1, "{ \"msd\": 1, \"bodies\": [ { \"type\": \"cloth\", \"pinned\": [%s] } ] }");
}
