/* Smoothing, characters, inertialization, curves and resonance, each against theory worked out here or the
   matrix exponentials of character.csv. */
#include <msd/damped_spring.h>

#include "tests/support/table.h"

#include <float.h>
#include <math.h>

static const double PI = 3.14159265358979323846;
static const double LN2 = 0.69314718055994530942;

/* -------------------------------------------------------------------------------------------- smoothing */

/* Feeds a sine to a real spring in short steps and measures what comes out. */
Test(damped_spring_uses, a_sine_comes_out_as_strong_as_the_gain_says) {
  const double halflife = 0.1, dt = 1e-4;
  const msd_damped_spring s = msd_damped_spring_make_critical(halflife, dt);
  for (double frequency = 0.2; frequency < 10; frequency *= 2) {
    double x = 0, v = 0, cosine = 0, sine = 0;
    const int settle = 20000, count = (int)(round(1 / frequency / dt) * ceil(frequency));
    for (int n = 0; n < settle + count; n++) {
      msd_damped_spring_update(&s, &x, &v, sin(2 * PI * frequency * (n + 0.5) * dt));
      if (n >= settle) {
        cosine += x * cos(2 * PI * frequency * (n + 1) * dt);
        sine += x * sin(2 * PI * frequency * (n + 1) * dt);
      }
    }
    cr_assert_float_eq(2 * hypot(cosine, sine) / count, msd_smoothing_gain(halflife, frequency), 1e-3);
  }
}

Test(damped_spring_uses, the_cutoff_halves_the_power) {
  for (double halflife = 1e-3; halflife < 100; halflife *= 7) {
    const double cutoff = msd_smoothing_cutoff(halflife), gain = msd_smoothing_gain(halflife, cutoff);
    cr_assert_float_eq(gain * gain, 0.5, 1e-14);
    cr_assert_float_eq(2 * PI * cutoff / (2 * LN2 / halflife), 0.6436, 1e-4);
    cr_assert_float_eq(msd_smoothing_halflife(cutoff) / halflife, 1, 1e-14);
  }
}

/* The variance gain of a linear filter is the sum of the squares of its response to one sample. */
Test(damped_spring_uses, noise_gain_is_the_sum_of_the_squared_impulse_response) {
  for (double dt = 1e-4; dt < 3; dt *= 3) {
    const msd_damped_spring s = msd_damped_spring_make_critical(0.1, dt);
    double x = 0, v = 0, sum = 0;
    for (int n = 0; n < 60000; n++) {
      msd_damped_spring_update(&s, &x, &v, n == 0 ? 1 : 0);
      sum += x * x;
    }
    cr_assert_float_eq(msd_smoothing_noise_gain(0.1, dt) / sum, 1, 1e-10, "dt %g", dt);
  }
  const double dt = 1e-5, y = 2 * LN2 / 0.1; /* short steps: y dt/4 */
  cr_assert_float_eq(msd_smoothing_noise_gain(0.1, dt) / (y * dt / 4), 1, 1e-6);
  cr_assert_float_eq(msd_smoothing_noise_gain(0.1, 1.00001e-7) / msd_smoothing_noise_gain(0.1, 0.7e-7),
                     1.00001 / 0.7, 1e-9);
  cr_assert_eq(msd_smoothing_noise_gain(0, 0.1), 1);
  cr_assert_eq(msd_smoothing_noise_gain(0.1, 0), 0);
}

/* ------------------------------------------------------------------------------------------- characters */

Test(damped_spring_uses, characters_agree_with_the_matrix_exponential_to_1e_12) {
  table *t = table_read("character.csv", 9);
  for (int i = 0; i < t->rows; i++) {
    const double *r = t->at[i], y = 2 * LN2 / r[0];
    msd_motion m = {r[2], r[3], r[4]};
    msd_character_update(&m, r[5], r[0], r[1]);
    const double speed = fabs(r[3]) + fabs(r[4]) / y + fabs(r[5]);
    cr_assert(fabs(m.position - r[6]) <= 1e-12 * (fabs(r[2]) + speed * r[1]), "row %d: %.17g for %.17g",
              i + 2, m.position, r[6]);
    cr_assert(fabs(m.velocity - r[7]) <= 1e-12 * speed, "row %d", i + 2);
    cr_assert(fabs(m.acceleration - r[8]) <= 1e-12 * speed * y, "row %d", i + 2);
  }
  free(t);
}

