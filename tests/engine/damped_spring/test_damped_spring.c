/* The core of the closed-form springs. spring_coef.csv holds coefficients in many digits for zeta 0..5000 and
   w dt 0..1e5, stiffness_form.csv those of the stiffness form by the matrix exponential. */
#include <msd/damped_spring.h>

#include "tests/support/table.h"

#include <float.h>
#include <math.h>

static const double PI = 3.14159265358979323846;

static double largest4(double a, double b, double c, double d) {
  return fmax(fmax(a, b), fmax(c, d));
}

/* The largest error of the four coefficients, velocities scaled by w, relative to the largest of the row.
   Rows that are below the smallest normal double hold fewer digits by nature; they count absolutely. */
static double row_error(msd_damped_spring got, const double want[4], double w) {
  const double scale =
      largest4(fabs(want[0]), fabs(want[1]) * w, w > 0 ? fabs(want[2]) / w : 0, fabs(want[3]));
  const double error = largest4(fabs(got.pos_pos - want[0]), fabs(got.pos_vel - want[1]) * w,
                                w > 0 ? fabs(got.vel_pos - want[2]) / w : 0, fabs(got.vel_vel - want[3]));
  return error / fmax(scale, DBL_MIN);
}

Test(damped_spring, coefficients_agree_with_the_table_to_1e_12) {
  table *t = table_read("spring_coef.csv", 7);
  double worst = 0;
  for (int i = 0; i < t->rows; i++) {
    const double *r = t->at[i];
    const double error = row_error(msd_damped_spring_make(r[0], r[1], r[2]), r + 3, r[0]);
    cr_assert(error <= 1e-12, "w %g zeta %g dt %g: %g", r[0], r[1], r[2], error);
    worst = fmax(worst, error);
  }
  printf("coefficients in double: worst relative error %.2g over %d rows\n", worst, t->rows);
  free(t);
}

Test(damped_spring, coefficients_stored_as_float_agree_to_6e_8_each) {
  table *t = table_read("spring_coef.csv", 7);
  for (int i = 0; i < t->rows; i++) {
    const double *r = t->at[i];
    const msd_damped_spring s = msd_damped_spring_make(r[0], r[1], r[2]);
    const double got[4] = {s.pos_pos, s.pos_vel, s.vel_pos, s.vel_vel};
    const double unit[4] = {1, 1 / r[0], r[0], 1};
    double scale = 0;
    for (int c = 0; c < 4; c++)
      scale = fmax(scale, fabs(r[3 + c]) / unit[c]);
    for (int c = 0; c < 4; c++) {
      const double error = fabs((double)(float)got[c] - r[3 + c]);
      cr_assert(error <= fmax(6e-8 * scale * unit[c], 1e-45), "w %g zeta %g dt %g: coefficient %d, %g for %g",
                r[0], r[1], r[2], c, got[c], r[3 + c]);
    }
  }
  free(t);
}

Test(damped_spring, stiffness_form_agrees_with_the_matrix_exponential_to_1e_12) {
  table *t = table_read("stiffness_form.csv", 7);
  for (int i = 0; i < t->rows; i++) {
    const double *r = t->at[i];
    const double rate = r[0] > 0 ? sqrt(r[0]) : 1; /* of a spring without stiffness: per second */
    const double error = row_error(msd_damped_spring_make_stiffness(r[0], r[1], r[2]), r + 3, rate);
    cr_assert(error <= 1e-12, "stiffness %g damping %g dt %g: %g", r[0], r[1], r[2], error);
  }
  free(t);
}

static void assert_same(msd_damped_spring a, msd_damped_spring b, double w, double tolerance,
                        const char *what) {
  const double want[4] = {b.pos_pos, b.pos_vel, b.vel_pos, b.vel_vel};
  const double error = row_error(a, want, w);
  cr_assert(error <= tolerance, "%s: %g", what, error);
}

