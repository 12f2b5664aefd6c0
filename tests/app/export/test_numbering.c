/* What is exported of a mesh that a simpler one stands for. */
#include "tests/support/command.h"

TestSuite(numbering, .init = command_setup, .fini = command_teardown);

enum { SIDE = 12, VERTICES = SIDE * SIDE, TRIANGLES = 2 * (SIDE - 1) * (SIDE - 1) };

/* A sheet whose first columns are close together, beside a ball and joined to it. */
static void write_scene(const char *settings) {
  char *text = take_memory(40000), *at = text;
  for (int i = 0; i < VERTICES; i++)
    at += sprintf(at, "v %g %g 0\nvt %g %g\n", i % SIDE < 6 ? 0.125 * (i % SIDE) : i % SIDE - 5,
                  i / SIDE / 1.0, i % SIDE / 16.0, i / SIDE / 16.0);
  for (int i = 0; i < (SIDE - 1) * (SIDE - 1); i++) {
    const int a = i / (SIDE - 1) * SIDE + i % (SIDE - 1) + 1;
    at += sprintf(at, "f %d/%d %d/%d %d/%d\nf %d/%d %d/%d %d/%d\n", a, a, a + 1, a + 1, a + SIDE, a + SIDE,
                  a + SIDE, a + SIDE, a + 1, a + 1, a + SIDE + 1, a + SIDE + 1);
  }
  write_file("sheet.obj", text, strlen(text));
  const char *scene = format_text(
      "{\"msd\": 1, \"frame_time\": 0.0625, \"duration\": 0.125, \"bodies\": [{\"type\": \"particles\", "
      "\"name\": "
      "\"ball\", \"position\": [[-1, 0, 0]]}, {\"type\": \"mesh\", \"name\": \"sheet\", \"file\": "
      "\"sheet.obj\", "
      "\"stretch\": {\"stiffness\": 1e4}%s}], \"connections\": [{\"between\": [\"ball\", 0, \"sheet\", 0], "
      "\"stiffness\": 1}]}",
      settings);
  write_file("scene.json", scene, strlen(scene));
}

static int count_of(const char *text, const char *start) {
  int count = 0;
  for (const char *line = text; line != NULL && *line != '\0';
       line = strchr(line, '\n'), line += line != NULL)
    count += strncmp(line, start, strlen(start)) == 0;
  return count;
}

static char *frame_of(const char *settings) {
  write_scene(settings);
  const command_result result = msd("run scene.json --export out");
  cr_assert_eq(result.status, 0, "%s", result.err);
  return read_text("out/scene_000000.obj");
}

Test(numbering, vertices_faces_and_texture_are_those_of_the_file) {
  const char *plain = frame_of(""), *simple = frame_of(", \"decimate\": \"median\"");
  const double particles = number_of(parse_json(msd("info scene.json --json").out), "particles");
  cr_expect_lt(particles, VERTICES);
  cr_expect_eq(count_of(simple, "v "), VERTICES + 1);
  cr_expect_eq(count_of(simple, "vt "), VERTICES);
  cr_expect_eq(count_of(simple, "f "), TRIANGLES);
  cr_expect_eq(count_of(simple, "l "), 1, "the joint");
  cr_expect_eq(count_of(simple, "p "), 0, "particles of the simpler mesh are not among the points");
  cr_expect_eq(count_of(plain, "v "), VERTICES + 1);
  const char *faces = strstr(plain, "\nf "), *same = strstr(simple, "\nf ");
  cr_assert(faces != NULL && same != NULL);
  cr_expect_eq(strncmp(faces, same, 2000), 0, "they have the same numbers");
}
