#define _POSIX_C_SOURCE 200809L
#include "scenes/meshes/tetgen_file.h"

#include "tests/support/scene_text.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

TestSuite(tetgen_file, .init = enter_scratch_folder, .fini = leave_scratch_folder);

static const char *const points = "5 3 0 0\n"
                                  "0 0 0 0\n"
                                  "1 1 0 0\n"
                                  "2 0 1 0\n"
                                  "3 0 0 1\n"
                                  "4 1 1 1\n";
static const char *const tetrahedra = "2 4 0\n"
                                      "0 0 1 2 3\n"
                                      "1 1 2 3 4\n";

static tet_data read_pair(const char *node, const char *ele) {
  write_text("m.node", node);
  write_text("m.ele", ele);
  tet_data mesh;
  scene_error error;
  cr_assert(tetgen_file_read("m.node", NULL, &mesh, &error), "%s", error.text);
  return mesh;
}

static bool has_vertex(const tet_data *mesh, int32_t i, double x, double y, double z) {
  msd_vec3 v = mesh->vertices[i];
  return v.x == (msd_real)x && v.y == (msd_real)y && v.z == (msd_real)z;
}

static double six_volumes(const tet_data *mesh, int32_t t) {
  double e[3][3];
  const int32_t *corner = mesh->tetrahedra + 4 * t;
  msd_vec3 a = mesh->vertices[corner[0]];
  for (int c = 0; c < 3; c++) {
    msd_vec3 b = mesh->vertices[corner[c + 1]];
    e[c][0] = (double)b.x - (double)a.x;
    e[c][1] = (double)b.y - (double)a.y;
    e[c][2] = (double)b.z - (double)a.z;
  }
  return (e[0][1] * e[1][2] - e[0][2] * e[1][1]) * e[2][0] +
         (e[0][2] * e[1][0] - e[0][0] * e[1][2]) * e[2][1] +
         (e[0][0] * e[1][1] - e[0][1] * e[1][0]) * e[2][2];
}

static bool has_corners(const tet_data *mesh, int32_t t, const int32_t wanted[4]) {
  int found = 0;
  for (int c = 0; c < 4; c++)
    for (int w = 0; w < 4; w++)
      found += mesh->tetrahedra[4 * t + c] == wanted[w];
  return found == 4;
}

Test(tetgen_file, the_mark_that_some_editors_begin_a_file_with_is_skipped) {
  tet_data mesh = read_pair("\xef\xbb\xbf"
                            "4 3 0 0\n0 7 0 0\n1 1 0 0\n2 0 1 0\n3 0 0 1\n",
                            "\xef\xbb\xbf"
                            "1 4 0\n0 0 1 2 3\n");
  cr_expect(mesh.vertex_count == 4 && has_vertex(&mesh, 0, 7, 0, 0) && mesh.tetrahedron_count == 1);
  tet_data_free(&mesh);
}

Test(tetgen_file, points_and_tetrahedra_keep_their_order) {
  tet_data mesh = read_pair(points, tetrahedra);
  cr_assert_eq(mesh.vertex_count, 5);
  cr_assert_eq(mesh.tetrahedron_count, 2);
  cr_expect(has_vertex(&mesh, 0, 0, 0, 0) && has_vertex(&mesh, 1, 1, 0, 0) && has_vertex(&mesh, 4, 1, 1, 1));
  cr_expect(has_corners(&mesh, 0, (const int32_t[]){0, 1, 2, 3}));
  cr_expect(has_corners(&mesh, 1, (const int32_t[]){1, 2, 3, 4}));
  tet_data_free(&mesh);
}

Test(tetgen_file, numbers_may_start_from_1) {
  tet_data mesh = read_pair("4 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n", "1 4 0\n1 4 3 2 1\n");
  cr_expect(has_vertex(&mesh, 1, 1, 0, 0));
  cr_expect(has_corners(&mesh, 0, (const int32_t[]){0, 1, 2, 3}));
  tet_data_free(&mesh);
}

Test(tetgen_file, comments_attributes_markers_and_line_ends_do_not_matter) {
  tet_data mesh = read_pair("# made by hand\r\n\r\n  4 3 1 1 # head\r\n0 0 0 0 7.5 1\r\n1 1 0 0 7 1\r\n"
                            "# between\r\n\t2 0\t1 0 7 -1\r\n3 0 0 1e0 7 0",
                            "\n1 4 1\n0 0 1 2 3 99\n# end\n\n");
  cr_assert_eq(mesh.vertex_count, 4);
  cr_expect(has_vertex(&mesh, 3, 0, 0, 1));
  cr_assert_eq(mesh.tetrahedron_count, 1);
  tet_data_free(&mesh);
}

Test(tetgen_file, volumes_come_out_positive_whichever_way_round_they_go) {
  tet_data mesh = read_pair(points, "3 4 0\n0 0 1 2 3\n1 0 1 3 2\n2 4 3 2 1\n");
  cr_expect_eq(six_volumes(&mesh, 0), 1);
  cr_expect_eq(six_volumes(&mesh, 1), 1);
  cr_expect_eq(six_volumes(&mesh, 2), 2);
  tet_data_free(&mesh);
}

