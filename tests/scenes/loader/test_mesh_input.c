#include "tests/support/gltf_files.h"
#include "tests/support/scene_text.h"

#include <criterion/criterion.h>

TestSuite(mesh_input, .init = enter_scratch_folder, .fini = leave_scratch_folder);

#define BODY(members) "{ \"type\": \"mesh\", \"name\": \"m\", \"file\": \"m.obj\"" members " }"

/* In mm: two triangles whose common edge is in the file twice, a tenth of a millimeter apart at one end. */
static void write_panels(void) {
  write_text("m.obj", "v 0 0 0\nv 10 0 0\nv 0 10 0\nv 10.1 0 0\nv 0 10 0\nv 10 10 0\n"
                      "g left\nf 1 2 3\ng right\nf 4 6 5\n");
}

Test(mesh_input, vertices_are_welded_over_a_distance_in_meters) {
  write_panels();
  scene *s = load_bodies(BODY(", \"scale\": 0.001, \"merge_distance\": 0.0002, \"pinned\": [3]"));
  cr_expect_eq(msd_world_get_particle_count(s->world), 4);
  cr_expect_eq(s->bodies[0].springs.count, 5, "the common edge is one");
  cr_expect(msd_particle_is_pinned(s->world, 1), "vertex 3 of the file is particle 1");
  cr_expect_eq(s->bodies[0].welded.welded, 2);
  scene_free(s);
  s = load_bodies(BODY(", \"scale\": 0.001, \"merge_distance\": 0.00005"));
  cr_expect_eq(msd_world_get_particle_count(s->world), 5, "one of them coincides");
  cr_expect_eq(s->bodies[0].welded.welded, 1);
  scene_free(s);
}

/* Panels of one file as bodies of their own, which have names, materials and surfaces. */
Test(mesh_input, each_group_of_a_file_can_be_a_body) {
  write_panels();
  scene_error error;
  scene *s =
      load_text("{ \"msd\": 1, \"bodies\": [ { \"type\": \"mesh\", \"name\": \"l\", \"file\": \"m.obj\", "
                "\"group\": \"left\", \"area_density\": 0.01 }, { \"type\": \"mesh\", \"name\": \"r\", "
                "\"file\": \"m.obj\", \"group\": \"right\", \"area_density\": 0.02, \"pinned\": [5] } ], "
                "\"contact\": { \"self_collision\": true, \"exclude\": [[\"l\", \"r\"]] }, \"connections\": "
                "[ { \"between\": "
                "[\"l\", 1, \"r\", 3] } ] }",
                &error);
  cr_assert(s != NULL, "%s", error.text);
  cr_expect(s->bodies[0].particles.count == 3 && s->bodies[1].particles.count == 3);
  cr_expect(msd_particle_is_pinned(s->world, 5), "vertex 5 of the file is the last of the second body");
  const msd_spring_def joint = msd_spring_get_def(s->world, s->joints.first);
  cr_expect(joint.a == 1 && joint.b == 3);
  cr_expect_eq(s->warnings.count, 0);
  cr_expect_eq(msd_world_get_collision_mesh_count(s->world), 2);
  scene_free(s);
}

Test(mesh_input, each_piece_of_a_file_can_be_a_body) {
  write_panels();
  scene *s = load_bodies("{ \"type\": \"mesh\", \"name\": \"b\", \"file\": \"m.obj\", \"group\": \"right\", "
                         "\"component\": 0, \"pinned\": [\"top\"] }");
  cr_expect_eq(s->bodies[0].particles.count, 3);
  cr_expect_eq(s->warnings.count, 0);
  scene_free(s);
}

/* Beside the scene, and not where the program runs. */
Test(mesh_input, nodes_of_gltf_files_are_pinned_by_name_and_touched) {
  char bytes[GLTF_SQUARE_BYTES];
  gltf_square_bytes(bytes);
  write_file("square.bin", bytes, sizeof bytes);
  write_text("m.gltf",
             "{ " GLTF_DATA "," GLTF_MESH(GLTF_INDEXED(
                 GLTF_TRIANGLES)) ","
                                  "\"scenes\": [ { \"nodes\": [0, 1] } ], \"nodes\": [ { \"mesh\": 0 },"
                                  "{ \"name\": \"collar\", \"mesh\": 0, \"translation\": [0, 0, 1] } ] }");
  scene *s =
      load_framed("{ \"msd\": 1, \"bodies\": [ { \"type\": \"mesh\", \"file\": \"m.gltf\", %s } ], "
                  "\"colliders\": [ { \"type\": \"mesh\", \"file\": \"m.gltf\", \"group\": \"collar\" } ] }",
                  "\"pinned\": [{ \"group\": \"collar\" }]");
  cr_expect_str_eq(pins_of_scene(s), "000011111111", "the last four are of the collider");
}

Test(mesh_input, keys_that_say_nothing_or_something_wrong_are_refused) {
  write_panels();
  static const bad_text cases[] = {
      {"{ \"type\": \"balloon\", \"sphere\": {}, \"merge_distance\": 0.1 }", "bodies[0].merge_distance",
       "leave it out"},
      {BODY(", \"merge_distance\": -1"), "bodies[0].merge_distance: is -1", "0 or more"},
      {"{ \"type\": \"balloon\", \"sphere\": {}, \"group\": \"left\" }", "bodies[0].group", "leave it out"},
      {BODY(", \"component\": 0.5"), "bodies[0].component: is 0.5", "0 or more"},
      {BODY(", \"component\": 1"), "has no component 1", "0 to 0"},
      {BODY(", \"group\": 1"), "bodies[0].group: is 1", "a line of text"},
      {BODY(", \"group\": \"lef\""), "has no group \"lef\"", "did you mean \"left\"?"},
      {BODY(", \"group\": \"left\", \"pinned\": [4]"), "bodies[0].pinned[0]: vertex 4", "is left out"},
      {BODY(", \"merge_distance\": 50"), "bodies[0].file: ./m.obj: no face has 3 corners",
       "lower \"merge_distance\""}};
  expect_refused(cases, COUNT_OF(cases), "{ \"msd\": 1, \"bodies\": [ %s ] }");
}
