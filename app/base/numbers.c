#include "app/base/numbers.h"

#include <stdio.h>
#include <string.h>

/* A double is m 2^e with m < 2^53, and its digits are m 2^e 10^k rounded to a number of so many digits. With
   0 <= k <= SCALE_MAX 5^k is below 2^63, so that m 5^k is exact in 128 bits, and what is shifted out of it says
   which way to round: to the nearest, and to the even one of two, as printf does. Other numbers printf writes
   itself. */
enum { SCALE_MAX = 27, MANTISSA_BITS = 52, EXPONENT_BIAS = 1023, EXPONENT_LIMIT = 2047 };

/* 5^n */
static const uint64_t powers_of_5[SCALE_MAX + 1] = {1,
                                                    5,
                                                    25,
                                                    125,
                                                    625,
                                                    3125,
                                                    15625,
                                                    78125,
                                                    390625,
                                                    1953125,
                                                    9765625,
                                                    48828125,
                                                    244140625,
                                                    1220703125,
                                                    6103515625,
                                                    30517578125,
                                                    152587890625,
                                                    762939453125,
                                                    3814697265625,
                                                    19073486328125,
                                                    95367431640625,
                                                    476837158203125,
                                                    2384185791015625,
                                                    11920928955078125,
                                                    59604644775390625,
                                                    298023223876953125,
                                                    1490116119384765625,
                                                    7450580596923828125};

typedef struct wide {
  uint64_t high, low;
} wide;

static inline wide multiply(uint64_t a, uint64_t b) {
#ifdef __SIZEOF_INT128__
  __extension__ typedef unsigned __int128 uint128;
  const uint128 product = (uint128)a * b;
  return (wide){(uint64_t)(product >> 64), (uint64_t)product};
#else
  const uint64_t a0 = (uint32_t)a, a1 = a >> 32, b0 = (uint32_t)b, b1 = b >> 32;
  const uint64_t middle = a1 * b0 + (a0 * b0 >> 32), other = a0 * b1 + (uint32_t)middle;
  return (wide){a1 * b1 + (middle >> 32) + (other >> 32), other << 32 | (uint32_t)(a0 * b0)};
#endif
}

/* product 2^-shift, rounded, for a shift below 128 and what is below 2^64. */
static inline uint64_t shift_rounded(wide product, int shift) {
  if (shift <= 0)
    return product.low << -shift;
  uint64_t whole, rest, half;
  bool is_more = false; /* than the bits in `rest` say */
  if (shift < 64) {
    whole = product.high << (63 - shift) << 1 | product.low >> shift;
    rest = product.low & ((UINT64_C(1) << shift) - 1);
    half = UINT64_C(1) << (shift - 1);
  } else if (shift == 64) {
    whole = product.high;
    rest = product.low;
    half = UINT64_C(1) << 63;
  } else {
    whole = product.high >> (shift - 64);
    rest = product.high & ((UINT64_C(1) << (shift - 64)) - 1);
    half = UINT64_C(1) << (shift - 65);
    is_more = product.low > 0;
  }
  return whole + (rest > half || (rest == half && (is_more || whole % 2 == 1)));
}

/* The least number of so many digits. */
static inline uint64_t least_of(int digits) {
  return digits == NUMBER_FLOAT_DIGITS ? UINT64_C(100000000) : UINT64_C(10000000000000000);
}

/* A number above 0 in so many digits, and the power of ten of the first; false where that does not do. */
static inline bool find_digits(uint64_t bits, int digits, uint64_t *out, int *power) {
  const int biased = (int)(bits >> MANTISSA_BITS);
  if (biased == 0 || biased == EXPONENT_LIMIT)
    return false;
  const uint64_t one = UINT64_C(1) << MANTISSA_BITS, mantissa = (bits & (one - 1)) | one;
  const uint64_t least = least_of(digits);
  /* Of a value from 2^e below 2^(e+1) the guess, with the logarithm of 2, is right or one too low. */
  const double logarithm = (biased - EXPONENT_BIAS) * 0.30102999566398120;
  int guess = (int)logarithm;
  guess -= guess > logarithm;
  for (int tries = 0; tries < 2; tries++, guess++) {
    const int scale = digits - 1 - guess;
    if (scale < 0 || scale > SCALE_MAX)
      return false;
    const int shift = EXPONENT_BIAS + MANTISSA_BITS - biased - scale;
    const uint64_t found = shift_rounded(multiply(mantissa, powers_of_5[scale]), shift);
    if (found >= 10 * least)
      continue;
    *out = found;
    *power = guess;
    return found >= least;
  }
  return false;
}

