/* Unrounded sums of doubles: the expansions of J. R. Shewchuk, "Adaptive precision floating-point arithmetic
   and fast robust geometric predicates" (1997). About ten times as fast as exact integers where those would
   need few limbs. Only for medium magnitudes: inputs are 0 or between EXPANSION_LEAST and EXPANSION_MOST,
   and at most three are multiplied with each other. Needs + - * that round to the nearest double. */
#ifndef MSD_ENGINE_INTERSECTION_EXPANSION_H
#define MSD_ENGINE_INTERSECTION_EXPANSION_H

#include <math.h>
#include <stdbool.h>

/* The last bit of a product of three is a multiple of (2^-300 2^-53)^3, above the smallest double. */
#define EXPANSION_LEAST 0x1p-300
#define EXPANSION_MOST  0x1p300

/* For the sum of three products of a difference of two products. */
enum { EXPANSION_PARTS = 24 };

/* part[0] + part[1] + ..., in ascending magnitude. None is 0 and their bits do not overlap, so the last one
   has the sign of the sum. */
typedef struct expansion {
  int count;
  double part[EXPANSION_PARTS];
} expansion;

static inline bool expansion_takes(double value) {
  return value == 0 || (fabs(value) >= EXPANSION_LEAST && fabs(value) <= EXPANSION_MOST);
}

static inline int expansion_sign(const expansion *e) {
  return e->count == 0 ? 0 : e->part[e->count - 1] > 0 ? 1 : -1;
}

/* The rounding error of sum = a + b. */
static inline double expansion_sum_error(double a, double b, double sum) {
  const double of_b = sum - a, of_a = sum - of_b;
  return (a - of_a) + (b - of_b);
}

/* True if a - b is exact. */
static inline bool expansion_is_exact_difference(double a, double b) {
  return expansion_sum_error(a, -b, a - b) == 0;
}

/* a b - c d */
void expansion_minor(expansion *result, double a, double b, double c, double d);

/* e factor; `result` must not be e. */
void expansion_scale(expansion *result, const expansion *e, double factor);

/* Adds e; `sum` must not be e. */
void expansion_add(expansion *sum, const expansion *e);

#endif
