#include "scenes/loader/animation.h"

#include "scenes/loader/rotation.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static scene_key keys[] = {{.time = 1, .offset = {1, 2, 3}, .rotation = {0, 0, 0}},
                           {.time = 3, .offset = {5, 2, -1}, .rotation = {90, 0, -360}},
                           {.time = 3.5, .offset = {0, 0, 0}, .rotation = {0, 0, 0}}};
static const scene_track track = {keys, 3};

Test(animation, a_track_rests_before_its_first_key_and_after_its_last) {
  static const double early[] = {0, 0.5, 1}, late[] = {3.5, 4, 1e18};
  for (int i = 0; i < 3; i++) {
    const scene_key first = track_at(&track, early[i]), last = track_at(&track, late[i]);
    cr_expect(first.offset[0] == 1 && first.offset[1] == 2 && first.offset[2] == 3 && first.rotation[2] == 0);
    cr_expect(last.offset[0] == 0 && last.offset[1] == 0 && last.offset[2] == 0 && last.rotation[0] == 0);
    cr_expect(first.time == early[i] && last.time == late[i]);
  }
}

Test(animation, a_track_is_straight_between_its_keys) {
  const scene_key middle = track_at(&track, 2), quarter = track_at(&track, 1.5), at = track_at(&track, 3);
  cr_expect(middle.offset[0] == 3 && middle.offset[1] == 2 && middle.offset[2] == 1);
  cr_expect(middle.rotation[0] == 45 && middle.rotation[2] == -180);
  cr_expect(quarter.offset[0] == 2 && quarter.rotation[2] == -90);
  cr_expect(at.offset[0] == 5 && at.rotation[2] == -360, "at a key it is what the key says");
  cr_expect_eq(track_at(&track, 3.25).offset[0], 2.5);
}

Test(animation, one_key_holds_for_ever) {
  const scene_track one = {keys, 1};
  cr_expect_eq(track_at(&one, 0).offset[1], 2);
  cr_expect_eq(track_at(&one, 100).offset[1], 2);
}

/* The area below its first component: 2 x (1 + 5)/2 from 1 to 3, and 0.5 x (5 + 0)/2 behind. */
Test(animation, the_mean_of_a_track_is_its_integral_over_the_time) {
  double mean[3];
  track_mean(&track, 0, 10, mean);
  cr_expect_float_eq(mean[0], (2 * 3 + 0.5 * 2.5) / 10, 1e-15);
  track_mean(&track, 1.5, 2.5, mean);
  cr_expect_float_eq(mean[0], 3, 1e-15);
  track_mean(&track, 2.5, 3.25, mean);
  cr_expect_float_eq(mean[0], (0.5 * 4.5 + 0.25 * 3.75) / 0.75, 1e-15, "over a key");
  track_mean(&track, 0, 1, mean);
  cr_expect(mean[0] == 0 && mean[1] == 0 && mean[2] == 0, "nothing before the first key");
  track_mean(&track, 3.5, 9, mean);
  cr_expect(mean[0] == 0 && mean[1] == 0 && mean[2] == 0, "between keyframes");
}

Test(animation, means_of_parts_make_the_mean_of_the_whole) {
  double sum = 0, mean[3], whole[3];
  const int parts = 37;
  for (int p = 0; p < parts; p++) {
    track_mean(&track, p * 5.0 / parts, (p + 1) * 5.0 / parts, mean);
    sum += mean[2] / parts;
  }
  track_mean(&track, 0, 5, whole);
  cr_expect_float_eq(sum, whole[2], 1e-15);
}

/* What is placed at any point, as a group that turns about its middle. */
static scene_motion motion_of(scene_key *of, int count) {
  return (scene_motion){.center = {10, 0, 0}, .track = {of, count}};
}

