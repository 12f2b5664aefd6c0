#include "tests/support/scene_text.h"

#include <criterion/criterion.h>

TestSuite(scene_substeps, .init = enter_scratch_folder, .fini = leave_scratch_folder);

static const char smallest_cloth[] = "{\"msd\":1,\"bodies\":[{\"type\":\"cloth\",\"columns\":40,\"rows\":40,"
                                     "\"pinned\":[\"top_left\",\"top_right\"]}]}";

static scene *loaded(const char *text) {
  scene_error error;
  scene *s = load_text(text, &error);
  cr_assert(s != NULL, "%s", error.text);
  return s;
}

/* In one substep its springs are so soft that it hangs 300 times as long as it is. */
Test(scene_substeps, the_smallest_cloth_looks_like_cloth) {
  scene *s = loaded(smallest_cloth);
  for (double t = 0; t < s->duration; t += s->frame_time)
    cr_assert_eq(scene_step(s, s->frame_time, s->substeps), MSD_OK);
  const msd_stats stats = msd_world_get_stats(s->world);
  cr_expect(stats.max_stretch < 0.1 && stats.mean_stretch < 0.01, "%g at most, %g mean", stats.max_stretch,
            stats.mean_stretch);
  /* It hangs in an arch between its corners, so its middle falls below where it began: it is not frozen. */
  const double middle = (double)msd_particle_get_position(s->world, 20).y;
  cr_expect(middle < -0.05, "the middle of the top edge is at %g", middle);
  scene_free(s);
}

Test(scene_substeps, what_hangs_straight_keeps_to_half_a_per_cent) {
  scene *s = loaded("{\"msd\":1,\"bodies\":[{\"type\":\"rope\",\"particles\":20,\"pinned\":[\"first\"]}]}");
  cr_expect(s->is_auto && s->substeps > 1);
  msd_static_stretch stretch;
  cr_assert_eq(msd_world_estimate_stretch(s->world, (msd_real)(s->frame_time / s->substeps), &stretch),
               MSD_OK);
  cr_expect(stretch.present <= 0.005001 && stretch.present > 0.004, "%g", stretch.present);
  /* A frame of half the length takes half as many: the substep is what makes springs stiff. */
  const int half = scene_choose_substeps(s, s->frame_time / 2);
  cr_expect(half * 2 >= s->substeps && half * 2 <= s->substeps + 2, "%d, and %d for half", s->substeps, half);
  scene_free(s);
}

Test(scene_substeps, a_number_that_the_file_gives_stays) {
  scene *s =
      loaded("{\"msd\":1,\"substeps\":3,\"bodies\":[{\"type\":\"rope\",\"particles\":20,\"pinned\":[0]}]}");
  cr_expect(!s->is_auto && s->substeps == 3);
  cr_expect_eq(scene_choose_substeps(s, 1), 3);
  scene_free(s);
}

/* Neither springs with a stiffness, nor those that carry nothing, need more than stability does. */
Test(scene_substeps, others_are_left_to_stability) {
  scene *s = loaded(
      "{\"msd\":1,\"substeps\":\"auto\",\"bodies\":[{\"type\":\"rope\",\"particles\":20,\"pinned\":[0],"
      "\"stretch\":{\"stiffness\":100}}]}");
  cr_expect(s->is_auto && s->substeps == 0);
  scene_free(s);
  s = loaded("{\"msd\":1,\"bodies\":[{\"type\":\"cloth\",\"columns\":5,\"rows\":5}]}");
  cr_expect(s->is_auto && s->substeps == 0);
  scene_free(s);
}

Test(scene_substeps, a_large_cloth_gets_a_thousand_at_most) {
  scene *s = loaded(
      "{\"msd\":1,\"bodies\":[{\"type\":\"cloth\",\"columns\":200,\"rows\":200,\"pinned\":[\"top_left\"]}]}");
  cr_expect_eq(s->substeps, 1000);
  scene_free(s);
}
