#include "tests/support/render_solids.h"

#include "render/paint/creases.h"

/* Each corner of a cube is part of three faces. The diagonals of the faces are smooth, all other edges are
   sharp. */
Test(creases, a_cube_has_the_edges_of_a_cube) {
  stage st;
  creases c;
  make_cube(&st, nowhere);
  cr_assert(creases_find(&st.scene, NULL, &c));
  cr_expect_eq(c.vertex_count, 24);
  cr_expect_eq(c.edges.count, 12);
  for (int32_t i = 0; i < c.edges.count; i++) {
    int32_t differs = c.edges.edges[i].low ^ c.edges.edges[i].high;
    cr_expect(differs == 1 || differs == 2 || differs == 4, "%d to %d is no edge of the cube",
              c.edges.edges[i].low, c.edges.edges[i].high);
  }
  cr_expect_not(c.is_sheet[0]);
  creases_free(&c);
  stage_free(&st);
}

Test(creases, each_corner_of_a_triangle_has_a_vertex_of_its_particle) {
  stage st;
  creases c;
  make_cube(&st, nowhere);
  cr_assert(creases_find(&st.scene, NULL, &c));
  for (int32_t i = 0; i < 8; i++)
    cr_expect_eq(c.points[i], i);
  cr_assert_eq(c.corner_count, 36);
  for (int32_t i = 0; i < c.corner_count; i++)
    cr_expect_eq(c.points[c.corners[i]], st.body.triangles[i]);
  creases_free(&c);
  stage_free(&st);
}

/* The two triangles of a face share the vertices on their diagonal, and no two faces share any. */
Test(creases, a_face_has_vertices_of_its_own) {
  stage st;
  creases c;
  make_cube(&st, nowhere);
  cr_assert(creases_find(&st.scene, NULL, &c));
  for (int32_t a = 0; a < c.corner_count; a++)
    for (int32_t b = 0; b < c.corner_count; b++)
      if (st.body.triangles[a] == st.body.triangles[b])
        cr_expect_eq(c.corners[a] == c.corners[b], a / 6 == b / 6);
  creases_free(&c);
  stage_free(&st);
}

/* The angle from face to face is 45 degrees, and 60. */
Test(creases, a_tube_of_eight_sides_is_round_and_one_of_six_is_not) {
  for (int sides = 6; sides <= 8; sides += 2) {
    stage st;
    creases c;
    make_tube(&st, sides);
    cr_assert(creases_find(&st.scene, NULL, &c));
    cr_expect_eq(c.vertex_count, sides == 8 ? 16 : 24);
    cr_expect_eq(edge_set_has(&c.edges, 0, 1), sides == 6);
    cr_expect(edge_set_has(&c.edges, 0, 2), "the lower border");
    cr_expect_not(edge_set_has(&c.edges, 1, 2), "a diagonal");
    creases_free(&c);
    stage_free(&st);
  }
}

Test(creases, a_surface_with_a_border_is_a_sheet) {
  stage st;
  creases c;
  make_cloth(&st, nowhere);
  cr_assert(creases_find(&st.scene, NULL, &c));
  cr_expect(c.is_sheet[0]);
  cr_expect_eq(c.vertex_count, 231, "a flat cloth is smooth");
  cr_expect_eq(c.edges.count, 2 * (20 + 10), "its border");
  creases_free(&c);
  stage_free(&st);
}

/* Their normals would cancel out. */
Test(creases, triangles_that_face_opposite_ways_do_not_share_normals) {
  static const msd_vec3 at[] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}};
  static const int32_t corners[] = {0, 1, 2, 1, 2, 3};
  stage st;
  creases c;
  stage_make(&st, "mesh", nowhere);
  add_surface(&st, at, 4, corners, 2);
  cr_assert(creases_find(&st.scene, NULL, &c));
  cr_expect_eq(c.vertex_count, 6);
  creases_free(&c);
  stage_free(&st);
}

Test(creases, degenerate_triangles_are_smooth) {
  static const msd_vec3 at[] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 0, 0}};
  static const int32_t corners[] = {0, 1, 2, 1, 0, 3};
  stage st;
  creases c;
  stage_make(&st, "mesh", nowhere);
  add_surface(&st, at, 4, corners, 2);
  cr_assert(creases_find(&st.scene, NULL, &c));
  cr_expect_eq(c.vertex_count, 4);
  creases_free(&c);
  stage_free(&st);
}

Test(creases, an_empty_scene_has_none) {
  stage st;
  creases c;
  stage_make(&st, "particles", nowhere);
  cr_assert(creases_find(&st.scene, NULL, &c));
  cr_expect(c.vertex_count == 0 && c.corner_count == 0 && c.edges.count == 0);
  creases_free(&c);
  stage_free(&st);
}
