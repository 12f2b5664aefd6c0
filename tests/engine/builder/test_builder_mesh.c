/* What triangle meshes are made of: counted by formula. */
#include "tests/support/bodies.h"

#include <stdlib.h>

Test(builder_mesh, a_square_of_two_triangles_has_five_edges_and_one_bend) {
  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  msd_mesh_def def = square_mesh();
  def.area_density = 6; /* 3 kg each triangle, 1 kg each corner */
  def.stretch = physical(10, 1);
  def.bend = physical(2, 0);
  msd_body body;
  cr_assert_eq(msd_add_mesh(world, &def, &body), MSD_OK);
  expect_range(body.particles, 0, 4, "particles");
  expect_range(body.stretch, 0, 5, "edges");
  expect_range(body.bend, 5, 1, "bends");
  expect_range(body.springs, 0, 6, "springs");
  cr_expect_eq(body.shear.count, 0);
  static const int32_t edges[][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {2, 3}};
  for (int e = 0; e < 5; e++)
    expect_rest(world, body.stretch, edges[e][0], edges[e][1],
                edges[e][0] == 0 && edges[e][1] == 2 ? sqrt(2) : 1);
  expect_rest(world, body.bend, 1, 3, sqrt(2));
  static const double mass[] = {2, 1, 2, 1};
  for (int32_t v = 0; v < 4; v++) {
    expect_position(world, v, (double)square[v].x, (double)square[v].y, 0);
    cr_expect(fabs((double)msd_particle_get_mass(world, v) - mass[v]) <= 4 * EPSILON,
              "mass of vertex %d: %.17g", (int)v, (double)msd_particle_get_mass(world, v));
  }
  msd_destroy_world(world);
}

Test(builder_mesh, the_winding_of_triangles_does_not_matter) {
  static const int32_t flipped[] = {2, 1, 0, 0, 2, 3};
  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  msd_mesh_def def = square_mesh();
  def.triangles = flipped;
  def.bend = physical(2, 0);
  msd_body body;
  cr_assert_eq(msd_add_mesh(world, &def, &body), MSD_OK);
  cr_expect(body.stretch.count == 5 && body.bend.count == 1);
  cr_expect_eq(joined(world, body.bend, 1, 3), 1);
  msd_destroy_world(world);
}

Test(builder_mesh, each_two_of_three_triangles_on_one_edge_get_a_bend) {
  static const msd_vec3 vertices[] = {{0, 0, 0}, {0, 0, 1}, {1, 0, 0}, {0, 1, 0}, {-1, 0, 0}};
  static const int32_t triangles[] = {0, 1, 2, 1, 0, 3, 0, 1, 4};
  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  msd_mesh_def def = msd_default_mesh_def();
  def.vertices = vertices;
  def.vertex_count = 5;
  def.triangles = triangles;
  def.triangle_count = 3;
  def.bend = physical(1, 0);
  msd_body body;
  cr_assert_eq(msd_add_mesh(world, &def, &body), MSD_OK);
  cr_expect_eq(body.stretch.count, 7);
  cr_expect_eq(body.bend.count, 3);
  cr_expect(joined(world, body.bend, 2, 3) == 1 && joined(world, body.bend, 2, 4) == 1 &&
            joined(world, body.bend, 3, 4) == 1);
  msd_destroy_world(world);
}

enum { RINGS = 12, AROUND = 20, SPHERE_VERTICES = RINGS * AROUND + 2, SPHERE_TRIANGLES = 2 * RINGS * AROUND };

/* A closed surface made of rings. */
static void make_sphere(msd_vec3 vertices[SPHERE_VERTICES], int32_t triangles[3 * SPHERE_TRIANGLES]) {
  const double pi = acos(-1.0);
  vertices[0] = (msd_vec3){0, 1, 0};
  vertices[SPHERE_VERTICES - 1] = (msd_vec3){0, -1, 0};
  for (int r = 0; r < RINGS; r++)
    for (int a = 0; a < AROUND; a++) {
      const double polar = pi * (r + 1) / (RINGS + 1), around = 2 * pi * a / AROUND;
      vertices[1 + r * AROUND + a] = (msd_vec3){(msd_real)(sin(polar) * cos(around)), (msd_real)cos(polar),
                                                (msd_real)(sin(polar) * sin(around))};
    }
  int n = 0;
  for (int a = 0; a < AROUND; a++) {
    const int next = (a + 1) % AROUND;
    const int32_t caps[] = {0,
                            1 + a,
                            1 + next,
                            SPHERE_VERTICES - 1,
                            SPHERE_VERTICES - 1 - AROUND + a,
                            SPHERE_VERTICES - 1 - AROUND + next};
    for (int i = 0; i < 6; i++)
      triangles[n++] = caps[i];
    for (int r = 0; r + 1 < RINGS; r++) {
      const int32_t p = 1 + r * AROUND + a, q = 1 + r * AROUND + next;
      const int32_t quad[] = {p, q, p + AROUND, q, q + AROUND, p + AROUND};
      for (int i = 0; i < 6; i++)
        triangles[n++] = quad[i];
    }
  }
  cr_assert_eq(n, 3 * SPHERE_TRIANGLES);
}

