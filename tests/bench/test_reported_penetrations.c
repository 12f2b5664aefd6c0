#include "bench/reported_penetrations.h"

#include <criterion/criterion.h>

/* A triangle in the plane y = 0 and one across it, of which an edge goes through the middle of the first. */
static const int32_t corners[] = {0, 1, 2, 3, 4, 5};
static const told_pieces both = {.triangles = corners, .triangle_count = 2};

static msd_world *make(bool has_surface, bool is_pinned) {
  static const double places[6][3] = {{-1, 0, -1},   {1, 0, -1},   {0, 0, 1},
                                      {0, -1, -0.3}, {0, 1, -0.3}, {3, 0, -0.3}};
  msd_world_def world = msd_default_world_def();
  msd_world *w = NULL;
  world.thread_count = 1;
  cr_assert_eq(msd_create_world(&world, &w), MSD_OK);
  for (int n = 0; n < 6; n++) {
    msd_particle_def def = msd_default_particle_def();
    def.position = (msd_vec3){(msd_real)places[n][0], (msd_real)places[n][1], (msd_real)places[n][2]};
    cr_assert_eq(msd_add_particles(w, &def, 1, NULL), MSD_OK);
    cr_assert(!is_pinned || msd_particle_pin(w, n) == MSD_OK);
  }
  msd_collision_mesh_def surface = msd_default_collision_mesh_def();
  surface.triangles = corners;
  surface.triangle_count = 2;
  cr_assert(!has_surface || msd_add_collision_meshes(w, &surface, 1, NULL) == MSD_OK);
  return w;
}

static told_tally look(const msd_world *w, const told_pieces *pieces) {
  told_tally tally = {0};
  cr_assert_eq(told_look(w, pieces, &tally), MSD_OK);
  return tally;
}

static void step(msd_world *w) {
  cr_assert_eq(msd_world_step(w, (msd_real)0.001, 1), MSD_OK);
}

/* The first step of a surface finds what intersects. */
Test(told, what_intersects_is_told_of_once_a_step_has_found_it) {
  msd_world *w = make(true, false);
  const told_tally before = look(w, &both);
  cr_expect(before.found == 1 && before.untold == 1 && before.prescribed == 0);
  step(w);
  const told_tally after = look(w, &both);
  cr_expect(after.found == 1 && after.untold == 0 && after.prescribed == 0);
  msd_destroy_world(w);
}

Test(told, what_has_no_surface_is_never_told_of) {
  msd_world *w = make(false, false);
  step(w);
  const told_tally tally = look(w, &both);
  cr_expect(tally.found == 1 && tally.untold == 1);
  msd_destroy_world(w);
}

Test(told, what_stands_as_a_whole_is_prescribed_and_no_find) {
  msd_world *w = make(true, true);
  step(w);
  const told_tally tally = look(w, &both);
  cr_expect(tally.prescribed == 1 && tally.found == 0 && tally.untold == 0);
  msd_destroy_world(w);
}

Test(told, segments_are_looked_at_and_what_is_apart_is_nothing) {
  static const int32_t through[] = {3, 4}, beside[] = {3, 5};
  msd_world *w = make(false, false);
  const told_pieces pierced = {corners, through, 1, 1}, whole = {corners, beside, 1, 1};
  cr_expect_eq(look(w, &pierced).untold, 1);
  cr_expect_eq(look(w, &whole).found, 0);
  msd_destroy_world(w);
}

Test(told, an_end_that_lies_on_the_segment_before_it_is_counted_apart) {
  static const int32_t folded[] = {3, 4, 4, 5};
  msd_world *w = make(false, false);
  cr_assert_eq(msd_particle_set_position(w, 5, (msd_vec3){0, 0, (msd_real)-0.3}), MSD_OK);
  const told_tally tally = look(w, &(told_pieces){.segments = folded, .segment_count = 2});
  cr_expect(tally.found == 1 && tally.folded == 1 && tally.untold == 0);
  msd_destroy_world(w);
}
