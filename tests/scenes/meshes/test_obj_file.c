#define _POSIX_C_SOURCE 200809L
#include "scenes/meshes/mesh_file.h"

#include "tests/support/mesh_text.h"
#include "tests/support/scene_text.h"

#include <criterion/criterion.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

TestSuite(obj_file, .init = enter_scratch_folder, .fini = leave_scratch_folder);

Test(obj_file, obj_says_the_same_in_all_its_ways) {
  static const char *const ways[] = {
      "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n",
      "# comment\r\nv 0 0 0\r\nv 1 0 0\r\nv 0 1 0\r\nf 1 2 3\r\n",
      "g part\nusemtl red\ns off\nv 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nvn 0 0 1\nf 1/1/1 2/1/1 3/1/1",
      "v 0 0 0\nv 1 0 0\nv 0 1 0\nvn 0 0 1\nf 1//1 2//1 3//1 # comment\n",
      "v 0 0 0\nv 1 0 0\nv 0 1 0\nf -3 -2 -1\n",
      "v 0 0 0 1\nv 1 0 0 0.5 0.5 0.5\n\tv  0\t1 0 \nl 1 2\np 1\nf 1 \\\n2 \\\r\n3\n",
  };
  for (size_t i = 0; i < COUNT_OF(ways); i++) {
    mesh_data mesh = read_mesh("m.obj", ways[i]);
    cr_expect_eq(mesh.vertex_count, 3);
    cr_expect(has_vertex(&mesh, 1, 1, 0, 0) && has_vertex(&mesh, 2, 0, 1, 0));
    cr_assert_eq(mesh.triangle_count, 1);
    expect_triangle(&mesh, 0, 0, 1, 2);
    mesh_data_free(&mesh);
  }
}

Test(obj_file, bad_obj_files_are_refused_with_line_and_remedy) {
  static const bad_text cases[] = {
      {"", "m.obj: is empty", "vertices and faces"},
      {"v 0 0 0\nv 1 0 0\nv 0 1 0\n", "m.obj: has no faces", "at least one face"},
      {"junk\n", "m.obj: has no faces", "at least one face"},
      {"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 4\n", "m.obj:4: a face has the corner \"4\"", "vertices 1 to 3"},
      {"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 -4\n", "m.obj:4: a face has the corner \"-4\"", "vertices 1 to 3"},
      {"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 0 1 2\n", "m.obj:4: a face has the corner \"0\"", "vertices 1 to 3"},
      {"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 x\n", "m.obj:4: a face has the corner \"x\"", "vertices 1 to 3"},
      {"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3.5\n", "m.obj:4: a face has the corner \"3.5\"", "vertices 1 to 3"},
      {"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 99999999999999999999\n", "m.obj:4: a face has the corner",
       "vertices 1 to 3"},
      {"v 0 0 0\nv 1 0 0\n\nv 0 1 0\nf 1 2\n", "m.obj:5: a face of 2 corners", "3 or more"},
      {"f\n", "m.obj:1: a face of 0 corners", "3 or more"},
      {"v 0 0 0\nv 1 0 \\\n0\nv 0 1\nf 1 2 3\n", "m.obj:4: a vertex needs three numbers", "v X Y Z"},
      {"v 0 0 nan\nf 1 1 1\n", "m.obj:1: a vertex is at 0 0 nan", "must be numbers"},
      {"v 0 0 inf\nf 1 1 1\n", "m.obj:1: a vertex is at 0 0 inf", "must be numbers"},
      {"v 0 0 1e30\nf 1 1 1\n", "m.obj:1: a vertex is at 0 0 1e+30", "at most 1e+18"},
      {"v 0 0 0\nv 1 0 0\nv 2 0 0\nf 1 2 3\n", "m.obj: no face has an area", "lie in a line"},
      {"v 0 0 0\nv 1 0 0\nf 1 2 1\n", "m.obj: no face has 3 corners", "different positions"},
  };
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    write_text("m.obj", cases[i].text);
    expect_mesh_refused("m.obj", cases[i].place, cases[i].remedy);
  }
  write_file("m.obj", "v 0 0 0\nv\0", 10);
  expect_mesh_refused("m.obj", "m.obj: holds zero bytes", "it must be text");
}

