/* The triangles of what is built: closed where it has an inside, and facing out. */
#include <msd/msd.h>

#include <criterion/criterion.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 4096 };

static int32_t triangles[MOST][3];

/* Twice the vector areas summed, and six times the volume inside, by the divergence theorem. */
typedef struct measure {
  double area[3], six_volumes, area_sum;
} measure;

static measure measure_of(msd_world *world, int32_t count) {
  measure m = {{0, 0, 0}, 0, 0};
  for (int32_t t = 0; t < count; t++) {
    double p[3][3], n[3];
    for (int c = 0; c < 3; c++) {
      const msd_vec3 v = msd_particle_get_position(world, triangles[t][c]);
      p[c][0] = (double)v.x;
      p[c][1] = (double)v.y;
      p[c][2] = (double)v.z;
    }
    for (int i = 0; i < 3; i++) {
      const int j = (i + 1) % 3, k = (i + 2) % 3;
      n[i] = (p[1][j] - p[0][j]) * (p[2][k] - p[0][k]) - (p[1][k] - p[0][k]) * (p[2][j] - p[0][j]);
      m.area[i] += n[i];
    }
    m.six_volumes += p[0][0] * n[0] + p[0][1] * n[1] + p[0][2] * n[2];
    m.area_sum += sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]) / 2;
  }
  return m;
}

static msd_world *world_with_a_rope(void) {
  const msd_world_def def = msd_default_world_def();
  const msd_rope_def rope = msd_default_rope_def();
  msd_world *world = NULL;
  cr_assert_eq(msd_create_world(&def, &world), MSD_OK);
  cr_assert_eq(msd_add_rope(world, &rope, NULL), MSD_OK);
  return world;
}

Test(skin, of_a_cloth_covers_it_once_and_faces_the_viewer) {
  msd_world *world = world_with_a_rope();
  msd_cloth_def def = msd_default_cloth_def();
  def.u = (msd_vec3){2, 0, 0};
  def.v = (msd_vec3){0, -3, 0};
  def.columns = 5;
  def.rows = 4;
  msd_body body;
  int32_t count = 0;
  cr_assert_eq(msd_add_cloth(world, &def, &body), MSD_OK);
  cr_assert_eq(msd_cloth_get_triangles(&def, body.particles.first, triangles[0], MOST, &count), MSD_OK);
  cr_expect_eq(count, 2 * 4 * 3);
  const measure m = measure_of(world, count);
  cr_expect_float_eq(m.area[2] / 2, 6, 1e-5);
  cr_expect_float_eq(m.area_sum, 6, 1e-5);
  msd_destroy_world(world);
}

Test(skin, of_a_block_is_closed_and_faces_out) {
  msd_world *world = world_with_a_rope();
  msd_block_def def = msd_default_block_def();
  def.size = (msd_vec3){2, 1, 3};
  def.cells[0] = 4;
  def.cells[1] = 2;
  def.cells[2] = 3;
  msd_body body;
  int32_t count = 0;
  cr_assert_eq(msd_add_block(world, &def, &body), MSD_OK);
  cr_assert_eq(msd_block_get_triangles(&def, body.particles.first, triangles[0], MOST, &count), MSD_OK);
  cr_expect_eq(count, 4 * (4 * 2 + 2 * 3 + 3 * 4));
  const measure m = measure_of(world, count);
  cr_expect_float_eq(m.six_volumes / 6, 6, 1e-5);
  cr_expect_float_eq(m.area_sum, 22, 1e-5);
  msd_destroy_world(world);
}

/* A cube of five tetrahedra, some of them inside out: a skin of twelve triangles. */
Test(skin, of_tetrahedra_is_what_no_two_share_whichever_way_they_go_round) {
  static const int32_t five[] = {1, 2, 4, 7, 0, 1, 2, 4, 3, 2, 1, 7, 5, 4, 7, 1, 6, 4, 2, 7};
  msd_vec3 vertices[8];
  int32_t corners[20], count = 0;
  for (int i = 0; i < 8; i++)
    vertices[i] = (msd_vec3){(msd_real)(i & 1), (msd_real)(i >> 1 & 1), (msd_real)(i >> 2)};
  for (int turned = 0; turned < 32; turned++) {
    memcpy(corners, five, sizeof corners);
    for (int t = 0; t < 5; t++)
      if (turned >> t & 1) {
        corners[4 * t] = five[4 * t + 1];
        corners[4 * t + 1] = five[4 * t];
      }
    msd_tetmesh_def def = msd_default_tetmesh_def();
    def.vertices = vertices;
    def.vertex_count = 8;
    def.tetrahedra = corners;
    def.tetrahedron_count = 5;
    msd_world *world = world_with_a_rope();
    msd_body body;
    cr_assert_eq(msd_add_tetmesh(world, &def, &body), MSD_OK);
    cr_assert_eq(msd_tetmesh_get_triangles(&def, body.particles.first, triangles[0], MOST, &count), MSD_OK);
    cr_assert_eq(count, 12);
    const measure m = measure_of(world, count);
    cr_expect_float_eq(m.six_volumes / 6, 1, 1e-6, "%d", turned);
    cr_expect_float_eq(m.area_sum, 6, 1e-6);
    msd_destroy_world(world);
  }
}

