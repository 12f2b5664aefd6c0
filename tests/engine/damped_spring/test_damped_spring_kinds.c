/* Dampers and the kinds of springs, against tables and against their differential equations:
   damper_exact.csv, critical.csv; double_spring.csv and tracking_exact.csv are matrix exponentials. */
#include <msd/damped_spring.h>

#include "tests/support/table.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const double PI = 3.14159265358979323846;
static const double LN2 = 0.69314718055994530942;

static const int counts[] = {1, 15, 60, 144, 1000}; /* steps of one second */
enum { COUNTS = sizeof counts / sizeof *counts };

/* ---------------------------------------------------------------------------------------------- dampers */

Test(damped_spring_kinds, dampers_agree_with_the_table_to_1e_12) {
  table *t = table_read("damper_exact.csv", 5);
  for (int i = 0; i < t->rows; i++) {
    const double *r = t->at[i], x = msd_damper(r[0], r[1], r[2], r[3]);
    cr_assert(fabs(x - r[4]) <= 1e-12 * fmax(fabs(r[0]), fabs(r[1])), "row %d: %.17g for %.17g", i + 2, x,
              r[4]);
    /* What is left of the distance has full relative accuracy, too. */
    if (r[1] == 0 && r[4] != 0)
      cr_assert(fabs(x / r[4] - 1) <= 1e-12 || fabs(r[4]) < DBL_MIN);
  }
  free(t);
}

Test(damped_spring_kinds, a_damper_halves_the_distance_every_halflife) {
  double x = 9;
  for (int n = 1; n < 20; n++) {
    x = msd_damper(x, 1, 0.3, 0.3);
    cr_assert_float_eq(x, 1 + 8 * pow(0.5, n), 1e-14);
  }
  cr_assert_float_eq(msd_damper_remainder(0.3, 0.9), 0.125, 1e-15);
}

Test(damped_spring_kinds, a_damper_does_not_depend_on_the_frame_rate) {
  const double want = msd_damper(3, -1, 0.25, 1);
  for (int c = 0; c < COUNTS; c++) {
    double x = 3;
    for (int n = 0; n < counts[c]; n++)
      x = msd_damper(x, -1, 0.25, 1.0 / counts[c]);
    cr_assert_float_eq(x, want, 1e-12);
  }
}

/* In one reference step it is the naive damper, and at other rates it agrees with itself. */
Test(damped_spring_kinds, the_exponential_damper_matches_the_naive_one_at_its_rate) {
  double x = 5;
  cr_assert(msd_damper_exponential(&x, 2, 6, 1.0 / 60, 1.0 / 60));
  cr_assert_float_eq(x, msd_naive_damper(5, 2, 6, 1.0 / 60), 1e-14);
  double fast = 5, slow = 5;
  for (int n = 0; n < 144; n++)
    cr_assert(msd_damper_exponential(&fast, 2, 6, 1.0 / 60, 1.0 / 144));
  for (int n = 0; n < 60; n++)
    slow = msd_naive_damper(slow, 2, 6, 1.0 / 60);
  cr_assert_float_eq(fast, slow, 1e-12);
}

Test(damped_spring_kinds, the_exponential_damper_refuses_factors_of_one_and_more) {
  double x = 5;
  cr_assert(!msd_damper_exponential(&x, 2, 60, 1.0 / 60, 0.1) && x == 5);
  cr_assert(!msd_damper_exponential(&x, 2, 1e9, 1, 0.1) && x == 5);
  cr_assert(!msd_damper_exponential(&x, 2, INFINITY, INFINITY, 0.1) && x == 5);
  cr_assert(msd_damper_exponential(&x, 2, NAN, 1, 0.1) && x == 5); /* damping 0 */
  cr_assert(msd_damper_exponential(&x, 2, 3, 0, 1)); /* the limit of short reference steps: exp(-3) */
  cr_assert_float_eq(x, 2 + 3 * exp(-3), 1e-14);
}

