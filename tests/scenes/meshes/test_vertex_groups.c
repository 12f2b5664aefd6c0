#include "scenes/meshes/vertex_groups.h"

#include "tests/support/mesh_text.h"
#include "tests/support/scene_text.h"

#include <criterion/criterion.h>
#include <string.h>

TestSuite(vertex_groups, .init = enter_scratch_folder, .fini = leave_scratch_folder);

/* The vertices of a group, as a string of 1 and 0; "none" when nothing is called so. */
static const char *members(const mesh_data *mesh, const char *name) {
  static char text[64];
  bool marks[sizeof text] = {false};
  cr_assert((size_t)mesh->vertex_count < sizeof text);
  if (!vertex_groups_mark(&mesh->groups, name, marks))
    return "none";
  for (int32_t v = 0; v < mesh->vertex_count; v++)
    text[v] = marks[v] ? '1' : '0';
  text[mesh->vertex_count] = '\0';
  return text;
}

#define SIX "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nv 0 2 0\nv 1 2 0\n"

Test(vertex_groups, a_group_has_the_vertices_of_the_faces_up_to_the_next) {
  mesh_data mesh = read_mesh("m.obj", SIX "f 1 2 3\ng low\nf 2 4 3\ng high top\r\nf 3 4 5\ng top\nf 4 6 5\n");
  cr_expect_str_eq(members(&mesh, "low"), "011100");
  cr_expect_str_eq(members(&mesh, "high"), "001110");
  cr_expect_str_eq(members(&mesh, "top"), "001111", "two runs of faces are one group");
  cr_expect_str_eq(members(&mesh, "middle"), "none");
  mesh_data_free(&mesh);
}

Test(vertex_groups, objects_go_on_beside_groups_and_have_blanks_in_their_names) {
  mesh_data mesh =
      read_mesh("m.obj", SIX "o left sleeve \nf 1 2 3\ng a\nf 2 4 3\no body\nf 3 4 5\ng\nf 4 6 5\n");
  cr_expect_str_eq(members(&mesh, "left sleeve"), "111100");
  cr_expect_str_eq(members(&mesh, "a"), "011110");
  cr_expect_str_eq(members(&mesh, "body"), "001111");
  cr_expect_str_eq(members(&mesh, "default"), "000111", "a g without a name");
  mesh_data_free(&mesh);
}

/* Vertices 3 and 4 of the file are 2 and 1 again, vertex 0 is in no face. */
Test(vertex_groups, members_are_counted_as_the_mesh_counts_its_vertices) {
  scene_warnings warnings = {0};
  mesh_data mesh = read_mesh_warned("m.obj",
                                    "v 9 9 9\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\n"
                                    "g one\nf 2 3 4\ng two\nf 5 7 6\ng flat\nf 2 2 3\n",
                                    &warnings);
  cr_expect_eq(mesh.vertex_count, 4);
  cr_expect_str_eq(members(&mesh, "one"), "1110");
  cr_expect_str_eq(members(&mesh, "two"), "0111");
  scene_warnings_free(&warnings);
  mesh_data_free(&mesh);
}

Test(vertex_groups, a_group_without_faces_is_none) {
  mesh_data mesh = read_mesh("m.obj", SIX "g empty\ng full\nf 1 2 3\nf 2 4 3\nf 3 4 5\nf 4 6 5\ng last\n");
  cr_expect_str_eq(members(&mesh, "empty"), "none");
  cr_expect_str_eq(members(&mesh, "last"), "none");
  cr_expect_eq(mesh.groups.count, 1);
  mesh_data_free(&mesh);
}

Test(vertex_groups, a_name_that_a_line_repeats_is_one_run_of_faces) {
  mesh_data mesh = read_mesh("m.obj", SIX "g a a b a\nf 1 2 3\ng a\nf 2 4 3\no a\nf 3 4 5\ng b\nf 4 6 5\n");
  int32_t first, end;
  cr_assert(vertex_groups_find(&mesh.groups, "a", &first, &end));
  cr_expect(end == first + 1 && mesh.groups.items[first].first == 0 && mesh.groups.items[first].end == 12);
  cr_assert(vertex_groups_find(&mesh.groups, "b", &first, &end));
  cr_expect_eq(end, first + 2, "two runs, apart");
  cr_expect_str_eq(members(&mesh, "b"), "111111");
  mesh_data_free(&mesh);
}

/* Vertex 6 coincides with vertex 3, but is of the other group. */
Test(vertex_groups, one_group_is_read_alone_with_the_numbers_of_the_file) {
  write_text("m.obj", "v 9 9 9\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nv 0 1 0\nv 0 1 0\nv 0 2 0\n"
                      "g low\nf 2 3 4\nf 3 5 4\ng high\nf 6 5 8\ng low\nf 2 7 3\n");
  const mesh_options options = {.group = "high"};
  mesh_data mesh;
  scene_warnings warnings = {0};
  scene_error error;
  cr_assert(mesh_file_read_with("m.obj", &options, &mesh, &warnings, &error), "%s", error.text);
  cr_expect_eq(warnings.count, 0, "what is left out is not missed");
  cr_expect_eq(mesh.vertex_count, 3);
  cr_expect_eq(mesh.triangle_count, 1);
  cr_expect_eq(mesh.welded.welded, 0, "nothing of the group");
  static const int32_t vertex_of[] = {-1, -1, -1, -1, 0, 1, -1, 2};
  cr_expect(memcmp(mesh.vertex_of, vertex_of, sizeof vertex_of) == 0);
  cr_expect_str_eq(members(&mesh, "low"), "100", "the vertex that both have");
  mesh_data_free(&mesh);
  cr_expect(!mesh_file_read_with("m.obj", &(mesh_options){.group = "hihg"}, &mesh, NULL, &error));
  cr_expect_str_eq(error.text, "m.obj: has no group \"hihg\"; did you mean \"high\"?");
}

Test(vertex_groups, an_unknown_name_is_answered_by_what_there_is) {
  char text[GROUP_REMEDY_MAX];
  mesh_data mesh = read_mesh("m.obj", SIX "g collar\nf 1 2 3\nf 2 4 3\ng hem\nf 3 4 5\nf 4 6 5\n");
  vertex_groups_suggest(&mesh.groups, "colar", text);
  cr_expect_str_eq(text, "did you mean \"collar\"?");
  vertex_groups_suggest(&mesh.groups, "xyz", text);
  cr_expect_str_eq(text, "known here: collar, hem");
  mesh_data_free(&mesh);
  vertex_groups_suggest(&(vertex_groups){0}, "xyz", text);
  cr_expect(strstr(text, "g NAME") != NULL, "%s", text);
}
