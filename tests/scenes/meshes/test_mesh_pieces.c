#include "scenes/meshes/mesh_file.h"
#include "tests/support/mesh_text.h"
#include "tests/support/scene_text.h"

#include <criterion/criterion.h>
#include <string.h>

TestSuite(mesh_pieces, .init = enter_scratch_folder, .fini = leave_scratch_folder);

/* A square of two triangles with corners of their own in the file, between them a triangle; a line from the
   triangle to a vertex of its own, and one by itself; one vertex more. */
static const char *const FILE_OF_PIECES =
    "v 9 9 9\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 5 0 0\nv 6 0 0\nv 5 1 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n"
    "v 7 0 0\nv 0 0 7\nv 0 0 8\nf 2 3 4\nf 5 6 7\nf 8 9 10\nl 6 11\nl 12 13\n";

static mesh_data read_piece(int32_t piece, bool with_lines) {
  write_text("m.obj", FILE_OF_PIECES);
  const mesh_options options = {
      .has_piece = true, .piece = piece, .lines = with_lines ? LINES_ALL : LINES_COUNTED};
  mesh_data mesh;
  scene_error error;
  scene_warnings warnings = {0};
  cr_assert(mesh_file_read_with("m.obj", &options, &mesh, &warnings, &error), "%s", error.text);
  cr_expect_eq(warnings.count, 0, "what is left out is not missed");
  return mesh;
}

Test(mesh_pieces, triangles_that_share_vertices_when_welded_are_one_in_the_order_of_the_file) {
  mesh_data mesh = read_piece(0, false);
  cr_expect(mesh.vertex_count == 4 && mesh.triangle_count == 2);
  cr_expect(mesh.face_of[0] == 14 && mesh.face_of[1] == 16, "the lines of its faces");
  static const int32_t vertex_of[] = {-1, 0, 1, 2, -1, -1, -1, 1, 3, 2, -1, -1, -1};
  cr_expect(memcmp(mesh.vertex_of, vertex_of, sizeof vertex_of) == 0);
  mesh_data_free(&mesh);
  mesh = read_piece(1, false);
  cr_expect(mesh.vertex_count == 3 && mesh.triangle_count == 1);
  cr_expect(has_vertex(&mesh, 0, 5, 0, 0));
  mesh_data_free(&mesh);
}

Test(mesh_pieces, lines_join_too_and_are_pieces) {
  mesh_data mesh = read_piece(1, true);
  cr_expect(mesh.vertex_count == 4 && mesh.triangle_count == 1 && mesh.segment_count == 1);
  mesh_data_free(&mesh);
  mesh = read_piece(2, true);
  cr_expect(mesh.vertex_count == 2 && mesh.triangle_count == 0 && mesh.segment_count == 1);
  cr_expect(has_vertex(&mesh, 1, 0, 0, 8));
  mesh_data_free(&mesh);
}

Test(mesh_pieces, a_piece_that_is_not_there_is_refused) {
  write_text("m.obj", FILE_OF_PIECES);
  mesh_data mesh;
  scene_error error;
  const mesh_options options = {.has_piece = true, .piece = 2};
  cr_expect(!mesh_file_read_with("m.obj", &options, &mesh, NULL, &error));
  cr_expect_str_eq(error.text, "m.obj: has no component 2; its components are 0 to 1");
}
