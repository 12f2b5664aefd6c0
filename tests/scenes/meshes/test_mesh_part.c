/* Parts of meshes are what mesh_file_read has there, whoever reads them. */
#define _POSIX_C_SOURCE 200809L
#include "scenes/meshes/mesh_part.h"

#include "scenes/meshes/mesh_file.h"
#include "tests/support/scene_text.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

TestSuite(mesh_part, .init = enter_scratch_folder, .fini = leave_scratch_folder);

enum { COLUMNS = 150, ROWS = 300 };

/* Quads of uneven diagonals, triangles, and what parts do not look at; more than a megabyte, so that it is
   not read at once, with lines that end in all ways and go on in the next. */
static void write_grid(void) {
  FILE *file = fopen("grid.obj", "w");
  fprintf(file, "\xef\xbb\xbf# a grid\r\nvt 0 0\nvn 0 0 1\ng all\n");
  for (int i = 0; i < COLUMNS * ROWS; i++)
    fprintf(file, "v %.9g %.9g \\%s\n %.9g%s\n", i % COLUMNS * 0.01, i / COLUMNS * 0.01, i % 2 ? "" : "\r",
            i * 7 % 13 * 0.002, i % 3 ? "" : "\r");
  for (int i = 0; i < COLUMNS * (ROWS - 1); i++) {
    const int a = i + 1, b = a + COLUMNS;
    if (a % COLUMNS == 0)
      continue;
    if (i % 17 == 0)
      fprintf(file, "f %d/1/1 %d/1/1 %d/1/1\n", a, a + 1, b);
    else
      fprintf(file, "f %d//1 %d//1 \\\n%d//1 %d//1\n", a, a + 1, b + 1, b);
  }
  fprintf(file, "f 1 2 %d %d\nl 1 2", 2 + COLUMNS, 1 + COLUMNS);
  fclose(file);
}

static mesh_data read_whole(void) {
  mesh_data mesh;
  scene_warnings warnings = {0};
  scene_error error;
  cr_assert(mesh_file_read("grid.obj", &mesh, &warnings, &error), "%s", error.text);
  cr_assert_eq(mesh.vertex_count, COLUMNS * ROWS);
  return mesh;
}

/* Whether all corners of the face that triangle t is of are among some vertices. */
static bool is_among(const mesh_data *whole, int32_t t, msd_range vertices) {
  int32_t first = t, end = t;
  while (first > 0 && whole->face_of[first - 1] == whole->face_of[t])
    first--;
  while (end < whole->triangle_count && whole->face_of[end] == whole->face_of[t])
    end++;
  bool is_inside = true;
  for (int32_t c = 3 * first; c < 3 * end; c++)
    is_inside = is_inside && whole->triangles[c] >= vertices.first &&
                whole->triangles[c] < vertices.first + vertices.count;
  return is_inside;
}

/* The triangles of the whole whose faces are among some vertices are those of the part, one by one. */
static void assert_part(const mesh_data *whole, msd_range vertices, msd_range kept) {
  mesh_data part;
  int32_t *numbers;
  scene_warnings warnings = {0};
  scene_error error;
  cr_assert(mesh_part_read("grid.obj", NULL, vertices, kept, &part, &numbers, &warnings, &error), "%s",
            error.text);
  cr_assert_eq(part.vertex_count, vertices.count);
  cr_assert_eq(
      memcmp(part.vertices, whole->vertices + vertices.first, (size_t)vertices.count * sizeof *part.vertices),
      0);
  int32_t found = 0;
  for (int32_t t = 0; t < whole->triangle_count; t++) {
    const int32_t *corner = whole->triangles + 3 * (size_t)t;
    if (!is_among(whole, t, vertices))
      continue;
    cr_assert_lt(found, part.triangle_count);
    for (int c = 0; c < 3; c++)
      cr_assert_eq(part.triangles[3 * (size_t)found + (size_t)c], corner[c] - vertices.first,
                   "triangle %d of the whole", (int)t);
    cr_assert_eq(numbers[found], t);
    found++;
  }
  cr_assert_eq(found, part.triangle_count);
  free(numbers);
  mesh_data_free(&part);
}

