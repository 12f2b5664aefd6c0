/* How far a mesh is simplified for substeps. */
#include "scenes/meshes/decimation.h"
#include "scenes/meshes/sphere.h"

#include <criterion/criterion.h>

#include <math.h>

static const double FRAME = 1.0 / 64;

/* A sphere of 642 vertices, of which one sixteenth of the surface is drawn together to a tenth. */
static mesh_data uneven_sphere(void) {
  mesh_data sphere = {0};
  cr_assert(sphere_make(1, 3, &sphere));
  for (int32_t v = 0; v < sphere.vertex_count; v++) {
    msd_vec3 *at = &sphere.vertices[v];
    const double height = (double)at->z, shrunk = height > 0.75 ? 0.1 + 3.6 * (1 - height) : 1;
    at->x *= (msd_real)shrunk;
    at->y *= (msd_real)shrunk;
  }
  return sphere;
}

static msd_mesh_def shell(void) {
  msd_mesh_def def = msd_default_mesh_def();
  def.stretch.stiffness = 1000;
  def.stretch.damping = 0;
  def.stretch.law = MSD_SPRING_STIFFNESS;
  return def;
}

static int32_t substeps_of(const mesh_cage *cage, msd_mesh_def def) {
  const msd_world_def settings = msd_default_world_def();
  msd_world *world;
  int32_t substeps;
  def.vertices = cage->vertices;
  def.vertex_count = cage->vertex_count;
  def.triangles = cage->triangles;
  def.triangle_count = cage->triangle_count;
  cr_assert_eq(msd_create_world(&settings, &world), MSD_OK);
  cr_assert_eq(msd_add_mesh(world, &def, NULL), MSD_OK);
  for (int32_t v = 0; v < cage->vertex_count && cage->masses[0] > 0; v++)
    cr_assert_eq(msd_particle_set_mass(world, v, (msd_real)cage->masses[v]), MSD_OK);
  cr_assert_eq(msd_world_find_substeps(world, (msd_real)FRAME, &substeps), MSD_OK);
  msd_destroy_world(world);
  return substeps;
}

Test(decimation, reaches_the_substeps_that_were_asked_for) {
  mesh_data sphere = uneven_sphere();
  const msd_mesh_def def = shell();
  mesh_cage cage;
  cr_assert(mesh_cage_make(&sphere, &cage));
  const int32_t before = substeps_of(&cage, def);
  for (int32_t wanted = before - 2; wanted > before / 2; wanted -= 3) {
    scene_error error;
    int32_t substeps = wanted;
    cr_assert(decimate_cage(&cage, &def, FRAME, &substeps, &error), "%s", error.text);
    cr_expect_eq(substeps, wanted);
    cr_expect_leq(substeps_of(&cage, def), wanted);
    cr_expect_eq(2 * cage.vertex_count - cage.triangle_count, 4, "it is still a sphere");
  }
  cr_expect_lt(cage.vertex_count, sphere.vertex_count);
  mesh_cage_free(&cage);
  mesh_data_free(&sphere);
}

Test(decimation, finds_what_half_of_the_vertices_ask_for) {
  mesh_data sphere = uneven_sphere();
  const msd_mesh_def def = shell();
  mesh_cage cage;
  scene_error error;
  int32_t substeps = 0;
  cr_assert(mesh_cage_make(&sphere, &cage));
  const int32_t before = substeps_of(&cage, def);
  cr_assert(decimate_cage(&cage, &def, FRAME, &substeps, &error), "%s", error.text);
  cr_expect(substeps > 1 && substeps < before, "%d of %d", (int)substeps, (int)before);
  cr_expect_leq(substeps_of(&cage, def), substeps);
  mesh_cage_free(&cage);
  mesh_data_free(&sphere);
}

Test(decimation, a_body_that_cannot_be_says_why) {
  mesh_data sphere = uneven_sphere();
  msd_mesh_def def = shell();
  mesh_cage cage;
  scene_error error;
  int32_t substeps = 5;
  def.area_density = -1;
  cr_assert(mesh_cage_make(&sphere, &cage));
  cr_expect_not(decimate_cage(&cage, &def, FRAME, &substeps, &error));
  cr_expect_not_null(strstr(error.text, "area_density"), "%s", error.text);
  mesh_cage_free(&cage);
  mesh_data_free(&sphere);
}
