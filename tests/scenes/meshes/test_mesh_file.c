#define _POSIX_C_SOURCE 200809L
#include "scenes/meshes/mesh_file.h"

#include "tests/support/mesh_text.h"
#include "tests/support/scene_text.h"

#include <criterion/criterion.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

TestSuite(mesh_file, .init = enter_scratch_folder, .fini = leave_scratch_folder);

Test(mesh_file, vertices_keep_their_order_in_the_file) {
  mesh_data mesh = read_mesh("m.obj", "v 9 0 0\nv 0 1 0\nv 0 0 2\nf 3 1 2\n");
  cr_expect_eq(mesh.vertex_count, 3);
  cr_expect(has_vertex(&mesh, 0, 9, 0, 0) && has_vertex(&mesh, 1, 0, 1, 0) && has_vertex(&mesh, 2, 0, 0, 2));
  cr_assert_eq(mesh.triangle_count, 1);
  expect_triangle(&mesh, 0, 2, 0, 1);
  mesh_data_free(&mesh);
}

/* A cube as modelers write it: every face has its own four corners for their normals. */
Test(mesh_file, vertices_repeated_for_normals_are_one) {
  char text[4096] = "";
  static const char *const faces[] = {"000 001 011 010", "100 110 111 101", "000 100 101 001",
                                      "010 011 111 110", "000 010 110 100", "001 101 111 011"};
  for (size_t f = 0; f < COUNT_OF(faces); f++)
    for (const char *c = faces[f]; *c; c += c[3] ? 4 : 3) {
      size_t used = strlen(text);
      /* The negative zero is the same place as 0. */
      snprintf(text + used, sizeof text - used, "v %s%c %c %c\n", c[0] == '0' && f > 2 ? "-" : "", c[0], c[1],
               c[2]);
    }
  for (int f = 0; f < 6; f++) {
    size_t used = strlen(text);
    snprintf(text + used, sizeof text - used, "f %d %d %d %d\n", 4 * f + 1, 4 * f + 2, 4 * f + 3, 4 * f + 4);
  }
  mesh_data mesh = read_mesh("m.obj", text);
  cr_expect_eq(mesh.vertex_count, 8);
  cr_expect_eq(mesh.triangle_count, 12);
  /* The first four keep their numbers; those of the second face come next. */
  cr_expect(has_vertex(&mesh, 1, 0, 0, 1) && has_vertex(&mesh, 4, 1, 0, 0) && has_vertex(&mesh, 7, 1, 0, 1));
  mesh_data_free(&mesh);
}

Test(mesh_file, faces_that_shrink_to_a_line_by_welding_are_dropped) {
  mesh_data mesh = read_mesh("m.obj", "v 0 0 0\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3 4\n");
  cr_expect_eq(mesh.vertex_count, 3);
  cr_expect_eq(mesh.triangle_count, 1);
  mesh_data_free(&mesh);
}

Test(mesh_file, what_is_no_readable_mesh_file_is_refused) {
  expect_mesh_refused("none.ply", "none.ply: No such file", "beside the scene file");
  expect_mesh_refused("m.off", "m.off: is not a mesh format", ".obj, .ply, .stl, .gltf or .glb");
  cr_assert(mkdir("folder.obj", 0700) == 0);
  expect_mesh_refused("folder.obj", "folder.obj: is a folder", "give an OBJ, PLY, STL or glTF file");
  rmdir("folder.obj");
  cr_assert(mkfifo("pipe.obj", 0600) == 0);
  expect_mesh_refused("pipe.obj", "pipe.obj: is a pipe", "give an OBJ, PLY, STL or glTF file");
}

static void expect_only_warning(scene_warnings *warnings, const char *line) {
  cr_expect_eq(warnings->count, 1);
  cr_expect_str_eq(warnings->count > 0 ? warnings->lines[0] : "nothing", line);
  scene_warnings_free(warnings);
}

Test(mesh_file, a_vertex_of_no_face_is_left_out_with_a_warning) {
  scene_warnings warnings = {0};
  mesh_data mesh = read_mesh_warned("m.obj", "v 9 9 9\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 2 3 4\n", &warnings);
  cr_expect_eq(mesh.vertex_count, 3);
  cr_expect(has_vertex(&mesh, 0, 0, 0, 0) && has_vertex(&mesh, 2, 0, 1, 0));
  expect_triangle(&mesh, 0, 0, 1, 2);
  cr_assert_eq(mesh.file_vertex_count, 4);
  static const int32_t vertex_of[] = {-1, 0, 1, 2};
  cr_expect(memcmp(mesh.vertex_of, vertex_of, sizeof vertex_of) == 0);
  expect_only_warning(&warnings, "m.obj: vertex 0 (from 0) belongs to no face with an area, and is left out");
  mesh_data_free(&mesh);
}

/* Vertex 1 is repeated by vertex 2, and vertices 4 and 6 are in a face without area alone. */
Test(mesh_file, each_vertex_of_the_file_knows_what_became_of_it) {
  scene_warnings warnings = {0};
  mesh_data mesh = read_mesh_warned(
      "m.obj", "v 0 0 0\nv 1 0 0\nv 1 0 0\nv 0 1 0\nv 5 0 0\nv 1 1 0\nv 7 0 0\nf 1 2 4\nf 3 6 4\nf 1 5 7\n",
      &warnings);
  cr_expect_eq(mesh.vertex_count, 4);
  cr_assert_eq(mesh.file_vertex_count, 7);
  static const int32_t vertex_of[] = {0, 1, 1, 2, -1, 3, -1};
  cr_expect(memcmp(mesh.vertex_of, vertex_of, sizeof vertex_of) == 0);
  cr_assert_eq(mesh.triangle_count, 2);
  expect_triangle(&mesh, 1, 1, 3, 2);
  cr_expect_eq(mesh.face_of[1], 9, "the line");
  expect_only_warning(&warnings,
                      "m.obj: vertex 4 (from 0) and 1 more belong to no face with an area, and are left out");
  mesh_data_free(&mesh);
}
