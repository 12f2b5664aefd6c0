#define _POSIX_C_SOURCE 200809L
#include "scenes/meshes/triangulation.h"

#include "scenes/meshes/point.h"
#include "tests/support/mesh_text.h"
#include "tests/support/scene_text.h"

#include <criterion/criterion.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
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

/* ------------------------------------------------------------------------------------------ concave faces */

/* m^2: of all triangles, whichever way they face. */
static double area_of(const mesh_data *mesh) {
  double sum = 0;
  for (int32_t t = 0; t < mesh->triangle_count; t++) {
    const int32_t *corner = mesh->triangles + CORNERS * (size_t)t;
    const point at = point_of(mesh->vertices[corner[0]]);
    sum += point_length(point_cross(point_minus(point_of(mesh->vertices[corner[1]]), at),
                                    point_minus(point_of(mesh->vertices[corner[2]]), at))) /
           2;
  }
  return sum;
}

static void expect_area(const char *name, const char *text, double area) {
  mesh_data mesh = read_mesh(name, text);
  cr_expect_float_eq(area_of(&mesh), area, 1e-6 * area, "%.7g m^2 in place of %.7g of %s", area_of(&mesh),
                     area, text);
  mesh_data_free(&mesh);
}

#define DART "v -0.2 0 0\nv 0 0.1 0\nv 0.2 0 0\nv 0 1 0\n"

/* Its shorter diagonal lies outside where it is 0.1 m deep, and the longer one where it is flat. */
Test(triangulation, a_concave_quad_is_cut_inside_from_whichever_corner_it_begins) {
  static const char *const faces[] = {"f 1 2 3 4\n", "f 2 3 4 1\n", "f 3 4 1 2\n", "f 4 1 2 3\n",
                                      "f 4 3 2 1\n"};
  for (size_t f = 0; f < sizeof faces / sizeof *faces; f++) {
    char text[256];
    snprintf(text, sizeof text, DART "%s", faces[f]);
    expect_area("m.obj", text, 0.18);
  }
}

Test(triangulation, faces_of_ply_files_are_cut_inside_too) {
  expect_area(
      "m.ply",
      "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\n"
      "element face 1\nproperty list uchar int vertex_indices\nend_header\n"
      "-0.2 0 0\n0 0.1 0\n0.2 0 0\n0 1 0\n4 0 1 2 3\n",
      0.18);
}

/* A panel of 1 m with a slot of 0.4 m by 0.8 m; with a square hole of 0.4 m, to which a cut leads along which
   the face goes forth and back; and with two such holes. */
Test(triangulation, slots_and_holes_stay_open) {
  expect_area("m.obj",
              "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0.7 1 0\nv 0.7 0.2 0\nv 0.3 0.2 0\nv 0.3 1 0\nv 0 1 0\n"
              "f 1 2 3 4 5 6 7 8\n",
              0.68);
  expect_area("m.obj",
              "v 0 0 0\nv 0 0 1\nv 0 1 1\nv 0 1 0\nv 0 0.3 0.3\nv 0 0.7 0.3\nv 0 0.7 0.7\nv 0 0.3 0.7\n"
              "f 1 5 6 7 8 5 1 2 3 4\n",
              0.84);
  expect_area("m.obj",
              "v 0 0 0\nv 2 0 0\nv 2 1 0\nv 0 1 0\nv 0.3 0.3 0\nv 0.7 0.3 0\nv 0.7 0.7 0\nv 0.3 0.7 0\n"
              "v 1.3 0.3 0\nv 1.7 0.3 0\nv 1.7 0.7 0\nv 1.3 0.7 0\n"
              "f 1 2 10 9 12 11 10 2 3 4 1 5 8 7 6 5\n",
              1.68);
}

/* Numbers from 0 to 1, the same on every machine. */
static double next_random(uint32_t *state) {
  *state = *state * 1664525u + 1013904223u;
  return (*state >> 8) / 16777216.0;
}

