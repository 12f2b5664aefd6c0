/* Sums of doubles that are not rounded: the expansions of J. R. Shewchuk, "Adaptive precision floating-point
   arithmetic and fast robust geometric predicates" (1997). Some ten times as fast as whole numbers where these
   would need few limbs, and good for sizes in the middle of what doubles have: what is put in is 0 or between
   EXPANSION_LEAST and EXPANSION_MOST, and no more than three such are multiplied with each other.

   It needs + - * that round to the nearest double. */
#ifndef MSD_ENGINE_INTERSECTION_EXPANSION_H
#define MSD_ENGINE_INTERSECTION_EXPANSION_H

#include <math.h>
#include <stdbool.h>

/* The last bit of a product of three is a multiple of (2^-300 2^-53)^3, above the smallest double. */
#define EXPANSION_LEAST 0x1p-300
#define EXPANSION_MOST  0x1p300

/* The sum of three products of a difference of two products. */
enum { EXPANSION_PARTS = 24 };

/* part[0] + part[1] + ..., from the smallest to the largest. None is 0, and none has bits where another has
   some, so that the last has the sign of all. */
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

/* a + b less its rounded value. */
static inline double expansion_sum_error(double a, double b, double sum) {
  const double of_b = sum - a, of_a = sum - of_b;
  return (a - of_a) + (b - of_b);
}

/* Whether a - b has no rounding. */
static inline bool expansion_is_exact_difference(double a, double b) {
  return expansion_sum_error(a, -b, a - b) == 0;
}

/* a b - c d */
void expansion_minor(expansion *result, double a, double b, double c, double d);

/* e factor; the result is not e. */
void expansion_scale(expansion *result, const expansion *e, double factor);

/* Adds e to the sum, which is not e. */
void expansion_add(expansion *sum, const expansion *e);

#endif