Test(tetgen_file, either_file_of_the_pair_names_both) {
  write_text("m.node", points);
  write_text("m.ele", tetrahedra);
  tet_data mesh;
  scene_error error;
  cr_assert(tetgen_file_read("./m.ele", NULL, &mesh, &error), "%s", error.text);
  cr_expect_eq(mesh.vertex_count, 5);
  cr_expect_eq(mesh.tetrahedron_count, 2);
  tet_data_free(&mesh);
}

/* A chain of tetrahedra, each on three vertices of the one before, whose files are some megabytes: they are not
   read at once. */
static void write_chain(int vertices) {
  FILE *node = fopen("m.node", "w"), *ele = fopen("m.ele", "w");
  cr_assert(node && ele);
  fprintf(node, "%d 3 0 0 # of a chain\n", vertices);
  fprintf(ele, "%d 4 0\n", vertices - 3);
  for (int v = 0; v < vertices; v++)
    fprintf(node, "%d %.9g %d %d%s\n", v + 1, v * 0.125, v % 2, v / 2 % 2, v % 3 ? "" : " # \\");
  for (int t = 0; t < vertices - 3; t++)
    fprintf(ele, "%d %d %d %d %d\n", t + 1, t + 4, t + 2, t + 1, t + 3);
  fclose(node);
  fclose(ele);
}

enum { CHAIN = 60000 };

Test(tetgen_file, a_part_is_what_the_whole_has_there) {
  static const msd_range parts[] = {{0, 4}, {0, CHAIN}, {1, CHAIN - 1}, {30000, 7}, {CHAIN - 5, 5}, {17, 3}};
  tet_data whole, part;
  scene_error error;
  write_chain(CHAIN);
  cr_assert(tetgen_file_read("m.node", NULL, &whole, &error), "%s", error.text);
  cr_assert_eq(whole.vertex_count, CHAIN);
  cr_assert_eq(whole.tetrahedron_count, CHAIN - 3);
  for (size_t n = 0; n < COUNT_OF(parts); n++) {
    const int32_t first = parts[n].first, count = parts[n].count;
    cr_assert(tetgen_part_read("m.ele", NULL, parts[n], &part, &error), "%s", error.text);
    cr_assert_eq(part.vertex_count, count);
    cr_assert_eq(memcmp(part.vertices, whole.vertices + first, (size_t)count * sizeof *part.vertices), 0);
    cr_assert_eq(part.tetrahedron_count, count - 3);
    for (int32_t c = 0; c < 4 * part.tetrahedron_count; c++)
      cr_assert_eq(part.tetrahedra[c] + first, whole.tetrahedra[4 * first + c], "part %zu, corner %d", n, c);
    tet_data_free(&part);
  }
  tet_data_free(&whole);
}

Test(tetgen_file, a_mesh_is_measured_without_being_kept) {
  mesh_extent extent;
  scene_error error;
  write_chain(20);
  cr_assert(tetgen_part_measure("m.node", &extent, &error), "%s", error.text);
  cr_expect_eq(extent.vertex_count, 20);
  cr_expect_eq(extent.span, 3);
  write_text("m.node", points);
  write_text("m.ele", "2 4 0\n0 0 1 2 3\n1 4 2 0 3\n");
  cr_assert(tetgen_part_measure("m.node", &extent, &error), "%s", error.text);
  cr_expect_eq(extent.span, 4);
  write_text("m.ele", "2 4 0\n0 0 1 2 3\n1 5 2 0 3\n");
  cr_expect_not(tetgen_part_measure("m.node", &extent, &error));
  cr_expect(strstr(error.text, "m.ele:3"), "%s", error.text);
}

static void expect_bad(const char *path, const char *place, const char *remedy) {
  tet_data mesh;
  scene_error error = {{0}};
  cr_expect_not(tetgen_file_read(path, NULL, &mesh, &error));
  cr_expect(strstr(error.text, place) && strstr(error.text, remedy), "should say \"%s\" and \"%s\": %s",
            place, remedy, error.text);
  cr_expect(strpbrk(error.text, "\n\r\t") == NULL, "more than a line: %s", error.text);
  cr_expect(mesh.vertices == NULL && mesh.tetrahedra == NULL && mesh.vertex_count == 0);
}

