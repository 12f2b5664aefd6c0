/* Conversions against conversions.csv, and every parameterization against every other. */
#include <msd/damped_spring.h>

#include "tests/support/table.h"

#include <math.h>

static const double PI = 3.14159265358979323846;

static void close_to(double got, double want, const char *what) {
  cr_assert(fabs(got - want) <= 1e-14 * fabs(want), "%s: %.17g for %.17g", what, got, want);
}

Test(damped_spring_conversions, agree_with_the_table) {
  table *t = table_read("conversions.csv", 6);
  for (int i = 0; i < t->rows; i++) {
    const double *r = t->at[i], h = r[0];
    const msd_spring_parameters p = msd_spring_from_critical(h);
    close_to(msd_damping_from_halflife(h), r[1], "damping");
    close_to(p.damping, r[1], "damping of the critical spring");
    close_to(msd_halflife_from_damping(r[1]), h, "halflife");
    close_to(p.angular_frequency, r[2], "y");
    close_to(msd_critical_stiffness(h), r[3], "stiffness");
    close_to(p.stiffness, r[3], "stiffness of the critical spring");
    close_to(msd_critical_frequency(h), r[4], "frequency");
    close_to(p.frequency, r[4], "frequency of the critical spring");
    close_to(msd_critical_halflife(r[4]), h, "halflife of a frequency");
    close_to(msd_frequency_from_stiffness(r[3]), r[4], "frequency of a stiffness");
    close_to(msd_stiffness_from_frequency(r[4]), r[3], "stiffness of a frequency");
    close_to(msd_half_time_from_halflife(h), r[5], "half time");
    close_to(msd_halflife_from_half_time(r[5]), h, "halflife of a half time");
  }
  free(t);
}

Test(damped_spring_conversions, half_time_is_when_a_critical_spring_is_half_way) {
  double x = 1, v = 0;
  msd_decay_spring(&x, &v, 0.37, msd_half_time_from_halflife(0.37));
  cr_assert_float_eq(x, 0.5, 1e-14);
}

static void same(msd_spring_parameters a, msd_spring_parameters b) {
  close_to(a.stiffness, b.stiffness, "stiffness");
  close_to(a.damping, b.damping, "damping");
  close_to(a.angular_frequency, b.angular_frequency, "angular frequency");
  close_to(a.frequency, b.frequency, "frequency");
  close_to(a.damping_ratio, b.damping_ratio, "ratio");
  close_to(a.halflife, b.halflife, "halflife");
  close_to(a.duration, b.duration, "duration");
  cr_assert_float_eq(a.bounce, b.bounce, 1e-14 * (1 + fabs(b.bounce)));
}

Test(damped_spring_conversions, every_description_leads_back_to_the_same_spring) {
  for (double w = 1e-3; w < 1e5; w *= 13) {
    for (double zeta = 1e-3; zeta < 1e3; zeta *= 11) {
      const msd_spring_parameters p = msd_spring_from_angular(w, zeta);
      close_to(p.stiffness, w * w, "w^2");
      close_to(p.damping, 2 * zeta * w, "2 zeta w");
      close_to(p.frequency, w / (2 * PI), "w/2 pi");
      same(msd_spring_from_stiffness(p.stiffness, p.damping), p);
      same(msd_spring_from_frequency(p.frequency, p.halflife), p);
      same(msd_spring_from_ratio(p.damping_ratio, p.halflife), p);
      double ck, cd;
      msd_spring_to_coefficients(&p, 1.0 / 60, &ck, &cd);
      close_to(ck, p.stiffness / 3600, "Ck = k dt^2/m");
      close_to(cd, p.damping / 60, "Cd = mu dt/m");
      same(msd_spring_from_coefficients(ck, cd, 1.0 / 60), p);
      close_to(msd_damping_ratio(p.stiffness, p.damping), zeta, "ratio");
      close_to(msd_stiffness_from_ratio(zeta, p.damping), p.stiffness, "stiffness of a ratio");
      close_to(msd_damping_from_ratio(zeta, p.stiffness), p.damping, "damping of a ratio");
    }
    for (double bounce = -2; bounce < 1; bounce += 0.375)
      same(msd_spring_from_duration(2 * PI / w, bounce), msd_spring_from_angular(w, 1 - bounce));
  }
}

Test(damped_spring_conversions, bounce_and_duration_are_ratio_and_period) {
  const msd_spring_parameters p = msd_spring_from_duration(0.5, 0.25);
  cr_assert_float_eq(p.frequency, 2, 1e-15);
  cr_assert_eq(p.damping_ratio, 0.75);
  cr_assert_eq(msd_spring_from_duration(0.5, 2).damping_ratio, 0);
  cr_assert_eq(msd_spring_from_duration(0.5, NAN).damping_ratio, 1);
}

Test(damped_spring_conversions, what_is_divided_by_zero_is_infinite_and_nothing_is_NaN) {
  cr_assert(isinf(msd_damping_from_halflife(0)) && isinf(msd_halflife_from_damping(-1)));
  cr_assert(isinf(msd_critical_frequency(NAN)) && isinf(msd_critical_halflife(0)) &&
            isinf(msd_critical_stiffness(0)));
  cr_assert(isinf(msd_damping_ratio(0, 1)) && isinf(msd_stiffness_from_ratio(0, 1)));
  cr_assert_eq(msd_damping_ratio(0, 0), 0);
  const double bad[] = {0, 5e-324, 1, 1e300, INFINITY, -1, NAN};
  for (int i = 0; i < 49; i++) {
    const double a = bad[i % 7], b = bad[i / 7];
    const msd_spring_parameters p[] = {
        msd_spring_from_angular(a, b),   msd_spring_from_stiffness(a, b),
        msd_spring_from_frequency(a, b), msd_spring_from_ratio(a, b),
        msd_spring_from_duration(a, b),  msd_spring_from_coefficients(a, b, 0.1),
        msd_spring_from_critical(a)};
    for (int k = 0; k < 7; k++)
      cr_assert(p[k].stiffness >= 0 && p[k].damping >= 0 && p[k].angular_frequency >= 0 &&
                    p[k].frequency >= 0 && p[k].damping_ratio >= 0 && p[k].halflife >= 0 &&
                    p[k].duration >= 0 && !isnan(p[k].bounce),
                "kind %d of %g %g", k, a, b);
  }
}
