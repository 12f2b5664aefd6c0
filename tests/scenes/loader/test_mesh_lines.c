#define _POSIX_C_SOURCE 200809L
#include "tests/support/scene_text.h"

#include <criterion/criterion.h>
#include <string.h>

TestSuite(mesh_lines, .init = enter_scratch_folder, .fini = leave_scratch_folder);

/* Two triangles, 0.1 m above each other, whose corners loose edges join; one of these is there twice, one is an
   edge of a triangle, and one leads to a vertex without a face. */
static void write_panels(void) {
  write_text("m.obj",
             "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 0.1\nv 1 0 0.1\nv 0 1 0.1\nv 5 5 5\nf 1 2 3\nf 4 5 6\n"
             "l 1 4\nl 2 5\nl 6 3\nl 4 1\nl 1 2\nl 1 7\n");
}

static scene *load_lines(const char *members) {
  scene_error error;
  char text[1024];
  snprintf(text, sizeof text,
           "{ \"msd\": 1, \"gravity\": [0, 0, 0], \"linear_damping\": 2, \"bodies\": [ { \"type\": \"mesh\", "
           "\"name\": \"m\", \"file\": \"m.obj\"%s } ] }",
           members);
  scene *s = load_text(text, &error);
  cr_assert(s != NULL, "%s", error.text);
  return s;
}

static bool warns(const scene *s, const char *text) {
  for (int n = 0; n < s->warnings.count; n++)
    if (strstr(s->warnings.lines[n], text))
      return true;
  return false;
}

Test(mesh_lines, they_are_left_out_with_a_warning_unless_they_are_to_be_ignored) {
  write_panels();
  scene *s = load_lines("");
  cr_expect_eq(s->bodies[0].springs.count, 6);
  cr_expect(warns(s, "m.obj: has 6 lines, which are left out; \"lines\": \"sew\" or \"springs\""));
  scene_free(s);
  s = load_lines(", \"lines\": \"ignore\"");
  cr_expect_eq(s->bodies[0].springs.count, 6);
  cr_expect(!warns(s, "lines"));
  scene_free(s);
}

Test(mesh_lines, as_springs_they_have_the_law_of_the_others) {
  write_panels();
  scene *s = load_lines(", \"stretch\": { \"stiffness\": 40, \"damping\": 0.5 }, \"lines\": \"springs\"");
  cr_expect_eq(s->bodies[0].particles.count, 6);
  cr_assert_eq(s->bodies[0].springs.count, 9);
  cr_expect(warns(s, "1 of the lines have an end in no face"));
  for (int32_t i = 6; i < 9; i++) {
    const msd_spring_def def = msd_spring_get_def(s->world, s->bodies[0].springs.first + i);
    cr_expect(def.b - def.a == 3 && def.stiffness == 40 && def.damping == (msd_real)0.5);
    cr_expect_float_eq((double)def.rest_length, 0.1, 1e-6);
    cr_expect_eq(def.mode, MSD_SPRING_BOTH);
  }
  char text[256];
  scene_describe_spring(s, s->bodies[0].springs.first + 6, text, sizeof text);
  cr_expect(strstr(text, "lines") != NULL, "%s", text);
  scene_free(s);
}

/* Sewing springs pull, begin as they are placed and close within a second. */
Test(mesh_lines, sewn_they_close_within_a_second) {
  write_panels();
  scene *s = load_lines(", \"lines\": \"sew\"");
  cr_expect_eq(s->bodies[0].springs.count, 6);
  cr_assert_eq(s->joints.count, 3);
  for (int32_t i = 0; i < 3; i++) {
    const msd_spring_def def = msd_spring_get_def(s->world, s->joints.first + i);
    cr_expect_eq(def.mode, MSD_SPRING_TENSION_ONLY);
    cr_expect_float_eq((double)def.rest_length, 0.1, 1e-6);
  }
  for (int frame = 0; frame < 180; frame++)
    cr_assert_eq(scene_step(s, s->frame_time, s->substeps), MSD_OK, "%s", msd_world_message(s->world));
  for (int32_t i = 0; i < 3; i++) {
    const msd_vec3 a = msd_particle_get_position(s->world, i), b = msd_particle_get_position(s->world, i + 3);
    cr_expect_float_eq((double)a.z, (double)b.z, 1e-3, "corner %d: %g and %g", (int)i, (double)a.z,
                       (double)b.z);
  }
  scene_free(s);
}

/* The vertices of an edge that is merged are one, and its line has no length. */
Test(mesh_lines, they_follow_groups_components_and_decimation) {
  write_panels();
  scene *s = load_lines(", \"component\": 1, \"lines\": \"springs\"");
  cr_expect(s->bodies[0].particles.count == 3 && s->bodies[0].springs.count == 3);
  scene_free(s);
  s = load_lines(", \"decimate\": 1, \"lines\": \"springs\"");
  cr_expect_geq(s->bodies[0].springs.count, s->bodies[0].particles.count - 1);
  scene_free(s);
}

Test(mesh_lines, what_cannot_be_is_refused) {
  write_panels();
  static const bad_text cases[] = {
      {"\"lines\": \"spring\"", "bodies[0].lines: is the text \"spring\"", "\"springs\""},
      {"\"lines\": \"springs\", \"material\": \"denim\"", "bodies[0].lines: is \"springs\"", "write \"sew\""},
  };
  expect_refused(cases, COUNT_OF(cases),
                 "{ \"msd\": 1, \"bodies\": [ { \"type\": \"mesh\", \"file\": \"m.obj\", %s } ] }");
}
