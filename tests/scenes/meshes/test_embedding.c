/* Points that follow a coarser mesh. */
#include "scenes/meshes/embedding.h"
#include "scenes/meshes/mesh_cage.h"
#include "scenes/meshes/sphere.h"

#include <criterion/criterion.h>

#include <math.h>
#include <stdlib.h>

enum { MOST = 1000 };
static msd_real numbers[3][MOST];

/* A sphere that has been merged to a third, and its vertices in what is left. */
typedef struct embedded_sphere {
  mesh_data mesh;
  mesh_cage cage;
  embedded_point *points;
} embedded_sphere;

static embedded_sphere make(void) {
  static double demands[MOST];
  embedded_sphere s = {0};
  cr_assert(sphere_make(1, 3, &s.mesh));
  cr_assert(mesh_cage_make(&s.mesh, &s.cage));
  for (int32_t v = 0; v < s.cage.vertex_count; v++)
    s.cage.masses[v] = demands[v] = 2;
  while (s.cage.vertex_count > s.mesh.vertex_count / 3) {
    int32_t merged;
    cr_assert(mesh_cage_merge(&s.cage, demands, &merged));
    cr_assert_gt(merged, 0);
  }
  s.points = embedding_make(&s.mesh, &s.cage);
  cr_assert_not_null(s.points);
  return s;
}

static void forget(embedded_sphere *s) {
  free(s->points);
  mesh_cage_free(&s->cage);
  mesh_data_free(&s->mesh);
}

static double away(msd_vec3 a, msd_vec3 b) {
  return hypot(hypot((double)(a.x - b.x), (double)(a.y - b.y)), (double)(a.z - b.z));
}

/* By 0.6, 0.8 about z, then by 1, 2, 3. */
static msd_vec3 moved(msd_vec3 v) {
  return (msd_vec3){(msd_real)(0.6 * (double)v.x - 0.8 * (double)v.y + 1),
                    (msd_real)(0.8 * (double)v.x + 0.6 * (double)v.y + 2), v.z + 3};
}

static msd_view view_of(const mesh_cage *cage, bool is_moved) {
  for (int32_t v = 0; v < cage->vertex_count; v++) {
    const msd_vec3 at = is_moved ? moved(cage->vertices[v]) : cage->vertices[v];
    numbers[0][v] = at.x, numbers[1][v] = at.y, numbers[2][v] = at.z;
  }
  return (msd_view){.x = numbers[0], .y = numbers[1], .z = numbers[2], .count = cage->vertex_count};
}

Test(embedding, points_are_where_they_were_and_move_with_the_mesh) {
  embedded_sphere s = make();
  for (int32_t v = 0; v < s.mesh.vertex_count; v++) {
    const msd_vec3 at = s.mesh.vertices[v];
    cr_expect_lt(away(embedded_position(&s.points[v], view_of(&s.cage, false)), at), 1e-6, "vertex %d",
                 (int)v);
    cr_expect_lt(away(embedded_position(&s.points[v], view_of(&s.cage, true)), moved(at)), 2e-6);
  }
  forget(&s);
}

Test(embedding, weights_add_up_to_one_beside_what_each_was_merged_into) {
  embedded_sphere s = make();
  for (int32_t v = 0; v < s.mesh.vertex_count; v++) {
    const embedded_point *p = &s.points[v];
    cr_expect_float_eq(p->weights[0] + p->weights[1] + p->weights[2], 1, 1e-12);
    cr_expect_lt(fabs(p->height), 0.1);
    cr_expect_lt(away(s.cage.vertices[embedded_nearest(p)], s.mesh.vertices[v]), 0.5);
  }
  forget(&s);
}

Test(embedding, velocities_are_those_of_the_triangle) {
  const embedded_point p = {{0, 1, 2}, {0.5, 0.25, 0.25}, 0.1};
  const msd_real x[] = {4, 8, 0}, zero[] = {0, 0, 0};
  const msd_view v = {.x = x, .y = zero, .z = zero, .count = 3};
  cr_expect_eq(embedded_velocity(&p, v).x, 4);
  cr_expect_eq(embedded_nearest(&p), 0);
}

/* Between two sheets that lie close together each point keeps to its own. */
Test(embedding, no_point_takes_hold_of_another_side) {
  msd_vec3 vertices[8];
  int32_t triangles[] = {0, 1, 2, 0, 2, 3, 4, 6, 5, 4, 7, 6};
  for (int i = 0; i < 8; i++)
    vertices[i] = (msd_vec3){(msd_real)((i + 1) / 2 % 2), (msd_real)(i / 2 % 2), i < 4 ? 0 : (msd_real)1e-4};
  mesh_data mesh = {.vertices = vertices, .vertex_count = 8, .triangles = triangles, .triangle_count = 4};
  mesh_cage cage;
  cr_assert(mesh_cage_make(&mesh, &cage));
  embedded_point *points = embedding_make(&mesh, &cage);
  cr_assert_not_null(points);
  for (int v = 0; v < 8; v++)
    for (int c = 0; c < 3; c++)
      cr_expect_eq(points[v].corners[c] / 4, v / 4);
  free(points);
  mesh_cage_free(&cage);
}
