#include "tests/support/scene_text.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

TestSuite(seam_reader, .init = enter_scratch_folder, .fini = leave_scratch_folder);

/* Two cloths of 1 m side by side, 0.2 m apart; frames of a 64th of a second are exact. */
#define PANELS(rows_of_right)                                                                                \
  "{ \"msd\": 1, \"gravity\": [0, 0, 0], \"frame_time\": 0.015625, \"substeps\": 16, \"bodies\": [ { "       \
  "\"type\": \"cloth\", \"name\": \"l\", \"columns\": 6, \"rows\": 6, \"mass\": 0.2, \"stretch\": { "        \
  "\"stiffness\": 200, \"damping\": 0.1 } }, { \"type\": \"cloth\", \"name\": \"r\", \"origin\": [1.2, 0, "  \
  "0], \"columns\": 6, \"rows\": " rows_of_right ", \"mass\": 0.2, \"stretch\": { \"stiffness\": 200, "      \
  "\"damping\": 0.1 } } ], \"seams\": [ { \"between\": [\"l\", [\"right\"], \"r\", [\"left\"]] %s } ] }"

static double rest(const scene *s, int32_t i) {
  return (double)msd_spring_get_def(s->world, s->joints.first + i).rest_length;
}

static void take_frames(scene *s, int frames) {
  for (int f = 0; f < frames; f++)
    cr_assert_eq(scene_step(s, s->frame_time, s->substeps), MSD_OK, "%s", msd_world_message(s->world));
}

Test(seam_reader, its_springs_are_joints_that_pull_and_begin_as_they_are_placed) {
  scene *s = load_framed(PANELS("6"), "");
  cr_assert_eq(s->joints.count, 6);
  for (int32_t i = 0; i < 6; i++) {
    const msd_spring_def def = msd_spring_get_def(s->world, s->joints.first + i);
    cr_expect(def.a == 6 * i + 5 && def.b == 36 + 6 * i);
    cr_expect_eq(def.mode, MSD_SPRING_TENSION_ONLY);
    cr_expect_float_eq(rest(s, i), 0.2, 1e-6);
  }
  char text[256];
  scene_describe_spring(s, s->joints.first, text, sizeof text);
  cr_expect_str_eq(text, "joint, cloth \"l\" row 0 column 5 to cloth \"r\" row 0 column 0");
  scene_free(s);
}

/* From the first time to the second the rest length goes evenly to the gap, and stays. */
Test(seam_reader, it_closes_evenly_over_its_times) {
  scene *s = load_framed(PANELS("6"), ", \"closing_time\": [0.25, 0.75], \"gap\": 0.05");
  for (int frame = 1; frame <= 64; frame++) {
    take_frames(s, 1);
    const double part = fmin(fmax((frame / 64.0 - 0.25) / 0.5, 0), 1);
    for (int32_t i = 0; i < 6; i++)
      cr_expect_float_eq(rest(s, i), 0.2 - part * 0.15, 1e-6, "frame %d", frame);
  }
  scene_free(s);
}

Test(seam_reader, panels_are_together_when_it_has_closed) {
  scene *s = load_framed(PANELS("6"), ", \"closing_time\": [0, 1], \"frequency\": 20, \"damping_ratio\": 1");
  take_frames(s, 64);
  for (int32_t i = 0; i < 6; i++)
    cr_expect_eq(rest(s, i), 0);
  take_frames(s, 128);
  for (int32_t i = 0; i < 6; i++)
    cr_expect_lt((double)msd_spring_get_length(s->world, s->joints.first + i), 1e-3, "pair %d", (int)i);
  scene_free(s);
}

/* Two particles that are 0.25 m apart come together in a second, so each goes at 0.125 m/s: also where a frame
   is an eighth of that, and the thread does not give at all. */
Test(seam_reader, it_closes_without_a_jerk_in_long_frames) {
  scene *s = load_framed(
      "{ \"msd\": 1, \"gravity\": [0, 0, 0], \"frame_time\": 0.125, \"substeps\": 64, \"bodies\": ["
      "{ \"type\": \"particles\", \"name\": \"l\", \"position\": [[0, 0, 0]] },"
      "{ \"type\": \"particles\", \"name\": \"r\", \"position\": [[0.25, 0, 0]] } ],"
      "\"seams\": [ { \"between\": [\"l\", [0], \"r\", [0]], %s } ] }",
      "\"hard_limit\": 1");
  for (int frame = 0; frame < 7; frame++) {
    take_frames(s, 1);
    cr_expect_float_eq((double)msd_particle_get_velocity(s->world, 0).x, 0.125, 1e-4, "frame %d", frame);
  }
  scene_free(s);
}

/* What is nearer than the gap is not pushed apart to it. */
Test(seam_reader, a_gap_beyond_the_distance_leaves_it) {
  scene *s = load_framed(PANELS("6"), ", \"gap\": 0.5");
  take_frames(s, 80);
  cr_expect_float_eq(rest(s, 0), 0.2, 1e-6);
  scene_free(s);
}