Test(damped_spring_uses, prediction_is_where_the_character_will_be) {
  const msd_motion now = {1, -2, 3};
  msd_motion path[30], walker = now;
  msd_character_predict(&now, 5, 0.3, 0.05, path, 30);
  cr_assert(path[0].position == 1 && path[0].velocity == -2 && path[0].acceleration == 3);
  for (int i = 0; i < 30; i++) {
    cr_assert_float_eq(path[i].position, walker.position, 1e-13);
    cr_assert_float_eq(path[i].velocity, walker.velocity, 1e-13);
    cr_assert_float_eq(path[i].acceleration, walker.acceleration, 1e-12);
    for (int k = 0; k < 3; k++)
      msd_character_update(&walker, 5, 0.3, 0.05 / 3);
  }
}

Test(damped_spring_uses, a_character_does_not_depend_on_the_frame_rate) {
  const int counts[] = {1, 15, 60, 144, 1000};
  double want = 0;
  for (int c = 0; c < 5; c++) {
    msd_motion m = {1, -2, 3};
    for (int n = 0; n < counts[c]; n++)
      msd_character_update(&m, 5, 0.3, 1.0 / counts[c]);
    if (c == 0)
      want = m.position;
    cr_assert_float_eq(m.position, want, 1e-12);
  }
}

Test(damped_spring_uses, characters_define_bad_input) {
  msd_motion m = {1, 2, 3};
  msd_character_update(&m, 9, 0.1, -1);
  msd_character_update(&m, 9, 0, NAN);
  cr_assert(m.position == 1 && m.velocity == 2 && m.acceleration == 3);
  msd_character_update(&m, 9, 0, 0.5);
  cr_assert(m.position == 5.5 && m.velocity == 9 && m.acceleration == 0);
  msd_character_predict(&m, 9, 1, 1, NULL, 0);
  const double p[] = {0, 5e-324, 1e-300, 1, 1e155, 1e300, DBL_MAX, INFINITY, NAN},
               s[] = {0, -1, DBL_MAX, -DBL_MAX};
  for (int k = 0; k < 81 * 256; k++) {
    msd_motion n = {s[k / 81 % 4], s[k / 324 % 4], s[k / 1296 % 4]};
    msd_character_update(&n, s[k / 5184], p[k % 9], p[k / 9 % 9]);
    cr_assert(isfinite(n.position) && isfinite(n.velocity) && isfinite(n.acceleration), "halflife %g dt %g",
              p[k % 9], p[k / 9 % 9]);
  }
}

/* --------------------------------------------------------------------------------------- inertialization */

Test(damped_spring_uses, a_transition_is_smooth_and_ends_on_the_other_motion) {
  const double dt = 1.0 / 1000, halflife = 0.1;
  msd_inertializer offset = {0, 0};
  double shown_before = 0, velocity_before = 0;
  for (int n = 0; n < 3000; n++) {
    const double t = n * dt;
    const bool other = n >= 1000;
    if (n == 1000 || n == 1100) { /* there, and back in the middle of the transition */
      const double from[2] = {n == 1000 ? sin(t) : 5 + 2 * t, n == 1000 ? cos(t) : 2};
      const double to[2] = {n == 1000 ? 5 + 2 * t : sin(t), n == 1000 ? 2 : cos(t)};
      msd_inertializer_transition(&offset, from[0], from[1], to[0], to[1]);
    }
    const bool line = other && n < 1100;
    double x = line ? 5 + 2 * t : sin(t), v = line ? 2 : cos(t);
    msd_inertializer_update(&offset, halflife, n == 1000 || n == 1100 ? 0 : dt, &x, &v);
    if (n > 0) {
      cr_assert(fabs(x - shown_before) < 0.05, "jump of %g at %g", x - shown_before, t);
      cr_assert(fabs(v - velocity_before) < 2, "jump of velocity %g at %g", v - velocity_before, t);
    }
    shown_before = x;
    velocity_before = v;
  }
  cr_assert_float_eq(shown_before, sin(2.999), 1e-9);
  cr_assert_float_eq(velocity_before, cos(2.999), 1e-8);
}

