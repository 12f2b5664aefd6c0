#include "tests/support/scene_text.h"

#include <criterion/criterion.h>

TestSuite(mesh_input, .init = enter_scratch_folder, .fini = leave_scratch_folder);

#define BODY(members) "{ \"kind\": \"mesh\", \"name\": \"m\", \"file\": \"m.obj\"" members " }"

/* In mm: two triangles whose common edge is in the file twice, a tenth of a millimetre apart at one end. */
static void write_panels(void) {
  write_text("m.obj", "v 0 0 0\nv 10 0 0\nv 0 10 0\nv 10.1 0 0\nv 0 10 0\nv 10 10 0\n"
                      "g left\nf 1 2 3\ng right\nf 4 6 5\n");
}

Test(mesh_input, vertices_are_welded_over_a_distance_in_metres) {
  write_panels();
  scene *s = load_bodies(BODY(", \"scale\": 0.001, \"weld\": 0.0002, \"pinned\": [3]"));
  cr_expect_eq(msd_world_get_particle_count(s->world), 4);
  cr_expect_eq(s->bodies[0].springs.count, 5, "the common edge is one");
  cr_expect(msd_particle_is_pinned(s->world, 1), "vertex 3 of the file is particle 1");
  cr_expect_eq(s->bodies[0].welded.welded, 2);
  scene_free(s);
  s = load_bodies(BODY(", \"scale\": 0.001, \"weld\": 0.00005"));
  cr_expect_eq(msd_world_get_particle_count(s->world), 5, "one of them coincides");
  cr_expect_eq(s->bodies[0].welded.welded, 1);
  scene_free(s);
}

Test(mesh_input, keys_that_say_nothing_or_something_wrong_are_refused) {
  write_panels();
  static const bad_text cases[] = {
      {"{ \"kind\": \"balloon\", \"sphere\": {}, \"weld\": 0.1 }", "bodies[0].weld", "leave it out"},
      {BODY(", \"weld\": -1"), "bodies[0].weld: is -1", "0 or more"},
      {BODY(", \"weld\": 50"), "bodies[0].file: ./m.obj: no face has 3 corners", "lower \"weld\""}};
  expect_refused(cases, COUNT_OF(cases), "{ \"msd\": 1, \"bodies\": [ %s ] }");
}
