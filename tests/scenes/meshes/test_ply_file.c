#define _POSIX_C_SOURCE 200809L
#include "scenes/meshes/mesh_file.h"

#include "tests/support/mesh_text.h"
#include "tests/support/scene_text.h"

#include <criterion/criterion.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

TestSuite(ply_file, .init = enter_scratch_folder, .fini = leave_scratch_folder);

static const char ply_head[] =
    "element vertex 4\nproperty float x\nproperty double y\nproperty short z\nproperty uchar "
    "red\nelement face 1\nproperty list uchar int vertex_indices\nproperty char flag\nelement "
    "edge 1\nproperty int v\nend_header\n";

static void put(char *bytes, size_t *used, const void *value, size_t size, bool swap) {
  for (size_t i = 0; i < size; i++)
    bytes[*used + i] = ((const char *)value)[swap ? size - 1 - i : i];
  *used += size;
}

/* A quad from (0,0,258) to (1,1,258), with other bytes in 258 the other way round, in the byte order asked
   for; the test machine is little endian or not. */
static size_t binary_ply(char *bytes, const char *format, bool big) {
  const uint16_t one = 1;
  bool host_big = *(const unsigned char *)&one == 0, swap = big != host_big;
  size_t used = (size_t)sprintf(bytes, "ply\nformat %s 1.0\ncomment made by a test\n%s", format, ply_head);
  static const double xy[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
  for (int i = 0; i < 4; i++) {
    float x = (float)xy[i][0];
    double y = xy[i][1];
    int16_t z = 258;
    unsigned char red = 255;
    put(bytes, &used, &x, sizeof x, swap);
    put(bytes, &used, &y, sizeof y, swap);
    put(bytes, &used, &z, sizeof z, swap);
    put(bytes, &used, &red, sizeof red, swap);
  }
  const unsigned char four = 4, flag = 0;
  put(bytes, &used, &four, 1, swap);
  for (int32_t i = 3; i >= 0; i--)
    put(bytes, &used, &i, sizeof i, swap);
  put(bytes, &used, &flag, 1, swap);
  const int32_t edge = 1;
  put(bytes, &used, &edge, sizeof edge, swap);
  return used;
}

static void expect_quad(const mesh_data *mesh) {
  cr_expect_eq(mesh->vertex_count, 4);
  cr_expect(has_vertex(mesh, 1, 1, 0, 258) && has_vertex(mesh, 3, 0, 1, 258));
  cr_assert_eq(mesh->triangle_count, 2);
  expect_triangle(mesh, 0, 3, 2, 1);
  expect_triangle(mesh, 1, 3, 1, 0);
}

Test(ply_file, ply_says_the_same_as_text_and_in_both_byte_orders) {
  char text[1024];
  snprintf(text, sizeof text,
           "ply\nformat ascii 1.0\n%s0 0 258 255\n1 0 258 255\n1 1 258 255\n0 1 258 255\n4 3 2 1 0 0\n1\n",
           ply_head);
  mesh_data mesh = read_mesh("m.ply", text);
  expect_quad(&mesh);
  mesh_data_free(&mesh);
  static const char *const formats[] = {"binary_little_endian", "binary_big_endian"};
  for (int big = 0; big < 2; big++) {
    char bytes[1024];
    write_file("M.PLY", bytes, binary_ply(bytes, formats[big], big));
    scene_error error;
    cr_assert(mesh_file_read("M.PLY", &mesh, NULL, &error), "%s", error.text);
    expect_quad(&mesh);
    mesh_data_free(&mesh);
  }
}

#define PLY_START "ply\nformat ascii 1.0\n"
#define PLY_XYZ   "element vertex 3\nproperty float x\nproperty float y\nproperty float z\n"
#define PLY_FACE  "element face 1\nproperty list uchar int vertex_indices\nend_header\n"

Test(ply_file, bad_ply_files_are_refused_with_place_and_remedy) {
  static const bad_text cases[] = {
      {"plx\n", "m.ply: does not begin with \"ply\"", "give a PLY file"},
      {"ply\n", "m.ply: the header is truncated", "end_header"},
      {"ply\nformat text 1.0\n", "m.ply: the second line", "format ascii 1.0"},
      {PLY_START PLY_XYZ, "m.ply: the header is truncated", "end_header"},
      {PLY_START "property float x\n", "m.ply: a property comes before any element", "element"},
      {PLY_START "element vertex -3\n", "m.ply: the header has -3 of \"vertex\"", "a whole number"},
      {PLY_START "element vertex three\n", "m.ply: the header has three of \"vertex\"", "a whole number"},
      {PLY_START "element vertex 1\nproperty half x\n", "m.ply: the header has the type \"half\"",
       "types are char"},
      {PLY_START "element vertex 1\nproperti float x\n", "m.ply: the header has a line \"properti",
       "property TYPE NAME"},
      {PLY_START "element vertex 1\nproperty float x\nend_header\n0\n", "m.ply: the vertices must have",
       "x, y and z"},
      {PLY_START PLY_XYZ "element face 1\nproperty int n\nend_header\n0 0 0\n1 0 0\n0 1 0\n1\n",
       "m.ply: the faces must have", "vertex_indices"},
      {PLY_START "element face 1\nproperty list uchar int vertex_indices\nend_header\n3 0 1 2\n",
       "m.ply: the vertices must come", "before the faces"},
      {PLY_START PLY_XYZ PLY_FACE "0 0 0\n1 0 0\n", "m.ply: vertex 2: the file is truncated",
       "export it again"},
      {PLY_START PLY_XYZ PLY_FACE "0 0 0\n1 0 0\n0 one 0\n", "m.ply: vertex 2: the file is truncated",
       "a number is expected"},
      {PLY_START PLY_XYZ PLY_FACE "0 0 0\n1 0 0\n0 1 nan\n3 0 1 2\n",
       "m.ply: vertex 2: a vertex is at 0 1 nan", "must be numbers"},
      {PLY_START PLY_XYZ PLY_FACE "0 0 0\n1 0 0\n0 1 0\n3 0 1\n", "m.ply: face 0: the file is truncated",
       "export it again"},
      {PLY_START PLY_XYZ PLY_FACE "0 0 0\n1 0 0\n0 1 0\n3 0 1 3\n", "m.ply: face 0: the corner 3",
       "vertices 0 to 2"},
      {PLY_START PLY_XYZ PLY_FACE "0 0 0\n1 0 0\n0 1 0\n3 0 1 -1\n", "m.ply: face 0: the corner -1",
       "vertices 0 to 2"},
      {PLY_START PLY_XYZ PLY_FACE "0 0 0\n1 0 0\n0 1 0\n2 0 1\n", "m.ply: face 0: a face of 2 corners",
       "3 or more"},
      {PLY_START PLY_XYZ PLY_FACE "0 0 0\n1 0 0\n0 1 0\n-3 0 1 2\n", "m.ply: face 0: a list of -3",
       "a whole number"},
      {PLY_START PLY_XYZ PLY_FACE "0 0 0\n1 0 0\n0 1 0\n1e300 0 1 2\n", "m.ply: face 0: a list of 1e+300",
       "a whole number"},
      {PLY_START PLY_XYZ "end_header\n0 0 0\n1 0 0\n0 1 0\n", "m.ply: has no faces", "at least one face"},
      {PLY_START
       "element vertex 9000000000000000000\nproperty float x\nproperty float y\nproperty float z\n" PLY_FACE
       "0 0 0\n",
       "m.ply: vertex 1: the file is truncated", "export it again"},
      {PLY_START "element nothing 9000000000000000000\nend_header\n", "m.ply: has no faces",
       "at least one face"},
  };
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    write_text("m.ply", cases[i].text);
    expect_mesh_refused("m.ply", cases[i].place, cases[i].remedy);
  }
}

