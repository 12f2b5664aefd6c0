#define _POSIX_C_SOURCE 200809L
#include "scenes/loader/transform.h"

#include "tests/support/scene_text.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

TestSuite(transform, .init = enter_scratch_folder, .fini = leave_scratch_folder);

static const double PI = 3.14159265358979323846;

/* A point in the place that the members of an object give. */
static msd_vec3 moved(const char *members, msd_vec3 point) {
  char text[512];
  snprintf(text, sizeof text, "{ %s }", members);
  scene_error error;
  const json_source source = {.file = "f.json", .error = &error};
  json_t *value = json_loads(text, 0, NULL);
  cr_assert(value != NULL, "%s", text);
  const json_place root = place_root(&source, value);
  transform where;
  cr_assert(transform_read(&root, &where), "%s", error.text);
  cr_assert(transform_points(&root, &where, &point, 1), "%s", error.text);
  json_decref(value);
  return point;
}

static void expect_point(msd_vec3 p, double x, double y, double z) {
  cr_expect(fabs((double)p.x - x) < 1e-6 && fabs((double)p.y - y) < 1e-6 && fabs((double)p.z - z) < 1e-6,
            "%g %g %g is not %g %g %g", (double)p.x, (double)p.y, (double)p.z, x, y, z);
}

Test(transform, nothing_given_changes_no_bit) {
  const msd_vec3 p = moved("\"x\": 0", (msd_vec3){(msd_real)0.1, (msd_real)-1e-20, (msd_real)3e10});
  cr_expect(p.x == (msd_real)0.1 && p.y == (msd_real)-1e-20 && p.z == (msd_real)3e10);
}

Test(transform, a_point_is_scaled_then_turned_then_moved) {
  expect_point(
      moved("\"scale\": 2, \"rotation\": [0, 0, 90], \"position\": [10, 20, 30]", (msd_vec3){1, 0, 0}), 10,
      22, 30);
  expect_point(moved("\"scale\": [2, 3, 4]", (msd_vec3){1, 1, 1}), 2, 3, 4);
}

/* Right-handed: about x, y goes to z; about y, z to x; about z, x to y. */
Test(transform, quarter_turns_are_exact_and_right_handed) {
  const msd_vec3 x = moved("\"rotation\": [90, 0, 0]", (msd_vec3){0, 1, 0});
  const msd_vec3 y = moved("\"rotation\": [0, -270, 0]", (msd_vec3){0, 0, 1});
  const msd_vec3 z = moved("\"rotation\": [0, 0, 450]", (msd_vec3){1, 0, 0});
  cr_expect(x.x == 0 && x.y == 0 && x.z == 1);
  cr_expect(y.x == 1 && y.y == 0 && y.z == 0);
  cr_expect(z.x == 0 && z.y == 1 && z.z == 0);
}

/* y is turned to z by the first, stays by none of the others: z to x by the second, x to y by the third. */
Test(transform, rotation_is_about_x_then_y_then_z) {
  expect_point(moved("\"rotation\": [90, 90, 0]", (msd_vec3){0, 1, 0}), 1, 0, 0);
  expect_point(moved("\"rotation\": [90, 90, 90]", (msd_vec3){0, 1, 0}), 0, 1, 0);
}

Test(transform, any_angle_has_its_cosine_and_sine) {
  for (int degrees = -725; degrees <= 725; degrees += 7) {
    char text[64];
    snprintf(text, sizeof text, "\"rotation\": [0, 0, %d.25]", degrees);
    const double angle = (degrees < 0 ? degrees - 0.25 : degrees + 0.25) * PI / 180;
    expect_point(moved(text, (msd_vec3){1, 0, 0}), cos(angle), sin(angle), 0);
  }
}

#define TRIANGLE "{ \"type\": \"mesh\", \"file\": \"t.obj\", %s }"

Test(transform, every_body_from_a_file_has_one) {
  write_text("t.obj", "v 1 0 0\nv 2 0 0\nv 1 1 0\nf 1 2 3\n");
  write_text("t.node", "4 3 0 0\n0 1 0 0\n1 2 0 0\n2 1 1 0\n3 1 0 1\n");
  write_text("t.ele", "1 4 0\n0 0 1 2 3\n");
  scene *s = load_bodies(
      "{ \"type\": \"mesh\", \"file\": \"t.obj\", \"rotation\": [0, 0, 90], \"scale\": [2, 1, 1] },"
      "{ \"type\": \"tetmesh\", \"file\": \"t.node\", \"rotation\": [0, 90, 0], \"position\": [0, 0, 5] },"
      "{ \"type\": \"balloon\", \"sphere\": {}, \"scale\": [1, 3, 1] }");
  expect_point(msd_particle_get_position(s->world, 0), 0, 2, 0);
  expect_point(msd_particle_get_position(s->world, 3), 0, 0, 4);
  const scene_body *balloon = &s->bodies[2];
  double top = 0;
  for (int32_t i = 0; i < balloon->particles.count; i++)
    top = fmax(top, (double)msd_particle_get_position(s->world, balloon->particles.first + i).y);
  cr_expect(top > 2.5 && top < 3.001, "the ellipsoid reaches %g", top);
  scene_free(s);
}