Test(damped_spring_kinds, dampers_define_bad_input) {
  const double bad[] = {0, -1, NAN, -INFINITY};
  for (int i = 0; i < 4; i++) {
    cr_assert_eq(msd_damper(5, 2, bad[i], 0.1), 2);
    cr_assert_eq(msd_damper(5, 2, 0.1, bad[i]), 5);
  }
  cr_assert_eq(msd_damper(5, 2, 0, 0), 5);
  cr_assert_eq(msd_damper(5, 2, INFINITY, 0.1), 5);
  cr_assert_eq(msd_damper(5, 2, 0.1, INFINITY), 2);
  cr_assert_eq(msd_damper(-DBL_MAX, DBL_MAX, 0.1, INFINITY), DBL_MAX);
}

/* -------------------------------------------------------------------------------------- critical springs */

Test(damped_spring_kinds, critical_springs_agree_with_the_table_to_1e_12) {
  table *t = table_read("critical.csv", 14);
  for (int i = 0; i < t->rows; i++) {
    const double *r = t->at[i], h = r[0], dt = r[1], y = 2 * LN2 / h;
    const double goal = r[4], q = r[5];
    const double size = fabs(r[2]) + fabs(r[3]) / y + fabs(goal) + fabs(q) * (2 / y + dt);
    double got[8];
    for (int k = 0; k < 4; k++) {
      got[2 * k] = r[2];
      got[2 * k + 1] = r[3];
    }
    msd_critical_spring(&got[0], &got[1], goal, q, h, dt);
    msd_simple_spring(&got[2], &got[3], goal, h, dt);
    msd_decay_spring(&got[4], &got[5], h, dt);
    const msd_damped_spring s = msd_damped_spring_make_critical(h, dt);
    msd_damped_spring_track(&s, dt, &got[6], &got[7], goal, q);
    for (int k = 0; k < 8; k++) {
      const double unit = k % 2 ? y : 1;
      cr_assert(fabs(got[k] - r[6 + k]) <= 1e-12 * size * unit, "row %d column %d: %.17g for %.17g", i + 2,
                7 + k, got[k], r[6 + k]);
    }
  }
  free(t);
}

Test(damped_spring_kinds, halflife_0_goes_to_the_goal_at_once) {
  const double bad[] = {0, -3, NAN};
  for (int i = 0; i < 3; i++) {
    double x = 5, v = -4;
    msd_simple_spring(&x, &v, 2, bad[i], 1e-9);
    cr_assert(x == 2 && v == 0);
    x = 5;
    v = -4;
    msd_critical_spring(&x, &v, 2, 3, bad[i], 1e-9);
    cr_assert(x == 2 && v == 0);
    msd_double_spring d = {5, 1, 5, 1};
    msd_double_spring_update(&d, 2, bad[i], 1e-9);
    cr_assert(d.x == 2 && d.v == 0 && d.middle_x == 2 && d.middle_v == 0);
    msd_double_spring_update(&d, 7, bad[i], -1);
    cr_assert(d.x == 2 && d.middle_x == 2);
  }
}

Test(damped_spring_kinds, double_springs_agree_with_the_matrix_exponential_to_1e_12) {
  table *t = table_read("double_spring.csv", 11);
  for (int i = 0; i < t->rows; i++) {
    const double *r = t->at[i], y = 4 * LN2 / r[0];
    msd_double_spring s = {r[2], r[3], r[4], r[5]};
    msd_double_spring_update(&s, r[6], r[0], r[1]);
    const double size = fabs(r[2]) + fabs(r[4]) + fabs(r[6]) + (fabs(r[3]) + fabs(r[5])) / y;
    const double got[4] = {s.x, s.v, s.middle_x, s.middle_v};
    for (int k = 0; k < 4; k++)
      cr_assert(fabs(got[k] - r[7 + k]) <= 1e-12 * size * (k % 2 ? y : 1), "row %d: %.17g for %.17g", i + 2,
                got[k], r[7 + k]);
  }
  free(t);
}

Test(damped_spring_kinds, a_double_spring_does_not_depend_on_the_frame_rate) {
  msd_double_spring want = {1, -3, 0.5, 2};
  msd_double_spring_update(&want, 4, 0.4, 1);
  for (int c = 0; c < COUNTS; c++) {
    msd_double_spring s = {1, -3, 0.5, 2};
    for (int n = 0; n < counts[c]; n++)
      msd_double_spring_update(&s, 4, 0.4, 1.0 / counts[c]);
    cr_assert_float_eq(s.x, want.x, 1e-12, "%d steps: %g", counts[c], s.x - want.x);
    cr_assert_float_eq(s.v, want.v, 1e-11);
  }
}