Test(skin, of_a_mesh_is_its_own_and_no_more_is_written_than_there_is_room_for) {
  static const msd_vec3 vertices[] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
  static const int32_t given[] = {0, 1, 2, 2, 3, 0};
  msd_mesh_def def = msd_default_mesh_def();
  def.vertices = vertices;
  def.vertex_count = 4;
  def.triangles = given;
  def.triangle_count = 2;
  int32_t to[6] = {-1, -1, -1, -1, -1, -1}, count = 0;
  cr_assert_eq(msd_mesh_get_triangles(&def, 100, to, 1, &count), MSD_OK);
  const int32_t first[] = {100, 101, 102, -1, -1, -1};
  cr_expect(count == 2 && memcmp(to, first, sizeof to) == 0);
  cr_assert_eq(msd_mesh_get_triangles(&def, 0, NULL, 0, &count), MSD_OK);
  cr_expect_eq(count, 2);
}

Test(skin, of_what_cannot_be_built_is_refused) {
  msd_cloth_def cloth = msd_default_cloth_def();
  msd_block_def block = msd_default_block_def();
  msd_mesh_def mesh = msd_default_mesh_def();
  msd_tetmesh_def tetmesh = msd_default_tetmesh_def();
  int32_t count = -7;
  cr_expect_eq(msd_cloth_get_triangles(NULL, 0, NULL, 0, &count), MSD_UNINITIALIZED_DEF);
  cr_expect_eq(msd_block_get_triangles(&(msd_block_def){.cells = {1, 1, 1}}, 0, NULL, 0, &count),
               MSD_UNINITIALIZED_DEF);
  cr_expect_eq(msd_mesh_get_triangles(NULL, 0, NULL, 0, &count), MSD_UNINITIALIZED_DEF);
  cr_expect_eq(msd_tetmesh_get_triangles(NULL, 0, NULL, 0, &count), MSD_UNINITIALIZED_DEF);
  cr_expect_eq(msd_cloth_get_triangles(&cloth, 0, NULL, 0, NULL), MSD_BAD_VALUE);
  cr_expect_eq(msd_cloth_get_triangles(&cloth, -1, NULL, 0, &count), MSD_BAD_VALUE);
  cloth.columns = cloth.rows = 1 << 16;
  cr_expect_eq(msd_cloth_get_triangles(&cloth, 0, NULL, 0, &count), MSD_TOO_LARGE);
  cloth.rows = 0;
  cr_expect_eq(msd_cloth_get_triangles(&cloth, 0, NULL, 0, &count), MSD_BAD_VALUE);
  block.cells[1] = INT32_MAX;
  cr_expect_eq(msd_block_get_triangles(&block, 0, NULL, 0, &count), MSD_TOO_LARGE);
  block.cells[1] = 0;
  cr_expect_eq(msd_block_get_triangles(&block, 0, NULL, 0, &count), MSD_BAD_VALUE);
  cr_expect_eq(msd_mesh_get_triangles(&mesh, 0, NULL, 0, &count), MSD_BAD_VALUE, "without triangles");
  cr_expect_eq(msd_tetmesh_get_triangles(&tetmesh, 0, NULL, 0, &count), MSD_BAD_VALUE);
  const msd_vec3 vertices[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  const int32_t corners[4] = {0, 1, 2, 4};
  tetmesh.vertices = mesh.vertices = vertices;
  tetmesh.vertex_count = mesh.vertex_count = 4;
  tetmesh.tetrahedra = corners;
  tetmesh.tetrahedron_count = 1;
  mesh.triangles = corners + 1;
  mesh.triangle_count = 1;
  cr_expect_eq(msd_tetmesh_get_triangles(&tetmesh, 0, NULL, 0, &count), MSD_BAD_VALUE, "a corner too far");
  cr_expect_eq(msd_mesh_get_triangles(&mesh, 0, NULL, 0, &count), MSD_BAD_VALUE);
  mesh.triangles = corners;
  cr_expect_eq(msd_mesh_get_triangles(&mesh, INT32_MAX - 2, NULL, 0, &count), MSD_TOO_LARGE);
  cr_expect_eq(count, -7);
}
