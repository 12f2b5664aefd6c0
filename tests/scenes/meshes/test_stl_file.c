#include "scenes/meshes/mesh_file.h"
#include "tests/support/mesh_text.h"
#include "tests/support/scene_text.h"

#include <criterion/criterion.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

TestSuite(stl_file, .init = enter_scratch_folder, .fini = leave_scratch_folder);

#define FACET(a, b, c)                                                                                       \
  "facet normal 9 9 9\n outer loop\n  vertex " a "\n  vertex " b "\n  vertex " c "\n endloop\nendfacet\n"
#define A           "0 0 0"
#define B           "1 0 0"
#define C           "0 1 0"
#define D           "0 0 1.5e0"
#define TETRAHEDRON FACET(A, C, B) FACET(A, B, D) FACET(A, D, C) FACET(B, C, D)

static const float corners[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1.5f}};
static const int faces[4][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};

static void put(char *bytes, size_t *used, uint32_t value, size_t size) {
  for (size_t i = 0; i < size; i++)
    bytes[(*used)++] = (char)(value >> (8 * i) & 0xff);
}

/* The same tetrahedron in binary; the head is what some programs write, though it is how texts begin. */
static size_t binary_tetrahedron(char bytes[512]) {
  size_t used = 80;
  memset(bytes, 0, 512);
  strcpy(bytes, "solid exported");
  put(bytes, &used, 4, 4);
  for (int f = 0; f < 4; f++) {
    for (int c = -1; c < 3; c++)
      for (int k = 0; k < 3; k++) {
        const float value = c < 0 ? 9 : corners[faces[f][c]][k];
        uint32_t bits;
        memcpy(&bits, &value, sizeof bits);
        put(bytes, &used, bits, 4);
      }
    put(bytes, &used, 0xffff, 2);
  }
  return used;
}

static void expect_tetrahedron(const mesh_data *mesh) {
  scene_error error;
  cr_assert_eq(mesh->vertex_count, 4, "each corner is in the file three times, and here once");
  cr_expect_eq(mesh->file_vertex_count, 12);
  cr_expect_eq(mesh->welded.welded, 8);
  cr_expect(has_vertex(mesh, 0, 0, 0, 0) && has_vertex(mesh, 1, 0, 1, 0) && has_vertex(mesh, 2, 1, 0, 0) &&
            has_vertex(mesh, 3, 0, 0, 1.5));
  cr_assert_eq(mesh->triangle_count, 4);
  expect_triangle(mesh, 1, 0, 2, 3);
  cr_expect(mesh_data_check_closed(mesh, "", &error), "%s", error.text);
}

Test(stl_file, text_and_binary_say_the_same) {
  mesh_data mesh = read_mesh("m.stl", "solid t\n" TETRAHEDRON "endsolid t\n");
  expect_tetrahedron(&mesh);
  cr_expect(mesh.has_lines && mesh.face_of[1] == 14);
  mesh_data_free(&mesh);
  char bytes[512];
  const size_t size = binary_tetrahedron(bytes);
  cr_assert_eq(size, 284);
  write_file("M.STL", bytes, size);
  scene_error error;
  cr_assert(mesh_file_read("M.STL", &mesh, NULL, &error), "%s", error.text);
  expect_tetrahedron(&mesh);
  cr_expect(!mesh.has_lines && mesh.face_of[1] == 1);
  mesh_data_free(&mesh);
}

Test(stl_file, text_may_be_in_capitals_with_any_blanks_and_without_a_name) {
  mesh_data mesh = read_mesh("m.stl", "\tSOLID\r\n\r\nFACET NORMAL 0 0 0\r\nOUTER LOOP\r\nVERTEX\t0 0 0\r\n"
                                      "VERTEX 1 0 0 \r\nVERTEX 0 1 0\r\nENDLOOP\r\nENDFACET\r\nENDSOLID");
  cr_expect_eq(mesh.triangle_count, 1);
  cr_expect_eq(mesh.groups.count, 0);
  mesh_data_free(&mesh);
}