/* ---------------------------------------------------------------------------- timed and velocity springs */

static msd_timed_spring new_timed(double apprehension) {
  return (msd_timed_spring){
      .x = 0, .v = 0, .line = 0, .goal = 10, .time_left = 0.7, .halflife = 0.1, .apprehension = apprehension};
}

Test(damped_spring_kinds, a_timed_spring_does_not_depend_on_the_frame_rate) {
  for (double apprehension = 0; apprehension < 9; apprehension += 1.7) {
    msd_timed_spring want = new_timed(apprehension);
    msd_timed_spring_update(&want, 1);
    for (int c = 0; c < COUNTS; c++) {
      msd_timed_spring s = new_timed(apprehension);
      for (int n = 0; n < counts[c]; n++)
        msd_timed_spring_update(&s, 1.0 / counts[c]);
      cr_assert_float_eq(s.x, want.x, 1e-11, "%d steps: %g", counts[c], s.x - want.x);
      cr_assert_float_eq(s.v, want.v, 1e-10);
      cr_assert(s.time_left == 0 && s.line == 10);
    }
  }
}

/* Against the definition: a critical spring whose goal is, at every moment, the point of the line that far
   ahead. The midpoint rule in small steps stands for the moving goal. */
Test(damped_spring_kinds, a_timed_spring_chases_the_point_ahead_on_its_line) {
  const double dt = 1e-4;
  for (double apprehension = 0; apprehension < 5; apprehension += 2) {
    msd_timed_spring s = new_timed(apprehension);
    double x = 0, v = 0;
    for (int n = 0; n < 9000; n++) {
      msd_timed_spring_update(&s, dt);
      const double seen = fmin(10, 10 / 0.7 * ((n + 0.5) * dt + apprehension * 0.1));
      msd_simple_spring(&x, &v, seen, 0.1, dt);
      cr_assert_float_eq(s.x, x, 2e-6);
    }
  }
}

Test(damped_spring_kinds, exact_apprehension_leaves_no_steady_lag) {
  msd_timed_spring s = {
      .goal = 100, .time_left = 10, .halflife = 0.2, .apprehension = MSD_APPREHENSION_EXACT};
  for (int n = 0; n < 300; n++)
    msd_timed_spring_update(&s, 1.0 / 60);
  cr_assert_float_eq(s.x, 50, 1e-9);
  cr_assert_float_eq(s.v, 10, 1e-9);
  cr_assert_float_eq(s.line, 50, 1e-9);
}

Test(damped_spring_kinds, timed_springs_define_bad_input) {
  const double bad[] = {0, -1, NAN};
  for (int i = 0; i < 3; i++) {
    msd_timed_spring s = new_timed(2), still = s;
    msd_timed_spring_update(&s, bad[i]);
    cr_assert(memcmp(&s, &still, sizeof s) == 0);
    s.time_left = bad[i]; /* the line has arrived: a simple spring */
    double x = 0, v = 0;
    msd_simple_spring(&x, &v, 10, 0.1, 0.05);
    msd_timed_spring_update(&s, 0.05);
    cr_assert(s.x == x && s.v == v && s.line == 10);
    s = new_timed(2);
    s.halflife = bad[i]; /* glued to the line */
    msd_timed_spring_update(&s, 0.35);
    cr_assert_float_eq(s.x, 5, 1e-12);
    s = new_timed(bad[i]); /* no look-ahead */
    msd_timed_spring_update(&s, 0.35);
    cr_assert(s.x > 0 && s.x < 5);
  }
  const double p[] = {0, 5e-324, 1, 1e300, DBL_MAX, INFINITY, NAN};
  for (int k = 0; k < 7 * 7 * 7 * 7; k++) {
    msd_timed_spring s = {-DBL_MAX, 1, 1e300, DBL_MAX, p[k % 7], p[k / 7 % 7], p[k / 49 % 7]};
    msd_timed_spring_update(&s, p[k / 343]);
    cr_assert(isfinite(s.x) && isfinite(s.v) && isfinite(s.line) && (s.time_left >= 0 || isnan(p[k % 7])));
    msd_velocity_spring u = {-DBL_MAX, 1, 1e300, -DBL_MAX, p[k % 7], p[k / 7 % 7], p[k / 49 % 7]};
    msd_velocity_spring_update(&u, p[k / 343]);
    cr_assert(isfinite(u.x) && isfinite(u.v) && isfinite(u.line));
  }
}

