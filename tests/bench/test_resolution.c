/* What scenes keep at other resolutions: their size, mass, material and what is held of them. */
#include "bench/resolution.h"

#include "tests/support/scene_text.h"

#include <criterion/criterion.h>
#include <math.h>

TestSuite(resolution, .init = enter_scratch_folder, .fini = leave_scratch_folder);

static scene *load_at(const char *text, int32_t side) {
  scene_error error;
  write_text("own.json", text);
  scene *s = resolution_load("own.json", side, &error);
  cr_assert_not_null(s, "%s", error.text);
  return s;
}

static void expect_size(const scene *s, double x, double y, double z) {
  const double wanted[3] = {x, y, z};
  double size[3];
  scene_body_size(s, &s->bodies[0], size);
  for (int c = 0; c < 3; c++)
    cr_expect_float_eq(size[c], wanted[c], 1e-6, "axis %d: %g m", c, size[c]);
}

static double stiffness(const scene *s, int body, const char *group) {
  const scene_body *b = &s->bodies[body];
  for (int g = 0; g < b->group_count; g++)
    if (strcmp(b->groups[g].name, group) == 0)
      return (double)msd_spring_get_def(s->world, b->groups[g].springs.first).stiffness;
  return NAN;
}

/* Its 3 x 3 in the middle are held. */
static const char cloth[] =
    "{ \"msd\": 1, \"bodies\": [ { \"type\": \"cloth\", \"name\": \"c\", \"u\": [2, 0, 0], \"v\": [0, -1, "
    "0], "
    "\"columns\": 21, \"rows\": 11, \"mass\": 0.3, \"pinned\": [93, 94, 95, 114, 115, 116, 135, 136, 137], "
    "\"stretch\": { \"stiffness\": 300, \"damping\": 0.02 } }, { \"type\": \"cloth\", \"name\": "
    "\"small\", "
    "\"origin\": [0, 1, 0], \"columns\": 6, \"rows\": 11, \"pinned\": [\"top\"] } ], "
    "\"animation\": [ { \"release\": [\"c\", 115], \"time\": 1 } ] }";

Test(resolution, the_largest_cloth_has_the_side_and_others_follow) {
  static const int32_t sides[] = {11, 21, 41};
  static const int32_t shapes[][4] = {{11, 6, 4, 6}, {21, 11, 6, 11}, {41, 21, 11, 21}};
  for (int n = 0; n < 3; n++) {
    scene *s = load_at(cloth, sides[n]);
    const scene_body *large = &s->bodies[0], *small = &s->bodies[1];
    cr_expect(large->columns == shapes[n][0] && large->rows == shapes[n][1]);
    cr_expect(small->columns == shapes[n][2] && small->rows == shapes[n][3], "%d x %d", small->columns,
              small->rows);
    cr_expect_float_eq(msd_world_get_stats(s->world).total_mass, 1.3, 1e-5);
    cr_expect_float_eq(stiffness(s, 0, "stretch"), 300, 1e-4, "side by side");
    expect_size(s, 2, 1, 0);
    scene_free(s);
  }
}

/* A distance of 0.1 m: particles at 0.15 m at most from the middle (1, -0.5), along each axis. */
Test(resolution, particles_that_are_named_by_number_are_where_they_were) {
  static const int32_t sides[] = {21, 41, 61, 11};
  for (int n = 0; n < 4; n++) {
    scene *s = load_at(cloth, sides[n]);
    const double apart = 2.0 / (sides[n] - 1);
    int32_t held = 0;
    for (int32_t i = 0; i < s->bodies[0].particles.count; i++) {
      const msd_vec3 at = msd_particle_get_position(s->world, i);
      const double away = fmax(fabs((double)at.x - 1), fabs((double)at.y + 0.5));
      const bool is_pinned = msd_particle_is_pinned(s->world, i);
      held += is_pinned;
      cr_expect(!is_pinned || away < 0.1501, "side %d: one at %g m", sides[n], away);
      cr_expect(is_pinned || away > 0.1499 - apart * 0.6, "side %d: none at %g m", sides[n], away);
    }
    cr_expect_gt(held, 0);
    cr_assert_eq(s->animation.event_count, 1);
    cr_expect_geq(s->animation.events[0].released_count, 1);
    cr_expect(msd_particle_is_pinned(s->world, s->animation.events[0].released[0]));
    scene_free(s);
  }
}

