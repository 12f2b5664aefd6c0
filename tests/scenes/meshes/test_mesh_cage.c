/* Merging vertices of a mesh. */
#include "scenes/meshes/mesh_cage.h"
#include "scenes/meshes/sphere.h"

#include <criterion/criterion.h>

#include <math.h>
#include <stdlib.h>

enum { MOST = 4000 };
static double demands[MOST];

static mesh_cage cage_of(const mesh_data *mesh) {
  mesh_cage cage;
  cr_assert_leq(mesh->vertex_count, MOST);
  cr_assert(mesh_cage_make(mesh, &cage));
  for (int32_t v = 0; v < cage.vertex_count; v++)
    cage.masses[v] = 1 + v % 3;
  return cage;
}

/* Everyone asks for too much. */
static int32_t merge_once(mesh_cage *cage) {
  int32_t merged;
  for (int32_t v = 0; v < cage->vertex_count; v++)
    demands[v] = 2 + v % 7;
  cr_assert(mesh_cage_merge(cage, demands, &merged));
  return merged;
}

/* How many triangles go along a b, in either direction. */
static int along(const mesh_cage *cage, int32_t a, int32_t b) {
  int count = 0;
  for (int32_t c = 0; c < CORNERS * cage->triangle_count; c++) {
    const int32_t next = c % CORNERS == 2 ? c - 2 : c + 1;
    count += cage->triangles[c] == a && cage->triangles[next] == b;
  }
  return count;
}

static void expect_closed(const mesh_cage *cage) {
  for (int32_t c = 0; c < CORNERS * cage->triangle_count; c++) {
    const int32_t a = cage->triangles[c], b = cage->triangles[c % CORNERS == 2 ? c - 2 : c + 1];
    cr_assert_neq(a, b);
    cr_assert(along(cage, a, b) == 1 && along(cage, b, a) == 1, "edge %d %d", (int)a, (int)b);
  }
  cr_expect_eq(2 * cage->vertex_count - cage->triangle_count, 4, "Euler: V - E + F = 2, E = 3/2 F");
}

static double total_of(const mesh_cage *cage) {
  double sum = 0;
  for (int32_t v = 0; v < cage->vertex_count; v++)
    sum += cage->masses[v];
  return sum;
}

Test(mesh_cage, a_closed_mesh_stays_closed_down_to_its_last_triangles) {
  mesh_data sphere = {0};
  cr_assert(sphere_make(1, 3, &sphere));
  mesh_cage cage = cage_of(&sphere);
  const double mass = total_of(&cage);
  const int32_t vertices = cage.vertex_count;
  for (int rounds = 0; merge_once(&cage) > 0; rounds++) {
    cr_assert_lt(rounds, 200);
    expect_closed(&cage);
    cr_expect_float_eq(total_of(&cage) / mass, 1, 1e-12);
    for (int32_t v = 0; v < vertices; v++)
      cr_assert(cage.vertex_of[v] >= 0 && cage.vertex_of[v] < cage.vertex_count);
  }
  cr_expect_lt(cage.vertex_count, vertices / 8);
  mesh_cage_free(&cage);
  mesh_data_free(&sphere);
}

/* The middle of the mass of two, in the one of the lower number. */
Test(mesh_cage, merges_the_shortest_edge_where_its_mass_is) {
  mesh_data sphere = {0};
  cr_assert(sphere_make(1, 2, &sphere));
  const msd_vec3 a = sphere.vertices[50];
  int32_t neighbor = -1;
  for (int32_t c = 0; c < CORNERS * sphere.triangle_count; c++)
    if (sphere.triangles[c] == 50)
      neighbor = sphere.triangles[c - c % CORNERS + (c + 1) % CORNERS];
  msd_vec3 *b = &sphere.vertices[neighbor];
  *b = (msd_vec3){a.x + (b->x - a.x) / 2, a.y + (b->y - a.y) / 2, a.z + (b->z - a.z) / 2};
  const msd_vec3 was = *b;
  mesh_cage cage = cage_of(&sphere);
  cage.masses[50] = 3;
  cage.masses[neighbor] = 1;
  int32_t merged;
  for (int32_t v = 0; v < cage.vertex_count; v++)
    demands[v] = v == 50 ? 1.5 : 1;
  cr_assert(mesh_cage_merge(&cage, demands, &merged));
  cr_expect_eq(merged, 1, "nobody else asks for more");
  const int32_t one = cage.vertex_of[50];
  cr_assert_eq(cage.vertex_of[neighbor], one);
  cr_expect_eq(cage.masses[one], 4);
  cr_expect_float_eq((double)cage.vertices[one].x, (double)(a.x * 3 + was.x) / 4, 1e-6);
  cr_expect_float_eq((double)cage.vertices[one].z, (double)(a.z * 3 + was.z) / 4, 1e-6);
  mesh_cage_free(&cage);
  mesh_data_free(&sphere);
}

