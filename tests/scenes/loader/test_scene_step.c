/* Frames of scenes in which something happens by itself. */
#include "tests/support/scene_text.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

TestSuite(scene_step, .init = enter_scratch_folder, .fini = leave_scratch_folder);

/* A cloth of 4 x 4 that hangs from its top row, and motions; frames of a 64th of a second are exact. */
static scene *load(const char *motions) {
  char text[2048];
  cr_assert(
      (size_t)snprintf(text, sizeof text,
                       "{ \"msd\": 1, \"frame_time\": 0.015625, \"substeps\": 8, \"bodies\": [ { \"type\": "
                       "\"cloth\", \"name\": \"c\", \"columns\": 4, \"rows\": 4, \"pinned\": [\"top\"], "
                       "\"soft_pins\": [ { \"particle\": 12, \"frequency\": 2 } ], \"stretch\": { "
                       "\"stiffness\": 50, \"damping\": 0.05 } } ], \"animation\": [ %s ] }",
                       motions) < sizeof text);
  scene_error error;
  scene *s = load_text(text, &error);
  cr_assert(s != NULL, "%s", error.text);
  return s;
}

static void take_frames(scene *s, int frames) {
  for (int f = 0; f < frames; f++)
    cr_assert_eq(scene_step(s, s->frame_time, s->substeps), MSD_OK, "%s", msd_world_message(s->world));
}

#define SLIDE                                                                                                \
  "{ \"particles\": [\"c\", \"top\"], \"keyframes\": [ { \"time\": 0.25 }, { \"time\": 0.75, \"offset\": "   \
  "[1, 0, "                                                                                                  \
  "-2] } ] }"

Test(scene_step, pins_are_where_their_keys_say_at_the_end_of_every_frame) {
  scene *s = load(SLIDE);
  const msd_vec3 start = msd_particle_get_position(s->world, 2);
  for (int frame = 1; frame <= 64; frame++) {
    take_frames(s, 1);
    const double part = fmin(fmax((frame / 64.0 - 0.25) / 0.5, 0), 1);
    const msd_vec3 at = msd_particle_get_position(s->world, 2), v = msd_particle_get_velocity(s->world, 2);
    cr_expect_eq(at.x, (msd_real)((double)start.x + part), "frame %d", frame);
    cr_expect_eq(at.z, (msd_real)((double)start.z - 2 * part));
    cr_expect(v.x == 0 && v.y == 0 && v.z == 0, "a pin stands still between frames");
  }
  scene_free(s);
}

/* Two ends of a ribbon that are twisted against each other stay on their circles. */
Test(scene_step, pins_turn_on_circles) {
  scene *s =
      load("{ \"particles\": [\"c\", \"top\"], \"pivot\": [0.5, 0, 0], \"keyframes\": [ { \"time\": 0 }, { "
           "\"time\": 1, \"rotation\": [0, 720, 0] } ] }");
  const double pi = 3.14159265358979323846;
  for (int frame = 1; frame <= 64; frame++) {
    take_frames(s, 1);
    const double angle = 4 * pi * frame / 64;
    for (int32_t i = 0; i < 4; i++) {
      const double radius = i / 3.0 - 0.5;
      const msd_vec3 at = msd_particle_get_position(s->world, i);
      cr_expect_float_eq((double)at.x, 0.5 + radius * cos(angle), 1e-6);
      cr_expect_float_eq((double)at.z, -radius * sin(angle), 1e-6, "about y, z goes to x");
      cr_expect_eq(at.y, 0);
    }
  }
  scene_free(s);
}

Test(scene_step, a_motion_begins_in_its_first_frame_where_its_first_key_says) {
  scene *s = load("{ \"particles\": [\"c\", 3], \"keyframes\": [ { \"time\": 9, \"offset\": [0, 1, 0] } ] }");
  take_frames(s, 1);
  cr_expect_eq(msd_particle_get_position(s->world, 3).y, 1);
  cr_expect_eq(msd_particle_get_position(s->world, 2).y, 0, "another pin stands");
  scene_free(s);
}