Test(damped_spring_kinds, a_velocity_spring_travels_at_its_speed_and_stops_at_the_goal) {
  for (int sign = -1; sign <= 1; sign += 2) {
    msd_velocity_spring s = {
        .goal = 10.0 * sign, .speed = 4, .halflife = 0.1, .apprehension = MSD_APPREHENSION_EXACT};
    for (int n = 0; n < 120; n++)
      msd_velocity_spring_update(&s, 1.0 / 60);
    cr_assert_float_eq(s.x, 8 * sign, 1e-4);
    cr_assert_float_eq(s.v, 4 * sign, 1e-3);
    for (int n = 0; n < 120; n++)
      msd_velocity_spring_update(&s, 1.0 / 60);
    cr_assert_float_eq(s.x, 10 * sign, 1e-6);
    cr_assert(s.line == 10 * sign);
  }
  msd_velocity_spring waiting = {
      .x = 1, .line = 0, .goal = 5, .speed = 0, .halflife = 0.1, .apprehension = 2};
  msd_velocity_spring_update(&waiting, 10);
  cr_assert_float_eq(waiting.x, 0, 1e-9);
  cr_assert_eq(waiting.line, 0);
}

Test(damped_spring_kinds, a_velocity_spring_does_not_depend_on_the_frame_rate) {
  double want = 0;
  for (int c = 0; c < COUNTS; c++) {
    msd_velocity_spring s = {
        .x = 1, .v = 2, .line = 1, .goal = -3, .speed = -5, .halflife = 0.15, .apprehension = 2};
    for (int n = 0; n < counts[c]; n++)
      msd_velocity_spring_update(&s, 1.0 / counts[c]);
    if (c == 0)
      want = s.x;
    cr_assert_float_eq(s.x, want, 1e-11);
  }
}

/* ------------------------------------------------------------------------------------------------ angle */

Test(damped_spring_kinds, angles_go_the_shortest_way) {
  const double degree = PI / 180;
  const msd_damped_spring s = msd_damped_spring_make_critical(0.1, 1.0 / 60);
  double x = 350 * degree, v = 0, before = x;
  for (int n = 0; n < 300; n++) {
    msd_damped_spring_update_angle(&s, &x, &v, 10 * degree);
    cr_assert(x >= before && x - before < 5 * degree, "jumped");
    before = x;
  }
  cr_assert_float_eq(x, 370 * degree, 1e-9);

  double far = 0.3 + 2 * PI * 1000, near = 0.3, u = 1, w = 1; /* whole turns do not matter */
  for (int n = 0; n < 10; n++) {
    msd_damped_spring_update_angle(&s, &far, &u, 2.5);
    msd_damped_spring_update_angle(&s, &near, &w, 2.5);
  }
  cr_assert_float_eq(far - 2 * PI * 1000, near, 1e-10);
  cr_assert_float_eq(u, w, 1e-10);
}

Test(damped_spring_kinds, angles_define_extreme_input) {
  const double p[] = {0, 1, -1e15, 1e300, DBL_MAX, -DBL_MAX};
  for (int k = 0; k < 36; k++) {
    const msd_damped_spring s = msd_damped_spring_make_critical(0.1, 0.05);
    double x = p[k % 6], v = 1;
    msd_damped_spring_update_angle(&s, &x, &v, p[k / 6]);
    cr_assert(isfinite(x) && isfinite(v));
    if (p[k % 6] == p[k / 6])
      cr_assert(fabs(x - p[k % 6]) <= 0.1);
  }
}

/* --------------------------------------------------------------------------------------- tracking springs */