/* Springs one behind the other: what they give way, the sum of 1/k, stays. */
Test(resolution, ropes_become_finer_only_and_are_as_stiff_as_a_whole) {
  static const char text[] =
      "{ \"msd\": 1, \"bodies\": [ { \"type\": \"rope\", \"name\": \"r\", \"particles\": 11, \"mass\": 0.2, "
      "\"from\": [0, 0, 0], \"to\": [0, -1, 0], \"pinned\": [\"first\", \"last\"], \"stretch\": { "
      "\"stiffness\": 100, "
      "\"damping\": 1 }, \"bend\": { \"stiffness\": 5, \"damping\": 1 } }, { \"type\": \"particles\", "
      "\"name\": "
      "\"w\", \"position\": [[0, -0.5, 0.1]] } ], \"connections\": [ { \"between\": [\"r\", 5, \"w\", 0], "
      "\"stiffness\": 7, \"damping\": 0 } ] }";
  static const int32_t sides[] = {10, 25, 50, 100}, counts[] = {11, 11, 21, 41};
  for (int n = 0; n < 4; n++) {
    scene *s = load_at(text, sides[n]);
    const int32_t count = s->bodies[0].particles.count;
    cr_expect_eq(count, counts[n], "side %d: %d", sides[n], count);
    cr_expect_float_eq((count - 1) / stiffness(s, 0, "stretch"), 0.1, 1e-6);
    cr_expect_float_eq((count - 1) / stiffness(s, 0, "bend"), 2, 1e-5);
    cr_expect_float_eq(msd_world_get_stats(s->world).total_mass, 1.2, 1e-5);
    cr_expect(msd_particle_is_pinned(s->world, 0) && msd_particle_is_pinned(s->world, count - 1));
    cr_expect_eq(msd_world_get_stats(s->world).pinned, 2);
    const msd_spring_def joint = msd_spring_get_def(s->world, s->joints.first);
    cr_expect_eq(joint.a < joint.b ? joint.a : joint.b, (count - 1) / 2, "in the middle");
    cr_expect_float_eq((double)joint.stiffness, 7, 1e-6);
    expect_size(s, 0, 1, 0);
    scene_free(s);
  }
}

/* Of a quadrilateral of 4 vertices, 5 edges and 2 triangles: then V + E, 2 E + 3 T and 4 T of them. */
Test(resolution, meshes_have_each_triangle_in_four_and_those_of_colliders_do_not) {
  static const char text[] =
      "{ \"msd\": 1, \"bodies\": [ { \"type\": \"mesh\", \"file\": \"quad.obj\", \"area_density\": 0.5, "
      "\"pinned\": [\"top\"], \"stretch\": { \"stiffness\": 30, \"damping\": 0.1 } } ], \"contact\": { "
      "\"self_collision\": true }, \"colliders\": [ { \"type\": \"mesh\", \"file\": \"quad.obj\", "
      "\"position\": [0, 0, "
      "1] "
      "} ] }";
  static const int32_t sides[] = {2, 5, 10}, vertices[] = {4, 9, 25}, triangles[] = {2, 8, 32},
                       pins[] = {2, 3, 5};
  write_text("quad.obj", "v 0 0 0\nv 3 0 0\nv 3 2 0\nv 0 2 0\nf 1 2 3 4\n");
  for (int n = 0; n < 3; n++) {
    scene *s = load_at(text, sides[n]);
    cr_assert_eq(s->body_count, 2);
    cr_expect_eq(s->bodies[0].particles.count, vertices[n]);
    cr_expect_eq(s->bodies[0].triangle_count, triangles[n]);
    cr_expect_eq(s->bodies[1].triangle_count, 2);
    cr_expect_eq(msd_world_get_stats(s->world).pinned, pins[n] + 4, "those at the top, and the collider");
    cr_expect_float_eq(msd_world_get_stats(s->world).total_mass, 3, 1e-5);
    cr_expect_float_eq(stiffness(s, 0, "stretch"), 30, 1e-5);
    expect_size(s, 3, 2, 0);
    scene_free(s);
  }
}

Test(resolution, what_it_does_not_know_is_refused_by_name) {
  scene_error error;
  cr_expect_null(resolution_load("no_such_scene", 10, &error));
  cr_expect_not_null(strstr(error.text, "no_such_scene"));
  write_text("cut.json",
             "{ \"msd\": 1, \"bodies\": [ { \"type\": \"cloth\", \"name\": \"c\" } ], \"animation\": [ { "
             "\"cut\": [\"c\", 1], \"time\": 1 } ] }");
  cr_expect_null(resolution_load("cut.json", 10, &error));
  cr_expect_not_null(strstr(error.text, "cuts springs"), "%s", error.text);
  write_text("broken.json", "{ \"msd\": 1, ");
  cr_expect_null(resolution_load("broken.json", 10, &error));
  cr_expect_not_null(strstr(error.text, "broken.json"), "%s", error.text);
}
