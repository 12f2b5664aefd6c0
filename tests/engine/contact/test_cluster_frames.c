#include "tests/support/surfaces.h"

#include "engine/contact/cluster_frames.h"

/* The planes of all leaves of a surface at rest. */
typedef struct planes {
  surface_mesh mesh;
  triangle_joins joins;
  cluster_frame *of;
  memory m;
} planes;

static planes planes_of(const surface *s) {
  planes p = {.m = {.allocator = memory_default_allocator(), .limit = SIZE_MAX}};
  const surface_definition from = surface_define(s);
  cr_assert(surface_mesh_make(&p.mesh, &p.m, &from));
  cr_assert(triangle_joins_make(&p.joins, &p.m, &p.mesh, NULL, 1));
  p.of = memory_allocate_items(&p.m, p.mesh.leaf_count, sizeof *p.of);
  for (int32_t leaf = 0; leaf < p.mesh.leaf_count; leaf++)
    cluster_frame_find(&p.of[leaf], &p.mesh.patches, &p.mesh, &p.joins, leaf);
  return p;
}

static void free_planes(planes *p) {
  memory_release(&p->m, p->of);
  triangle_joins_free(&p->joins, &p->m);
  surface_mesh_free(&p->mesh, &p->m);
  cr_assert_eq(p->m.used, 0);
}

/* A sheet in the plane y = 0.3 x + 0.2 z. */
static surface slanted_sheet(void) {
  surface s = {0};
  surface_add_sheet(&s, 7, 7, 0.01, 0.002);
  for (int32_t i = 0; i < s.particles; i++)
    s.rest[i].y = (msd_real)(0.3 * (double)s.rest[i].x + 0.2 * (double)s.rest[i].z);
  return s;
}

Test(cluster_frames, of_a_flat_sheet_are_its_own) {
  surface s = slanted_sheet();
  planes p = planes_of(&s);
  for (int32_t leaf = 0; leaf < p.mesh.leaf_count; leaf++) {
    const cluster_frame *plane = &p.of[leaf];
    if (!plane->has_triangles)
      continue;
    const double length = sqrt(1 + 0.3 * 0.3 + 0.2 * 0.2);
    cr_assert(plane->is_smooth);
    cr_assert_float_eq(fabs(plane->normal.y), 1 / length, 1e-5);
    cr_assert_float_eq(plane->normal.x, -0.3 * plane->normal.y, 1e-5);
    cr_assert_float_eq(plane->normal.z, -0.2 * plane->normal.y, 1e-5);
    cr_assert_lt(plane->steepest, 1e-4);
    for (int n = 0; n < 2; n++) {
      cr_assert_float_eq(double3_dot(plane->axis[n], plane->axis[n]), 1, 1e-12);
      cr_assert_float_eq(double3_dot(plane->axis[n], plane->normal), 0, 1e-12);
    }
    cr_assert_float_eq(double3_dot(plane->axis[0], plane->axis[1]), 0, 1e-12);
  }
  free_planes(&p);
  surface_free(&s);
}

/* The sum of weight times place is the gradient of any linear map, and so is what unfolds a triangle. */
Test(cluster_frames, the_gradient_of_a_linear_map_is_found_from_vertices_and_from_triangles) {
  surface s = slanted_sheet();
  planes p = planes_of(&s);
  const double3 map = {1.5, -0.7, 0.25};
  for (int32_t leaf = 0; leaf < p.mesh.leaf_count; leaf++) {
    const cluster_frame *plane = &p.of[leaf];
    if (!plane->has_triangles)
      continue;
    double sum[2] = {0, 0};
    for (int32_t v = leaf * SURFACE_BLOCK; v < (leaf + 1) * SURFACE_BLOCK; v++)
      for (int n = 0; n < 2; n++)
        sum[n] += (double)p.mesh.patches.fit[2 * v + n] * double3_dot(map, surface_mesh_rest(&p.mesh, v));
    for (int n = 0; n < 2; n++)
      cr_assert_float_eq(sum[n], double3_dot(map, plane->axis[n]), 1e-4);
    for (int32_t t = surface_mesh_first_place(&p.mesh, SURFACE_TRIANGLES, leaf);
         t < surface_mesh_first_place(&p.mesh, SURFACE_TRIANGLES, leaf + 1); t++) {
      double value[SURFACE_CORNERS];
      for (int corner = 0; corner < SURFACE_CORNERS; corner++)
        value[corner] =
            double3_dot(map, surface_mesh_rest(&p.mesh, surface_mesh_triangle_corner(&p.mesh, t, corner)));
      for (int n = 0; n < 2; n++)
        cr_assert_float_eq((value[1] - value[0]) * (double)p.mesh.patches.unfold[n][t] +
                               (value[2] - value[0]) * (double)p.mesh.patches.unfold[2 + n][t],
                           double3_dot(map, plane->axis[n]), 1e-4);
    }
  }
  free_planes(&p);
  surface_free(&s);
}

Test(cluster_frames, what_is_creased_or_flattened_or_branches_is_not_smooth) {
  for (int kind = 0; kind < 4; kind++) {
    surface s = {0};
    surface_add_sheet(&s, 4, 4, 0.01, 0.002);
    int32_t *corners = (int32_t *)s.pieces[0].triangles;
    for (int32_t i = 0; i < s.particles && kind == 1; i++)
      s.rest[i].y = i % 4 < 2 ? 0 : (msd_real)(0.03 * (i % 4 - 1));
    if (kind == 2)
      s.rest[5] = s.rest[6];
    if (kind == 3)
      memcpy(corners + 3 * 4, (int32_t[3]){0, 5, 3}, 3 * sizeof *corners);
    planes p = planes_of(&s);
    cr_assert_eq(p.mesh.leaf_count, 1);
    cr_assert_eq(p.of[0].is_smooth, kind == 0, "%d", kind);
    free_planes(&p);
    surface_free(&s);
  }
}