Test(damped_spring_kinds, exact_tracking_agrees_with_the_matrix_exponential) {
  table *t = table_read("tracking_exact.csv", 12);
  for (int i = 0; i < t->rows; i++) {
    const double *r = t->at[i];
    double x = r[5], v = r[6];
    msd_tracking_spring_exact(&x, &v, (msd_motion){r[7], r[8], r[9]}, (msd_tracking_gains){r[0], r[1], r[2]},
                              r[3], r[4]);
    cr_assert(fabs(x - r[10]) <= 2e-12 && fabs(v - r[11]) <= 2e-12 / r[3],
              "row %d: %.17g %.17g for %.17g %.17g", i + 2, x, v, r[10], r[11]);
  }
  free(t);
}

/* The published one-step form, written out. */
Test(damped_spring_kinds, a_tracking_step_is_the_published_recurrence) {
  const double dt = 1.0 / 60;
  double x = 1, v = -2;
  msd_tracking_spring(&x, &v, (msd_motion){0.25, 3, -7.5}, (msd_tracking_gains){0.01, 0.2, 0.5}, dt);
  double want = -2 + 0.5 * -7.5 * dt;
  want = 0.8 * want + 0.2 * 3;
  want = 0.99 * want + 0.01 * (0.25 - 1) / dt;
  cr_assert_float_eq(v, want, 1e-14);
  cr_assert_float_eq(x, 1 + dt * want, 1e-14);
}

/* For short steps all three are one equation when half-lives are chosen as the gains are. */
Test(damped_spring_kinds, the_tracking_variants_agree_for_short_steps) {
  const double dt = 1e-5, gain_x = 1e-6, gain_v = 1e-4;
  const msd_tracking_gains gains = {gain_x, gain_v, 1};
  const msd_tracking_gains halflives = {-LN2 * dt / log1p(-gain_x), -LN2 * dt / log1p(-gain_v), 0};
  double x[3] = {1, 1, 1}, v[3] = {0, 0, 0};
  for (int n = 0; n < 20000; n++) {
    const double t = n * dt;
    const msd_motion goal = {sin(t), cos(t), -sin(t)};
    msd_tracking_spring(&x[0], &v[0], goal, gains, dt);
    msd_tracking_spring_halflife(&x[1], &v[1], goal, halflives, dt);
    msd_tracking_spring_exact(&x[2], &v[2], goal, gains, dt, dt);
  }
  cr_assert_float_eq(x[1], x[0], 1e-9);
  cr_assert_float_eq(x[2], x[0], 1e-3); /* w dt = 1e-3: the recurrence is of first order */
  cr_assert_float_eq(v[2], v[0], 1e-1);
}

Test(damped_spring_kinds, exact_tracking_of_a_held_goal_does_not_depend_on_the_frame_rate) {
  double want_x = 0, want_v = 0;
  for (int c = 0; c < COUNTS; c++) {
    double x = 1, v = -2;
    for (int n = 0; n < counts[c]; n++)
      msd_tracking_spring_exact(&x, &v, (msd_motion){0.25, 3, -7.5}, (msd_tracking_gains){0.01, 0.2, 1},
                                1.0 / 60, 1.0 / counts[c]);
    if (c == 0) {
      want_x = x;
      want_v = v;
    }
    cr_assert_float_eq(x, want_x, 1e-12);
    cr_assert_float_eq(v, want_v, 1e-11);
  }
}

Test(damped_spring_kinds, gains_of_0_leave_a_part_of_the_goal_out) {
  for (int kind = 0; kind < 3; kind++) {
    double x[2] = {1, 1}, v[2] = {-2, -2};
    for (int i = 0; i < 2; i++) {
      const msd_motion goal = {0.25, i ? 99 : 3, i ? -77 : 5}; /* what is left out does not matter */
      if (kind == 0)
        msd_tracking_spring(&x[i], &v[i], goal, (msd_tracking_gains){0.1, 0, 0}, 0.01);
      else if (kind == 1)
        msd_tracking_spring_halflife(&x[i], &v[i], goal, (msd_tracking_gains){0.1, INFINITY, INFINITY}, 0.01);
      else
        msd_tracking_spring_exact(&x[i], &v[i], goal, (msd_tracking_gains){0.1, 0, 0}, 0.01, 0.02);
    }
    cr_assert(x[0] == x[1] && v[0] == v[1], "kind %d", kind);
    cr_assert(x[0] != 1);
  }
}