/* ----------------------------------------------------------------------------------------------- curves */

Test(damped_spring_uses, polylines_have_the_right_value_slope_and_sign) {
  const double points[] = {1, 3, 2};
  double slope;
  cr_assert_eq(msd_polyline(points, 3, 0, &slope), 1);
  cr_assert_eq(slope, 2);
  cr_assert_eq(msd_polyline(points, 3, 0.5, &slope), 2);
  cr_assert_eq(msd_polyline(points, 3, 1, &slope), 3);
  cr_assert_eq(slope, -1);
  cr_assert_eq(msd_polyline(points, 3, 1.75, NULL), 2.25);
  cr_assert_eq(msd_polyline(points, 3, 2, &slope), 2);
  cr_assert_eq(msd_polyline(points, 3, 4, &slope), 0);
  cr_assert_eq(msd_polyline(points, 3, -1, &slope), -1);
  cr_assert_eq(msd_polyline(points, 3, NAN, &slope), 1);
  cr_assert_eq(msd_polyline(points, 1, 7, &slope), 1);
  cr_assert_eq(slope, 0);
  cr_assert_eq(msd_polyline(points, 0, 7, &slope), 0);
  cr_assert(!isnan(msd_polyline(points, 3, INFINITY, &slope)));
}

Test(damped_spring_uses, a_spring_curve_stays_on_the_first_line_and_overshoots_the_corner) {
  const double points[] = {0, 4, 4, 4, 4, 4, 4};
  double curve[61], twice[121];
  msd_spring_curve(points, 7, 6, 0.5, curve, 61);
  msd_spring_curve(points, 7, 6, 0.5, twice, 121);
  for (int i = 0; i <= 10; i++)
    cr_assert_float_eq(curve[i], 0.4 * i, 1e-12);
  double highest = 0;
  for (int i = 0; i < 61; i++) {
    highest = fmax(highest, curve[i]);
    cr_assert_float_eq(curve[i], twice[2 * i], 1e-12); /* more samples show the same curve */
  }
  cr_assert(highest > 4.1);
  /* After the corner it is the spring released with the speed of the line. */
  for (int i = 10; i < 61; i++)
    cr_assert_float_eq(curve[i], 4 + msd_damped_spring_predict(6, 0.5, 0, 4, (i - 10) * 0.1).position, 1e-11);
  /* No sample stands on the corner: it is taken into account all the same. */
  double coarse[5];
  msd_spring_curve(points, 7, 6, 0.5, coarse, 5);
  cr_assert_float_eq(coarse[1], 4 + msd_damped_spring_predict(6, 0.5, 0, 4, 0.5).position, 1e-11);
}

Test(damped_spring_uses, spring_curves_define_bad_input) {
  double samples[3] = {9, 9, 9};
  const double point = 5;
  msd_spring_curve(NULL, 0, 1, 1, samples, 3);
  cr_assert(samples[0] == 0 && samples[2] == 0);
  msd_spring_curve(&point, 1, NAN, -1, samples, 3);
  cr_assert(samples[0] == 5 && samples[2] == 5);
  samples[0] = 9;
  msd_spring_curve(&point, 1, 1, 1, samples, 0);
  cr_assert(samples[0] == 9);
  msd_spring_curve(&point, 1, 1, 1, samples, 1);
  cr_assert(samples[0] == 5);
}

/* -------------------------------------------------------------------------------------------- resonance */

Test(damped_spring_uses, energy_of_an_undamped_spring_is_constant) {
  const double w = 3, scale = 0.1, want = 0.5 * 0.01 * (4 + 9);
  for (double t = 0; t < 5; t += 0.3) {
    const msd_motion m = msd_damped_spring_predict(w, 0, 1, 2, t);
    cr_assert_float_eq(msd_damped_spring_energy(m.position, m.velocity, w * w, scale), want, 1e-15);
  }
}

