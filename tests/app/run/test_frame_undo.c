/* A frame that is given up leaves nothing behind: the world goes on as if it had not begun. */
#include "app/run/frame_undo.h"
#include "tests/support/scene_text.h"
#include "tests/support/snapshots.h"

#include <string.h>

TestSuite(frame_undo, .init = enter_scratch_folder, .fini = leave_scratch_folder);

/* s: of frames that are long by what is expected, and of substeps that few scenes need shorter. */
static const double FRAME = 1.0 / 600;
enum { SUBSTEPS = 80 };

/* The second time that it is asked, which is in the middle of a frame. */
static bool stop_the_second_time(void *context) {
  int *asked = context;
  return ++*asked == 2;
}

static void give_up_a_frame(scene *s, bool is_state) {
  frame_undo start = {0};
  int asked = 0;
  cr_assert(frame_undo_keep(&start, s, 1), "%s", s->name);
  cr_expect_eq(start.is_state, is_state, "%s", s->name);
  const int64_t steps = msd_world_get_steps(s->world);
  msd_world_set_callbacks(s->world, &(msd_callbacks){.stop = stop_the_second_time, .context = &asked});
  cr_assert_eq(scene_step(s, FRAME, SUBSTEPS), MSD_CANCELED, "%s: %s", s->name, msd_world_message(s->world));
  msd_world_set_callbacks(s->world, NULL);
  cr_assert_gt(msd_world_get_steps(s->world), steps, "%s", s->name);
  cr_assert_eq(frame_undo_restore(&start, s->world), MSD_OK, "%s: %s", s->name, msd_world_message(s->world));
  frame_undo_free(&start);
}

/* A frame of the scene in that world. */
static snapshot behind_a_frame(scene *s, msd_world *world) {
  msd_world *own = s->world;
  s->world = world;
  cr_assert_eq(scene_step(s, FRAME, SUBSTEPS), MSD_OK, "%s: %s", s->name, msd_world_message(world));
  s->world = own;
  return snapshot_of(world);
}

/* At the beginning and behind two frames. */
static void check(scene *s, bool is_state) {
  for (int frame = 0; frame < 3; frame++) {
    msd_world *copy;
    cr_assert_eq(msd_copy_world(s->world, &copy), MSD_OK);
    give_up_a_frame(s, is_state);
    snapshot given_up = behind_a_frame(s, s->world), never = behind_a_frame(s, copy);
    cr_expect(given_up.size == never.size && memcmp(given_up.data, never.data, never.size) == 0,
              "%s: goes on otherwise from frame %d", s->name, frame);
    free(given_up.data);
    free(never.data);
    msd_destroy_world(copy);
  }
  scene_free(s);
}

Test(frame_undo, what_a_state_has_of_a_frame_is_all_of_it) {
  static const char *const cases[] = {
      "",
      ", \"energy_mode\": \"bounded\"",
      ", \"energy_mode\": \"bounded\", \"mass_scaling\": \"selective\"",
      ", \"integrator\": \"sequential_impulse\", \"impulse_warm_start\": true",
      ", \"sleep\": { \"speed\": 0.5 }",
  };
  for (size_t n = 0; n < COUNT_OF(cases); n++)
    check(load_framed("{ \"msd\": 1, \"bodies\": [ { \"type\": \"cloth\" } ] %s }", cases[n]), true);
}

Test(frame_undo, a_cut_in_a_frame_that_is_given_up_is_taken_back) {
  check(load_framed("{ \"msd\": 1, \"bodies\": [ { \"type\": \"cloth\", \"name\": \"cloth\" } ], %s }",
                    "\"animation\": [ { \"cut\": [\"cloth\", 0, 1], \"time\": 0.002 } ]"),
        false);
}

/* What a state has not. */
static bool has_more(const scene *s) {
  size_t size;
  return s->animation.event_count + s->animation.seam_count > 0 ||
         msd_world_get_constraint_count(s->world) > 0 || msd_world_get_collision_mesh_count(s->world) > 0 ||
         msd_world_get_collider_count(s->world) > 0 ||
         msd_world_save_state(s->world, NULL, 0, &size) != MSD_OK;
}

Test(frame_undo, every_scene_that_ships_goes_on_alike) {
  scene_error error;
  int count, states = 0;
  scene_listing *list = scene_list(&count, &error);
  cr_assert_not_null(list, "%s", error.text);
  for (int i = 0; i < count; i++) {
    scene *s = scene_load(list[i].path, &error);
    cr_assert_not_null(s, "%s", error.text);
    states += !has_more(s);
    check(s, !has_more(s));
  }
  cr_expect_gt(states, 3);
  scene_list_free(list, count);
}
