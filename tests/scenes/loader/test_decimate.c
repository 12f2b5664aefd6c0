/* The key "decimate" of meshes, and what is shown of them. */
#define _POSIX_C_SOURCE 200809L
#include "scenes/loader/render_points.h"
#include "tests/support/scene_text.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SIDE = 15, FINE = 4 };

/* A sheet whose columns are a meter apart, but for the first, which are FINE times as close. */
static double column_at(int i) {
  return i < 7 ? (double)i / FINE : 7.0 / FINE + (i - 7);
}

static void enter_with_sheet(void) {
  enum { TEXT = 60000 };
  static char text[TEXT];
  char *at = text;
  enter_scratch_folder();
  at += snprintf(at, TEXT / 2, "vt 0 0\nvt 1 0\nvt 0 1\n");
  for (int i = 0; i < SIDE * SIDE; i++)
    at += snprintf(at, TEXT / 2, "v %.6f %.6f %.3f\n", column_at(i % SIDE), column_at(i / SIDE),
                   0.02 * (i % 3));
  at += snprintf(at, TEXT / 2, "g first\n");
  for (int i = 0; i < (SIDE - 1) * (SIDE - 1); i++) {
    const int a = i / (SIDE - 1) * SIDE + i % (SIDE - 1) + 1;
    at += snprintf(at, TEXT / 2, "f %d/1 %d/2 %d/3\nf %d/1 %d/2 %d/3\n%s", a, a + 1, a + SIDE, a + SIDE,
                   a + 1, a + SIDE + 1, i == 0 ? "g others\n" : "");
  }
  write_text("sheet.obj", text);
}

TestSuite(decimate, .init = enter_with_sheet, .fini = leave_scratch_folder);

#define SHEET(more)                                                                                          \
  "{ \"type\": \"mesh\", \"file\": \"sheet.obj\", \"stretch\": { \"stiffness\": 1e5 }" more " }"

static int32_t substeps_of(const scene *s) {
  int32_t substeps;
  cr_assert_eq(msd_world_find_substeps(s->world, (msd_real)s->frame_time, &substeps), MSD_OK);
  return substeps;
}

Test(decimate, a_mesh_becomes_simpler_weighs_the_same_and_takes_the_substeps) {
  scene *plain = load_bodies(SHEET(""));
  const int32_t before = substeps_of(plain);
  char text[256];
  snprintf(text, sizeof text, SHEET(", \"decimate\": %d"), (int)before / 2);
  scene *s = load_bodies(text);
  const scene_body *body = &s->bodies[0];
  cr_expect_leq(substeps_of(s), before / 2);
  cr_expect_lt(body->particles.count, SIDE * SIDE);
  cr_expect_eq(body->skin.count, SIDE * SIDE);
  cr_expect_eq(body->skin.substeps, before / 2);
  cr_expect_eq(body->skin.triangle_count, 2 * (SIDE - 1) * (SIDE - 1));
  cr_expect_float_eq(body->skin.area_kept, 1, 0.02);
  cr_expect_lt(body->skin.furthest, 2);
  cr_expect_float_eq(msd_world_get_stats(s->world).total_mass / msd_world_get_stats(plain->world).total_mass,
                     1, 1e-5);
  scene_free(s);
  scene_free(plain);
}

Test(decimate, to_the_median_is_a_word) {
  scene *s = load_bodies(SHEET(", \"decimate\": \"median\""));
  cr_expect_gt(s->bodies[0].skin.substeps, 1);
  cr_expect_leq(substeps_of(s), s->bodies[0].skin.substeps);
  scene_free(s);
}

