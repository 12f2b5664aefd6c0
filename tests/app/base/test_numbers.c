/* app/base/numbers.c */
#include "app/base/numbers.h"

#include <criterion/criterion.h>

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Whether number_put writes what printf does, and nothing behind it. */
static void expect_as_printf(msd_real value) {
  char expected[64], text[64];
  snprintf(expected, sizeof expected, NUMBER_FORMAT, (double)value);
  memset(text, '#', sizeof text);
  char *end = number_put(text, value);
  *end = '\0';
  cr_assert_str_eq(text, expected);
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
Test(numbers, neighbours_of_every_power_of_ten_are_written_as_by_printf) {
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

Test(numbers, counts_are_written_as_by_printf) {
  const int64_t counts[] = {0, 1, 9, 10, 99, 100, 12345, INT32_MAX, INT64_MAX, -1, -10, INT64_MIN};
  for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
    char expected[64], text[64];
    snprintf(expected, sizeof expected, "%lld", (long long)counts[i]);
    *number_put_count(text, counts[i]) = '\0';
    cr_expect_str_eq(text, expected);
  }
}
