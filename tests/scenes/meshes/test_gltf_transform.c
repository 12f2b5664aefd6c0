#include "scenes/meshes/gltf_transform.h"

#include "tests/support/scene_text.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

/* Reads a node; false with the error. */
static bool read_node(const char *text, gltf_transform *out, scene_error *error) {
  const json_source source = {.file = "f.gltf", .error = error};
  json_t *value = json_loads(text, 0, NULL);
  cr_assert(value, "%s", text);
  const json_place place = place_root(&source, value);
  const bool done = gltf_transform_read(&place, out);
  json_decref(value);
  return done;
}

static gltf_transform node(const char *text) {
  gltf_transform t;
  scene_error error;
  cr_assert(read_node(text, &t, &error), "%s", error.text);
  return t;
}

static void expect_goes(const gltf_transform *t, double x, double y, double z, double to_x, double to_y,
                        double to_z) {
  const double from[3] = {x, y, z};
  double to[3];
  gltf_transform_point(t, from, to);
  cr_expect(fabs(to[0] - to_x) < 1e-12 && fabs(to[1] - to_y) < 1e-12 && fabs(to[2] - to_z) < 1e-12,
            "%g %g %g", to[0], to[1], to[2]);
}

Test(gltf_transform, a_node_that_says_nothing_stays_where_it_is) {
  const gltf_transform t = node("{}"), none = gltf_transform_none();
  expect_goes(&t, 1, 2, 3, 1, 2, 3);
  cr_expect_eq(memcmp(&t, &none, sizeof t), 0);
  cr_expect(!gltf_transform_mirrors(&t));
}

Test(gltf_transform, a_node_is_scaled_then_turned_then_moved) {
  /* A quarter about y takes z to x and x to -z. */
  const gltf_transform t =
      node("{ \"translation\": [1, 2, 3], \"rotation\": [0, 0.5, 0, 0.5], \"scale\": [2, 3, 4] }");
  expect_goes(&t, 1, 0, 0, 1, 2, 3 - 2);
  expect_goes(&t, 0, 1, 0, 1, 2 + 3, 3);
  expect_goes(&t, 0, 0, 1, 1 + 4, 2, 3);
}

Test(gltf_transform, a_third_of_a_turn_about_the_diagonal_takes_each_axis_to_the_next) {
  const gltf_transform t = node("{ \"rotation\": [1, 1, 1, 1] }");
  expect_goes(&t, 1, 2, 3, 3, 1, 2);
}

Test(gltf_transform, a_matrix_stands_column_by_column) {
  const gltf_transform t = node("{ \"matrix\": [1, 2, 3, 0, 4, 5, 6, 0, 7, 8, 9, 0, 10, 11, 12, 1] }");
  expect_goes(&t, 0, 0, 0, 10, 11, 12);
  expect_goes(&t, 1, 0, 0, 11, 13, 15);
  expect_goes(&t, 0, 0, 1, 17, 19, 21);
}

Test(gltf_transform, what_is_within_another_goes_first) {
  const gltf_transform outer = node("{ \"translation\": [1, 0, 0] }"),
                       inner = node("{ \"scale\": [2, 2, 2] }");
  const gltf_transform scaled_then_moved = gltf_transform_within(&outer, &inner),
                       moved_then_scaled = gltf_transform_within(&inner, &outer);
  expect_goes(&scaled_then_moved, 1, 1, 1, 3, 2, 2);
  expect_goes(&moved_then_scaled, 1, 1, 1, 4, 2, 2);
}

Test(gltf_transform, an_odd_number_of_negative_scales_mirrors) {
  const gltf_transform one = node("{ \"scale\": [1, -1, 1] }"), two = node("{ \"scale\": [-1, -1, 1] }");
  cr_expect(gltf_transform_mirrors(&one));
  cr_expect(!gltf_transform_mirrors(&two));
}

static void expect_normal(const char *text, double x, double y, double z, double to_x, double to_y,
                          double to_z) {
  const gltf_transform t = node(text);
  const double from[3] = {x, y, z};
  double to[3];
  gltf_transform_normal(&t, from, to);
  cr_expect(fabs(to[0] - to_x) < 1e-12 && fabs(to[1] - to_y) < 1e-12 && fabs(to[2] - to_z) < 1e-12,
            "%s: %g %g %g", text, to[0], to[1], to[2]);
}

Test(gltf_transform, normals_turn_with_nodes_and_stay_at_right_angles_to_what_is_stretched) {
  expect_normal("{ \"translation\": [5, 6, 7] }", 0, 0.6, 0.8, 0, 0.6, 0.8);
  expect_normal("{ \"rotation\": [0, 0.5, 0, 0.5] }", 0, 0, 2, 1, 0, 0);
  /* The plane x + y = 0 becomes x/2 + y = 0. */
  expect_normal("{ \"scale\": [2, 1, 1] }", 1, 1, 0, 1 / sqrt(5), 2 / sqrt(5), 0);
  /* A mirror turns what looks along it, and nothing else. */
  expect_normal("{ \"scale\": [-1, 1, 1] }", 1, 0, 0, -1, 0, 0);
  expect_normal("{ \"scale\": [-1, 1, 1] }", 0, 1, 0, 0, 1, 0);
  /* A plane that is pressed flat keeps its normal, one that becomes a line has none. */
  expect_normal("{ \"scale\": [1, 1, 0] }", 0, 0, 1, 0, 0, 1);
  expect_normal("{ \"scale\": [1, 1, 0] }", 1, 0, 0, 0, 0, 0);
}

Test(gltf_transform, a_matrix_that_rounding_has_made_not_quite_affine_is_read) {
  const gltf_transform t =
      node("{ \"matrix\": [1, 0, 0, 1e-7, 0, 1, 0, 0, 0, 0, 1, -1e-9, 4, 5, 6, 1.0000001] }");
  expect_goes(&t, 1, 2, 3, 5, 7, 9);
}

Test(gltf_transform, bad_nodes_are_refused_with_place_and_remedy) {
  static const bad_text cases[] = {
      {"{ \"matrix\": [1, 2, 3] }", "f.gltf: matrix: is a list of 3", "16 numbers"},
      {"{ \"matrix\": [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1], \"scale\": [1, 1, 1] }",
       "f.gltf: matrix: cannot be combined with \"scale\"", "one of them"},
      {"{ \"matrix\": [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0.5, 0, 0, 0, 1] }",
       "f.gltf: matrix: has a last row of 0 0 0.5 1", "must be 0 0 0 1"},
      {"{ \"matrix\": [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, \"1\", 0, 0, 0, 0, 1] }",
       "f.gltf: matrix[10]: is the text", "a number"},
      {"{ \"rotation\": [0, 0, 0, 0] }", "f.gltf: rotation: is 0", "[x, y, z, w] of length 1"},
      {"{ \"rotation\": [0, 0, 0] }", "f.gltf: rotation: is a list of 3", "[x, y, z, w]"},
      {"{ \"translation\": 4 }", "f.gltf: translation: is 4", "[x, y, z]"},
      {"{ \"scale\": [1, 1, 1e300] }", "f.gltf: scale[2]: is 1e+300", "at most 1e+18"}};
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    gltf_transform t;
    scene_error error = {""};
    cr_expect(!read_node(cases[i].text, &t, &error), "%s", cases[i].text);
    cr_expect(strstr(error.text, cases[i].place) && strstr(error.text, cases[i].remedy), "%s", error.text);
  }
}
