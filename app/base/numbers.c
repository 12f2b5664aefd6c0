#include "app/base/numbers.h"

#include "app/base/bytes.h"

#include <stdio.h>
#include <string.h>

/* A double is m 2^e with m < 2^53, and its digits are m 2^e 10^k rounded to a number of so many digits. With
   0 <= k <= FIVES_MAX 5^k is below 2^63, and up to SCALE_MAX below 2^126, so that m 5^k is exact in two or
   three words, and what is shifted out of it says which way to round: to the nearest, and to the even one of
   two, as printf does. All floats below 10^9 are among them; other numbers printf writes itself. */
enum {
  FIVES_MAX = 27,
  SCALE_MAX = 2 * FIVES_MAX,
  MANTISSA_BITS = 52,
  LEFT_BITS = 11,
  FLOAT_BITS = 23,
  EXPONENT_BIAS = 1023
};

/* 5^n */
static const uint64_t powers_of_5[FIVES_MAX + 1] = {1,
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

/* The bits of the least double that is not below 10^n, from n = POWER_MIN on: bits of positive doubles are in
   the order of what they stand for. */
enum { POWER_MIN = -46, POWER_COUNT = 64 };
static const uint64_t powers_of_10[POWER_COUNT] = {
    0x366244ce242c5561, 0x3696d601ad376aba, 0x36cc8b8218854568, 0x3701d7314f534b61, 0x37364cfda3281e39,
    0x376be03d0bf225c7, 0x37a16c262777579d, 0x37d5c72fb1552d84, 0x380b38fb9daa78e5, 0x3841039d428a8b8f,
    0x38754484932d2e73, 0x38aa95a5b7f87a0f, 0x38e09d8792fb4c4a, 0x3914c4e977ba1f5c, 0x3949f623d5a8a733,
    0x398039d665896880, 0x39b4484bfeebc2a0, 0x39e95a5efea6b348, 0x3a1fb0f6be50601a, 0x3a53ce9a36f23c10,
    0x3a88c240c4aecb14, 0x3abef2d0f5da7dd9, 0x3af357c299a88ea8, 0x3b282db34012b252, 0x3b5e392010175ee6,
    0x3b92e3b40a0e9b50, 0x3bc79ca10c924224, 0x3bfd83c94fb6d2ad, 0x3c32725dd1d243ac, 0x3c670ef54646d497,
    0x3c9cd2b297d889bd, 0x3cd203af9ee75616, 0x3d06849b86a12b9c, 0x3d3c25c268497682, 0x3d719799812dea12,
    0x3da5fd7fe1796496, 0x3ddb7cdfd9d7bdbb, 0x3e112e0be826d695, 0x3e45798ee2308c3a, 0x3e7ad7f29abcaf49,
    0x3eb0c6f7a0b5ed8e, 0x3ee4f8b588e368f1, 0x3f1a36e2eb1c432d, 0x3f50624dd2f1a9fc, 0x3f847ae147ae147b,
    0x3fb999999999999a, 0x3ff0000000000000, 0x4024000000000000, 0x4059000000000000, 0x408f400000000000,
    0x40c3880000000000, 0x40f86a0000000000, 0x412e848000000000, 0x416312d000000000, 0x4197d78400000000,
    0x41cdcd6500000000, 0x4202a05f20000000, 0x42374876e8000000, 0x426d1a94a2000000, 0x42a2309ce5400000,
    0x42d6bcc41e900000, 0x430c6bf526340000, 0x4341c37937e08000, 0x4376345785d8a000};

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

/* product 2^-shift, rounded, for a shift below 128 and what is below 2^64; `is_more`: than the product says. */
static inline uint64_t shift_rounded(wide product, bool is_more, int shift) {
  if (shift <= 0)
    return product.low << -shift;
  uint64_t whole, rest; /* `rest` in units of 2^-64 */
  if (shift < 64) {
    whole = product.high << (63 - shift) << 1 | product.low >> shift;
    rest = product.low << (64 - shift);
  } else {
    whole = product.high >> (shift - 64);
    rest = product.high << (127 - shift) << 1 | product.low >> (shift - 64);
    is_more |= product.low << (127 - shift) << 1 != 0;
  }
  const uint64_t half = UINT64_C(1) << 63;
  return whole + ((rest > half) | ((rest == half) & (is_more | (whole % 2 == 1))));
}

/* mantissa 5^scale 2^-shift, rounded, for what is below 2^64. Beyond 5^FIVES_MAX the power is one of two words,
   and the product one of three, of which the last is below what a shift leaves if the mantissa has all bits of
   its word. */
static inline uint64_t scale_rounded(uint64_t mantissa, int scale, int shift) {
  if (scale <= FIVES_MAX)
    return shift_rounded(multiply(mantissa, powers_of_5[scale]), false, shift);
  const wide power = multiply(powers_of_5[FIVES_MAX], powers_of_5[scale - FIVES_MAX]);
  const wide low = multiply(mantissa << LEFT_BITS, power.low);
  wide high = multiply(mantissa << LEFT_BITS, power.high);
  high.low += low.high;
  high.high += high.low < low.high;
  return shift_rounded(high, low.low > 0, shift + LEFT_BITS - 64);
}

/* The least number of so many digits. */
static inline uint64_t least_of(int digits) {
  return digits == NUMBER_FLOAT_DIGITS ? UINT64_C(100000000) : UINT64_C(10000000000000000);
}

/* The digits of a number one after the other, the first of them apart and then eight in each word, the first in
   its lowest byte; and the power of ten that the first stands for. */
typedef struct decimal {
  uint64_t words[2];
  unsigned first;
  int power;
} decimal;

enum { WORD = 8 };

/* What is below has no more digits than a word. */
static const uint32_t word_limit = 100000000;

/* "00000000" */
static const uint64_t zeros = UINT64_C(0x3030303030303030);

/* The same from two halves of four digits, the first in the low half of the word: they are split in pairs, and
   those in digits, in all parts of the word at once. The quotients by 100 and by 10 are right for what is below
   10,000 and 100; a part less so many times its quotient, shifted up, and the quotient below it are one
   product. */
static inline uint64_t word_of_halves(uint64_t halves) {
  const uint64_t hundreds = halves * 10486 >> 20 & UINT64_C(0x7f0000007f);
  const uint64_t pairs = (halves << 16) - hundreds * ((100 << 16) - 1);
  const uint64_t tens = pairs * 103 >> 10 & UINT64_C(0x000f000f000f000f);
  return (pairs << 8) - tens * ((10 << 8) - 1);
}

/* A number less 10,000 times a quotient of it, in the high half of a word, and the quotient in the low half. */
static inline uint64_t split(uint64_t number, uint64_t quotient) {
  return (number << 32) - quotient * ((UINT64_C(10000) << 32) - 1);
}

/* The digits of what is below 10^8. */
static inline uint64_t word_of(uint32_t number) {
  return word_of_halves(split(number, number / 10000));
}

/* How many of its digits are left without the zeros behind them. */
static inline int length_of(uint64_t word) {
  return (70 - __builtin_clzll(word << 1 | 1)) / 8;
}

static inline void store_word(char *to, uint64_t word) {
  bytes_store_little((unsigned char *)to, word, WORD);
}

static inline uint64_t power_of_10(int power) {
  return powers_of_10[power - POWER_MIN];
}

/* Of values from 2^e below 2^(e+1) the place among powers_of_10 of the first above 2^e, behind that of theirs
   or theirs itself: for e from -153 to 56, those of the table, where 1233 / 4096 is near enough to the
   logarithm of 2. */
static inline uint64_t place_above(uint64_t biased) {
  return (biased * 1233 - (EXPONENT_BIAS * 1233 + (POWER_MIN - 1) * (1 << 12))) >> 12;
}

/* A number from 10^(digits - 1 - SCALE_MAX) on below 10^digits. */
static inline decimal find_digits(uint64_t bits, int digits) {
  const int biased = (int)(bits >> MANTISSA_BITS);
  const uint64_t one = UINT64_C(1) << MANTISSA_BITS, mantissa = (bits & (one - 1)) | one;
  const uint64_t least = least_of(digits);
  const uint64_t above = place_above((uint64_t)biased);
  int power = POWER_MIN - 1 + (int)above + (bits >= powers_of_10[above]);
  const int scale = digits - 1 - power;
  uint64_t number = scale_rounded(mantissa, scale, MANTISSA_BITS + EXPONENT_BIAS - biased - scale);
  if (number == 10 * least) {
    number = least;
    power++;
  }
  decimal d = {.first = (unsigned)(number / least), .power = power};
  const uint64_t rest = number - d.first * least;
  if (digits == NUMBER_FLOAT_DIGITS) {
    d.words[0] = word_of((uint32_t)rest);
  } else {
    d.words[0] = word_of((uint32_t)(rest / 100000000));
    d.words[1] = word_of((uint32_t)(rest % 100000000));
  }
  return d;
}

/* Writes the digits from the one behind the first `skipped` on, of those in the words. */
static inline void store_from(char *to, const decimal *d, int digits, int skipped) {
  const uint64_t low = d->words[0] + zeros, high = d->words[1] + zeros;
  if (digits == NUMBER_FLOAT_DIGITS) {
    store_word(to, low >> 4 * skipped >> 4 * skipped);
  } else if (skipped < WORD) {
    store_word(to, low >> 8 * skipped | high << 4 * (WORD - skipped) << 4 * (WORD - skipped));
    store_word(to + WORD, high >> 8 * skipped);
  } else {
    store_word(to, high >> 4 * (skipped - WORD) >> 4 * (skipped - WORD));
  }
}

/* Of a power from -4 on. */
static inline char *put_plain(char *to, const decimal *d, int digits, int length) {
  char *first = to;
  if (d->power < 0) {
    store_word(to, UINT64_C(0x3030303030302e30));
    first += 1 - d->power;
  }
  *first = (char)('0' + d->first);
  store_from(first + 1, d, digits, 0);
  if (d->power < 0)
    return first + length;
  const int before = d->power + 1;
  if (length <= before)
    return first + before;
  first[before] = '.';
  store_from(first + before + 1, d, digits, before - 1);
  return first + length + 1;
}

/* Of a power below -4. */
static inline char *put_with_exponent(char *to, const decimal *d, int digits, int length) {
  *to = (char)('0' + d->first);
  to[1] = '.';
  store_from(to + 2, d, digits, 0);
  to += length + (length > 1);
  memcpy(to, "e-", 2);
  to[2] = (char)('0' + -d->power / 10);
  to[3] = (char)('0' + -d->power % 10);
  return to + 4;
}

/* What nine digits of a power of ten look like: 5^n for their scale, where the first is, where the point among
   them, and where they end if the ninth is not 0. Below 1 the point is in front; what would stand behind one is
   beyond the end. */
typedef struct seat {
  uint64_t scale;
  uint8_t first, point, end;
} seat;

enum { SEAT_POWER_MIN = -4, SEAT_COUNT = 13 };
static const seat seats[SEAT_COUNT] = {{244140625, 5, 14, 14},
                                       {48828125, 4, 13, 13},
                                       {9765625, 3, 12, 12},
                                       {1953125, 2, 11, 11},
                                       {390625, 0, 1, 10},
                                       {78125, 0, 2, 10},
                                       {15625, 0, 3, 10},
                                       {3125, 0, 4, 10},
                                       {625, 0, 5, 10},
                                       {125, 0, 6, 10},
                                       {25, 0, 7, 10},
                                       {5, 0, 8, 10},
                                       {1, 0, 9, 9}};

/* What most numbers are, floats from 1e-4 on below 1e9: the same as for others, with all that can be known
   beforehand in a table. Digits nobody can foresee, and a branch that goes the wrong way takes as long as all
   this: but for whether the ninth is 0, none depends on them. No float there is so near below a power of ten
   that its nine digits are those of the power. */
static inline char *put_common(char *to, uint64_t bits) {
  enum { SPARE = 8 }; /* so that no shift is to the left */
  const uint64_t biased = bits >> MANTISSA_BITS;
  const uint64_t above = place_above(biased);
  const uint64_t at = above - (SEAT_POWER_MIN - POWER_MIN + 1) + (bits >= powers_of_10[above]);
  const seat *s = &seats[at];
  const uint64_t mantissa = (bits << LEFT_BITS | UINT64_C(1) << 63) >> (40 - SPARE),
                 product = mantissa * s->scale;
  const int shift =
      (int)(at - biased) + FLOAT_BITS + SPARE + EXPONENT_BIAS - (NUMBER_FLOAT_DIGITS - 1) + SEAT_POWER_MIN;
  const uint64_t half = UINT64_C(1) << (shift - 1);
  const uint64_t number = (product + half - 1 + (product >> shift & 1)) >> shift;
  const uint32_t first = (uint32_t)number / word_limit;
  const uint64_t halves = split(number, (uint32_t)number / 10000) - 10000 * first;
  const uint64_t word = word_of_halves(halves);
  const int behind = s->point - s->first;
  store_word(to, UINT64_C(0x3030303030302e30));
  to[s->first] = (char)('0' + first);
  store_word(to + s->first + 1, word + zeros);
  to[s->point] = '.';
  store_word(to + s->point + 1, (word + zeros) >> 4 * (behind - 1) >> 4 * (behind - 1));
  if (word >> 56 > 0)
    return to + s->end;
  const int length = 1 + length_of(word), end = length + (length > behind);
  return to + s->first + (s->first > 0 ? length : end > behind ? end : behind);
}

/* Zeros, and what printf writes. */
static char *put_rare(char *to, uint64_t bits, int digits) {
  if (bits > 0)
    return to + snprintf(to, NUMBER_MAX - 1, "%.*g", digits, bytes_to_double(bits));
  *to = '0';
  return to + 1;
}

/* Of the bits of what is not below 0. */
static char *put_any(char *to, uint64_t bits, int digits) {
  const uint64_t least = power_of_10(digits - 1 - SCALE_MAX);
  if (bits - least >= power_of_10(digits) - least)
    return put_rare(to, bits, digits);
  const decimal d = find_digits(bits, digits);
  if (d.power == digits)
    return put_rare(to, bits, digits);
  const int length = 1 + (d.words[1] > 0 ? WORD + length_of(d.words[1]) : length_of(d.words[0]));
  return d.power >= -4 ? put_plain(to, &d, digits, length) : put_with_exponent(to, &d, digits, length);
}

/* Writes the sign, and takes it away; returns its end. */
static inline char *put_sign(char *to, double value, uint64_t *bits) {
  *bits = bytes_of_double(value);
  *to = '-';
  to += *bits >> 63;
  *bits &= UINT64_MAX >> 1;
  return to;
}

char *number_put_float(char *to, double value) {
  uint64_t bits;
  to = put_sign(to, value, &bits);
  const uint64_t least = power_of_10(SEAT_POWER_MIN);
  if (bits - least < power_of_10(NUMBER_FLOAT_DIGITS) - least && bits << 35 == 0)
    return put_common(to, bits);
  return put_any(to, bits, NUMBER_FLOAT_DIGITS);
}

char *number_put_double(char *to, double value) {
  uint64_t bits;
  to = put_sign(to, value, &bits);
  return put_any(to, bits, NUMBER_DOUBLE_DIGITS);
}

char *number_put(char *to, double value) {
  return sizeof(msd_real) == sizeof(double) ? number_put_double(to, value) : number_put_float(to, value);
}

/* A word without the zeros in front; of 0 one stays. */
static inline char *put_first_word(char *to, uint32_t number) {
  const uint64_t word = word_of(number);
  const int skipped = __builtin_ctzll(word | UINT64_C(1) << 56) / 8;
  store_word(to, (word + zeros) >> 8 * skipped);
  return to + WORD - skipped;
}

static char *put_words(char *to, uint64_t number) {
  if (number < word_limit)
    return put_first_word(to, (uint32_t)number);
  to = put_words(to, number / word_limit);
  store_word(to, word_of((uint32_t)(number % word_limit)) + zeros);
  return to + WORD;
}

char *number_put_count(char *to, int64_t count) {
  const uint64_t left = count < 0 ? 0 - (uint64_t)count : (uint64_t)count;
  *to = '-';
  to += count < 0;
  return left < word_limit ? put_first_word(to, (uint32_t)left) : put_words(to, left);
}