/* Vertices keep their numbers and groups: each means what it was merged into. */
Test(decimate, pins_by_index_and_group_hold_what_the_vertices_became) {
  scene *s = load_bodies(SHEET(", \"decimate\": \"median\", \"pinned\": [0, 17, { \"group\": \"first\" }]"));
  const scene_body *body = &s->bodies[0];
  cr_assert_not_null(body->particle_of_vertex);
  static const int32_t pinned[] = {0, 1, SIDE, 17};
  for (size_t n = 0; n < COUNT_OF(pinned); n++)
    cr_expect(msd_particle_is_pinned(s->world, body->particle_of_vertex[pinned[n]]), "vertex %d",
              (int)pinned[n]);
  int count = 0;
  for (int32_t i = 0; i < body->particles.count; i++)
    count += msd_particle_is_pinned(s->world, i);
  cr_expect(count >= 1 && count <= 5, "%d", count);
  scene_free(s);
}

Test(decimate, the_vertices_of_the_file_are_what_is_shown_where_they_were) {
  scene *s = load_bodies("{ \"type\": \"rope\" }, " SHEET(", \"decimate\": \"median\""));
  const scene_body *body = &s->bodies[1];
  const int32_t particles = msd_world_get_particle_count(s->world);
  render_points shown;
  cr_assert(render_points_open(&shown, s));
  cr_expect_eq(shown_point_count(s), particles + SIDE * SIDE);
  cr_expect_eq(shown.positions.count, particles + SIDE * SIDE);
  const msd_range range = shown_range(body);
  cr_expect(range.first == particles && range.count == SIDE * SIDE);
  for (int i = 0; i < SIDE * SIDE; i++) {
    const msd_vec3 at = msd_view_at(shown.positions, range.first + i);
    cr_expect_float_eq((double)at.x, column_at(i % SIDE), 1e-5, "vertex %d", i);
    cr_expect_float_eq((double)at.y, column_at(i / SIDE), 1e-5);
    const int32_t near = shown_particle(s, range.first + i);
    cr_expect(near >= body->particles.first && near < body->particles.first + body->particles.count);
  }
  for (int32_t c = 0; c < 3 * shown_triangle_count(body); c++)
    cr_expect(shown_triangles(s, body)[c] >= range.first &&
              shown_triangles(s, body)[c] < range.first + range.count);
  cr_expect_eq(shown_particle(s, 3), 3, "a particle is itself");
  cr_expect_eq(shown_range(&s->bodies[0]).first, 0);
  cr_assert_eq(msd_world_step(s->world, (msd_real)s->frame_time, 0), MSD_OK);
  render_points_update(&shown);
  const msd_vec3 v = msd_view_at(shown.velocities, range.first + 7);
  cr_expect_float_eq((double)v.y, -9.81 * s->frame_time, 1e-3, "it falls with what it follows");
  render_points_close(&shown);
  scene_free(s);
}

Test(decimate, without_it_the_particles_are_shown) {
  scene *s = load_bodies(SHEET(""));
  render_points shown;
  cr_assert(render_points_open(&shown, s));
  cr_expect_eq(shown_point_count(s), SIDE * SIDE);
  cr_expect_eq(shown.positions.x, msd_world_get_positions(s->world).x, "without a copy");
  cr_expect_eq(shown_triangles(s, &s->bodies[0]), s->bodies[0].triangles);
  cr_expect_null(s->bodies[0].skin.points);
  render_points_close(&shown);
  scene_free(s);
}

Test(decimate, what_no_vertex_asks_for_more_than_is_left_as_it_is) {
  scene *s = load_bodies(SHEET(", \"decimate\": 100000"));
  cr_expect_null(s->bodies[0].skin.points);
  cr_expect_eq(s->bodies[0].particles.count, SIDE * SIDE);
  scene_free(s);
}

Test(decimate, numbers_that_are_none_are_refused) {
  static const bad_text cases[] = {
      {"0", "bodies[0].decimate", "a whole number of 1 or more, or \"median\""},
      {"1.5", "bodies[0].decimate", "a whole number of 1 or more, or \"median\""},
      {"\"mean\"", "bodies[0].decimate", "a whole number of 1 or more, or \"median\""},
  };
  expect_refused(
      cases, COUNT_OF(cases),
      "{\"msd\": 1, \"bodies\": [ { \"type\": \"mesh\", \"file\": \"sheet.obj\", \"decimate\": %s } ] }");
}