Test(transform, what_is_none_is_refused) {
  write_text("t.obj", "v 1 0 0\nv 2 0 0\nv 1 1 0\nf 1 2 3\n");
  static const bad_text cases[] = {
      {"\"scale\": 0", "bodies[0].scale: is 0", "a factor above 0"},
      {"\"scale\": [1, -1, 1]", "bodies[0].scale[1]: is -1", "a factor above 0"},
      {"\"scale\": [1, 1]", "bodies[0].scale: is a list of 2", "three [x, y, z]"},
      {"\"scale\": \"2\"", "bodies[0].scale: is the text", "a factor above 0"},
      {"\"scale\": 1e18, \"position\": [1e18, 0, 0]", "bodies[0].scale: moves a vertex", "lower it"},
      {"\"rotation\": 90", "bodies[0].rotation: is 90", "about x, then y, then z"},
      {"\"rotation\": [0, 0, \"z\"]", "bodies[0].rotation[2]: is the text", "an angle in degrees"},
      {"\"position\": [0, 0]", "bodies[0].position: is a list of 2", "[x, y, z]"},
  };
  expect_refused(cases, COUNT_OF(cases), "{ \"msd\": 1, \"bodies\": [ " TRIANGLE " ] }");
}

/* A sheet of 5 by 5 cells of 10 cm in survey coordinates, as each format has it, moved back. Floats are 0.5 m
   apart there. */
#define EAST  500000
#define NORTH 4600000
enum { ROW = 6 };

static void write_survey(const char *ending) {
  char name[16];
  snprintf(name, sizeof name, "s.%s", ending);
  FILE *file = fopen(name, "w");
  cr_assert(file != NULL);
  const bool is_ply = strcmp(ending, "ply") == 0, is_node = strcmp(ending, "node") == 0;
  if (is_ply)
    fprintf(file, "ply\nformat ascii 1.0\nelement vertex 36\nproperty double x\nproperty double y\n"
                  "property double z\nelement face 25\nproperty list uchar int vertex_indices\nend_header\n");
  if (is_node)
    fprintf(file, "37 3 0 0\n");
  for (int i = 0; i < ROW * ROW; i++) {
    if (is_node)
      fprintf(file, "%d ", i);
    fprintf(file, is_ply || is_node ? "%.3f %.3f 312.5\n" : "v %.3f %.3f 312.5\n", EAST + 0.1 * (i % ROW),
            NORTH + 0.1 * (i / ROW));
  }
  if (is_node)
    fprintf(file, "36 %d %d 313\n", EAST, NORTH);
  for (int c = 0; !is_node && c < 25; c++) {
    const int i = c / 5 * ROW + c % 5 + (is_ply ? 0 : 1);
    fprintf(file, "%s %d %d %d %d\n", is_ply ? "4" : "f", i, i + 1, i + ROW + 1, i + ROW);
  }
  fclose(file);
  if (!is_node)
    return;
  file = fopen("s.ele", "w");
  fprintf(file, "50 4 0\n");
  for (int c = 0; c < 25; c++) {
    const int i = c / 5 * ROW + c % 5;
    fprintf(file, "%d %d %d %d 36\n%d %d %d %d 36\n", 2 * c, i, i + 1, i + ROW + 1, 2 * c + 1, i, i + ROW + 1,
            i + ROW);
  }
  fclose(file);
}

static void expect_survey(const scene *s, int32_t first) {
  for (int i = 0; i < ROW * ROW; i++) {
    const msd_vec3 at = msd_particle_get_position(s->world, first + i);
    cr_assert(fabs((double)at.x - 0.1 * (i % ROW)) < 1e-6 && fabs((double)at.y - 0.1 * (i / ROW)) < 1e-6 &&
                  fabs((double)at.z - 0.5) < 1e-6,
              "%d lies at %.9g %.9g %.9g", i, (double)at.x, (double)at.y, (double)at.z);
  }
}

#define SURVEYED "\"position\": [-500000, -4600000, -312]"

Test(transform, meshes_in_survey_coordinates_are_moved_before_they_are_rounded) {
  static const char *const endings[] = {"obj", "ply"};
  for (size_t e = 0; e < 2; e++) {
    char body[256];
    write_survey(endings[e]);
    snprintf(body, sizeof body, "{ \"type\": \"mesh\", \"file\": \"s.%s\", \"merge_distance\": 0.01, %s }",
             endings[e], SURVEYED);
    scene *s = load_bodies(body);
    cr_assert_eq(s->bodies[0].particles.count, ROW * ROW, "%s: %d particles", endings[e],
                 (int)s->bodies[0].particles.count);
    expect_survey(s, 0);
    scene_free(s);
  }
}

Test(transform, tetrahedra_in_survey_coordinates_are_too) {
  write_survey("node");
  scene *s = load_bodies("{ \"type\": \"tetmesh\", \"file\": \"s.node\", " SURVEYED " }");
  expect_survey(s, 0);
  scene_free(s);
}

/* Decimation sees cells of 10 cm, and merges none. */
Test(transform, decimation_is_of_the_mesh_as_it_is_placed) {
  write_survey("obj");
  scene *s = load_bodies("{ \"type\": \"mesh\", \"file\": \"s.obj\", \"decimate\": 1000, " SURVEYED " }");
  cr_expect_eq(s->bodies[0].particles.count, ROW * ROW);
  expect_survey(s, 0);
  scene_free(s);
}

/* Turned by a quarter about z: x, y become -y, x. */
Test(transform, mesh_colliders_in_survey_coordinates_are_too) {
  write_survey("obj");
  scene_error error;
  scene *s = load_text(
      "{ \"msd\": 1, \"bodies\": [ { \"type\": \"rope\" } ], \"colliders\": [ { \"type\": \"mesh\", "
      "\"file\": \"s.obj\", \"rotation\": [0, 0, 90], \"position\": [4600000, -500000, -312] } ] }",
      &error);
  cr_assert(s != NULL, "%s", error.text);
  const msd_range made = s->bodies[1].particles;
  cr_assert_eq(made.count, ROW * ROW);
  for (int i = 0; i < made.count; i++) {
    const msd_vec3 at = msd_particle_get_position(s->world, made.first + i);
    expect_point(at, -0.1 * (i / ROW), 0.1 * (i % ROW), 0.5);
  }
  scene_free(s);
}