Test(damped_spring, all_ways_to_make_a_spring_agree) {
  const double ln2 = log(2.0), halflife = 0.3, dt = 0.04;
  for (double zeta = 0.125; zeta < 20; zeta *= 1.7) {
    const double w = 2 * ln2 / (halflife * zeta); /* 2 zeta w = 4 ln2/halflife */
    const msd_damped_spring want = msd_damped_spring_make(w, zeta, dt);
    assert_same(msd_damped_spring_make_stiffness(w * w, 2 * zeta * w, dt), want, w, 1e-14, "stiffness");
    assert_same(msd_damped_spring_make_frequency(w / (2 * PI), halflife, dt), want, w, 1e-14, "frequency");
    assert_same(msd_damped_spring_make_ratio(zeta, halflife, dt), want, w, 1e-14, "ratio");
    assert_same(msd_damped_spring_make_duration(2 * PI / w, 1 - zeta, dt), want, w, 1e-14, "duration");
  }
  assert_same(msd_damped_spring_make_critical(halflife, dt),
              msd_damped_spring_make(2 * ln2 / halflife, 1, dt), 2 * ln2 / halflife, 1e-15, "critical");
}

Test(damped_spring, no_time_is_the_identity_to_the_last_bit) {
  const double values[] = {0, 1e-3, 0.5, 1, 2, 1e4, INFINITY};
  for (size_t i = 0; i < 7; i++) {
    for (size_t j = 0; j < 7; j++) {
      const msd_damped_spring s = msd_damped_spring_make(values[i], values[j], 0);
      double x = 0.1, v = -3.7;
      msd_damped_spring_update(&s, &x, &v, 1e6);
      cr_assert(x == 0.1 && v == -3.7);
      msd_damped_spring_track(&s, 0, &x, &v, -1e6, 5);
      cr_assert(x == 0.1 && v == -3.7);
    }
  }
}

/* The product of two steps, the later one first. */
static msd_damped_spring product(msd_damped_spring b, msd_damped_spring a) {
  return (msd_damped_spring){
      b.pos_pos * a.pos_pos + b.pos_vel * a.vel_pos, b.pos_pos * a.pos_vel + b.pos_vel * a.vel_vel,
      b.vel_pos * a.pos_pos + b.vel_vel * a.vel_pos, b.vel_pos * a.pos_vel + b.vel_vel * a.vel_vel};
}

static const double ratios[] = {0, 1e-8, 0.1, 0.5, 0.999999, 1, 1.000001, 1.2, 2, 10, 5000};
enum { RATIOS = sizeof ratios / sizeof *ratios };

Test(damped_spring, two_steps_are_one_of_their_sum) {
  for (int i = 0; i < RATIOS; i++) {
    for (double a = 0.001; a < 30; a *= 3.1) {
      for (double b = 0.002; b < 30; b *= 2.9) {
        const double w = 2;
        const msd_damped_spring two =
            product(msd_damped_spring_make(w, ratios[i], b), msd_damped_spring_make(w, ratios[i], a));
        const msd_damped_spring one = msd_damped_spring_make(w, ratios[i], a + b);
        const double want[4] = {one.pos_pos, one.pos_vel, one.vel_pos, one.vel_vel};
        cr_assert(row_error(two, want, w) < 1e-12, "zeta %g, %g + %g: %g", ratios[i], a, b,
                  row_error(two, want, w));
      }
    }
  }
}

Test(damped_spring, determinant_is_exp_of_minus_twice_zeta_w_dt) {
  for (int i = 0; i < RATIOS; i++) {
    for (double dt = 1e-4; dt < 3; dt *= 2.3) {
      const double w = 3, want = exp(-2 * ratios[i] * w * dt);
      const msd_damped_spring s = msd_damped_spring_make(w, ratios[i], dt);
      const double a = s.pos_pos * s.vel_vel, b = s.pos_vel * s.vel_pos;
      cr_assert_float_eq(a - b, want, 1e-14 * fmax(fabs(a), want), "zeta %g dt %g", ratios[i], dt);
    }
  }
}

/* d/dzeta of the coefficients is bounded, so neighbors in zeta differ by no more than a few roundings. */
Test(damped_spring, coefficients_are_continuous_across_critical) {
  for (double U = 1e-4; U < 100; U *= 2) {
    const msd_damped_spring critical = msd_damped_spring_make(1, 1, U);
    const double want[4] = {critical.pos_pos, critical.pos_vel, critical.vel_pos, critical.vel_vel};
    for (double distance = DBL_EPSILON; distance < 1e-3; distance *= 8) {
      const double below = row_error(msd_damped_spring_make(1, 1 - distance, U), want, 1);
      const double above = row_error(msd_damped_spring_make(1, 1 + distance, U), want, 1);
      cr_assert(below < 1e-14 + (U + U * U) * distance * 2, "U %g below by %g: %g", U, distance, below);
      cr_assert(above < 1e-14 + (U + U * U) * distance * 2, "U %g above by %g: %g", U, distance, above);
    }
  }
}

