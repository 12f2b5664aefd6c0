/* Intersections that kinematic motion forces are reported; ./dev bench kinematic runs more scenes. */
#include "bench/kinematic_scene.h"

#include "tests/support/share.h"

#include <criterion/criterion.h>

Test(led_scene, in_scenes_at_random_all_that_is_forced_to_intersect_is_reported) {
  enum { FIRST = 11, SCENES = 16, FRAMES = 15 };
  led_tally tally = {0};
  for (uint64_t seed = FIRST; seed < FIRST + (uint64_t)share_of(SCENES); seed++) {
    cr_assert_eq(led_scene_run(seed, FRAMES, &tally), MSD_OK, "seed %d", (int)seed);
    cr_assert_eq(tally.told.untold, 0, "seed %d", (int)seed);
  }
  cr_expect_eq(tally.frames, FRAMES * share_of(SCENES));
  cr_expect(tally.with_some > 0 && tally.squeezed > 0 && tally.with_some < tally.frames);
}
