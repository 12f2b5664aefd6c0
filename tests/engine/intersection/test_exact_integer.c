/* Whole numbers that never round, against 64 bits where these suffice and against algebra elsewhere. */
#include "tests/support/networks.h"

#include "engine/intersection/exact_integer.h"

#include <float.h>
#include <limits.h>
#include <math.h>

static exact_integer from(double value, int exponent) {
  exact_integer result;
  exact_integer_set(&result, value, exponent);
  return result;
}

static exact_integer sum(const exact_integer *a, const exact_integer *b) {
  exact_integer result;
  exact_integer_add(&result, a, b);
  return result;
}

static exact_integer difference(const exact_integer *a, const exact_integer *b) {
  exact_integer result;
  exact_integer_subtract(&result, a, b);
  return result;
}

static exact_integer product(const exact_integer *a, const exact_integer *b) {
  exact_integer result;
  exact_integer_multiply(&result, a, b);
  return result;
}

static void assert_is(const exact_integer *a, int64_t value) {
  cr_assert_eq(a->sign, (value > 0) - (value < 0));
  uint64_t size = 0;
  cr_assert(a->count <= 2);
  for (int i = a->count - 1; i >= 0; i--)
    size = size << 32 | a->limb[i];
  cr_assert_eq(size, value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
}

static void assert_equal(const exact_integer *a, const exact_integer *b) {
  cr_assert_eq(difference(a, b).sign, 0);
  cr_assert_eq(a->count, b->count);
}

Test(exact_integer, small_ones_compute_as_64_bits_do) {
  generator random = {.state = 1};
  for (int n = 0; n < 100000; n++) {
    const int32_t bits = 1 + random_below(&random, 31);
    const int64_t a = (int64_t)(next_random(&random) >> (64 - bits)) - (INT64_C(1) << (bits - 1)),
                  b = (int64_t)(next_random(&random) >> 33) - (1 << 30);
    const exact_integer one = from((double)a, 0), other = from((double)b, 0);
    const exact_integer s = sum(&one, &other), d = difference(&one, &other), p = product(&one, &other);
    assert_is(&s, a + b);
    assert_is(&d, a - b);
    assert_is(&p, a * b);
  }
}

Test(exact_integer, a_value_is_a_multiple_of_its_exponent_and_of_no_larger_one) {
  const double values[] = {1, -3, 0.1, 1e308, 5e-324, DBL_MIN, DBL_MAX, -1e-310, 4096};
  for (size_t n = 0; n < sizeof values / sizeof *values; n++) {
    const int exponent = exact_integer_exponent(values[n]);
    const exact_integer odd = from(values[n], exponent);
    cr_expect_eq(odd.limb[0] % 2, 1, "%g", values[n]);
    cr_expect_eq(odd.sign, values[n] < 0 ? -1 : 1);
    cr_expect_eq(ldexp((double)odd.limb[0] + (odd.count > 1 ? (double)odd.limb[1] * 0x1p32 : 0), exponent),
                 fabs(values[n]));
  }
  cr_expect_eq(exact_integer_exponent(0), INT_MAX);
  cr_expect_eq(exact_integer_exponent(-0.0), INT_MAX);
  cr_expect_eq(from(-0.0, INT_MAX).sign, 0);
}

static double random_double(generator *random) {
  const double mantissa = (double)(next_random(random) >> 11) * 0x1p-53 - 0.5;
  return ldexp(mantissa, random_below(random, 2090) - 1070);
}

/* (a + b + c)(a - b - c) = a^2 - b^2 - c^2 - 2 b c with operands that no other type holds together. */
Test(exact_integer, wide_ones_obey_algebra) {
  generator random = {.state = 2};
  for (int n = 0; n < 2000; n++) {
    const exact_integer a = from(random_double(&random), -1074), b = from(random_double(&random), -1074),
                        c = from(random_double(&random), -1074);
    const exact_integer bc = sum(&b, &c), all = sum(&a, &bc), rest = difference(&a, &bc);
    const exact_integer left = product(&all, &rest);
    const exact_integer aa = product(&a, &a), bb = product(&b, &b), cc = product(&c, &c);
    const exact_integer one = product(&b, &c), both = sum(&one, &one), some = difference(&aa, &bb);
    const exact_integer most = difference(&some, &cc), right = difference(&most, &both);
    assert_equal(&left, &right);
  }
}

Test(exact_integer, the_widest_that_a_determinant_asks_for_fit) {
  const exact_integer most = from(DBL_MAX, -1074), least = from(-DBL_MAX, -1074);
  const exact_integer d = difference(&most, &least), square = product(&d, &d);
  const exact_integer minor = sum(&square, &square), cube = product(&minor, &d), two = sum(&cube, &cube);
  const exact_integer three = sum(&two, &cube);
  cr_expect_eq(three.sign, 1);
  cr_expect_eq(three.count, 197);
  cr_expect(three.count <= EXACT_INTEGER_LIMBS);
}
