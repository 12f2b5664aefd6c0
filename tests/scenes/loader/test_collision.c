#include "tests/support/scene_text.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

TestSuite(surface, .init = enter_scratch_folder, .fini = leave_scratch_folder);

static void corners(const scene *s, const scene_body *body, int32_t triangle, double p[3][3]) {
  for (int c = 0; c < 3; c++) {
    int32_t particle = body->triangles[3 * triangle + c];
    cr_assert(particle >= body->particles.first && particle < body->particles.first + body->particles.count);
    msd_vec3 v = msd_particle_get_position(s->world, particle);
    p[c][0] = (double)v.x;
    p[c][1] = (double)v.y;
    p[c][2] = (double)v.z;
  }
}

/* Twice the area, along the normal. */
static void normal(double p[3][3], double n[3]) {
  double a[3], b[3];
  for (int c = 0; c < 3; c++) {
    a[c] = p[1][c] - p[0][c];
    b[c] = p[2][c] - p[0][c];
  }
  n[0] = a[1] * b[2] - a[2] * b[1];
  n[1] = a[2] * b[0] - a[0] * b[2];
  n[2] = a[0] * b[1] - a[1] * b[0];
}

Test(surface, of_a_cloth_covers_it_once_and_faces_the_viewer) {
  scene *s = load_bodies(
      "{ \"type\": \"rope\" }, { \"type\": \"cloth\", \"u\": [2,0,0], \"v\": [0,-3,0], \"columns\": 5, "
      "\"rows\": 4 }");
  const scene_body *cloth = &s->bodies[1];
  cr_expect_eq(cloth->triangle_count, 2 * 4 * 3);
  double area = 0;
  for (int32_t t = 0; t < cloth->triangle_count; t++) {
    double p[3][3], n[3];
    corners(s, cloth, t, p);
    normal(p, n);
    cr_expect_gt(n[2], 0);
    area += n[2] / 2;
  }
  cr_expect_float_eq(area, 2 * 3, 1e-5);
  scene_free(s);
}

Test(surface, of_one_row_and_of_a_rope_are_segments) {
  scene *s = load_bodies(
      "{ \"type\": \"cloth\", \"columns\": 5, \"rows\": 1 }, { \"type\": \"rope\", \"particles\": 4 }");
  for (int b = 0; b < 2; b++) {
    const scene_body *body = &s->bodies[b];
    cr_expect_eq(body->triangle_count, 0);
    cr_assert_eq(body->segment_count, body->particles.count - 1);
    for (int32_t n = 0; n < body->segment_count; n++)
      cr_expect(body->segments[2 * n] == body->particles.first + n &&
                body->segments[2 * n + 1] == body->particles.first + n + 1);
  }
  scene_free(s);
}

/* The volume inside, by the divergence theorem: 1/6 of the sum of p0 . (p1 x p2). It is that of the box only
   when every triangle faces outward and none is missing. */
Test(surface, of_a_block_is_closed_and_faces_outward) {
  scene *s =
      load_bodies("{ \"type\": \"particles\", \"position\": [[9,9,9]] }, { \"type\": \"block\", \"origin\": "
                  "[1,2,3], \"size\": [2,1,3], \"cells\": [4,2,3] }");
  const scene_body *block = &s->bodies[1];
  cr_expect_eq(block->triangle_count, 4 * (4 * 2 + 2 * 3 + 3 * 4));
  double volume = 0, area = 0;
  for (int32_t t = 0; t < block->triangle_count; t++) {
    double p[3][3], n[3];
    corners(s, block, t, p);
    normal(p, n);
    volume += (p[0][0] * n[0] + p[0][1] * n[1] + p[0][2] * n[2]) / 6;
    area += sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]) / 2;
  }
  cr_expect_float_eq(volume, 2 * 1 * 3, 1e-5);
  cr_expect_float_eq(area, 2 * (2 * 1 + 1 * 3 + 3 * 2), 1e-5);
  scene_free(s);
}

Test(surface, of_a_mesh_is_its_triangles_in_the_numbers_of_the_world) {
  write_text("m.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 2 3 1\n");
  scene *s =
      load_bodies("{ \"type\": \"rope\", \"particles\": 7 }, { \"type\": \"mesh\", \"file\": \"m.obj\" }");
  cr_assert_eq(s->bodies[1].triangle_count, 1);
  cr_expect_eq(s->bodies[1].triangles[0], 7 + 1);
  cr_expect_eq(s->bodies[1].triangles[1], 7 + 2);
  cr_expect_eq(s->bodies[1].triangles[2], 7 + 0);
  scene_free(s);
}

/* Two tetrahedra that share a face: six of their eight faces, facing outward, around 1/6 + 1/3. */
Test(surface, of_a_tetmesh_is_what_no_two_tetrahedra_share) {
  write_text("t.node", "5 3 0 0\n0 0 0 0\n1 1 0 0\n2 0 1 0\n3 0 0 1\n4 1 1 1\n");
  write_text("t.ele", "2 4 0\n0 0 2 1 3\n1 1 2 3 4\n"); /* one of them inside out */
  scene *s = load_bodies("{ \"type\": \"rope\" }, { \"type\": \"tetmesh\", \"file\": \"t.node\" }");
  const scene_body *body = &s->bodies[1];
  cr_assert_eq(body->triangle_count, 6);
  double six = 0;
  for (int32_t t = 0; t < body->triangle_count; t++) {
    double p[3][3];
    corners(s, body, t, p);
    six += p[0][0] * (p[1][1] * p[2][2] - p[1][2] * p[2][1]) +
           p[0][1] * (p[1][2] * p[2][0] - p[1][0] * p[2][2]) +
           p[0][2] * (p[1][0] * p[2][1] - p[1][1] * p[2][0]);
  }
  cr_expect_float_eq(six, 3, 1e-6);
  scene_free(s);
}
