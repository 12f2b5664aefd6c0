/* app/base/numbers.c */
#include "app/base/numbers.h"

#include <criterion/criterion.h>

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef char *number_writer(char *to, double value);

/* Whether it writes what printf does, and nothing beyond the room that it asks for. */
static void expect_written(number_writer *put, const char *format, double value) {
  char expected[64], text[64];
  snprintf(expected, sizeof expected, format, value);
  memset(text, '#', sizeof text);
  char *end = put(text, value);
  for (size_t n = NUMBER_MAX; n < sizeof text; n++)
    cr_assert_eq(text[n], '#', "character %zu of %s is written", n, expected);
  *end = '\0';
  cr_assert_str_eq(text, expected);
}

static void expect_as_printf(msd_real value) {
  expect_written(number_put, NUMBER_FORMAT, (double)value);
}

static void expect_double(double value) {
  expect_written(number_put_float, "%.9g", value);
  expect_written(number_put_double, "%.17g", value);
  expect_written(number_put_float, "%.9g", -value);
  expect_written(number_put_double, "%.17g", -value);
}

static void expect_both_signs(msd_real value) {
  expect_as_printf(value);
  expect_as_printf(-value);
}

Test(numbers, zeros_limits_and_what_is_no_number_are_written_as_by_printf) {
  const double values[] = {0,       FLT_MIN,   FLT_MAX,       FLT_TRUE_MIN, INFINITY, NAN,     1e9,
                           1e-4,    9.9999e-5, 999999999,     99999999.5,   1e-9,     9.9e-10, 1e-10,
                           123456,  0.5,       16777216,      16777217,     0.1,      1.0 / 3, 100,
                           1000000, 0.001,     0.00999999978, 9.99999975e-5};
  for (size_t i = 0; i < sizeof values / sizeof *values; i++)
    expect_both_signs((msd_real)values[i]);
}

/* Digits are guessed from the power of two, and a power of ten is where the guess may be one too low. */
Test(numbers, neighbors_of_every_power_of_ten_are_written_as_by_printf) {
  for (int power = -45; power <= 38; power++) {
    float value = (float)pow(10, power);
    for (int n = 0; n < 20; n++)
      value = nextafterf(value, 0);
    for (int n = 0; n < 40; n++, value = nextafterf(value, INFINITY))
      expect_both_signs((msd_real)value);
  }
}

/* 2^-n has as many digits as can be, the last of which is a 5: those with ten are ties. */
Test(numbers, ties_go_to_the_even_digit_as_in_printf) {
  for (int n = 0; n < 40; n++)
    for (int odd = 1; odd < 4000; odd += 2)
      expect_as_printf((msd_real)ldexpf((float)odd, -n));
}

Test(numbers, any_bits_are_written_as_by_printf) {
  uint32_t bits = 1;
  for (int n = 0; n < 200000; n++) {
    bits = bits * 1664525u + 1013904223u;
    float value;
    memcpy(&value, &bits, sizeof value);
    expect_as_printf((msd_real)value);
    expect_as_printf((msd_real)((double)bits / 4294967296.0)); /* from 0 to 1, as places are */
  }
}

Test(numbers, doubles_are_written_as_by_printf_around_every_power_of_ten) {
  for (int power = -330; power <= 308; power++) {
    double value = pow(10, power);
    for (int n = 0; n < 10; n++)
      value = nextafter(value, 0);
    for (int n = 0; n < 20; n++, value = nextafter(value, INFINITY))
      expect_double(value);
  }
}

Test(numbers, doubles_at_limits_and_what_is_no_number_are_written_as_by_printf) {
  static const double values[] = {0,    DBL_MIN,   DBL_MAX, DBL_TRUE_MIN, INFINITY, NAN,        0.1,
                                  0.2,  0.3,       1e16,    1e17,         1e18,     1e22,       1e23,
                                  1e-4, 9.9999e-5, 1.0 / 3, 2.5,          9.995,    1e9 - 0.5,  1e17 - 8,
                                  5e-5, 123.456,   1 << 30, FLT_MAX,      0.5,      999999999.5};
  for (size_t i = 0; i < sizeof values / sizeof *values; i++)
    expect_double(values[i]);
}