Test(damped_spring_kinds, tracking_springs_define_bad_input) {
  double x = 1, v = 2;
  msd_tracking_spring(&x, &v, (msd_motion){9, 9, 9}, (msd_tracking_gains){1, 1, 1}, 0);
  msd_tracking_spring_halflife(&x, &v, (msd_motion){9, 9, 9}, (msd_tracking_gains){1, 1, 1}, NAN);
  msd_tracking_spring_exact(&x, &v, (msd_motion){9, 9, 9}, (msd_tracking_gains){1, 1, 1}, 0.1, -1);
  cr_assert(x == 1 && v == 2);
  msd_tracking_spring_exact(&x, &v, (msd_motion){9, 9, 9}, (msd_tracking_gains){1, 1, 1}, 0, 0.1);
  cr_assert(x == 9 && v == 0);
  msd_tracking_spring(&x, &v, (msd_motion){4, 0, 0}, (msd_tracking_gains){7, -1, NAN},
                      0.5); /* gains 1, 0, 0 */
  cr_assert(x == 4);

  const double p[] = {0, 5e-324, 0.5, 1, 1e200, DBL_MAX, INFINITY, NAN};
  const double s[] = {0, 1, -DBL_MAX, DBL_MAX};
  for (int k = 0; k < 8 * 8 * 8 * 8; k++) {
    const msd_tracking_gains g = {p[k % 8], p[k / 8 % 8], p[k / 64 % 8]};
    for (int i = 0; i < 64; i++) {
      const msd_motion goal = {s[i % 4], s[i / 4 % 4], s[i / 16]};
      double a = s[i / 4 % 4], b = s[i / 16], c = a, d = b, e = a, f = b;
      msd_tracking_spring(&a, &b, goal, g, p[k / 512]);
      msd_tracking_spring_halflife(&c, &d, goal, g, p[k / 512]);
      msd_tracking_spring_exact(&e, &f, goal, g, p[k / 8 % 8], p[k / 512]);
      if (!isfinite(a) || !isfinite(b) || !isfinite(c) || !isfinite(d) || !isfinite(e) || !isfinite(f))
        cr_assert_fail("gains %g %g %g, steps %g %g, goal %g %g %g: %g %g %g %g %g %g", g.position,
                       g.velocity, g.acceleration, p[k / 8 % 8], p[k / 512], goal.position, goal.velocity,
                       goal.acceleration, a, b, c, d, e, f);
    }
  }
}

Test(damped_spring_kinds, sampled_derivatives_of_a_parabola_are_exact) {
  const double dt = 0.25; /* x = t^2 */
  cr_assert_eq(msd_sampled_velocity(4, 3.0625, dt), 3.75);
  cr_assert_eq(msd_sampled_acceleration(4, 3.0625, 2.25, dt), 2);
  cr_assert_eq(msd_sampled_velocity(4, 3, 0), 0);
  cr_assert_eq(msd_sampled_acceleration(4, 3, 1, NAN), 0);
  cr_assert(!isnan(msd_sampled_acceleration(DBL_MAX, -DBL_MAX, DBL_MAX, 5e-324)));
}

/* ------------------------------------------------------------------------------------------------ naive */

Test(damped_spring_kinds, the_naive_forms_fail_as_described) {
  double at_30 = 0, at_60 = 0;
  for (int n = 0; n < 30; n++)
    at_30 = msd_naive_lerp(at_30, 1, 0.05);
  for (int n = 0; n < 60; n++)
    at_60 = msd_naive_lerp(at_60, 1, 0.05);
  cr_assert_float_eq(1 - at_60, (1 - at_30) * (1 - at_30), 1e-12); /* twice the rate, twice as fast */

  double x = 1; /* damping dt = 2.5 */
  for (int n = 0; n < 100; n++)
    x = msd_naive_damper(x, 0, 25, 0.1);
  cr_assert(fabs(x) > 1e10);

  double stable = 1, v = 0, unstable = 1, u = 0; /* stiffness dt^2 + 2 damping dt against 4 */
  for (int n = 0; n < 1000; n++) {
    msd_naive_spring(&stable, &v, 0, 390, 0, 0.1);
    msd_naive_spring(&unstable, &u, 0, 410, 0, 0.1);
  }
  cr_assert(fabs(stable) < 100 && fabs(unstable) > 1e10);
}