Test(damped_spring, one_ulp_beside_the_goal_is_pulled_the_right_way) {
  const double goals[] = {1, 12345.678, -3e-5, 1e17};
  for (int i = 0; i < RATIOS; i++) {
    for (int g = 0; g < 4; g++) {
      const msd_damped_spring s = msd_damped_spring_make(3, ratios[i], 1.0 / 240);
      double above = nextafter(goals[g], INFINITY), below = nextafter(goals[g], -INFINITY), v = 0, u = 0;
      msd_damped_spring_update(&s, &above, &v, goals[g]);
      msd_damped_spring_update(&s, &below, &u, goals[g]);
      cr_assert(v < 0 && u > 0, "zeta %g goal %g: %g %g", ratios[i], goals[g], v, u);
    }
  }
}

Test(damped_spring, a_goal_reached_at_rest_is_kept) {
  for (int i = 0; i < RATIOS; i++) {
    const msd_damped_spring s = msd_damped_spring_make(7, ratios[i], 1.0 / 30);
    double x = 0.1, v = 0;
    for (int n = 0; n < 100; n++)
      msd_damped_spring_update(&s, &x, &v, 0.1);
    cr_assert(x == 0.1 && v == 0);
  }
}

Test(damped_spring, zeta_1e4_still_moves) {
  const msd_damped_spring s = msd_damped_spring_make(10, 1e4, 1.0 / 60);
  double x = 1, v = 0;
  for (int n = 0; n < 60; n++)
    msd_damped_spring_update(&s, &x, &v, 0);
  cr_assert_float_eq(x, exp(-10 / 2e4), 1e-8); /* the slow mode decays at w/(2 zeta) */
}

Test(damped_spring, frequency_0_is_free_motion) {
  const msd_damped_spring s = msd_damped_spring_make(0, 0.7, 0.25);
  double x = 3, v = -2;
  msd_damped_spring_update(&s, &x, &v, 1e20);
  cr_assert(x == 2.5 && v == -2);
}

Test(damped_spring, a_second_ends_the_same_in_any_number_of_steps) {
  const int counts[] = {1, 15, 60, 144, 1000};
  for (int i = 0; i < RATIOS; i++) {
    double want_x = 0, want_v = 0;
    for (int c = 0; c < 5; c++) {
      const double dt = 1.0 / counts[c];
      const msd_damped_spring s = msd_damped_spring_make(9, ratios[i], dt);
      double x = 1, v = -2, tx = 1, tv = -2;
      for (int n = 0; n < counts[c]; n++) {
        msd_damped_spring_update(&s, &x, &v, 0.25);
        msd_damped_spring_track(&s, dt, &tx, &tv, 0.5 * n * dt, 0.5);
      }
      if (c == 0) {
        want_x = x;
        want_v = v;
      }
      cr_assert_float_eq(x, want_x, 1e-12, "zeta %g, %d steps", ratios[i], counts[c]);
      cr_assert_float_eq(v, want_v, 1e-12 * 9);
      const msd_damped_spring whole = msd_damped_spring_make(9, ratios[i], 1);
      double mx = 1, mv = -2;
      msd_damped_spring_track(&whole, 1, &mx, &mv, 0, 0.5);
      cr_assert_float_eq(tx, mx, 1e-12, "tracking, zeta %g, %d steps", ratios[i], counts[c]);
      cr_assert_float_eq(tv, mv, 1e-12 * 9);
    }
  }
}

Test(damped_spring, tracking_follows_a_ramp_without_error) {
  const double dt = 0.125, speed = 3; /* exact in binary: the error can be exactly zero */
  for (int i = 0; i < RATIOS; i++) {
    const msd_damped_spring s = msd_damped_spring_make(5, ratios[i], dt);
    double x = 1, v = speed;
    for (int n = 0; n < 1000; n++)
      msd_damped_spring_track(&s, dt, &x, &v, 1 + speed * n * dt, speed);
    cr_assert(x == 1 + speed * 1000 * dt && v == speed, "zeta %g: %g", ratios[i], x);
  }
}

