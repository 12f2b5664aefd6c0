#include "scenes/meshes/sphere.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

static mesh_data sphere_of(double radius, int subdivisions) {
  mesh_data mesh = {0};
  cr_assert(sphere_make(radius, subdivisions, &mesh));
  return mesh;
}

static double six_volumes(const mesh_data *mesh) {
  double sum = 0;
  for (int32_t t = 0; t < mesh->triangle_count; t++) {
    const int32_t *corner = mesh->triangles + 3 * t;
    const msd_vec3 a = mesh->vertices[corner[0]], b = mesh->vertices[corner[1]],
                   c = mesh->vertices[corner[2]];
    sum += (double)a.x * ((double)b.y * (double)c.z - (double)b.z * (double)c.y) +
           (double)a.y * ((double)b.z * (double)c.x - (double)b.x * (double)c.z) +
           (double)a.z * ((double)b.x * (double)c.y - (double)b.y * (double)c.x);
  }
  return sum;
}

/* An icosahedron of edge a: circumradius a sin(2 pi/5), volume 5 (3 + sqrt 5) a^3/12 (Euclid XIII.16). */
Test(sphere, without_subdivision_it_is_an_icosahedron) {
  mesh_data mesh = sphere_of(2, 0);
  cr_assert_eq(mesh.vertex_count, 12);
  cr_assert_eq(mesh.triangle_count, 20);
  const double a = 2 / sin(2 * 3.14159265358979323846 / 5);
  cr_expect_float_eq(six_volumes(&mesh) / 6, 5 * (3 + sqrt(5)) / 12 * a * a * a, 1e-5);
  mesh_data_free(&mesh);
}

Test(sphere, it_is_counted_by_the_formulas_and_every_vertex_is_on_it) {
  for (int n = 0; n <= 5; n++) {
    mesh_data mesh = sphere_of(0.5, n);
    cr_expect_eq(mesh.vertex_count, (10 << 2 * n) + 2);
    cr_expect_eq(mesh.triangle_count, 20 << 2 * n);
    for (int32_t v = 0; v < mesh.vertex_count; v++) {
      const msd_vec3 p = mesh.vertices[v];
      cr_assert_float_eq(
          sqrt((double)p.x * (double)p.x + (double)p.y * (double)p.y + (double)p.z * (double)p.z), 0.5, 1e-6);
    }
    mesh_data_free(&mesh);
  }
}

/* Of a triangle of side h on a sphere the part (h/r)^2 of the volume is missing: a quarter at each
   subdivision. */
Test(sphere, its_volume_approaches_that_of_a_sphere_from_inside) {
  const double sphere = 4 * 3.14159265358979323846 / 3;
  double missing[6];
  for (int n = 0; n <= 5; n++) {
    mesh_data mesh = sphere_of(1, n);
    missing[n] = sphere - six_volumes(&mesh) / 6;
    mesh_data_free(&mesh);
  }
  for (int n = 0; n < 5; n++)
    cr_expect(missing[n + 1] > 0 && missing[n] / missing[n + 1] > 3 && missing[n] / missing[n + 1] < 4.4,
              "missing %g, then %g", missing[n], missing[n + 1]);
}

/* A vertex that was made twice would leave the edges beside it open. */
Test(sphere, it_is_closed_with_five_or_six_triangles_at_every_vertex) {
  mesh_data mesh = sphere_of(1, 3);
  int *triangles = calloc((size_t)mesh.vertex_count, sizeof *triangles);
  for (int32_t c = 0; c < 3 * mesh.triangle_count; c++)
    triangles[mesh.triangles[c]]++;
  int fives = 0;
  for (int32_t v = 0; v < mesh.vertex_count; v++) {
    cr_expect(triangles[v] == 5 || triangles[v] == 6, "vertex %d has %d triangles", (int)v, triangles[v]);
    fives += triangles[v] == 5;
  }
  cr_expect_eq(fives, 12);
  free(triangles);
  mesh_data_free(&mesh);
}
