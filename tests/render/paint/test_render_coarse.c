/* Coarse surfaces: fewer triangles that cover what the fine ones do. */
#include "tests/support/render_stage.h"

#include "render/paint/coarse.h"

#include <math.h>

static void take_corner(const stage *st, uint32_t vertex, double at[2]) {
  const msd_vec3 x = msd_particle_get_position(st->scene.world, (int32_t)vertex);
  at[0] = (double)x.x, at[1] = (double)x.y;
}

/* m^2, of a triangle in the plane z = 0; above 0 where its front is towards +z. */
static double area(const stage *st, const uint32_t triangle[3]) {
  double a[2], b[2], c[2];
  take_corner(st, triangle[0], a);
  take_corner(st, triangle[1], b);
  take_corner(st, triangle[2], c);
  return ((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])) / 2;
}

static bool has_vertex(const coarse *c, uint32_t vertex) {
  bool has = false;
  for (int32_t i = 0; i < c->vertex_count; i++)
    has = has || c->vertices[i] == (int32_t)vertex;
  return has;
}

/* Triangles that all have their front towards +z, and whose areas add up to no more than that of the cloth, do
   not overlap. What is lacking is a border of less than an edge of theirs. */
Test(coarse, a_flat_cloth_is_covered_by_few_triangles_that_do_not_overlap) {
  static const int32_t limits[] = {100, 30};
  static const double least[] = {0.8, 0.6};
  for (int n = 0; n < 2; n++) {
    stage st;
    topology t;
    coarse c;
    make_cloth(&st, nowhere);
    cr_assert(topology_make(&st.scene, 2, &t));
    cr_assert(coarse_make(&c, &t, limits[n]));
    cr_expect(c.vertex_count < 2 * limits[n], "%d vertices for %d", (int)c.vertex_count, (int)limits[n]);
    cr_expect(c.index_count > 0 && c.index_count < 3 * 2 * c.vertex_count);
    double sum = 0;
    for (int32_t i = 0; i < c.index_count; i += 3) {
      const double one = area(&st, c.indices + i);
      cr_expect_gt(one, 0, "triangle %d of %d", (int)i / 3, (int)c.index_count / 3);
      for (int corner = 0; corner < 3; corner++)
        cr_expect(has_vertex(&c, c.indices[i + corner]));
      sum += one;
    }
    cr_expect(sum >= 2 * least[n] && sum <= 2 * (1 + 1e-5), "%g of 2 m^2 for %d", sum, (int)limits[n]);
    cr_expect(c.surfaces[0].first == 0 && c.surfaces[0].count == c.index_count && c.surfaces[0].body == 0);
    coarse_free(&c);
    topology_free(&t);
    stage_free(&st);
  }
}

Test(coarse, what_has_few_vertices_is_what_it_was) {
  stage st;
  topology t;
  coarse c;
  make_cloth(&st, nowhere);
  cr_assert(topology_make(&st.scene, 2, &t));
  cr_assert(coarse_make(&c, &t, 231));
  cr_assert_eq(c.index_count, t.index_count);
  cr_expect_eq(memcmp(c.indices, t.indices, (size_t)t.index_count * sizeof *t.indices), 0);
  cr_expect_eq(c.vertex_count, t.creases.vertex_count);
  coarse_free(&c);
  topology_free(&t);
  stage_free(&st);
}

/* Two bodies, each of its own particles, in one place. */
Test(coarse, layers_that_lie_on_each_other_stay_apart) {
  stage st;
  topology t;
  coarse c;
  make_cloth(&st, nowhere);
  msd_cloth_def def = msd_default_cloth_def();
  def.columns = 21;
  def.rows = 11;
  cr_assert(msd_add_cloth(st.scene.world, &def, NULL) == MSD_OK);
  scene_body bodies[] = {st.body, st.body};
  bodies[1].particles.first = 231;
  bodies[1].springs.first = bodies[1].springs.count = bodies[1].group_count = 0;
  bodies[1].triangles = malloc(sizeof(int32_t) * 3 * (size_t)st.body.triangle_count);
  cr_assert_not_null(bodies[1].triangles);
  for (int32_t i = 0; i < 3 * st.body.triangle_count; i++)
    bodies[1].triangles[i] = st.body.triangles[i] + 231;
  for (int32_t i = 0; i < 231; i++)
    cr_assert(msd_particle_set_position(st.scene.world, 231 + i,
                                        msd_particle_get_position(st.scene.world, i)) == MSD_OK);
  st.scene.bodies = bodies;
  st.scene.body_count = 2;
  cr_assert(topology_make(&st.scene, 2, &t));
  cr_assert(coarse_make(&c, &t, 80));
  cr_expect(c.surfaces[0].count > 0 && c.surfaces[1].count > 0);
  cr_expect_eq(c.surfaces[1].first, c.surfaces[0].count);
  for (int32_t i = 0; i < c.index_count; i++)
    cr_expect_eq(c.indices[i] < 231, i < c.surfaces[0].count);
  coarse_free(&c);
  topology_free(&t);
  free(bodies[1].triangles);
  stage_free(&st);
}