typedef struct long_text {
  char *text;
  size_t used;
} long_text;

static long_text begin_text(int32_t corners) {
  return (long_text){malloc(64 * (size_t)corners + 64), 0};
}

static void add_corner(long_text *t, double x, double y, double z) {
  t->used += (size_t)sprintf(t->text + t->used, "v %.7f %.7f %.7f\n", x, y, z);
}

static void add_face(long_text *t, int32_t corners) {
  t->used += (size_t)sprintf(t->text + t->used, "f");
  for (int32_t i = 1; i <= corners; i++)
    t->used += (size_t)sprintf(t->text + t->used, " %d", (int)i);
  sprintf(t->text + t->used, "\n");
}

/* Stars with rays of any length, on oblique planes. Gauss's formula has their areas. */
Test(triangulation, stars_of_any_shape_keep_their_area) {
  uint32_t state = 7;
  for (int n = 0; n < 200; n++) {
    const int32_t corners = 5 + n % 40;
    const double slope = 2 * next_random(&state) - 1;
    long_text t = begin_text(corners);
    double first[2] = {0}, last[2] = {0}, area = 0;
    for (int32_t i = 0; i < corners; i++) {
      const double turn = 6.283185307179586 * i / corners, ray = 0.05 + next_random(&state);
      const double at[2] = {ray * cos(turn), ray * sin(turn)};
      add_corner(&t, at[0], at[1], slope * (at[0] + 2 * at[1]));
      area += i > 0 ? last[0] * at[1] - last[1] * at[0] : 0;
      if (i == 0)
        memcpy(first, at, sizeof at);
      memcpy(last, at, sizeof at);
    }
    area += last[0] * first[1] - last[1] * first[0];
    add_face(&t, corners);
    mesh_data mesh = read_mesh("m.obj", t.text);
    const double expected = area / 2 * sqrt(1 + 5 * slope * slope);
    cr_expect_float_eq(area_of(&mesh), expected, 1e-4 * expected, "star %d: %g of %g", n, area_of(&mesh),
                       expected);
    cr_expect_eq(mesh.triangle_count, corners - 2);
    mesh_data_free(&mesh);
    free(t.text);
  }
}

/* Outlines with corners in the middle of straight sides, where edges of other faces end, on oblique planes and
   rounded to seven digits: each corner is in a triangle, and each triangle has an area. */
Test(triangulation, corners_in_the_middle_of_sides_are_kept) {
  static const double outlines[][12][2] = {
      {{0, 0}, {2, 0}, {2, 1}, {0, 1}},
      {{0, 0}, {1, 0}, {0, 1}},
      {{0, 0}, {2, 0}, {2, 1}, {1, 1}, {1, 2}, {0, 2}},
      {{0, 0}, {3, 0}, {3, 2}, {2, 2}, {2, 1}, {1, 1}, {1, 2}, {0, 2}},
      {{0, 0}, {5, 0}, {5, 1}, {3, 1}, {3, 4}, {5, 4}, {5, 5}, {0, 5}, {0, 4}, {2, 4}, {2, 1}, {0, 1}},
  };
  static const int counts[] = {4, 3, 6, 8, 12};
  uint32_t state = 3;
  for (int n = 0; n < 400; n++) {
    const int which = n % 5, count = counts[which];
    const double turn = 6.2831853 * next_random(&state), slope = next_random(&state);
    long_text t = begin_text(100);
    int32_t corners = 0;
    for (int i = 0; i < count; i++) {
      const double *from = outlines[which][i], *to = outlines[which][(i + 1) % count];
      const int parts = 1 + (int)(4 * next_random(&state));
      for (int part = 0; part < parts; part++, corners++) {
        const double f = part / (double)parts, x = from[0] + f * (to[0] - from[0]),
                     y = from[1] + f * (to[1] - from[1]), u = x * cos(turn) - y * sin(turn);
        add_corner(&t, u, x * sin(turn) + y * cos(turn), n % 2 ? slope * u : 0);
      }
    }
    add_face(&t, corners);
    mesh_data mesh = read_mesh("m.obj", t.text);
    cr_expect_eq(mesh.vertex_count, corners, "outline %d: %d of %d corners are left:\n%s", which,
                 (int)mesh.vertex_count, (int)corners, t.text);
    cr_expect_eq(mesh.triangle_count, corners - 2);
    for (int32_t k = 0; k < mesh.triangle_count; k++)
      cr_expect(mesh_data_has_area(&mesh, k));
    mesh_data_free(&mesh);
    free(t.text);
  }
}

