#include "app/base/numbers.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static char *put_slowly(char *to, msd_real value) {
  return to + snprintf(to, NUMBER_MAX, NUMBER_FORMAT, (double)value);
}

char *number_put_count(char *to, int64_t count) {
  char reversed[NUMBER_MAX];
  uint64_t left = count < 0 ? 0 - (uint64_t)count : (uint64_t)count;
  int digits = 0;
  do
    reversed[digits++] = (char)('0' + left % 10);
  while ((left /= 10) > 0);
  if (count < 0)
    *to++ = '-';
  while (digits > 0)
    *to++ = reversed[--digits];
  return to;
}

#ifdef MSD_DOUBLE

char *number_put(char *to, msd_real value) {
  return put_slowly(to, value);
}

#else

/* A float is m 2^e with m < 2^24, and its digits are m 2^e 10^k rounded to a number of DIGITS digits. With 0
   <= k <= SCALE_MAX m 5^k is below 2^64 and thus exact, and what is shifted out of it says which way to
   round: to the nearest, and to the even one of two, as printf does. */
enum { DIGITS = 9, SCALE_MAX = 17, MANTISSA_BITS = 24 };
static const uint32_t LEAST_DIGITS = 100000000, MOST_DIGITS = 999999999; /* 1e8, 1e9 - 1 */

/* 5^n */
static const uint64_t powers_of_5[SCALE_MAX + 1] = {
    1,       5,       25,       125,       625,        3125,       15625,       78125,        390625,
    1953125, 9765625, 48828125, 244140625, 1220703125, 6103515625, 30517578125, 152587890625, 762939453125};

/* product 2^-shift, rounded. */
static uint64_t shift_rounded(uint64_t product, int shift) {
  if (shift <= 0)
    return product << -shift;
  const uint64_t whole = product >> shift, rest = product & ((UINT64_C(1) << shift) - 1),
                 half = UINT64_C(1) << (shift - 1);
  return whole + (rest > half || (rest == half && whole % 2 == 1));
}

/* The DIGITS digits of a value above 0 and the power of ten of the first; false where that does not do. */
static bool find_digits(float value, uint32_t *digits, int *power) {
  int exponent;
  const uint64_t mantissa = (uint64_t)ldexpf(frexpf(value, &exponent), MANTISSA_BITS);
  /* The logarithm of 2 is .30103: of a value from 2^(e-1) below 2^e the guess is right or one too low. */
  int guess = (int)floor((exponent - 1) * 0.30103);
  for (int tries = 0; tries < 2; tries++, guess++) {
    const int scale = DIGITS - 1 - guess;
    if (scale < 0 || scale > SCALE_MAX)
      return false;
    const int shift = MANTISSA_BITS - exponent - scale;
    if (shift > 63)
      return false;
    const uint64_t found = shift_rounded(mantissa * powers_of_5[scale], shift);
    if (found > MOST_DIGITS)
      continue;
    *digits = (uint32_t)found;
    *power = guess;
    return found >= LEAST_DIGITS;
  }
  return false;
}

/* Digits without the zeros behind them, with the point behind the first `before` of them; returns their end. */
static char *put_digits(char *to, const char *text, int count, int before) {
  memcpy(to, text, (size_t)(count < before ? count : before));
  to += count < before ? count : before;
  for (int n = count; n < before; n++)
    *to++ = '0';
  if (count <= before)
    return to;
  *to++ = '.';
  memcpy(to, text + before, (size_t)(count - before));
  return to + count - before;
}

/* As %g: without an exponent from 1e-4 on below 1e9. */
static char *put_value(char *to, uint32_t digits, int power) {
  char text[DIGITS];
  int count = DIGITS;
  for (int n = DIGITS - 1; n >= 0; n--, digits /= 10)
    text[n] = (char)('0' + digits % 10);
  while (count > 1 && text[count - 1] == '0')
    count--;
  if (power >= 0)
    return put_digits(to, text, count, power + 1);
  if (power >= -4) {
    memcpy(to, "0.000", 5);
    to += 1 - power;
    memcpy(to, text, (size_t)count);
    return to + count;
  }
  to = put_digits(to, text, count, 1);
  memcpy(to, "e-0", 3);
  to[3] = (char)('0' - power);
  return to + 4;
}

char *number_put(char *to, msd_real value) {
  uint32_t digits;
  int power;
  if (value == 0 || !find_digits(fabsf(value), &digits, &power))
    return put_slowly(to, value);
  if (value < 0)
    *to++ = '-';
  return put_value(to, digits, power);
}

#endif
