#define _POSIX_C_SOURCE 200809L
#include "scenes/meshes/triangulation.h"

#include "tests/support/mesh_text.h"
#include "tests/support/scene_text.h"

#include <criterion/criterion.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

TestSuite(triangulation, .init = enter_scratch_folder, .fini = leave_scratch_folder);

Test(triangulation, a_quad_is_cut_along_its_shorter_diagonal) {
  mesh_data mesh = read_mesh("m.obj", "v 0 0 0\nv 3 0 0\nv 4 1 0\nv 1 1 0\nf 1 2 3 4\n");
  cr_assert_eq(mesh.triangle_count, 2);
  expect_triangle(&mesh, 0, 0, 1, 3);
  expect_triangle(&mesh, 1, 1, 2, 3);
  mesh_data_free(&mesh);
}

Test(triangulation, a_polygon_becomes_a_fan) {
  mesh_data mesh = read_mesh("m.obj", "v 0 0 0\nv 2 0 0\nv 3 1 0\nv 1 3 0\nv 0 1 0\nf 1 2 3 4 5\n");
  cr_assert_eq(mesh.triangle_count, 3);
  expect_triangle(&mesh, 0, 0, 1, 2);
  expect_triangle(&mesh, 1, 0, 2, 3);
  expect_triangle(&mesh, 2, 0, 3, 4);
  mesh_data_free(&mesh);
}

/* Two quads on the vertices 0 to 4 that share three corners: cut along their shorter diagonals both hold the
   triangle 0 1 2, so the second is cut along its longer one. */
Test(triangulation, quads_that_share_three_corners_share_no_triangle) {
  mesh_data mesh =
      read_mesh("m.obj", "v 0 0 0\nv 1 -1 0\nv 1 1 0\nv 0 2 0\nv -1 1 1\nf 1 2 3 4\nf 3 5 1 2\n");
  cr_assert_eq(mesh.triangle_count, 4);
  expect_triangle(&mesh, 0, 0, 1, 2);
  expect_triangle(&mesh, 1, 0, 2, 3);
  expect_triangle(&mesh, 2, 4, 0, 1);
  expect_triangle(&mesh, 3, 2, 4, 1);
  mesh_data_free(&mesh);
}

/* The triangle stands behind the quad that would make it too. */
Test(triangulation, a_quad_is_cut_round_a_triangle_that_is_a_face) {
  mesh_data mesh = read_mesh("m.obj", "v 0 0 0\nv 1 0 0\nv 1.1 1 0\nv 0 1 0\nf 1 2 3 4\nf 4 2 1\n");
  cr_assert_eq(mesh.triangle_count, 3);
  expect_triangle(&mesh, 0, 0, 1, 2);
  expect_triangle(&mesh, 1, 0, 2, 3);
  expect_triangle(&mesh, 2, 3, 1, 0);
  mesh_data_free(&mesh);
}

static void expect_repeats(const char *text, int32_t triangles, const char *warning) {
  scene_warnings warnings = {0};
  mesh_data mesh = read_mesh_warned("m.obj", text, &warnings);
  cr_expect_eq(mesh.triangle_count, triangles, "%d triangles of %s", (int)mesh.triangle_count, text);
  cr_expect_eq(warnings.count, 1);
  cr_expect_str_eq(warnings.count > 0 ? warnings.lines[0] : "nothing", warning);
  scene_warnings_free(&warnings);
  mesh_data_free(&mesh);
}

#define SQUARE "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n"

Test(triangulation, a_face_that_repeats_another_is_left_out_with_a_warning) {
  expect_repeats(SQUARE "f 1 2 3\nf 3 1 2\nf 1 3 4\n", 2, "m.obj:6: repeats another face, and is left out");
  expect_repeats(SQUARE "f 1 2 3 4\nf 4 3 2 1\nf 2 3 4 1\n", 2,
                 "m.obj:6: this face and 1 more repeat others, and are left out");
}

/* The two triangles of either cut of the quad are there already. */
Test(triangulation, a_quad_of_which_every_cut_is_there_adds_nothing) {
  expect_repeats(SQUARE "f 1 2 3\nf 1 3 4\nf 1 2 4\nf 2 3 4\nf 1 2 3 4\n", 4,
                 "m.obj:9: repeats another face, and is left out");
}

/* A fan of a polygon with many corners is checked against the faces before it. */
Test(triangulation, a_polygon_is_cut_round_a_triangle_too) {
  mesh_data mesh = read_mesh("m.obj", "v 0 0 0\nv 2 0 0\nv 3 1 0\nv 1 3 0\nv 0 1 0\nf 3 2 1\nf 1 2 3 4 5\n");
  cr_assert_eq(mesh.triangle_count, 4);
  expect_triangle(&mesh, 1, 1, 2, 3);
  expect_triangle(&mesh, 2, 1, 3, 4);
  expect_triangle(&mesh, 3, 0, 1, 4);
  mesh_data_free(&mesh);
}