Test(animation, a_motion_turns_about_its_center_and_then_moves) {
  scene_key turn[] = {{0}, {.time = 1, .offset = {0, 5, 0}, .rotation = {0, 0, 90}}};
  const scene_motion motion = motion_of(turn, 2);
  const motion_place place = motion_place_at(&motion, 1), half = motion_place_at(&motion, 0.5);
  const msd_vec3 to = motion_place_of(&place, (double[]){12, 0, 3});
  cr_expect(to.x == 10 && to.y == 7 && to.z == 3, "%g %g %g", (double)to.x, (double)to.y, (double)to.z);
  const msd_vec3 on = motion_place_of(&half, (double[]){12, 0, 3});
  cr_expect_float_eq((double)on.x, 10 + sqrt(2), 1e-6, "45 degrees on the way, not half of the chord");
  cr_expect_float_eq((double)on.y, 2.5 + sqrt(2), 1e-6);
}

Test(animation, a_motion_that_does_not_turn_rounds_nothing) {
  scene_key still[] = {{.time = 0}};
  scene_motion motion = motion_of(still, 1);
  motion.center[0] = 1.0 / 3;
  const motion_place place = motion_place_at(&motion, 7);
  const msd_vec3 at = {(msd_real)0.1, (msd_real)-1e-20, (msd_real)3e10};
  const msd_vec3 to = motion_place_of(&place, (double[]){(double)at.x, (double)at.y, (double)at.z});
  cr_expect(to.x == at.x && to.y == at.y && to.z == at.z);
}

Test(animation, a_full_turn_ends_where_it_began) {
  scene_key turn[] = {{0}, {.time = 1, .rotation = {720, -360, 1080}}};
  const scene_motion motion = motion_of(turn, 2);
  const motion_place place = motion_place_at(&motion, 1);
  const msd_vec3 at = {(msd_real)0.3, (msd_real)0.7, (msd_real)-0.2};
  const msd_vec3 to = motion_place_of(&place, (double[]){(double)at.x, (double)at.y, (double)at.z});
  cr_expect(to.x == at.x && to.y == at.y && to.z == at.z);
}

Test(animation, a_particle_is_found_in_the_motion_that_has_it) {
  int32_t particles[] = {2, 3, 5, 11};
  const scene_motion motion = {.particles = particles, .count = 4};
  for (int32_t i = 0; i < 4; i++)
    cr_expect_eq(motion_find(&motion, particles[i]), i);
  cr_expect_eq(motion_find(&motion, 0), -1);
  cr_expect_eq(motion_find(&motion, 4), -1);
  cr_expect_eq(motion_find(&motion, 12), -1);
  cr_expect_eq(motion_find(&(scene_motion){0}, 0), -1);
}

Test(animation, motions_are_added_one_by_one) {
  scene_animation t = {0};
  for (int m = 0; m < 5; m++) {
    scene_motion *motion = animation_add_motion(&t);
    cr_assert_not_null(motion);
    cr_expect(motion == &t.motions[m] && motion->count == 0 && motion->particles == NULL);
    motion->center[0] = m;
  }
  cr_expect(t.motion_count == 5 && t.motions[3].center[0] == 3);
  animation_free(&t);
}

Test(animation, forces_and_seams_are_added_one_by_one) {
  scene_animation t = {0};
  for (int i = 0; i < 3; i++) {
    scene_force *force = animation_add_force(&t);
    scene_seam *seam = animation_add_seam(&t);
    cr_assert(force && seam);
    cr_expect(force == &t.forces[i] && force->count == 0 && force->particles == NULL);
    cr_expect(seam == &t.seams[i] && seam->placed == NULL);
    force->count = seam->springs.count = 1;
  }
  cr_expect(t.force_count == 3 && t.seam_count == 3);
  animation_free(&t);
}

Test(animation, an_empty_one_is_freed_too) {
  scene_animation t = {0};
  animation_free(&t);
  t.text = calloc(1, 1);
  animation_free(&t);
  cr_expect(t.text == NULL && t.motions == NULL);
}