/* Where everything is depends on the time alone: a world that is saved goes on with the same bits. */
Test(seam_reader, a_run_that_is_resumed_goes_on_alike) {
  static unsigned char snapshot[1 << 20];
  size_t size = 0;
  scene *s = load_framed(PANELS("6"), ""), *again = load_framed(PANELS("6"), "");
  take_frames(s, 30);
  cr_assert_eq(msd_world_save(s->world, snapshot, sizeof snapshot, &size), MSD_OK);
  cr_assert_eq(msd_world_restore(again->world, snapshot, size), MSD_OK);
  take_frames(s, 60);
  take_frames(again, 60);
  cr_expect_eq(msd_world_hash(s->world), msd_world_hash(again->world));
  cr_expect(strstr(s->animation.text, "seams") != NULL, "two scenes are told apart by it");
  scene_free(s);
  scene_free(again);
}

/* Also of a world that goes back to a frame before, which takes no rest length back with it: as it begins to
   close, when it pulls. */
Test(seam_reader, a_frame_that_is_taken_again_is_the_same) {
  static unsigned char state[1 << 16];
  size_t size = 0;
  scene *s = load_framed(PANELS("6"), "");
  take_frames(s, 3);
  cr_assert_eq(msd_world_save_state(s->world, state, sizeof state, &size), MSD_OK);
  take_frames(s, 5);
  const uint64_t then = msd_world_hash(s->world);
  cr_assert_eq(msd_world_restore_state(s->world, state, size), MSD_OK);
  take_frames(s, 5);
  cr_expect_eq(msd_world_hash(s->world), then);
  scene_free(s);
}

/* 6 particles on one side, 11 on the other: every second has its own, those between one of their neighbors. */
Test(seam_reader, borders_of_other_counts_are_paired_by_how_far_along) {
  scene *s = load_framed(PANELS("11"), "");
  cr_assert_eq(s->joints.count, 11, "one for each of those that are more");
  for (int32_t i = 0; i < 11; i++) {
    const msd_spring_def def = msd_spring_get_def(s->world, s->joints.first + i);
    cr_expect_eq(def.b, 36 + 6 * i);
    const int32_t row = def.a / 6;
    cr_expect(def.a % 6 == 5 && (2 * row == i || 2 * row == i + 1 || 2 * row == i - 1), "%d to row %d",
              (int)i, (int)row);
  }
  scene_free(s);
}

Test(seam_reader, a_particle_of_both_borders_is_not_sewn_to_itself) {
  scene *s =
      load_framed("{ \"msd\": 1, \"bodies\": [ { \"type\": \"cloth\", \"name\": \"c\", \"columns\": 3, "
                  "\"rows\": 3 } ], \"seams\": [ { \"between\": [\"c\", [%s], \"c\", [0, 3, 6]] } ] }",
                  "0, 1, 2");
  cr_expect_eq(s->joints.count, 2);
  scene_free(s);
}

Test(seam_reader, bad_seams_are_refused_with_place_and_remedy) {
  static const bad_text cases[] = {
      {"{}", "seams[0].between: is missing", "[body, border, body, border]"},
      {"{ \"between\": [\"a\", [0]] }", "seams[0].between", "[body, border, body, border]"},
      {"{ \"between\": [\"a\", [0], \"c\", [1]] }", "seams[0].between[2]: there is no body \"c\"",
       "known here: a, b"},
      {"{ \"between\": [\"a\", [0], \"b\", [1]], \"closing_time\": [1] }", "seams[0].closing_time",
       "two times in s"},
      {"{ \"between\": [\"a\", [0], \"b\", [1]], \"closing_time\": [1, 1] }",
       "seams[0].closing_time: ends at 1 s", "later end"},
      {"{ \"between\": [\"a\", [0], \"b\", [1]], \"gap\": -1 }", "seams[0].gap: is -1", "0 or more"},
      {"{ \"between\": [\"a\", [0], \"b\", [1]], \"rest_length\": 1 }", "seams[0].rest_length",
       "unknown key"},
      {"{ \"between\": [\"a\", [0], \"b\", [1]], \"stiffness\": -1 }", "seams[0].stiffness: is -1", "N/m"},
      {"{ \"between\": [\"a\", [0, 1], \"a\", [0, 1]] }", "seams[0]: sews nothing", "same particles"}};
  expect_refused(cases, COUNT_OF(cases),
                 "{ \"msd\": 1, \"bodies\": [ { \"type\": \"rope\", \"name\": \"a\" }, { \"type\": \"rope\", "
                 "\"name\": \"b\", \"from\": [0, 1, 0], \"to\": [1, 1, 0] } ], \"seams\": [ %s ] }");
}