Test(stl_file, each_solid_is_a_group) {
  mesh_data mesh = read_mesh(
      "m.stl", "solid left cup\n" FACET(A, B, C) "endsolid\nsolid right\n" FACET(B, D, C) "endsolid right\n");
  cr_expect_eq(mesh.vertex_count, 4);
  bool left[4] = {false}, right[4] = {false};
  cr_expect(vertex_groups_mark(&mesh.groups, "left cup", left));
  cr_expect(vertex_groups_mark(&mesh.groups, "right", right));
  cr_expect(left[0] && left[1] && left[2] && !left[3]);
  cr_expect(!right[0] && right[1] && right[2] && right[3]);
  mesh_data_free(&mesh);
}

Test(stl_file, bad_text_is_refused_with_its_line) {
  static const char *const cases[][3] = {
      {"solid\nfacet\nouter loop\nvertex 0 0\n", "m.stl:4: a vertex needs three numbers", "vertex X Y Z"},
      {"solid\nvertex 0 0 0\n", "m.stl:2: a vertex is in no loop", "outer loop"},
      {"solid\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nendloop\n", "m.stl:5: a face of 2 corners",
       "3 or more"},
      {"solid\nouter loop\nouter loop\n", "m.stl:3: a loop begins in another", "endloop"},
      {"solid\nendloop\n", "m.stl:2: a loop ends that has not begun", "outer loop"},
      {"solid\nouter loop\nendsolid\n", "m.stl:3: a solid ends in a loop", "endloop"},
      {"solid a\nsolid b\n", "m.stl:2: a solid begins in another", "endsolid"},
      {"solid a\nendsolid\nendsolid\n", "m.stl:3: a solid ends that has not begun", "solid"},
      {"solid a\nendsolid\nouter loop\n", "m.stl:3: a loop begins outside", "solid"},
      {"solid a\n" FACET(A, B, C), "m.stl:9: the file ends in a solid", "it is truncated"},
      {"solid a\nvortex 1 2 3\n", "m.stl:2: begins with \"vortex\"", "vertex, endloop"},
      {"solid a\n" FACET(A, B, "nan 0 0") "endsolid\n", "m.stl:6: a vertex is at nan", "must be numbers"},
      {"solid a\nendsolid\n", "m.stl: has no faces", "at least one"},
      {"", "m.stl: is empty", "vertices and faces"},
      {"what", "m.stl: is not an STL file: it has 4 bytes", "solid"}};
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    write_text("m.stl", cases[i][0]);
    expect_mesh_refused("m.stl", cases[i][1], cases[i][2]);
  }
}

Test(stl_file, a_binary_file_of_another_size_than_its_number_says_is_refused) {
  char bytes[512];
  const size_t size = binary_tetrahedron(bytes);
  bytes[0] = 'S' + 1;
  for (int more = -1; more <= 1; more += 2) {
    write_file("m.stl", bytes, more < 0 ? size - 1 : size + 1);
    expect_mesh_refused("m.stl", "m.stl: gives 4 triangles, which would take 284 bytes, and has 28",
                        "export it");
  }
  memset(bytes + 80, 0xff, 4);
  write_file("m.stl", bytes, size);
  expect_mesh_refused("m.stl", "gives 4294967295 triangles, which would take 214748364834 bytes",
                      "export it");
  memset(bytes + 80, 0, 4);
  write_file("m.stl", bytes, 84);
  expect_mesh_refused("m.stl", "m.stl: has no faces", "at least one");
}

Test(stl_file, a_corner_of_a_binary_file_that_is_no_number_is_refused_with_its_face) {
  char bytes[512];
  const size_t size = binary_tetrahedron(bytes);
  memset(bytes + 84 + 2 * 50 + 12, 0xff, 4);
  write_file("m.stl", bytes, size);
  expect_mesh_refused("m.stl", "m.stl: face 2: a vertex is at", "must be numbers");
}

Test(stl_file, damaged_files_are_read_or_refused) {
  static const char text[] = "solid t\n" TETRAHEDRON "endsolid t\n";
  char bytes[512];
  expect_survival("m.stl", text, sizeof text - 1, 1);
  expect_survival("m.stl", bytes, binary_tetrahedron(bytes), 2);
}
