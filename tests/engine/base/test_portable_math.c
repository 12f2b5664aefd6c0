/* exp, sin and cos of + - * / against those of the C library in a wider type. */
#include "engine/base/portable_math.h"

#include <criterion/criterion.h>
#include <float.h>
#include <math.h>

enum { POINTS = 200000 };

/* How far off, in units of the last place of the true value. */
static double error(double value, long double truth) {
  const double size = fabs((double)truth);
  const double unit = fmax(nextafter(size, INFINITY) - size, DBL_TRUE_MIN);
  return (double)(fabsl((long double)value - truth) / (long double)unit);
}

/* Points that are dense everywhere: from -1 to 1, with every magnitude down to 2^-60 among them. */
static double point(int n) {
  const double even = 2 * ((double)n + 0.5) / POINTS - 1;
  return n % 3 == 0 ? ldexp(even, -(n % 60)) : even;
}

Test(elementary, exp_is_within_two_units_of_the_last_place) {
  for (int n = 0; n < POINTS; n++) {
    const double x = 700 * point(n);
    cr_assert_lt(error(elementary_exp(x), expl((long double)x)), 2, "exp(%.17g) is %.17g", x,
                 elementary_exp(x));
  }
}

Test(elementary, expm1_is_within_four_units_of_the_last_place) {
  for (int n = 0; n < POINTS; n++) {
    const double x = 40 * point(n);
    cr_assert_lt(error(elementary_expm1(x), expm1l((long double)x)), 4, "expm1(%.17g) is %.17g", x,
                 elementary_expm1(x));
  }
}

Test(elementary, exp_ends_in_zero_and_infinity) {
  cr_expect_eq(elementary_exp(0), 1);
  cr_expect_eq(elementary_exp(-INFINITY), 0);
  cr_expect_eq(elementary_exp(-1e308), 0);
  cr_expect(isinf(elementary_exp(1e308)));
  cr_expect(isnan(elementary_exp(NAN)));
  cr_expect_eq(elementary_expm1(-1e308), -1);
  cr_expect_eq(elementary_expm1(0), 0);
  cr_expect_lt(error(elementary_exp(-740), expl(-740)), 2);
}

static void assert_sine_and_cosine(double angle) {
  double sine, cosine;
  elementary_sin_cos(angle, &sine, &cosine);
  const long double true_sine = sinl((long double)angle), true_cosine = cosl((long double)angle);
  const long double slack = 3e-32L * fabsl((long double)angle);
  cr_assert(error(sine, true_sine) < 2 || fabsl(sine - true_sine) < slack, "sin(%.17g) is %.17g", angle,
            sine);
  cr_assert(error(cosine, true_cosine) < 2 || fabsl(cosine - true_cosine) < slack, "cos(%.17g) is %.17g",
            angle, cosine);
}

Test(elementary, sine_and_cosine_are_within_two_units_of_the_last_place) {
  const double reaches[] = {1, 7, 1000, 1e6, 1e9};
  for (int n = 0; n < POINTS; n++)
    assert_sine_and_cosine(reaches[n % 5] * point(n));
}

/* Where they are small, next to multiples of a quarter turn. */
Test(elementary, sine_and_cosine_are_right_next_to_their_zeros) {
  for (int n = 1; n < 20000; n++) {
    const double zero = n * 1.57079632679489661923;
    assert_sine_and_cosine(zero);
    assert_sine_and_cosine(nextafter(zero, 0));
    assert_sine_and_cosine(-nextafter(zero, INFINITY));
  }
}

Test(elementary, sine_and_cosine_of_any_finite_angle_lie_on_the_circle) {
  for (double angle = 1; angle < 1e300; angle *= 37.3) {
    double sine, cosine;
    elementary_sin_cos(angle, &sine, &cosine);
    cr_assert(fabs(sine * sine + cosine * cosine - 1) < 1e-15, "at %g", angle);
  }
}
