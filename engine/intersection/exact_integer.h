/* Whole numbers that never round: as wide as a determinant of three differences of finite doubles can need,
   whatever the exponents of these are. */
#ifndef MSD_ENGINE_INTERSECTION_EXACT_INTEGER_H
#define MSD_ENGINE_INTERSECTION_EXACT_INTEGER_H

#include <stdint.h>

/* Finite doubles are multiples of 2^-1074 below 2^1024, and so 2098 bits wide. A difference has 2099, a minor
   of two by two 4199, a sum of three products of such a minor and a difference 6300: 197 limbs. */
enum { EXACT_INTEGER_LIMBS = 200 };

/* sign * (limb[0] + 2^32 limb[1] + ...). Limbs from `count` on are not set; the one below is not 0. */
typedef struct exact_integer {
  /* -1, 0 or 1. */
  int sign;
  int count;
  uint32_t limb[EXACT_INTEGER_LIMBS];
} exact_integer;

/* The largest exponent such that a finite value is a whole multiple of 2^exponent; INT_MAX for 0. */
int exact_integer_exponent(double value);

/* value/2^exponent, where that is whole. */
void exact_integer_set(exact_integer *result, double value, int exponent);

/* The result is none of the operands. */
void exact_integer_add(exact_integer *result, const exact_integer *a, const exact_integer *b);
void exact_integer_subtract(exact_integer *result, const exact_integer *a, const exact_integer *b);
void exact_integer_multiply(exact_integer *result, const exact_integer *a, const exact_integer *b);

#endif