/* The frame n goes from n/64 s to (n + 1)/64 s. */
Test(scene_step, a_cut_happens_in_the_frame_in_which_its_time_lies) {
  static const struct {
    const char *time;
    int frames;
  } cases[] = {{"0", 0}, {"0.5", 32}, {"0.507", 32}, {"0.515", 32}, {"0.515625", 33}, {"0.5156249999", 33}};
  for (size_t c = 0; c < COUNT_OF(cases); c++) {
    char motion[128];
    snprintf(motion, sizeof motion, "{ \"cut\": [\"c\", 0, 4], \"time\": %s }", cases[c].time);
    scene *s = load(motion);
    const int32_t spring = s->animation.events[0].springs[0];
    take_frames(s, cases[c].frames);
    cr_expect_not(msd_spring_is_broken(s->world, spring), "%s s", cases[c].time);
    take_frames(s, 1);
    cr_expect(msd_spring_is_broken(s->world, spring), "%s s", cases[c].time);
    int32_t broken = 0;
    for (int32_t e = 0; e < msd_world_get_spring_count(s->world); e++)
      broken += msd_spring_is_broken(s->world, e);
    cr_expect_eq(broken, 1);
    scene_free(s);
  }
}

/* 1/60 s is no number of float or double, and the times of frames are sums. */
Test(scene_step, times_of_whole_frames_of_a_60th_are_met_at_their_frame) {
  for (int frame = 0; frame < 240; frame += 30) {
    char motion[128];
    snprintf(motion, sizeof motion, "{ \"release\": [\"c\", \"top\"], \"time\": %.9g }", frame / 60.0);
    scene *s = load(motion);
    for (int f = 0; f < frame; f++)
      cr_assert_eq(scene_step(s, 1 / 60.0, 8), MSD_OK);
    cr_expect(msd_particle_is_pinned(s->world, 0), "frame %d", frame);
    cr_assert_eq(scene_step(s, 1 / 60.0, 8), MSD_OK);
    cr_expect_not(msd_particle_is_pinned(s->world, 0), "frame %d", frame);
    scene_free(s);
  }
}

Test(scene_step, what_was_let_go_may_be_pinned_again) {
  scene *s = load("{ \"release\": [\"c\", \"top\"], \"time\": 0.5 }");
  take_frames(s, 33);
  cr_expect_not(msd_particle_is_pinned(s->world, 1));
  cr_assert_eq(msd_particle_pin(s->world, 1), MSD_OK);
  take_frames(s, 10);
  cr_expect(msd_particle_is_pinned(s->world, 1), "it is let go once");
  scene_free(s);
}

/* A free particle moves on at the velocity of its pin: without springs and gravity for ever. */
Test(scene_step, a_pin_that_is_let_go_goes_on_as_fast_as_it_was_led) {
  scene_error error;
  scene *s =
      load_text("{ \"msd\": 1, \"gravity\": [0,0,0], \"frame_time\": 0.015625, \"substeps\": 1, "
                "\"bodies\": [ { \"type\": \"particles\", \"name\": \"p\", \"position\": [[0,0,0], "
                "[5,0,0]], \"pinned\": [\"all\"] } ], \"animation\": [ { \"release\": [\"p\", \"all\"], "
                "\"time\": 0.5 }, { \"particles\": [\"p\", 0], \"keyframes\": [ { \"time\": 0 }, { "
                "\"time\": 1, \"offset\": [4, -8, 2] } ] } ] }",
                &error);
  cr_assert(s != NULL, "%s", error.text);
  take_frames(s, 48);
  const msd_vec3 v = msd_particle_get_velocity(s->world, 0), at = msd_particle_get_position(s->world, 0);
  cr_expect(v.x == 4 && v.y == -8 && v.z == 2);
  cr_expect(at.x == 3 && at.y == -6 && at.z == (msd_real)1.5);
  cr_expect_eq(msd_particle_get_velocity(s->world, 1).x, 0, "what was not led is still");
  scene_free(s);
}

/* A particle of 2 kg and one of 1 kg that nothing else moves. */
static scene *load_free(const char *more, const char *motions) {
  char text[2048];
  snprintf(text, sizeof text,
           "{ \"msd\": 1, \"gravity\": [0,0,0], \"frame_time\": 0.015625, \"substeps\": 1, \"bodies\": [ { "
           "\"type\": \"particles\", \"name\": \"p\", \"position\": [[0,0,0], [5,0,0]], \"mass\": [2, 1] %s "
           "} ], \"animation\": [ %s ] }",
           more, motions);
  scene_error error;
  scene *s = load_text(text, &error);
  cr_assert(s != NULL, "%s", error.text);
  return s;
}