Test(damped_spring, untold_goal_velocity_leaves_exactly_the_lead_as_lag) {
  const double w = 6, zeta = 0.8, speed = 2, dt = 1e-3, lead = msd_damped_spring_lead(w, zeta);
  cr_assert_float_eq(lead, 2 * zeta / w, 1e-15);
  const msd_damped_spring s = msd_damped_spring_make(w, zeta, dt);
  double x = 0, v = 0, held_x = 0, held_v = 0;
  int n;
  for (n = 0; n < 20000; n++) {
    /* A goal held at the middle of the step stands for a goal in motion up to dt^2. */
    msd_damped_spring_update(&s, &x, &v, speed * (n + 0.5) * dt);
    msd_damped_spring_hold(&s, lead, &held_x, &held_v, speed * (n + 0.5) * dt, speed);
  }
  cr_assert_float_eq(speed * n * dt - x, speed * lead, 1e-5);
  cr_assert_float_eq(speed * n * dt - held_x, 0, 1e-5);
}

Test(damped_spring, vectors_move_like_their_components) {
  const msd_damped_spring s = msd_damped_spring_make(4, 0.3, 0.1);
  double x[3] = {1, -2, 3}, v[3] = {0.5, 0, -9}, x2[2] = {1, -2}, v2[2] = {0.5, 0};
  const double goal[3] = {0, 7, 1e3}, q[3] = {1, -1, 0};
  double want_x[3] = {1, -2, 3}, want_v[3] = {0.5, 0, -9};
  for (int i = 0; i < 3; i++) {
    msd_damped_spring_update(&s, &want_x[i], &want_v[i], goal[i]);
    msd_damped_spring_track(&s, 0.1, &want_x[i], &want_v[i], goal[i], q[i]);
  }
  msd_damped_spring_update_vec3(&s, x, v, goal);
  msd_damped_spring_track_vec3(&s, 0.1, x, v, goal, q);
  msd_damped_spring_update_vec2(&s, x2, v2, goal);
  msd_damped_spring_track_vec2(&s, 0.1, x2, v2, goal, q);
  for (int i = 0; i < 3; i++)
    cr_assert(x[i] == want_x[i] && v[i] == want_v[i]);
  for (int i = 0; i < 2; i++)
    cr_assert(x2[i] == want_x[i] && v2[i] == want_v[i]);
}

Test(damped_spring, critical_prediction_is_the_textbook_formula) {
  const double w = 3, x0 = 0.7;
  for (double t = 0; t < 4; t += 0.1) {
    const msd_motion m = msd_damped_spring_predict(w, 1, x0, 0, t);
    const double e = exp(-w * t);
    cr_assert_float_eq(m.position, x0 * (1 + w * t) * e, 1e-14);
    cr_assert_float_eq(m.velocity, -x0 * w * w * t * e, 1e-14);
    cr_assert_float_eq(m.acceleration, -x0 * w * w * (1 - w * t) * e, 1e-13);
  }
}

Test(damped_spring, amplitude_falls_by_the_logarithmic_decrement_each_period) {
  const double w = 5, zeta = 0.1, period = 2 * PI / (w * sqrt(1 - zeta * zeta));
  const double decrement = 2 * PI * zeta / sqrt(1 - zeta * zeta);
  for (int n = 1; n < 6; n++) {
    const msd_motion m = msd_damped_spring_predict(w, zeta, 1, 0, n * period);
    cr_assert_float_eq(m.position, exp(-n * decrement), 1e-13);
    cr_assert_float_eq(m.velocity, 0, 1e-12);
  }
}

/* x'' = s (g - x) - d v, by central differences of the predicted velocity; and without cancellation far above
   critical, where the slow mode alone is x0 e^-pt with x'' = p^2 x. */
Test(damped_spring, predicted_acceleration_is_the_derivative_of_velocity) {
  for (int i = 0; i < RATIOS - 1; i++) {
    const double h = 1e-5, t = 0.3;
    const msd_motion m = msd_damped_spring_predict(4, ratios[i], 1, -2, t);
    const double after = msd_damped_spring_predict(4, ratios[i], 1, -2, t + h).velocity;
    const double before = msd_damped_spring_predict(4, ratios[i], 1, -2, t - h).velocity;
    cr_assert_float_eq(m.acceleration, (after - before) / (2 * h), 1e-6 * fmax(1, fabs(m.acceleration)));
  }
  const double zeta = 5000, p = 1 / (zeta + sqrt(zeta * zeta - 1));
  const msd_motion slow = msd_damped_spring_predict(1, zeta, 1, 0, 100);
  cr_assert_float_eq(slow.acceleration / (p * p * slow.position), 1, 1e-12);
}

