#include "tests/support/surfaces.h"

#include "engine/contact/triangle_joins.h"

/* A sheet with a third triangle on one of its edges, and a rope at its side. */
static surface sheet_with_fin(void) {
  surface s = {0};
  surface_add_sheet(&s, 3, 3, 0.01, 0.002);
  const int32_t tip = surface_add_particles(&s, 1);
  s.rest[tip] = (msd_vec3){(msd_real)0.015, (msd_real)0.01, (msd_real)0.005};
  surface_body *piece = &s.pieces[0];
  const size_t size = 3 * (size_t)piece->triangle_count * sizeof(int32_t);
  int32_t *corners = surface_copy(piece->triangles, size, size + 3 * sizeof(int32_t));
  memcpy(corners + 3 * (size_t)piece->triangle_count++, (int32_t[3]){4, 5, tip}, 3 * sizeof(int32_t));
  free((int32_t *)piece->triangles);
  piece->triangles = corners;
  int32_t *segment = surface_copy(NULL, 0, 2 * sizeof *segment);
  segment[0] = 0, segment[1] = tip;
  free((int32_t *)piece->segments);
  piece->segments = segment;
  piece->segment_count = 1;
  return s;
}

typedef struct finned {
  surface s;
  memory m;
  surface_mesh mesh;
  triangle_joins joins;
} finned;

static finned make_fin(void) {
  finned f = {.s = sheet_with_fin(), .m = {.allocator = memory_default_allocator(), .limit = SIZE_MAX}};
  const surface_definition from = surface_define(&f.s);
  cr_assert(surface_mesh_make(&f.mesh, &f.m, &from));
  cr_assert(triangle_joins_make(&f.joins, &f.m, &f.mesh, NULL, 1));
  return f;
}

static void free_fin(finned *f) {
  triangle_joins_free(&f->joins, &f->m);
  surface_mesh_free(&f->mesh, &f->m);
  cr_assert_eq(f->m.used, 0);
  surface_free(&f->s);
}

/* How many triangles have both particles, and the place of one that is not `but`. */
static int count_with(const surface_mesh *mesh, int32_t a, int32_t b, int32_t but, int32_t *other) {
  int count = 0;
  for (int32_t t = 0; t < surface_mesh_places(mesh, SURFACE_TRIANGLES); t++)
    if (surface_mesh_is_filled(mesh, SURFACE_TRIANGLES, t) &&
        surface_mesh_has(mesh, SURFACE_TRIANGLES, t, a) && surface_mesh_has(mesh, SURFACE_TRIANGLES, t, b)) {
      count++;
      *other = t == but ? *other : t;
    }
  return count;
}

Test(triangle_joins, each_edge_knows_what_is_beyond_it) {
  finned fin = make_fin();
  const surface_mesh mesh = fin.mesh;
  const triangle_joins joins = fin.joins;
  int of[4] = {0};
  for (int32_t h = 0; h < 3 * surface_mesh_places(&mesh, SURFACE_TRIANGLES); h++) {
    if (!surface_mesh_is_filled(&mesh, SURFACE_TRIANGLES, h / 3))
      continue;
    const int32_t *particle = mesh.of[SURFACE_VERTICES].particle[0];
    const int32_t a = particle[surface_mesh_triangle_corner(&mesh, h / 3, h % 3)],
                  b = particle[surface_mesh_triangle_corner(&mesh, h / 3, h % 3 + 1)];
    int32_t other = -1;
    const int count = count_with(&mesh, a, b, h / 3, &other);
    of[count]++;
    cr_assert_eq(joins.beyond[h], count == 1 ? JOIN_BORDER : count == 2 ? other : JOIN_BRANCH);
  }
  cr_assert_eq(of[1], 10, "eight of the sheet and two of the fin");
  cr_assert_eq(of[2], 2 * 7, "but for that with the fin");
  cr_assert_eq(of[3], 3);
  free_fin(&fin);
}

Test(triangle_joins, edges_and_vertices_know_their_triangles) {
  finned fin = make_fin();
  const surface_mesh mesh = fin.mesh;
  const triangle_joins joins = fin.joins;
  for (int32_t e = 0; e < surface_mesh_places(&mesh, SURFACE_EDGES); e++) {
    if (!surface_mesh_is_filled(&mesh, SURFACE_EDGES, e))
      continue;
    const int32_t a = mesh.of[SURFACE_EDGES].particle[0][e], b = mesh.of[SURFACE_EDGES].particle[1][e];
    int32_t other = -1;
    const int count = count_with(&mesh, a, b, -1, &other), along = joins.along[e];
    cr_assert_eq(along == JOIN_BORDER, count == 0);
    cr_assert(count == 0 || (surface_mesh_has(&mesh, SURFACE_TRIANGLES, along / 3, a) &&
                             surface_mesh_has(&mesh, SURFACE_TRIANGLES, along / 3, b)));
  }
  int32_t corners = 0;
  for (int32_t v = 0; v < mesh.leaf_count * SURFACE_BLOCK; v++)
    for (int32_t n = joins.first_at[v]; n < joins.first_at[v + 1]; n++, corners++)
      cr_assert(
          surface_mesh_has(&mesh, SURFACE_TRIANGLES, joins.at[n], mesh.of[SURFACE_VERTICES].particle[0][v]));
  cr_assert_eq(corners, 3 * 9);
  free_fin(&fin);
}

Test(triangle_joins, any_number_of_threads_joins_alike) {
  surface s = {0};
  memory m = {.allocator = memory_default_allocator(), .limit = SIZE_MAX};
  surface_mesh mesh = {0};
  surface_add_sheet(&s, 20, 20, 0.01, 0.002);
  const surface_definition from = surface_define(&s);
  cr_assert(surface_mesh_make(&mesh, &m, &from));
  const size_t half_edges = 3 * (size_t)surface_mesh_places(&mesh, SURFACE_TRIANGLES),
               edges = (size_t)surface_mesh_places(&mesh, SURFACE_EDGES);
  triangle_joins one = {0};
  cr_assert(triangle_joins_make(&one, &m, &mesh, NULL, 1));
  for (int threads = 2; threads <= 5; threads++) {
    triangle_joins several = {0};
    cr_assert(triangle_joins_make(&several, &m, &mesh, NULL, threads));
    cr_assert_arr_eq(several.beyond, one.beyond, half_edges * sizeof *one.beyond);
    cr_assert_arr_eq(several.along, one.along, edges * sizeof *one.along);
    cr_assert_arr_eq(several.at, one.at, half_edges * sizeof *one.at);
    triangle_joins_free(&several, &m);
  }
  triangle_joins_free(&one, &m);
  surface_mesh_free(&mesh, &m);
  surface_free(&s);
}