/* 3 N for 0.4 s, and a ramp of up to 6 N over 0.5 s, shared by two: none of these times is one of a frame. */
Test(scene_step, a_force_gives_the_same_impulse_with_frames_of_any_length) {
  static const double rates[] = {1, 10, 24, 60, 1000};
  for (size_t r = 0; r < COUNT_OF(rates); r++) {
    scene *s =
        load_free("", "{ \"force\": [3, 0, 0], \"particles\": [\"p\", 0], \"interval\": [0.105, 0.505] }, { "
                      "\"forces\": [ { \"time\": 0.307 }, { \"time\": 0.807, \"force\": [0, 6, 0] } ], "
                      "\"particles\": [\"p\", \"all\"] }");
    for (int f = 0; f < (int)rates[r]; f++)
      cr_assert_eq(scene_step(s, 1 / rates[r], 1), MSD_OK, "%s", msd_world_message(s->world));
    const msd_vec3 a = msd_particle_get_velocity(s->world, 0), b = msd_particle_get_velocity(s->world, 1);
    cr_expect_float_eq((double)a.x, 3 * 0.4 / 2, 1e-5, "%g frames", rates[r]);
    cr_expect_float_eq((double)a.y, 0.75 / 2, 1e-5);
    cr_expect_float_eq((double)b.y, 0.75, 1e-5, "the other half of the ramp, of 1 kg");
    cr_expect_eq(b.x, 0);
    scene_free(s);
  }
}

/* The point moves evenly; the particle comes after it without lag. */
Test(scene_step, an_soft_pin_is_led_by_keys) {
  scene *s = load_free(", \"soft_pins\": [ { \"particle\": 0, \"position\": [0, 1, 0], \"frequency\": 5 } ]",
                       "{ \"particles\": [\"p\", 0], \"keyframes\": [ { \"time\": 0.25 }, { \"time\": 1, "
                       "\"offset\": [3, 0, 0] } ] }");
  for (int frame = 1; frame <= 64; frame++) {
    take_frames(s, 1);
    const msd_vec3 point = msd_soft_pin_get_def(s->world, 0).position;
    cr_expect_eq(point.x, (msd_real)(3 * fmax(frame / 64.0 - 0.25, 0) / 0.75), "frame %d", frame);
    cr_expect(point.y == 1 && point.z == 0);
  }
  const msd_vec3 at = msd_particle_get_position(s->world, 0);
  cr_expect_float_eq((double)at.x, 3, 1e-3, "follows without lag");
  cr_expect_float_eq((double)at.y, 1, 1e-3);
  scene_free(s);
}

Test(scene_step, an_soft_pin_that_lets_go_holds_nothing_and_its_particle_flies_on) {
  scene *s = load_free(", \"soft_pins\": [ { \"particle\": 0, \"position\": [1, 0, 0] } ]",
                       "{ \"release\": [\"p\", 0], \"time\": 0.0625 }");
  take_frames(s, 4);
  cr_expect_eq(msd_particle_get_soft_pin(s->world, 0), 0);
  take_frames(s, 1);
  cr_expect_eq(msd_particle_get_soft_pin(s->world, 0), -1);
  const msd_vec3 before = msd_particle_get_position(s->world, 0), v = msd_particle_get_velocity(s->world, 0);
  cr_expect_gt(v.x, 0);
  take_frames(s, 64);
  cr_expect_float_eq((double)msd_particle_get_position(s->world, 0).x, (double)(before.x + v.x), 1e-5);
  scene_free(s);
}

/* In its middle, after a cut and before a release. */
Test(scene_step, a_restored_world_goes_on_with_the_same_bits) {
  const char *motions = SLIDE
      ", { \"cut\": [\"c\", \"top\", 5], \"time\": 0.3 }, { \"release\": [\"c\", 0], \"time\": 0.6 }, { "
      "\"force\": [0, 0, 1], \"particles\": [\"c\", \"bottom\"], \"interval\": [0.2, 0.7] }, { "
      "\"particles\": "
      "[\"c\", 12], \"keyframes\": [ { \"time\": 0 }, { \"time\": 1, \"offset\": [0, 0, 1] } ] }, { "
      "\"release\": "
      "[\"c\", 12], \"time\": 0.8 }";
  scene *whole = load(motions), *part = load(motions);
  take_frames(whole, 64);
  take_frames(part, 27);
  size_t size;
  cr_assert_eq(msd_world_save(part->world, NULL, 0, &size), MSD_OK);
  void *snapshot = malloc(size);
  cr_assert_eq(msd_world_save(part->world, snapshot, size, &size), MSD_OK);
  scene_free(part);
  part = load(motions);
  cr_assert_eq(msd_world_restore(part->world, snapshot, size), MSD_OK);
  take_frames(part, 64 - 27);
  cr_expect_eq(msd_world_hash(part->world), msd_world_hash(whole->world));
  free(snapshot);
  scene_free(part);
  scene_free(whole);
}