static inline char *put_pair(char *to, uint32_t pair) {
  static const char pairs[] = "0001020304050607080910111213141516171819"
                              "2021222324252627282930313233343536373839"
                              "4041424344454647484950515253545556575859"
                              "6061626364656667686970717273747576777879"
                              "8081828384858687888990919293949596979899";
  memcpy(to, pairs + 2 * pair, 2);
  return to + 2;
}

static inline char *put_eight(char *to, uint32_t number) {
  const uint32_t high = number / 10000, low = number % 10000;
  to = put_pair(to, high / 100);
  to = put_pair(to, high % 100);
  to = put_pair(to, low / 100);
  return put_pair(to, low % 100);
}

/* Enough for the most digits, so that they are copied in one go whatever their number. */
enum { TEXT = 20 };

/* Digits without the zeros behind them, with the point behind the first `before` of them; returns their end. */
static inline char *put_digits(char *to, const char *text, int count, int before) {
  if (count <= before) {
    memcpy(to, text, TEXT);
    memset(to + count, '0', (size_t)(before - count));
    return to + before;
  }
  memcpy(to, text, TEXT);
  to[before] = '.';
  memcpy(to + before + 1, text + before, TEXT);
  return to + count + 1;
}

/* As %g: without an exponent from 1e-4 on below 10^digits. */
static inline char *put_value(char *to, uint64_t number, int digits, int power) {
  char text[2 * TEXT] = {0}; /* TEXT of them behind each digit */
  const uint64_t first = number / least_of(digits), rest = number % least_of(digits);
  text[0] = (char)('0' + first);
  if (digits == NUMBER_FLOAT_DIGITS)
    put_eight(text + 1, (uint32_t)rest);
  else
    put_eight(put_eight(text + 1, (uint32_t)(rest / 100000000)), (uint32_t)(rest % 100000000));
  int count = digits;
  while (count > 1 && text[count - 1] == '0')
    count--;
  if (power >= 0)
    return put_digits(to, text, count, power + 1);
  if (power >= -4) {
    memcpy(to, "0.000", 5);
    to += 1 - power;
    memcpy(to, text, TEXT);
    return to + count;
  }
  to = put_digits(to, text, count, 1);
  memcpy(to, "e-", 2);
  return put_pair(to + 2, (uint32_t)-power);
}

static inline char *put(char *to, double value, int digits) {
  const uint64_t sign = UINT64_C(1) << 63;
  uint64_t bits, number;
  int power;
  memcpy(&bits, &value, sizeof bits);
  if (bits & sign)
    *to++ = '-';
  bits &= ~sign;
  if (bits == 0) {
    *to = '0';
    return to + 1;
  }
  if (find_digits(bits, digits, &number, &power))
    return put_value(to, number, digits, power);
  memcpy(&value, &bits, sizeof value);
  return to + snprintf(to, NUMBER_MAX - 1, "%.*g", digits, value);
}

char *number_put_float(char *to, double value) {
  return put(to, value, NUMBER_FLOAT_DIGITS);
}

char *number_put_double(char *to, double value) {
  return put(to, value, NUMBER_DOUBLE_DIGITS);
}

char *number_put(char *to, double value) {
  return put(to, value, sizeof(msd_real) == sizeof(double) ? NUMBER_DOUBLE_DIGITS : NUMBER_FLOAT_DIGITS);
}

/* The most that a 64-bit number has. */
enum { COUNT_DIGITS = 20 };

char *number_put_count(char *to, int64_t count) {
  uint64_t left = count < 0 ? 0 - (uint64_t)count : (uint64_t)count;
  if (count < 0)
    *to++ = '-';
  int digits = 1;
  for (uint64_t limit = 10; digits < COUNT_DIGITS && left >= limit; limit *= 10)
    digits++;
  char *at = to + digits;
  for (; at > to + 1; left /= 100)
    put_pair(at -= 2, (uint32_t)(left % 100));
  if (at > to)
    *to = (char)('0' + left);
  return to + digits;
}