/* 2^-n and its odd multiples end in a 5, and are ties where there is one digit more than is written. */
Test(numbers, ties_of_doubles_go_to_the_even_digit_as_in_printf) {
  for (int n = 0; n < 64; n++)
    for (int odd = 1; odd < 2000; odd += 2)
      expect_double(ldexp((double)odd, -n));
}

Test(numbers, doubles_of_any_bits_are_written_as_by_printf) {
  uint64_t bits = 1;
  for (int n = 0; n < 100000; n++) {
    bits = bits * 6364136223846793005u + 1442695040888963407u;
    double value;
    memcpy(&value, &bits, sizeof value);
    expect_double(value);
    expect_double(ldexp((double)(bits >> 11), (int)(bits & 127) - 127)); /* from 1e-22 to 1e16 */
  }
}

Test(numbers, what_is_written_is_read_back_to_the_same_bits) {
  uint64_t bits = 1;
  for (int n = 0; n < 100000; n++) {
    bits = bits * 6364136223846793005u + 1442695040888963407u;
    const double value = ldexp((double)(bits >> 11), (int)(bits & 63) - 83);
    const float single = (float)value;
    char text[NUMBER_MAX + 1];
    *number_put_double(text, value) = '\0';
    cr_assert(strtod(text, NULL) == value, "%s", text);
    *number_put_float(text, (double)single) = '\0';
    cr_assert(strtof(text, NULL) == single, "%s", text);
  }
}

/* Every exponent of a float, with the mantissas at its ends and some between. */
Test(numbers, floats_of_every_exponent_are_written_as_by_printf_and_read_back) {
  uint32_t random = 1;
  for (uint32_t exponent = 0; exponent < 255; exponent++)
    for (uint32_t n = 0; n < 400; n++) {
      random = random * 1664525u + 1013904223u;
      const uint32_t mantissa = n < 20 ? n : n < 40 ? 0x7fffff - (n - 20) : random >> 9;
      const uint32_t bits = exponent << 23 | mantissa;
      float value;
      memcpy(&value, &bits, sizeof value);
      expect_written(number_put_float, "%.9g", (double)value);
      expect_written(number_put_float, "%.9g", -(double)value);
      char text[NUMBER_MAX + 1];
      *number_put_float(text, (double)value) = '\0';
      cr_assert_eq(strtof(text, NULL), value, "%s", text);
    }
}

/* What has few digits has zeros behind them, which are not written, and none is lost before the point. */
Test(numbers, numbers_of_few_digits_end_with_them) {
  for (int power = -9; power <= 10; power++)
    for (int digits = 1; digits < 2000; digits++)
      expect_double(digits * pow(10, power));
  for (int n = 0; n < 100000; n++)
    expect_written(number_put_float, "%.9g", (double)(float)(n * 0.01));
}

/* Both sides of each length, where a word of eight digits ends too. */
Test(numbers, counts_around_every_power_of_ten_are_written_as_by_printf) {
  int64_t power = 1;
  for (int digits = 1; digits < 19; digits++, power *= 10)
    for (int64_t n = -12; n <= 12; n++) {
      char expected[64], text[64];
      snprintf(expected, sizeof expected, "%lld", (long long)(power + n));
      memset(text, '#', sizeof text);
      char *end = number_put_count(text, power + n);
      cr_assert_eq(text[NUMBER_MAX], '#');
      *end = '\0';
      cr_assert_str_eq(text, expected);
    }
}

Test(numbers, counts_are_written_as_by_printf) {
  const int64_t counts[] = {0,         1,         9,         10,    99,  100,        101,       999,
                            1000,      12345,     INT32_MAX, 5,     -1,  INT64_MAX,  -10,       INT64_MIN,
                            100000000, 999999999, 1LL << 53, -1234, 110, 1000000001, INT32_MIN, -9};
  for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
    char expected[64], text[64];
    snprintf(expected, sizeof expected, "%lld", (long long)counts[i]);
    *number_put_count(text, counts[i]) = '\0';
    cr_expect_str_eq(text, expected);
  }
}
