#include "engine/intersection/expansion.h"

/* 2^27 + 1: splits a double into halves of its bits. */
static const double SPLITTER = 0x1p27 + 1;

typedef struct halves {
  double high, low;
} halves;

static halves split(double value) {
  const double carried = SPLITTER * value, high = carried - (carried - value);
  return (halves){high, value - high};
}

/* The rounding error of product = a b. */
static double product_error(double a, double b, double product) {
  const halves of_a = split(a), of_b = split(b);
  const double left = ((product - of_a.high * of_b.high) - of_a.low * of_b.high) - of_a.high * of_b.low;
  return of_a.low * of_b.low - left;
}

static void put(expansion *e, double part) {
  if (part != 0)
    e->part[e->count++] = part;
}

/* Adds one number (Grow-Expansion, without zeros). */
static void grow(expansion *e, double value) {
  const int count = e->count;
  e->count = 0;
  for (int n = 0; n < count; n++) {
    const double part = e->part[n], sum = value + part;
    put(e, expansion_sum_error(value, part, sum));
    value = sum;
  }
  put(e, value);
}

void expansion_minor(expansion *result, double a, double b, double c, double d) {
  const double down = a * b, up = c * d;
  result->count = 0;
  put(result, product_error(a, b, down));
  put(result, down);
  grow(result, -product_error(c, d, up));
  grow(result, -up);
}

/* Scale-Expansion, without zeros. */
void expansion_scale(expansion *result, const expansion *e, double factor) {
  result->count = 0;
  if (e->count == 0)
    return;
  double carried = e->part[0] * factor;
  put(result, product_error(e->part[0], factor, carried));
  for (int n = 1; n < e->count; n++) {
    const double product = e->part[n] * factor, error = product_error(e->part[n], factor, product);
    const double sum = carried + error;
    put(result, expansion_sum_error(carried, error, sum));
    carried = product + sum;
    put(result, expansion_sum_error(product, sum, carried));
  }
  put(result, carried);
}

void expansion_add(expansion *sum, const expansion *e) {
  for (int n = 0; n < e->count; n++)
    grow(sum, e->part[n]);
}