#define PLY_STRIPS "element tristrips 1\nproperty list int int vertex_indices\nend_header\n"

/* Two strips: a quad of two triangles that both go round counterclockwise, and one triangle that begins anew.
   */
Test(ply_file, strips_are_triangles_that_take_turns_in_going_round) {
  mesh_data mesh = read_mesh(
      "m.ply", PLY_START "element vertex 5\nproperty float x\nproperty float y\nproperty float z\n" PLY_STRIPS
                         "0 0 0\n1 0 0\n0 1 0\n1 1 0\n2 2 0\n8 0 1 2 3 -1 1 4 3\n");
  cr_assert_eq(mesh.triangle_count, 3);
  expect_triangle(&mesh, 0, 0, 1, 2);
  expect_triangle(&mesh, 1, 2, 1, 3);
  expect_triangle(&mesh, 2, 1, 4, 3);
  mesh_data_free(&mesh);
}

/* A corner that is named twice turns a strip round a bend. The two triangles without area that this makes
   are none, but take their turns. */
Test(ply_file, flat_triangles_of_a_strip_only_keep_its_count) {
  mesh_data mesh = read_mesh(
      "m.ply", PLY_START "element vertex 4\nproperty float x\nproperty float y\nproperty float z\n" PLY_STRIPS
                         "0 0 0\n1 0 0\n0 1 0\n1 1 0\n6 0 1 2 2 1 3\n");
  cr_assert_eq(mesh.triangle_count, 2);
  expect_triangle(&mesh, 0, 0, 1, 2);
  expect_triangle(&mesh, 1, 1, 2, 3);
  mesh_data_free(&mesh);
}