Test(damped_spring_uses, each_definition_of_resonance_finds_its_own_maximum) {
  const double drive = 5, damping = 2;
  /* amplitude: the response over the drive peaks at the drive */
  const double s = msd_resonant_stiffness(drive, damping, MSD_RESONANCE_AMPLITUDE);
  const double w = sqrt(s), zeta = damping / (2 * w);
  const double peak = msd_damped_spring_response(w, zeta, drive);
  for (double other = 4.5; other < 5.5; other += 0.01)
    cr_assert(msd_damped_spring_response(w, zeta, other) <= peak + 1e-15);
  /* damped: the spring left alone swings at the drive */
  const double sd = msd_resonant_stiffness(drive, damping, MSD_RESONANCE_DAMPED), wd = sqrt(sd);
  const double period = 2 * PI / drive;
  cr_assert_float_eq(msd_damped_spring_predict(wd, damping / (2 * wd), 1, 0, period).velocity, 0, 1e-13);
  /* power: the velocity response drive * response over the drive peaks at the drive */
  const double sp = msd_resonant_stiffness(drive, damping, MSD_RESONANCE_POWER), wp = sqrt(sp);
  const double power = drive * msd_damped_spring_response(wp, damping / (2 * wp), drive);
  for (double other = 4.5; other < 5.5; other += 0.01)
    cr_assert(other * msd_damped_spring_response(wp, damping / (2 * wp), other) <= power + 1e-14);
  cr_assert_eq(s, 27);
  cr_assert_eq(sd, 26);
  cr_assert_eq(sp, 25);
}

Test(damped_spring_uses, response_has_the_textbook_values) {
  cr_assert_float_eq(msd_damped_spring_response(4, 0.25, 4), 2, 1e-15); /* 1/(2 zeta) */
  cr_assert_float_eq(msd_damped_spring_response(4, 1, 4), 0.5, 1e-15);
  cr_assert_eq(msd_damped_spring_response(4, 0.3, 0), 1);
  cr_assert(isinf(msd_damped_spring_response(4, 0, 4)));
  cr_assert_eq(msd_damped_spring_response(0, 0, 4), 0);
  cr_assert_eq(msd_damped_spring_response(4, 1, INFINITY), 0);
}

Test(damped_spring_uses, a_resonator_bank_finds_the_frequency_in_a_signal) {
  enum { COUNT = 24, RATE = 4000 };
  msd_resonator bank[COUNT];
  const double signals[] = {27.5, 50, 82.41, 123.456, 180};
  for (int i = 0; i < 5; i++) {
    for (int noisy = 0; noisy < 2; noisy++) {
      msd_resonator_bank_tune(bank, COUNT, 20, 250, 0.15, 1.0 / RATE);
      cr_assert_eq(msd_resonator_bank_peak(bank, COUNT), 0);
      unsigned seed = 1;
      for (int n = 0; n < 2 * RATE; n++) {
        seed = seed * 1664525u + 1013904223u;
        const double noise = noisy ? (double)seed / 2147483648.0 - 1 : 0;
        msd_resonator_bank_feed(bank, COUNT, 3 + sin(2 * PI * signals[i] * n / RATE) + noise);
      }
      const double found = msd_resonator_bank_peak(bank, COUNT);
      cr_assert_float_eq(found / signals[i], 1, noisy ? 0.02 : 0.003, "%g Hz heard as %g", signals[i], found);
    }
  }
}

Test(damped_spring_uses, resonator_banks_define_bad_input) {
  msd_resonator bank[3];
  cr_assert_eq(msd_resonator_bank_peak(NULL, 0), 0);
  msd_resonator_bank_tune(NULL, 0, 1, 2, 1, 1);
  msd_resonator_bank_feed(NULL, 0, 1);
  const double p[] = {0, -1, 1, 1e300, DBL_MAX, INFINITY, NAN};
  for (int k = 0; k < 7 * 7 * 7 * 7; k++) {
    msd_resonator_bank_tune(bank, 3, p[k % 7], p[k / 7 % 7], p[k / 49 % 7], p[k / 343]);
    for (int n = 0; n < 5; n++)
      msd_resonator_bank_feed(bank, 3, n % 2 ? 1e3 : -1e3);
    cr_assert(msd_resonator_bank_peak(bank, 3) >= 0);
    cr_assert(isfinite(bank[1].x) && isfinite(bank[1].v) && isfinite(bank[1].power));
  }
}