Test(tetgen_file, bad_points_are_refused_with_their_line) {
  static const bad_text cases[] = {
      {"", "m.node:1", "the number of points and 3"},
      {"five 3 0 0\n", "m.node:1", "the number of points and 3"},
      {"5\n", "m.node:1", "the number of points and 3"},
      {"5 2 0 0\n", "m.node:1: says 2", "only 3, the dimension"},
      {"0 3 0 0\n", "m.node:1: announces 0 points", "1 or more"},
      {"-4 3 0 0\n", "m.node:1: announces -4", "1 or more"},
      {"2000000000 3 0 0\n0 0 0 0\n", "m.node:1: announces 2e+09", "a line each"},
      {"1e300 3 0 0\n0 0 0 0\n", "m.node:1: announces 1e+300", "a line each"},
      {"nan 3 0 0\n0 0 0 0\n", "m.node:1", "the number of points"},
      {"4 3 0 0\n0 0 0 0\n1 1 0 0 # and then\n", "m.node:3: ends after 2 of 4 points", "complete the file"},
      {"2 3 0 0\n0 0 0 0\n2 1 0 0\n", "m.node:3: must begin with the number of the point, 1", "go up by 1"},
      {"2 3 0 0\n7 0 0 0\n8 1 0 0\n", "m.node:2: must begin with the number of the point, 0", "from 0 or 1"},
      {"2 3 0 0\n0 0 0\n1 1 0 0\n", "m.node:2: a point needs three coordinates", "at most 1e+18"},
      {"2 3 0 0\n0 0 0 x\n1 1 0 0\n", "m.node:2: a point needs three coordinates", "at most 1e+18"},
      {"2 3 0 0\n0 0 0 nan\n1 1 0 0\n", "m.node:2: a point needs three coordinates", "at most 1e+18"},
      {"2 3 0 0\n0 0 0 1e19\n1 1 0 0\n", "m.node:2: a point needs three coordinates", "at most 1e+18"},
      {"1 3 0 0\n0 0 0 0\n1 1 0 0\n", "m.node:3: comes after the last of 1 points", "announce it"},
  };
  write_text("m.ele", tetrahedra);
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    write_text("m.node", cases[i].text);
    expect_bad("m.node", cases[i].place, cases[i].remedy);
  }
}

Test(tetgen_file, bad_tetrahedra_are_refused_with_their_line) {
  static const bad_text cases[] = {
      {"", "m.ele:1", "the number of tetrahedra and 4"},
      {"2 10 0\n0 0 1 2 3 4 4 4 4 4 4\n", "m.ele:1: says 10", "only 4, the corners of each"},
      {"1 4 0\n", "m.ele:1", "a line each"},
      {"2 4 0\n0 0 1 2 3\n", "m.ele:2: ends after 1 of 2 tetrahedra", "complete the file"},
      {"1 4 0\n0 0 1 2 5\n", "m.ele:2: a tetrahedron needs four points", "from 0 to 4"},
      {"1 4 0\n0 0 1 2 -1\n", "m.ele:2: a tetrahedron needs four points", "from 0 to 4"},
      {"1 4 0\n0 0 1 2 2.5\n", "m.ele:2: a tetrahedron needs four points", "from 0 to 4"},
      {"1 4 0\n0 0 1 2  \n", "m.ele:2: a tetrahedron needs four points", "from 0 to 4"},
      {"1 4 0\n3 0 1 2 3\n", "m.ele:2: must begin with the number of the tetrahedron, 0", "from 0 or 1"},
      {"1 4 0\n0 0 1 2 3\n0 1 2 3 4\n", "m.ele:3: comes after the last", "delete it"},
  };
  write_text("m.node", points);
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    write_text("m.ele", cases[i].text);
    expect_bad("m.node", cases[i].place, cases[i].remedy);
  }
}

Test(tetgen_file, a_surface_is_refused_with_what_fills_it) {
  static const char *const surfaces[] = {"m.obj", "m.PLY", "m.stl", "m.off"};
  for (size_t i = 0; i < COUNT_OF(surfaces); i++)
    expect_bad(surfaces[i], "is a surface of triangles", "tetgen -pq");
}

Test(tetgen_file, files_that_are_not_there_or_no_text_are_refused) {
  expect_bad("none.node", "none.node", "beside the scene file");
  write_text("m.node", points);
  expect_bad("m.node", "m.ele", "beside the scene file");
  expect_bad("m.mesh", "m.mesh: is not a tetrahedral mesh format", ".node or .ele");
  expect_bad("node", "node: is not a tetrahedral mesh format", ".node or .ele");
  write_file("m.node", "1 3\0 4", 6);
  expect_bad("m.node", "m.node: holds zero bytes", "text");
}

/* Every cut, and every byte replaced by others that mean something to the reader: refused or read, never
   more. */
Test(tetgen_file, no_damage_makes_it_crash) {
  static const char *const files[] = {"m.node", "m.ele"};
  const char *const whole[] = {points, tetrahedra};
  static const char letters[] = "9-.e# \nx";
  for (int part = 0; part < 2; part++) {
    write_text("m.node", points);
    write_text("m.ele", tetrahedra);
    char text[128];
    const size_t length = strlen(whole[part]);
    for (size_t i = 0; i < length; i++)
      for (size_t k = 0; k < sizeof letters; k++) { /* the zero at the end cuts the file */
        memcpy(text, whole[part], length + 1);
        text[i] = letters[k];
        write_text(files[part], text);
        tet_data mesh;
        scene_error error = {{0}};
        if (tetgen_file_read("m.node", NULL, &mesh, &error)) {
          for (int32_t c = 0; c < 4 * mesh.tetrahedron_count; c++)
            cr_assert(mesh.tetrahedra[c] >= 0 && mesh.tetrahedra[c] < mesh.vertex_count);
          tet_data_free(&mesh);
        } else {
          cr_assert(error.text[0] && !mesh.vertices);
        }
      }
  }
}
