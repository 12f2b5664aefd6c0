#include "engine/intersection/exact_integer.h"

#include <limits.h>
#include <stdbool.h>
#include <string.h>

/* The format of a double: the least positive value is 2^LEAST_EXPONENT. */
enum { FRACTION_BITS = 52, EXPONENT_MASK = 0x7ff, LEAST_EXPONENT = -1074 };

enum { LIMB_BITS = 32 };

static int trailing_zeros(uint64_t bits) {
  int zeros = 0;
  for (int step = 32; step > 0; step /= 2)
    if ((bits & ((UINT64_C(1) << step) - 1)) == 0) {
      bits >>= step;
      zeros += step;
    }
  return zeros;
}

/* |value| = mantissa * 2^*exponent with an odd mantissa; 0 for 0. Reads the bits directly, since frexp would
   take as long as everything else. */
static uint64_t split(double value, int *exponent) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  const int field = (int)(bits >> FRACTION_BITS & EXPONENT_MASK);
  uint64_t mantissa = bits & ((UINT64_C(1) << FRACTION_BITS) - 1);
  if (field > 0)
    mantissa |= UINT64_C(1) << FRACTION_BITS;
  if (mantissa == 0)
    return 0;
  const int zeros = trailing_zeros(mantissa);
  *exponent = LEAST_EXPONENT + (field > 0 ? field - 1 : 0) + zeros;
  return mantissa >> zeros;
}

int exact_integer_exponent(double value) {
  int exponent;
  return split(value, &exponent) == 0 ? INT_MAX : exponent;
}

static void trim(exact_integer *a) {
  while (a->count > 0 && a->limb[a->count - 1] == 0)
    a->count--;
  if (a->count == 0)
    a->sign = 0;
}

void exact_integer_set(exact_integer *result, double value, int exponent) {
  int own;
  const uint64_t mantissa = split(value, &own);
  result->sign = value < 0 ? -1 : 1;
  result->count = 0;
  if (mantissa > 0) {
    const int shift = own - exponent, bit = shift % LIMB_BITS;
    for (int i = 0; i < shift / LIMB_BITS; i++)
      result->limb[result->count++] = 0;
    const uint64_t low = (mantissa & UINT32_MAX) << bit,
                   high = (mantissa >> LIMB_BITS << bit) + (low >> LIMB_BITS);
    result->limb[result->count++] = (uint32_t)low;
    result->limb[result->count++] = (uint32_t)high;
    result->limb[result->count++] = (uint32_t)(high >> LIMB_BITS);
  }
  trim(result);
}

static int compare_sizes(const exact_integer *a, const exact_integer *b) {
  if (a->count != b->count)
    return a->count < b->count ? -1 : 1;
  for (int i = a->count - 1; i >= 0; i--)
    if (a->limb[i] != b->limb[i])
      return a->limb[i] < b->limb[i] ? -1 : 1;
  return 0;
}

static void add_sizes(exact_integer *result, const exact_integer *longer, const exact_integer *shorter) {
  uint64_t carry = 0;
  for (int i = 0; i < longer->count; i++) {
    carry += (uint64_t)longer->limb[i] + (i < shorter->count ? shorter->limb[i] : 0);
    result->limb[i] = (uint32_t)carry;
    carry >>= LIMB_BITS;
  }
  result->count = longer->count;
  if (carry > 0)
    result->limb[result->count++] = (uint32_t)carry;
}

static void subtract_sizes(exact_integer *result, const exact_integer *larger, const exact_integer *smaller) {
  uint64_t borrow = 0;
  for (int i = 0; i < larger->count; i++) {
    const uint64_t digit = (uint64_t)larger->limb[i] - (i < smaller->count ? smaller->limb[i] : 0) - borrow;
    result->limb[i] = (uint32_t)digit;
    borrow = digit >> 63;
  }
  result->count = larger->count;
}

/* a + sign b. */
static void combine(exact_integer *result, const exact_integer *a, const exact_integer *b, int sign) {
  const int b_sign = sign * b->sign;
  const bool a_is_larger = compare_sizes(a, b) >= 0;
  const exact_integer *larger = a_is_larger ? a : b, *smaller = a_is_larger ? b : a;
  result->sign = a_is_larger ? a->sign : b_sign;
  if (a->sign * b_sign >= 0)
    add_sizes(result, larger, smaller);
  else
    subtract_sizes(result, larger, smaller);
  trim(result);
}

void exact_integer_add(exact_integer *result, const exact_integer *a, const exact_integer *b) {
  combine(result, a, b, 1);
}

void exact_integer_subtract(exact_integer *result, const exact_integer *a, const exact_integer *b) {
  combine(result, a, b, -1);
}

void exact_integer_multiply(exact_integer *result, const exact_integer *a, const exact_integer *b) {
  result->sign = a->sign * b->sign;
  result->count = result->sign == 0 ? 0 : a->count + b->count;
  for (int i = 0; i < result->count; i++)
    result->limb[i] = 0;
  for (int i = 0; i < a->count && result->sign != 0; i++) {
    uint64_t carry = 0;
    for (int j = 0; j < b->count; j++) {
      carry += (uint64_t)a->limb[i] * b->limb[j] + result->limb[i + j];
      result->limb[i + j] = (uint32_t)carry;
      carry >>= LIMB_BITS;
    }
    result->limb[i + b->count] = (uint32_t)carry;
  }
  trim(result);
}