Test(scene_step, what_the_world_refuses_is_told_with_its_message) {
  scene *s = load(SLIDE);
  cr_expect_eq(scene_step(s, -1, 1), MSD_BAD_FRAME_TIME);
  cr_expect(msd_world_message(s->world)[0] != '\0');
  cr_expect_eq(scene_step(s, s->frame_time, 1), MSD_OK, "and changes nothing");
  scene_free(s);
}

static void measure_circle(const msd_world *world, const msd_substep_info *at, void *context) {
  const msd_vec3 x = msd_particle_get_position(world, 0);
  const double off = fabs(hypot((double)x.x - 0.5, (double)x.z) - 0.5);
  double *worst = context;
  *worst = fmax(*worst, at->done > 0 ? off : 0);
}

/* From a tenth of a turn to three turns in a frame, forth and back. */
Test(scene_step, pins_stay_on_their_circles_within_frames) {
  const double degrees[] = {36, 200, -270, 360, 1080};
  for (int n = 0; n < 5; n++) {
    char text[512];
    double worst = 0;
    snprintf(text, sizeof text,
             "{ \"particles\": [\"c\", 0], \"pivot\": [0.5, 0, 0], \"keyframes\": [ { \"time\": 0 }, { "
             "\"time\": 1, "
             "\"rotation\": [0, %g, 0] } ] }",
             degrees[n] * 64);
    scene *s = load(text);
    cr_assert_eq(msd_world_set_callbacks(
                     s->world, &(msd_callbacks){.after_substep = measure_circle, .context = &worst}),
                 MSD_OK);
    for (int frame = 0; frame < 16; frame++)
      cr_assert_eq(scene_step(s, s->frame_time, 64), MSD_OK, "%s", msd_world_message(s->world));
    cr_expect_leq(worst, 1e-5, "%g degrees a frame", degrees[n]);
    scene_free(s);
  }
}

/* Of 5 to 90 turns a second, more than half a turn a frame from 32 on: always along with the table. */
Test(scene_step, a_turntable_draws_along_what_lies_on_it_at_any_speed) {
  for (double rate = 5; rate < 100; rate += 17) {
    char text[1024];
    snprintf(text, sizeof text,
             "{ \"msd\": 1, \"frame_time\": 0.015625, \"gravity\": [0, -9.81, 0], \"bodies\": [ { \"type\": "
             "\"particles\", \"name\": \"p\", \"position\": [[0.2, 0.005, 0]], \"mass\": 0.01 } ], "
             "\"colliders\": [ { "
             "\"type\": \"box\", \"size\": [2, 1, 2], \"friction\": 0.5, \"keyframes\": [ { \"time\": 0, "
             "\"position\": "
             "[0, -0.5, 0] }, { \"time\": 10, \"position\": [0, -0.5, 0], \"rotation\": [0, %g, 0] } ] } ] }",
             rate * 3600);
    scene_error error;
    scene *s = load_text(text, &error);
    cr_assert(s != NULL, "%s", error.text);
    for (int frame = 0; frame < 6; frame++)
      cr_assert_eq(scene_step(s, s->frame_time, 0), MSD_OK, "%s", msd_world_message(s->world));
    const msd_vec3 v = msd_particle_get_velocity(s->world, 0);
    cr_expect_float_eq((double)v.z, -0.5 * 9.81 * 6 / 64, 3e-3, "%g turns a second", rate);
    scene_free(s);
  }
}

/* Faster than half a turn in a substep that is given. */
Test(scene_step, a_turn_that_no_substep_can_follow_is_refused) {
  scene *s = load(
      "{ \"particles\": [\"c\", 0], \"pivot\": [0.5, 0, 0], \"keyframes\": [ { \"time\": 0 }, { \"time\": "
      "1, \"rotation\": [0, 230400, 0] } ] }");
  cr_expect_eq(scene_step(s, s->frame_time, 8), MSD_BAD_VALUE);
  cr_expect(strstr(msd_world_message(s->world), "it needs 20"), "%s", msd_world_message(s->world));
  scene_free(s);
}

Test(scene_step, a_fast_rotation_about_several_axes_is_warned_of) {
  for (int tumbles = 0; tumbles < 2; tumbles++) {
    char text[512];
    snprintf(text, sizeof text,
             "{ \"particles\": [\"c\", 0], \"keyframes\": [ { \"time\": 0 }, { \"time\": 1, \"rotation\": "
             "[%d, 9000, 0] } "
             "] }",
             tumbles * 7000);
    scene *s = load(text);
    bool is_warned = false;
    for (int n = 0; n < s->warnings.count; n++)
      is_warned = is_warned || strstr(s->warnings.lines[n], "several axes");
    cr_expect_eq(is_warned, tumbles == 1);
    scene_free(s);
  }
}