Test(mesh_part, a_part_is_what_the_whole_has_there) {
  write_grid();
  mesh_data whole = read_whole();
  assert_part(&whole, (msd_range){0, COLUMNS * ROWS}, (msd_range){0, COLUMNS * ROWS});
  assert_part(&whole, (msd_range){0, 5000}, (msd_range){0, 4000});
  assert_part(&whole, (msd_range){10101, 7077}, (msd_range){11000, 5000});
  assert_part(&whole, (msd_range){COLUMNS * ROWS - 777, 777}, (msd_range){COLUMNS * ROWS - 7, 7});
  mesh_data_free(&whole);
}

Test(mesh_part, all_find_what_there_is_of_it) {
  write_grid();
  mesh_data whole = read_whole();
  for (int number = 0; number < 5; number++) {
    mesh_extent extent;
    scene_error error;
    cr_assert(mesh_part_measure("grid.obj", NULL, number, 5, &extent, &error), "%s", error.text);
    cr_assert_eq(extent.vertex_count, COLUMNS * ROWS);
    cr_assert_eq(extent.span, COLUMNS + 1);
    cr_assert_eq(extent.triangles, whole.triangle_count);
    cr_assert(extent.has_attributes);
  }
  mesh_data_free(&whole);
}

static int count_failures(const char *name, int processes, const char *words) {
  int failures = 0;
  for (int number = 0; number < processes; number++) {
    mesh_extent extent;
    scene_error error;
    if (mesh_part_measure(name, NULL, number, processes, &extent, &error))
      continue;
    cr_assert(strstr(error.text, words) != NULL, "%s", error.text);
    failures++;
  }
  return failures;
}

Test(mesh_part, vertices_in_one_place_are_seen_by_one_process) {
  write_text("m.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv -0 1 0\nf 1 2 3\nf 2 4 1\n");
  for (int processes = 1; processes < 8; processes++)
    cr_assert_eq(count_failures("m.obj", processes, "at the position of others"), 1);
}

Test(mesh_part, what_no_part_can_be_read_from_is_refused_by_all) {
  static const bad_text cases[] = {
      {"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 4\n", "m.obj", "m.obj:4: a face has the corner"},
      {"v 0 0 0\nv 1 0 0\nv 0 1 0\n", "m.obj", "no faces"},
      {"v 0 0 0\nv 1 0\n", "m.obj", "m.obj:2: a vertex needs"},
      {"", "m.obj", "no faces"},
      {"f 1 1 1\n", "m.ply", "end in .obj"}};
  for (size_t n = 0; n < COUNT_OF(cases); n++) {
    write_text(cases[n].place, cases[n].text);
    cr_assert_eq(count_failures(cases[n].place, 3, cases[n].remedy), 3, "%s", cases[n].text);
  }
  write_file("m.obj", "v 0 0 0\nv\0", 10);
  cr_assert_eq(count_failures("m.obj", 3, "holds zero bytes"), 3);
  cr_assert_eq(count_failures("nothing.obj", 3, "beside the scene file"), 3);
}

Test(mesh_part, a_vertex_that_is_kept_has_a_face_with_an_area) {
  mesh_data mesh;
  scene_warnings warnings = {0};
  scene_error error;
  write_text("m.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 2 2 2\nf 1 2 3\n");
  cr_assert(
      mesh_part_read("m.obj", NULL, (msd_range){0, 4}, (msd_range){0, 3}, &mesh, NULL, &warnings, &error));
  mesh_data_free(&mesh);
  cr_assert_not(
      mesh_part_read("m.obj", NULL, (msd_range){0, 4}, (msd_range){2, 2}, &mesh, NULL, &warnings, &error));
  cr_assert(strstr(error.text, "vertex 3 (from 0)") != NULL, "%s", error.text);
  cr_assert_null(mesh.vertices);
}