static double area_of(const msd_vec3 *vertices, const int32_t *triangles, int32_t count) {
  double area = 0;
  for (int t = 0; t < count; t++) {
    const msd_vec3 a = vertices[triangles[3 * t]], b = vertices[triangles[3 * t + 1]],
                   c = vertices[triangles[3 * t + 2]];
    const double u[3] = {(double)b.x - (double)a.x, (double)b.y - (double)a.y, (double)b.z - (double)a.z};
    const double v[3] = {(double)c.x - (double)a.x, (double)c.y - (double)a.y, (double)c.z - (double)a.z};
    area += 0.5 * sqrt(pow(u[1] * v[2] - u[2] * v[1], 2) + pow(u[2] * v[0] - u[0] * v[2], 2) +
                       pow(u[0] * v[1] - u[1] * v[0], 2));
  }
  return area;
}

/* F triangles have 3F/2 edges, and V - E + F = 2. */
Test(builder_mesh, a_closed_mesh_obeys_eulers_formula_and_weighs_its_area) {
  static msd_vec3 vertices[SPHERE_VERTICES];
  static int32_t triangles[3 * SPHERE_TRIANGLES];
  const double pi = acos(-1.0);
  make_sphere(vertices, triangles);
  const double area = area_of(vertices, triangles, SPHERE_TRIANGLES);
  cr_assert(area > 0.95 * 4 * pi && area < 4 * pi, "the oracle itself is a sphere");

  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  msd_mesh_def def = msd_default_mesh_def();
  def.vertices = vertices;
  def.vertex_count = SPHERE_VERTICES;
  def.triangles = triangles;
  def.triangle_count = SPHERE_TRIANGLES;
  def.area_density = (msd_real)0.25;
  def.bend = physical(1, 0);
  msd_body body;
  cr_assert_eq(msd_add_mesh(world, &def, &body), MSD_OK);
  cr_expect_eq(SPHERE_VERTICES - body.stretch.count + SPHERE_TRIANGLES, 2);
  cr_expect_eq(body.stretch.count, 3 * SPHERE_TRIANGLES / 2);
  cr_expect_eq(body.bend.count, body.stretch.count, "every edge is shared by two");
  const double mass = msd_world_get_stats(world).total_mass;
  cr_expect(fabs(mass - 0.25 * area) <= 10 * EPSILON * area, "mass %.17g, not %.17g", mass, 0.25 * area);
  for (int32_t s = body.stretch.first; s + 1 < body.stretch.first + body.stretch.count; s++) {
    const msd_spring_def one = msd_spring_get_def(world, s), other = msd_spring_get_def(world, s + 1);
    cr_assert(one.a < one.b && (one.a < other.a || (one.a == other.a && one.b < other.b)),
              "edges come sorted, once each");
  }
  msd_destroy_world(world);
}

Test(builder_mesh, a_mesh_with_a_hub_of_many_triangles_is_built_in_linear_time) {
  enum { RIM = 200000 };
  msd_vec3 *vertices = malloc((RIM + 1) * sizeof *vertices);
  int32_t *triangles = malloc((size_t)3 * RIM * sizeof *triangles);
  cr_assert(vertices && triangles);
  vertices[RIM] = (msd_vec3){0, 0, 0};
  for (int32_t i = 0; i < RIM; i++) {
    const double angle = 2 * acos(-1.0) * i / RIM;
    vertices[i] = (msd_vec3){(msd_real)cos(angle), (msd_real)sin(angle), 0};
    triangles[3 * i] = RIM;
    triangles[3 * i + 1] = i;
    triangles[3 * i + 2] = (i + 1) % RIM;
  }
  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  msd_mesh_def def = msd_default_mesh_def();
  def.vertices = vertices;
  def.vertex_count = RIM + 1;
  def.triangles = triangles;
  def.triangle_count = RIM;
  def.bend = physical(1, 0);
  msd_body body;
  cr_assert_eq(msd_add_mesh(world, &def, &body), MSD_OK, "%s", msd_world_message(world));
  cr_expect_eq(body.stretch.count, 2 * RIM);
  cr_expect_eq(body.bend.count, RIM);
  msd_destroy_world(world);
  free(vertices);
  free(triangles);
}