Test(ply_file, bad_strips_are_refused_with_place_and_remedy) {
  static const bad_text cases[] = {
      {PLY_START PLY_XYZ PLY_STRIPS "0 0 0\n1 0 0\n0 1 0\n3 0 1 3\n", "m.ply: tristrips 0: the corner 3",
       "0 to 2"},
      {PLY_START PLY_XYZ PLY_STRIPS "0 0 0\n1 0 0\n0 1 0\n3 0 1 -2\n", "m.ply: tristrips 0: the corner -2",
       "0 to 2"},
      {PLY_START PLY_XYZ PLY_STRIPS "0 0 0\n1 0 0\n0 1 0\n9 0 1\n",
       "m.ply: tristrips 0: the file is truncated", "export it again"},
      {PLY_START PLY_XYZ PLY_STRIPS "0 0 0\n1 0 0\n0 1 0\n2 0 1\n", "m.ply: has no faces",
       "at least one face"},
  };
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    write_text("m.ply", cases[i].text);
    expect_mesh_refused("m.ply", cases[i].place, cases[i].remedy);
  }
}

Test(ply_file, damaged_files_never_crash) {
  static const char ply[] = PLY_START PLY_XYZ PLY_FACE "0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n";
  expect_survival("m.ply", ply, sizeof ply - 1, 2);
  char bytes[1024];
  expect_survival("m.ply", bytes, binary_ply(bytes, "binary_little_endian", false), 3);
}

#define EXTRA_HEAD                                                                                           \
  "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\nelement "  \
  "face 2\n"                                                                                                 \
  "property list uchar int vertex_indices\nend_header\n"

/* MeshLab of 2010 writes a list of nine colors behind those that its header names. */
Test(ply_file, numbers_that_the_header_does_not_name_are_skipped_at_the_ends_of_lines) {
  mesh_data mesh =
      read_mesh("m.ply", EXTRA_HEAD "0 0 0 7 \n1 0 0\n1 1 0 8 9\r\n0 1 0\n3 0 1 2 9 1 1 1 1 1 1 1 1 1 \n\n"
                                    "3 0 2 3 9 1 1 1 1 1 1 1 1 1 \n");
  cr_assert_eq(mesh.triangle_count, 2);
  expect_triangle(&mesh, 0, 0, 1, 2);
  expect_triangle(&mesh, 1, 0, 2, 3);
  cr_expect(has_vertex(&mesh, 1, 1, 0, 0) && has_vertex(&mesh, 3, 0, 1, 0));
  mesh_data_free(&mesh);
}

Test(ply_file, rows_may_share_lines) {
  mesh_data mesh = read_mesh("m.ply", EXTRA_HEAD "0 0 0 1 0 0\n1 1 0 0 1 0 3 0 1 2 3 0 2 3");
  cr_assert_eq(mesh.triangle_count, 2);
  expect_triangle(&mesh, 1, 0, 2, 3);
  mesh_data_free(&mesh);
}