static mesh_data read_lines(const char *text) {
  write_text("m.obj", text);
  mesh_data mesh;
  scene_error error;
  cr_assert(mesh_file_read_with("m.obj", &(mesh_options){.lines = LINES_ALL}, &mesh, NULL, &error), "%s",
            error.text);
  return mesh;
}

static void expect_line(const mesh_data *mesh, int32_t line, int32_t a, int32_t b) {
  cr_assert_lt(line, mesh->segment_count);
  cr_expect(mesh->segments[2 * line] == a && mesh->segments[2 * line + 1] == b, "%d %d",
            mesh->segments[2 * line], mesh->segments[2 * line + 1]);
}

/* The third vertex is of no line; the last is where the first is, so the last line has no length. */
Test(obj_file, lines_are_read_where_they_are_wanted) {
  mesh_data mesh =
      read_lines("v 0 0 0\nv 1 0 0\nv 5 5 5\nv 0 1 0\nv 0 0 0\nl 1 2/1 -2\nl 4 5 # comment\nl 5 1\n");
  cr_expect(mesh.vertex_count == 3 && mesh.triangle_count == 0 && mesh.segment_count == 3);
  cr_expect(has_vertex(&mesh, 2, 0, 1, 0) && mesh.vertex_of[2] == -1 && mesh.vertex_of[4] == 0);
  expect_line(&mesh, 0, 0, 1);
  expect_line(&mesh, 1, 1, 2);
  expect_line(&mesh, 2, 2, 0);
  mesh_data_free(&mesh);
  mesh = read_lines("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nl 1 4\n");
  cr_expect(mesh.vertex_count == 4 && mesh.triangle_count == 1 && mesh.segment_count == 1);
  mesh_data_free(&mesh);
}

Test(obj_file, bad_lines_are_refused_where_they_are_wanted) {
  static const bad_text cases[] = {
      {"v 0 0 0\nv 1 0 0\nl 1\n", "m.obj:3: a line of 1 vertices", "2 or more"},
      {"v 0 0 0\nv 1 0 0\nl 1 3\n", "m.obj:3: a line has the vertex \"3\"", "vertices 1 to 2"},
      {"v 0 0 0\nv 1 0 0\n", "m.obj: has no faces", "or a line"},
      {"v 0 0 0\nv 0 0 0\nl 1 2\n", "m.obj: no face has 3 corners", "different positions"}};
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    scene_error error = {{0}};
    mesh_data mesh;
    write_text("m.obj", cases[i].text);
    cr_expect(!mesh_file_read_with("m.obj", &(mesh_options){.lines = LINES_ALL}, &mesh, NULL, &error));
    cr_expect(strstr(error.text, cases[i].place) && strstr(error.text, cases[i].remedy), "%s", error.text);
  }
}

Test(obj_file, the_mark_that_some_editors_begin_a_file_with_is_skipped) {
  mesh_data mesh = read_mesh("m.obj", "\xef\xbb\xbfv 1 2 3\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
  cr_expect(mesh.vertex_count == 3 && has_vertex(&mesh, 0, 1, 2, 3));
  mesh_data_free(&mesh);
}

Test(obj_file, damaged_files_never_crash) {
  static const char obj[] =
      "# comment\nmtllib a.mtl\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nvt 0 0\nvn 0 0 1\nusemtl a\nf "
      "1/1/1 2/1/1 3/1/1 4/1/1\nf -1 -2 \\\n-3\n";
  expect_survival("m.obj", obj, sizeof obj - 1, 1);
}
