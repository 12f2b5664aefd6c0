/* Tests of many numbers at once by their IEEE 754 bits: integer loops that compilers vectorize. No alignment
   is required. */
#ifndef MSD_ENGINE_BASE_REAL_BITS_H
#define MSD_ENGINE_BASE_REAL_BITS_H

#include "msd/base.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef MSD_DOUBLE
typedef uint64_t real_bits;
#define REAL_BITS_EXPONENT UINT64_C(0x7ff0000000000000)
#define REAL_BITS_LOWEST   UINT64_C(0x0010000000000000)
#define REAL_BITS_SIGN     UINT64_C(0x8000000000000000)
#else
typedef uint32_t real_bits;
#define REAL_BITS_EXPONENT UINT32_C(0x7f800000)
#define REAL_BITS_LOWEST   UINT32_C(0x00800000)
#define REAL_BITS_SIGN     UINT32_C(0x80000000)
#endif

/* Adding one to the largest exponent, which infinities and NaN have, sets the sign bit. */
static inline bool reals_are_finite(const void *reals, size_t count) {
  real_bits any = 0;
  for (size_t i = 0; i < count; i++) {
    real_bits bits;
    memcpy(&bits, (const unsigned char *)reals + i * sizeof bits, sizeof bits);
    any |= (bits & REAL_BITS_EXPONENT) + REAL_BITS_LOWEST;
  }
  return !(any & REAL_BITS_SIGN);
}

/* Requires non-negative numbers without -0: subtracting one from the bits of 0 sets the sign bit. */
static inline bool reals_have_zero(const msd_real *reals, size_t count) {
  real_bits any = 0;
  for (size_t i = 0; i < count; i++) {
    real_bits bits;
    memcpy(&bits, &reals[i], sizeof bits);
    any |= bits - 1;
  }
  return any & REAL_BITS_SIGN;
}

#endif
