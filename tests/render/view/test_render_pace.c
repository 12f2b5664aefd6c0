#include "render/view/pace.h"

#include <criterion/criterion.h>
#include <math.h>

static const double dt = 1.0 / 60;

/* Steps taken in 10 s on a display with this many frames per second, by a machine that always keeps up. */
static int steps_in_ten_seconds(pace *p, double display) {
  int steps = 0;
  for (int i = 0; i < (int)(10 * display); i++)
    steps += pace_due(p, 1 / display);
  return steps;
}

Test(pace, real_time_is_kept_on_any_display) {
  const double displays[] = {24, 30, 50, 59.94, 60, 75, 144, 240};
  for (int i = 0; i < 8; i++) {
    pace p = pace_make(dt);
    int steps = steps_in_ten_seconds(&p, displays[i]);
    cr_expect(steps >= 597 && steps <= 600, "%g frames a second give %d steps", displays[i], steps);
  }
}

Test(pace, a_display_as_fast_as_the_steps_gets_one_step_a_frame) {
  pace p = pace_make(dt);
  for (int i = 0; i < 1000; i++)
    cr_assert_eq(pace_due(&p, dt), 1);
}

/* Differences between times of a clock that has run for long are off by some nanoseconds. */
Test(pace, a_frame_that_is_short_by_the_rounding_of_a_clock_gets_its_step) {
  pace p = pace_make(dt);
  for (int i = 0; i < 1000; i++)
    cr_assert_eq(pace_due(&p, dt - 1e-9), 1, "frame %d", i);
}

Test(pace, slow_motion_and_fast_motion_are_what_they_say) {
  pace p = pace_make(dt);
  p.speed = 0.25;
  cr_expect(abs(steps_in_ten_seconds(&p, 60) - 150) <= 1);
  p = pace_make(dt);
  p.speed = 2;
  cr_expect(abs(steps_in_ten_seconds(&p, 60) - 1200) <= 1);
}

/* Each step takes 50 ms of real time and simulates 16.7 ms, so that more and more steps would be due. */
Test(pace, a_slow_machine_falls_behind_and_never_spirals) {
  pace p = pace_make(dt);
  double frame = dt, longest = 0;
  for (int i = 0; i < 200; i++) {
    int steps = pace_due(&p, frame);
    frame = steps * 0.05 + 0.002;
    longest = fmax(longest, frame);
    pace_record(&p, steps, frame);
  }
  cr_expect(longest <= PACE_SECONDS_MAX / dt * 0.05 + 0.003, "a frame took %g s", longest);
  cr_expect(p.rate > 0.3 && p.rate < 0.34, "x %g of real time, not x 1/3", p.rate);
}

/* A display of 4 frames per second, as when a large window is drawn without a graphics card. */
Test(pace, a_slow_display_gets_every_step_that_is_due) {
  pace p = pace_make(dt);
  cr_expect(abs(steps_in_ten_seconds(&p, 4) - 600) <= 1);
}

Test(pace, a_step_longer_than_what_is_made_up_for_still_comes_due) {
  pace p = pace_make(3);
  int steps = steps_in_ten_seconds(&p, 60);
  cr_expect(steps == 3, "%d steps", steps);
}

Test(pace, tiny_steps_are_counted_within_bounds) {
  pace p = pace_make(1e-12);
  cr_expect_eq(pace_due(&p, 1), PACE_STEPS_MAX);
}

Test(pace, an_hour_of_sleep_is_not_made_up_for) {
  pace p = pace_make(dt);
  cr_expect_eq(pace_due(&p, 3600), (int)(PACE_SECONDS_MAX / dt + 0.5));
  cr_expect_eq(pace_due(&p, 0), 0);
}

Test(pace, a_restart_forgets_what_is_due) {
  pace p = pace_make(dt);
  pace_due(&p, 0.9 * dt);
  pace_restart(&p);
  cr_expect_eq(pace_due(&p, 0.9 * dt), 0);
}

Test(pace, no_time_changes_nothing) {
  pace p = pace_make(dt);
  pace_record(&p, 3, 0);
  cr_expect_eq(p.rate, 1);
  cr_expect_eq(pace_due(&p, 0), 0);
}

/* Steps of 1/60 s at a rate of 0.5. */
Test(pace, who_is_slow_is_told_by_what_the_steps_need_for_themselves) {
  pace p = pace_make(dt);
  p.rate = 0.5;
  cr_expect_eq(pace_find_cause(&p, 0.02), PACE_STEPS_ARE_SLOW);
  cr_expect_eq(pace_find_cause(&p, 0.01), PACE_DRAWING_IS_SLOW);
  p.speed = 2;
  cr_expect_eq(pace_find_cause(&p, 0.01), PACE_STEPS_ARE_SLOW,
               "twice as fast the same steps have half the time");
  p.speed = 0.5;
  cr_expect_eq(pace_find_cause(&p, 0.02), PACE_KEEPS_UP);
}