static mesh_data flat(msd_vec3 *vertices, int32_t vertex_count, int32_t *triangles, int32_t triangle_count) {
  return (mesh_data){.vertices = vertices,
                     .vertex_count = vertex_count,
                     .triangles = triangles,
                     .triangle_count = triangle_count};
}

static double area_of(const mesh_cage *cage) {
  double sum = 0;
  for (int32_t t = 0; t < cage->triangle_count; t++) {
    const msd_vec3 a = cage->vertices[cage->triangles[3 * t]], b = cage->vertices[cage->triangles[3 * t + 1]],
                   c = cage->vertices[cage->triangles[3 * t + 2]];
    const double twice = (double)((b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x));
    cr_assert_gt(twice, 0, "triangle %d turned over", (int)t);
    sum += twice / 2;
  }
  return sum;
}

/* A square sheet, whose border is straight but for its corners, keeps its area to the last. */
Test(mesh_cage, borders_keep_their_place_and_nothing_turns_over) {
  enum { SIDE = 12, CELLS = SIDE - 1 };
  msd_vec3 vertices[SIDE * SIDE];
  int32_t triangles[6 * CELLS * CELLS], *next = triangles;
  for (int i = 0; i < SIDE * SIDE; i++)
    vertices[i] = (msd_vec3){(msd_real)(i % SIDE), (msd_real)(i / SIDE), 0};
  for (int i = 0; i < CELLS * CELLS; i++) {
    const int32_t a = i / CELLS * SIDE + i % CELLS;
    const int32_t corners[] = {a, a + 1, a + SIDE, a + SIDE, a + 1, a + SIDE + 1};
    for (int c = 0; c < 6; c++)
      *next++ = corners[c];
  }
  const mesh_data sheet = flat(vertices, SIDE * SIDE, triangles, 2 * CELLS * CELLS);
  mesh_cage cage = cage_of(&sheet);
  for (int rounds = 0; merge_once(&cage) > 0 && rounds < 100; rounds++)
    cr_expect_float_eq(area_of(&cage), CELLS * CELLS, 1e-3, "round %d: %g", rounds, area_of(&cage));
  cr_expect_lt(cage.vertex_count, 30);
  static const int32_t ends[] = {0, SIDE - 1, SIDE * (SIDE - 1), SIDE * SIDE - 1};
  for (int n = 0; n < 4; n++) {
    const msd_vec3 was = vertices[ends[n]], is = cage.vertices[cage.vertex_of[ends[n]]];
    cr_expect(was.x == is.x && was.y == is.y, "corner %d", n);
  }
  mesh_cage_free(&cage);
}

/* Of a tetrahedron any edge would leave two triangles on each other; a bridge would join two borders. */
Test(mesh_cage, what_would_not_be_a_surface_any_more_is_left_alone) {
  msd_vec3 corners[] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  int32_t sides[] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3};
  const mesh_data tetrahedron = flat(corners, 4, sides, 4);
  mesh_cage cage = cage_of(&tetrahedron);
  cr_expect_eq(merge_once(&cage), 0);
  cr_expect_eq(cage.vertex_count, 4);
  mesh_cage_free(&cage);
  /* The middle edge of two triangles is the shortest, and its ends are on the border. */
  msd_vec3 kite[] = {{0, 0, 0}, {(msd_real)0.1, 0, 0}, {0, 1, 0}, {0, -1, 0}};
  int32_t halves[] = {0, 1, 2, 0, 3, 1};
  const mesh_data two = flat(kite, 4, halves, 2);
  cage = cage_of(&two);
  int32_t merged;
  demands[0] = demands[1] = 2;
  demands[2] = demands[3] = 0;
  cr_assert(mesh_cage_merge(&cage, demands, &merged));
  cr_expect_neq(cage.vertex_of[0], cage.vertex_of[1]);
  mesh_cage_free(&cage);
}

Test(mesh_cage, nobody_who_asks_for_little_is_merged) {
  mesh_data sphere = {0};
  int32_t merged;
  cr_assert(sphere_make(1, 1, &sphere));
  mesh_cage cage = cage_of(&sphere);
  for (int32_t v = 0; v < cage.vertex_count; v++)
    demands[v] = 1;
  cr_assert(mesh_cage_merge(&cage, demands, &merged));
  cr_expect_eq(merged, 0);
  cr_expect_eq(cage.vertex_count, sphere.vertex_count);
  mesh_cage_free(&cage);
  mesh_data_free(&sphere);
}
