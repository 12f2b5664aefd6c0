/* How large bodies are, and warnings of those that are far from what they should be. */
#include "tests/support/scene_text.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

TestSuite(scene_size, .init = enter_scratch_folder, .fini = leave_scratch_folder);

Test(scene_size, a_body_is_as_large_as_it_is_placed) {
  scene *s = load_bodies(
      "{ \"type\": \"rope\", \"from\": [1,2,3], \"to\": [1,-2,3.5], \"particles\": 7, \"pinned\": [0] },"
      "{ \"type\": \"block\", \"origin\": [5,5,5], \"size\": [1,2,3], \"pinned\": [0] },"
      "{ \"type\": \"rotors\", \"angle\": [0] }");
  static const double wanted[][3] = {{0, 4, 0.5}, {1, 2, 3}, {0, 0, 0}};
  for (int b = 0; b < 3; b++) {
    double size[3];
    scene_body_size(s, &s->bodies[b], size);
    for (int c = 0; c < 3; c++)
      cr_expect_float_eq(size[c], wanted[b][c], 1e-6, "body %d", b);
  }
  cr_expect_eq(s->warnings.count, 0);
  scene_free(s);
}

/* A triangle 1 unit across. */
Test(scene_size, meshes_of_other_units_are_warned_of) {
  write_text("m.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
  static const struct {
    double scale;
    const char *warning;
  } cases[] = {
      {1, NULL}, {99, NULL}, {0.0011, NULL}, {1e3, "the mesh is 1,000 m across"}, {1e-4, "is 0.1 mm across"}};
  for (size_t n = 0; n < COUNT_OF(cases); n++) {
    char text[256];
    snprintf(text, sizeof text,
             "{ \"type\": \"rope\", \"pinned\": [0] }, { \"type\": \"mesh\", \"pinned\": [0], \"file\": "
             "\"m.obj\", \"scale\": %g }",
             cases[n].scale);
    scene *s = load_bodies(text);
    cr_assert_eq(s->warnings.count, cases[n].warning != NULL, "scale %g", cases[n].scale);
    if (cases[n].warning) {
      cr_expect_not_null(strstr(s->warnings.lines[0], cases[n].warning), "%s", s->warnings.lines[0]);
      cr_expect(strstr(s->warnings.lines[0], "bodies[1]: ") &&
                strstr(s->warnings.lines[0], "check \"scale\""));
    }
    scene_free(s);
  }
}

/* Nobody made them with other units in mind. */
Test(scene_size, bodies_of_no_file_may_have_any_size) {
  scene *s = load_bodies("{ \"type\": \"cloth\", \"pinned\": [0], \"u\": [1e4,0,0] }, { \"type\": "
                         "\"balloon\", \"pinned\": [0], \"sphere\": { \"radius\": "
                         "1e-5 } }");
  cr_expect_eq(s->warnings.count, 0);
  scene_free(s);
}