/* Checked against a scan of the motion in small steps. */
Test(damped_spring, after_the_settle_time_it_stays_within_tolerance_and_before_it_did_not) {
  const double some_ratios[] = {0.05, 0.3, 0.9, 1, 1.5, 6};
  const double starts[][2] = {{1, 0}, {1, -20}, {0, 5}, {0.02, 1}, {-0.5, 30}, {1, 4}, {1e-4, 0}};
  for (int i = 0; i < 6; i++) {
    for (int j = 0; j < 7; j++) {
      for (double tolerance = 0.3; tolerance > 1e-4; tolerance /= 7) {
        const double w = 4, x = starts[j][0], v = starts[j][1];
        const double t = msd_damped_spring_settle_time(w, some_ratios[i], x, v, tolerance);
        cr_assert(isfinite(t) && t >= 0);
        for (int n = 0; n <= 2000; n++) {
          const double after = msd_damped_spring_predict(w, some_ratios[i], x, v, t + n * 0.005).position;
          cr_assert(fabs(after) <= tolerance * (1 + 1e-12), "zeta %g x %g v %g: %g at %g s after %g",
                    some_ratios[i], x, v, after, n * 0.005, t);
        }
        if (t > 0) {
          const double at = msd_damped_spring_predict(w, some_ratios[i], x, v, t).position;
          cr_assert_float_eq(fabs(at), tolerance, 1e-9 * fmax(1, fabs(v)), "settled %g early", at);
        } else {
          cr_assert(fabs(x) <= tolerance);
        }
      }
    }
  }
}

Test(damped_spring, settle_time_of_what_never_settles_is_infinite) {
  cr_assert(isinf(msd_damped_spring_settle_time(3, 0, 1, 0, 0.1)));
  cr_assert(isinf(msd_damped_spring_settle_time(0, 1, 1, 0, 0.1)));
  cr_assert(isinf(msd_damped_spring_settle_time(0, 1, 0, 1, 0.1)));
  cr_assert(isinf(msd_damped_spring_settle_time(3, 1, 1, 0, 0)));
  cr_assert(isinf(msd_damped_spring_settle_time(3, 1, NAN, 0, 0.1)));
  cr_assert_eq(msd_damped_spring_settle_time(3, 0, 0.05, 0.1, 0.1), 0);
  cr_assert_eq(msd_damped_spring_settle_time(3, 1, 0, 0, 0), 0);
  cr_assert_eq(msd_damped_spring_settle_time(INFINITY, 1, 5, 0, 0.1), 0);
}

Test(damped_spring, settle_time_survives_extreme_input) {
  const double nasty[] = {0, -1, 5e-324, 1e-300, 1e-8, 1, 1e8, 1e300, DBL_MAX, INFINITY, NAN};
  for (int a = 0; a < 11; a++) {
    for (int b = 0; b < 11; b++) {
      for (int c = 0; c < 11; c++) {
        for (int d = 0; d < 11; d++)
          cr_assert(msd_damped_spring_settle_time(nasty[a], nasty[b], nasty[c], nasty[d], 0.1) >= 0);
      }
    }
  }
}

