#include "tests/support/scene_text.h"

#include <criterion/criterion.h>
#include <math.h>

TestSuite(collider_mesh, .init = enter_scratch_folder, .fini = leave_scratch_folder);

/* A square of 2 m around y, and a needle 1 m high in its middle; one corner stands in the file twice. */
static const char *const SQUARE = "v -1 0 -1\nv -1 0 1\nv 1 0 1\nv 1 0 -1\nv -1 0 -1\nv 0 0 0\nv 0 1 0\n"
                                  "f 1 2 3\nf 5 3 4\nl 6 7\n";

/* Before it a cloth 0.1 m above, and a sphere. */
#define FRAME                                                                                                \
  "{ \"msd\": 1, \"frame_time\": 0.015625, \"substeps\": 16, \"bodies\": [ { \"type\": \"cloth\", "          \
  "\"name\": "                                                                                               \
  "\"c\", \"origin\": [-0.5, 0.1, -0.5], \"u\": [0.4, 0, 0], \"v\": [0, 0, 1], \"columns\": 5, \"rows\": "   \
  "9, "                                                                                                      \
  "\"mass\": 0.5, \"stretch\": { \"stiffness\": 100 } } ], \"colliders\": [ { \"type\": \"mesh\", %s "       \
  "\"file\": \"m.obj\" }, { \"type\": \"sphere\", \"name\": \"s\", \"position\": [9, 9, 9] } ] }"

static scene *load(const char *members) {
  write_text("m.obj", SQUARE);
  return load_framed(FRAME, members);
}

static void expect_at(const scene *s, int32_t vertex, double x, double y, double z) {
  const msd_vec3 at = msd_particle_get_position(s->world, s->bodies[1].particles.first + vertex);
  cr_expect(fabs((double)at.x - x) < 1e-6 && fabs((double)at.y - y) < 1e-6 && fabs((double)at.z - z) < 1e-6,
            "vertex %d is at %g %g %g", vertex, (double)at.x, (double)at.y, (double)at.z);
}

Test(collider_mesh, it_is_a_body_of_pins_without_mass_that_is_scaled_turned_and_moved) {
  scene *s = load("\"name\": \"table\", \"friction\": 0.25, \"scale\": [3, 2, 1], \"rotation\": [0, 0, 90], "
                  "\"position\": [0, 5, 0],");
  cr_assert_eq(s->body_count, 2);
  const scene_body *body = &s->bodies[1];
  cr_expect(body->is_collider && scene_has_mesh_collider(s));
  cr_expect_str_eq(body->name, "table");
  cr_expect(body->particles.first == 45 && body->particles.count == 6);
  cr_expect(body->triangle_count == 2 && body->segment_count == 1 && body->particle_of_vertex[4] == 45);
  expect_at(s, 2, 0, 8, 1); /* 3 0 1 turned */
  expect_at(s, 5, -2, 5, 0);
  for (int32_t i = 0; i < 6; i++)
    cr_expect(msd_particle_is_pinned(s->world, 45 + i));
  const msd_stats stats = msd_world_get_stats(s->world);
  cr_expect_float_eq(stats.total_mass, 0.5, 1e-6);
  const msd_collision_mesh_def surface = msd_collision_mesh_get_def(s->world, body->surface.number);
  cr_expect(surface.triangle_count == 2 && surface.segment_count == 1 && surface.friction == (msd_real)0.25);
  cr_expect(s->collider_count == 1 && msd_world_get_collider_count(s->world) == 1);
  cr_expect_str_eq(s->colliders[0].name, "s");
  char text[80];
  scene_describe_particle(s, 47, text, sizeof text);
  cr_expect_str_eq(text, "collider \"table\" vertex 2");
  scene_free(s);
}

Test(collider_mesh, bodies_touch_it_also_where_they_do_not_touch_each_other) {
  scene *s = load("");
  const int32_t cloth = s->bodies[0].surface.number, mesh = s->bodies[1].surface.number;
  cr_expect_str_eq(s->bodies[1].name, "mesh 1");
  cr_expect(msd_collision_mesh_excludes(s->world, cloth, cloth) &&
            msd_collision_mesh_excludes(s->world, mesh, mesh));
  cr_expect_not(msd_collision_mesh_excludes(s->world, cloth, mesh));
  for (int frame = 0; frame < 64; frame++)
    cr_assert_eq(scene_step(s, s->frame_time, s->substeps), MSD_OK, "%s", msd_world_message(s->world));
  for (int32_t i = 0; i < 45; i++) {
    const double y = (double)msd_particle_get_position(s->world, i).y;
    cr_expect(y > 0.0045 && y < 0.0075, "particle %d of the cloth lies at %g m", i, y);
  }
  scene_free(s);
}

/* A lift that turns: at 1 m/s, and by 90 degrees in a second. */
Test(collider_mesh, it_is_where_its_keys_say_at_the_end_of_each_frame_and_carries_what_lies_on_it) {
  scene *s = load("\"friction\": 1, \"position\": [9, 9, 9], \"keyframes\": [ { \"time\": 0, \"position\": "
                  "[0, 0, 0] }, { "
                  "\"time\": 1, \"position\": [0, 1, 0], \"rotation\": [0, 90, 0] } ],");
  expect_at(s, 5, 0, 1, 0);
  for (int frame = 1; frame <= 80; frame++) {
    cr_assert_eq(scene_step(s, s->frame_time, s->substeps), MSD_OK, "%s", msd_world_message(s->world));
    const double share = fmin(frame / 64.0, 1), angle = share * 3.14159265358979323846 / 2;
    expect_at(s, 5, 0, 1 + share, 0);
    expect_at(s, 2, cos(angle) + sin(angle), share, cos(angle) - sin(angle));
  }
  for (int32_t i = 0; i < 45; i++)
    cr_expect_gt((double)msd_particle_get_position(s->world, i).y, 1);
  scene_free(s);
}

Test(collider_mesh, a_file_of_lines_alone_is_one_too) {
  scene *s;
  scene_error error;
  write_text("m.obj", "v 0 9 0\nv 0 8 0\nv 0 8 1\nl 1 2 3\n");
  s = load_text(
      "{ \"msd\": 1, \"bodies\": [ { \"type\": \"rope\" } ], \"colliders\": [ { \"type\": \"mesh\", "
      "\"file\": \"m.obj\" } ] }",
      &error);
  cr_assert(s != NULL, "%s", error.text);
  cr_expect(s->bodies[1].triangle_count == 0 && s->bodies[1].segment_count == 2);
  cr_expect_eq(s->warnings.count, 0);
  scene_free(s);
}

/* The corner that stands in the file twice is pulled away from itself by a millimeter. */
Test(collider_mesh, vertices_that_are_near_enough_are_welded) {
  const char *text = "v -1 0 -1\nv -1 0 1\nv 1 0 1\nv 1 0 -1\nv -1 0.001 -1\nf 1 2 3\nf 5 3 4\n";
  for (int welds = 0; welds < 2; welds++) {
    write_text("m.obj", text);
    scene *s = load_framed(FRAME, welds ? "\"merge_distance\": 0.002," : "");
    cr_expect_eq(s->bodies[1].particles.count, welds ? 4 : 5);
    cr_expect_eq(s->bodies[1].welded.welded, welds);
    scene_free(s);
  }
}