/* Teeth of 1 by 1 m with gaps as wide, on a back of 1 m; and a spiral of ten turns. */
Test(triangulation, ten_thousand_corners_are_cut_within_seconds, .timeout = 60) {
  enum { TEETH = 2500, CORNERS_OF_COMB = 4 * TEETH };
  long_text t = begin_text(CORNERS_OF_COMB + 2);
  for (int32_t i = 0; i < TEETH; i++) {
    add_corner(&t, 2 * i, 1, 0);
    add_corner(&t, 2 * i, 2, 0);
    add_corner(&t, 2 * i + 1, 2, 0);
    add_corner(&t, 2 * i + 1, 1, 0);
  }
  add_corner(&t, 2 * TEETH - 1, 0, 0);
  add_corner(&t, 0, 0, 0);
  add_face(&t, CORNERS_OF_COMB + 2);
  expect_area("m.obj", t.text, TEETH + 2 * TEETH - 1);
  free(t.text);

  t = begin_text(10000);
  double first[2] = {0}, last[2] = {0}, area = 0;
  for (int32_t i = 0; i < 10000; i++) {
    const double along = i < 5000 ? i : 9999 - i, turn = 62.83185307179586 * along / 4999;
    const double ray = 1 + turn + (i < 5000 ? 0 : 3);
    const double at[2] = {ray * cos(turn), ray * sin(turn)};
    add_corner(&t, at[0], at[1], 0);
    area += i > 0 ? last[0] * at[1] - last[1] * at[0] : 0;
    if (i == 0)
      memcpy(first, at, sizeof at);
    memcpy(last, at, sizeof at);
  }
  area += last[0] * first[1] - last[1] * first[0];
  add_face(&t, 10000);
  mesh_data mesh = read_mesh("m.obj", t.text);
  cr_expect_float_eq(area_of(&mesh), fabs(area) / 2, 1e-4 * fabs(area), "spiral: %g of %g", area_of(&mesh),
                     fabs(area) / 2);
  mesh_data_free(&mesh);
  free(t.text);
}

Test(triangulation, faces_that_cross_themselves_are_cut_with_a_warning, .timeout = 60) {
  expect_repeats("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nf 1 2 3 4\n", 2,
                 "m.obj:5: crosses itself, so that its triangles overlap");
  uint32_t state = 3;
  long_text t = begin_text(10000);
  for (int32_t i = 0; i < 10000; i++)
    add_corner(&t, next_random(&state), next_random(&state), next_random(&state));
  add_face(&t, 10000);
  expect_repeats(t.text, 9998, "m.obj:10001: crosses itself, so that its triangles overlap");
  free(t.text);
}

/* 1e-9 of a side: the fan from the first corner would have a triangle without area. */
Test(triangulation, a_corner_that_rounding_moves_inward_is_in_triangles_with_an_area) {
  mesh_data mesh = read_mesh("m.obj", "v 0 0 0\nv 1 1e-9 0\nv 2 0 0\nv 2 2 0\nv 0 2 0\nf 1 2 3 4 5\n");
  cr_expect_eq(mesh.triangle_count, 3);
  expect_triangle(&mesh, 0, 1, 2, 3);
  expect_triangle(&mesh, 1, 1, 3, 4);
  expect_triangle(&mesh, 2, 0, 1, 4);
  mesh_data_free(&mesh);
}
