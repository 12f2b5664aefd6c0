#include "scenes/meshes/welding.h"

#include "tests/support/mesh_text.h"
#include "tests/support/scene_text.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

TestSuite(welding, .init = enter_scratch_folder, .fini = leave_scratch_folder);

static weld_result weld(const msd_vec3 *vertices, int32_t count, double distance, int32_t *first) {
  const welding how = {distance};
  weld_result result;
  cr_assert(weld_vertices(vertices, NULL, count, &how, first, &result));
  return result;
}

Test(welding, without_a_distance_only_what_coincides_is_one) {
  const msd_vec3 v[] = {{1, 2, 3}, {1, 2, 3.0001f}, {1, 2, 3}, {0, 0, 0}, {-0.0f, 0, -0.0f}, {1e18f, 0, 0}};
  int32_t first[6];
  const weld_result result = weld(v, 6, 0, first);
  const int32_t expected[] = {0, 1, 0, 3, 3, 5};
  cr_expect(memcmp(first, expected, sizeof expected) == 0);
  cr_expect(result.welded == 2 && result.furthest == 0);
}

/* 0.5 m between neighbors of a row: each is welded to one that stays, never to one that has gone. */
Test(welding, no_vertex_moves_further_than_the_distance) {
  msd_vec3 v[9];
  int32_t first[9];
  for (int i = 0; i < 9; i++)
    v[i] = (msd_vec3){(msd_real)i / 2, 0, 0};
  const weld_result result = weld(v, 9, 0.5, first);
  for (int i = 0; i < 9; i++)
    cr_expect_eq(first[i], i - i % 2);
  cr_expect_eq(result.welded, 4);
  cr_expect_float_eq(result.furthest, 0.5, 1e-12);
}

Test(welding, of_several_it_is_the_nearest_and_of_equal_ones_the_first) {
  const msd_vec3 v[] = {{0, 0, 0}, {1, 0, 0}, {0.75f, 0, 0}, {0.5f, 0, 0}};
  int32_t first[4];
  weld(v, 4, 0.9, first);
  cr_expect_eq(first[2], 1);
  cr_expect_eq(first[3], 0);
}

/* Whatever the cells of the search are: all pairs of points in a cube, against the definition. */
Test(welding, the_search_finds_what_going_through_all_pairs_finds) {
  enum { POINTS = 600 };
  static msd_vec3 v[POINTS];
  static int32_t first[POINTS];
  uint32_t random = 7;
  for (int i = 0; i < POINTS; i++) {
    msd_real xyz[3];
    for (int c = 0; c < 3; c++) {
      random = random * 1664525u + 1013904223u;
      xyz[c] = (msd_real)(random >> 8) / (msd_real)(1 << 23) - 1;
    }
    v[i] = (msd_vec3){xyz[0], xyz[1], xyz[2]};
  }
  const double distance = 0.25;
  int32_t welded = 0;
  const weld_result result = weld(v, POINTS, distance, first);
  for (int i = 0; i < POINTS; i++) {
    int32_t nearest = i;
    double least = distance;
    for (int j = 0; j < i; j++) {
      const double x = (double)v[i].x - (double)v[j].x, y = (double)v[i].y - (double)v[j].y,
                   z = (double)v[i].z - (double)v[j].z, apart = sqrt(x * x + y * y + z * z);
      if (first[j] == j && apart < least) {
        least = apart;
        nearest = j;
      }
    }
    welded += nearest != i;
    cr_expect_eq(first[i], nearest, "vertex %d", i);
  }
  cr_expect(welded == result.welded && welded > POINTS / 4, "%d", welded);
}

/* Two triangles a tenth of a millimeter apart in a file in mm: 0.2 mm are 2e-4 m. */
Test(welding, the_distance_is_in_meters_as_the_mesh_is_scaled) {
  write_text("m.obj", "v 0 0 0\nv 10 0 0\nv 0 10 0\nv 10.1 0 0\nv 0 10 0.1\nv 10 10 0\nf 1 2 3\nf 4 6 5\n");
  for (int welds = 0; welds < 2; welds++) {
    transform in_mm = {.scale = {1e-3, 1e-3, 1e-3}, .rotation = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    const mesh_options options = {.where = &in_mm, .weld = {welds ? 2e-4 : 0.5e-4}};
    mesh_data mesh;
    scene_error error;
    cr_assert(mesh_file_read_with("m.obj", &options, &mesh, NULL, &error), "%s", error.text);
    cr_expect_eq(mesh.vertex_count, welds ? 4 : 6);
    cr_expect_eq(mesh.triangle_count, 2);
    cr_expect_eq(mesh.welded.welded, welds ? 2 : 0);
    cr_expect_float_eq(mesh.welded.furthest, welds ? 1e-4 : 0, 1e-9);
    if (welds) {
      cr_expect(mesh.vertex_of[3] == 1 && mesh.vertex_of[4] == 2 && mesh.vertex_of[5] == 3);
      cr_expect(has_vertex(&mesh, 1, 0.01, 0, 0), "the first of them stays");
    }
    mesh_data_free(&mesh);
  }
}

Test(welding, a_distance_beyond_the_faces_leaves_none) {
  write_text("m.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
  const mesh_options options = {.weld = {5}};
  mesh_data mesh;
  scene_error error;
  cr_expect(!mesh_file_read_with("m.obj", &options, &mesh, NULL, &error));
  cr_expect(strstr(error.text, "no face has 3 corners in different positions; lower \"merge_distance\"") !=
                NULL,
            "%s", error.text);
}
