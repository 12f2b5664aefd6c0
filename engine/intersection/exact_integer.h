/* Exact integers of a fixed width that suffices for a determinant of three differences of finite doubles,
   whatever their exponents. */
#ifndef MSD_ENGINE_INTERSECTION_EXACT_INTEGER_H
#define MSD_ENGINE_INTERSECTION_EXACT_INTEGER_H

#include <stdint.h>

/* Finite doubles are multiples of 2^-1074 below 2^1024, so they have 2098 bits. A difference has 2099, a 2x2
   minor 4199, and a sum of three products of a minor and a difference 6300: 197 limbs. */
enum { EXACT_INTEGER_LIMBS = 200 };

/* sign * (limb[0] + 2^32 limb[1] + ...). Limbs from `count` on are undefined; the last one before is not 0. */
typedef struct exact_integer {
  /* -1, 0 or 1. */
  int sign;
  int count;
  uint32_t limb[EXACT_INTEGER_LIMBS];
} exact_integer;

/* The largest exponent such that a finite value is an integer multiple of 2^exponent; INT_MAX for 0. */
int exact_integer_exponent(double value);

/* value/2^exponent, which must be an integer. */
void exact_integer_set(exact_integer *result, double value, int exponent);

/* The result must not be an operand. */
void exact_integer_add(exact_integer *result, const exact_integer *a, const exact_integer *b);
void exact_integer_subtract(exact_integer *result, const exact_integer *a, const exact_integer *b);
void exact_integer_multiply(exact_integer *result, const exact_integer *a, const exact_integer *b);

#endif