Test(damped_spring, bad_parameters_count_as_the_header_says) {
  const double bad[] = {-1, -INFINITY, NAN};
  for (int i = 0; i < 3; i++) {
    assert_same(msd_damped_spring_make(bad[i], 1, 0.1), msd_damped_spring_make(0, 1, 0.1), 1, 0, "w");
    assert_same(msd_damped_spring_make(2, bad[i], 0.1), msd_damped_spring_make(2, 0, 0.1), 2, 0, "zeta");
    assert_same(msd_damped_spring_make(2, 1, bad[i]), (msd_damped_spring){1, 0, 0, 1}, 2, 0, "dt");
    assert_same(msd_damped_spring_make_stiffness(bad[i], bad[i], 0.5), (msd_damped_spring){1, 0.5, 0, 1}, 1,
                0, "stiffness");
    assert_same(msd_damped_spring_make_critical(bad[i], 0.1), (msd_damped_spring){0, 0, 0, 0}, 1, 0,
                "halflife");
    assert_same(msd_damped_spring_make_frequency(3, bad[i], 0.1), (msd_damped_spring){0, 0, 0, 0}, 1, 0,
                "halflife of a frequency");
    assert_same(msd_damped_spring_make_ratio(0.5, bad[i], 0.1), (msd_damped_spring){0, 0, 0, 0}, 1, 0,
                "halflife of a ratio");
    assert_same(msd_damped_spring_make_duration(bad[i], 0, 0.1), (msd_damped_spring){0, 0, 0, 0}, 1, 0,
                "duration");
  }
  assert_same(msd_damped_spring_make_duration(1, NAN, 0.1), msd_damped_spring_make_duration(1, 0, 0.1), 6, 0,
              "bounce");
  assert_same(msd_damped_spring_make(INFINITY, 0, 1e-9), (msd_damped_spring){0, 0, 0, 0}, 1, 0, "infinite w");
  assert_same(msd_damped_spring_make_stiffness(INFINITY, 1, 1e-9), (msd_damped_spring){0, 0, 0, 0}, 1, 0,
              "infinite stiffness");
  assert_same(msd_damped_spring_make_ratio(0, 0.1, 1e-9), (msd_damped_spring){0, 0, 0, 0}, 1, 0, "ratio 0");
  assert_same(msd_damped_spring_make(3, 0.2, INFINITY), (msd_damped_spring){0, 0, 0, 0}, 1, 0, "for ever");
}

/* Every way to make a spring, from every combination of extremes, moving combinations of finite states. */
Test(damped_spring, what_is_finite_stays_finite) {
  const double p[] = {NAN, -INFINITY, -1,  0,   5e-324, 1e-300, 1e-9,  0.1,     1 - DBL_EPSILON / 2,
                      1,   2,         1e4, 1e9, 1e154,  1e155,  1e300, DBL_MAX, INFINITY};
  const double state[] = {0, 1, -1e-320, -DBL_MAX, DBL_MAX};
  enum { P = sizeof p / sizeof *p, S = sizeof state / sizeof *state };
  for (int a = 0; a < P; a++) {
    for (int b = 0; b < P; b++) {
      for (int c = 0; c < P; c++) {
        const msd_damped_spring springs[] = {msd_damped_spring_make(p[a], p[b], p[c]),
                                             msd_damped_spring_make_stiffness(p[a], p[b], p[c]),
                                             msd_damped_spring_make_frequency(p[a], p[b], p[c]),
                                             msd_damped_spring_make_ratio(p[a], p[b], p[c]),
                                             msd_damped_spring_make_duration(p[a], p[b], p[c]),
                                             msd_damped_spring_make_critical(p[a], p[c])};
        for (int k = 0; k < 6; k++) {
          const msd_damped_spring *s = &springs[k];
          cr_assert(isfinite(s->pos_pos) && isfinite(s->pos_vel) && isfinite(s->vel_pos) &&
                        isfinite(s->vel_vel),
                    "kind %d of %g %g %g: %g %g %g %g", k, p[a], p[b], p[c], s->pos_pos, s->pos_vel,
                    s->vel_pos, s->vel_vel);
          cr_assert(fabs(s->pos_pos) <= 1 + 1e-12 && fabs(s->vel_vel) <= 1 + 1e-12,
                    "kind %d of %g %g %g: %g %g", k, p[a], p[b], p[c], s->pos_pos, s->vel_vel);
          for (int i = 0; i < S * S * S; i++) {
            const double x0 = state[i % S], v0 = state[i / S % S], g = state[i / S / S];
            double x = x0, v = v0, tx = x0, tv = v0, hx = x0, hv = v0;
            msd_damped_spring_update(s, &x, &v, g);
            msd_damped_spring_track(s, p[c], &tx, &tv, g, v0);
            msd_damped_spring_hold(s, p[b], &hx, &hv, g, -x0);
            if (!isfinite(x) || !isfinite(v) || !isfinite(tx) || !isfinite(tv) || !isfinite(hx) ||
                !isfinite(hv))
              cr_assert_fail("kind %d of %g %g %g from %g %g to %g", k, p[a], p[b], p[c], x0, v0, g);
          }
        }
        const msd_motion m = msd_damped_spring_predict(p[a], p[b], 1e300, -1e300, p[c]);
        cr_assert(isfinite(m.position) && isfinite(m.velocity) && isfinite(m.acceleration),
                  "predict %g %g %g", p[a], p[b], p[c]);
      }
    }
  }
}
