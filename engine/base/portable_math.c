#include "engine/base/portable_math.h"

#include <math.h>

/* ln 2 and pi/2 as sums. All except the last terms end in enough zeros that small multiples are exact. */
static const double LN2_HIGH = 0x1.62e42fee00000p-1, LN2_LOW = 0x1.a39ef35793c76p-33;
static const double QUARTER_HIGH = 0x1.921fb54400000p+0, QUARTER_MIDDLE = 0x1.0b4611a600000p-34,
                    QUARTER_LOW = 0x1.3198a2e037073p-69;

/* 2 pi as a double, and the remainder. */
static const double TURN = 0x1.921fb54442d18p+2, TURN_REST = 0x1.1a62633145c07p-52;

/* 1/n! */
static const double inverse_factorial[] = {1.0,
                                           1.0,
                                           1.0 / 2,
                                           1.0 / 6,
                                           1.0 / 24,
                                           1.0 / 120,
                                           1.0 / 720,
                                           1.0 / 5040,
                                           1.0 / 40320,
                                           1.0 / 362880,
                                           1.0 / 3628800,
                                           1.0 / 39916800,
                                           1.0 / 479001600,
                                           1.0 / 6227020800,
                                           1.0 / 87178291200,
                                           1.0 / 1307674368000,
                                           1.0 / 20922789888000,
                                           1.0 / 355687428096000,
                                           1.0 / 6402373705728000};

/* 1/first! + x/(first + step)! + x^2/(first + 2 step)! ... to the term of 1/last!. */
static double series(double x, int first, int step, int last) {
  double sum = inverse_factorial[last];
  for (int n = last - step; n >= first; n -= step)
    sum = inverse_factorial[n] + x * sum;
  return sum;
}

/* exp(n ln2 + r) = 2^n exp(r), |r| <= ln2/2. The rounding error of r is added to the result. */
double elementary_exp(double x) {
  if (isnan(x))
    return x;
  if (x > 710)
    return INFINITY;
  if (x < -746)
    return 0;
  const double n = floor(x * (1 / 0.69314718055994530942) + 0.5);
  const double high = x - n * LN2_HIGH, low = n * LN2_LOW, r = high - low;
  const double rounded = (high - r) - low;
  return ldexp(1 + (r + (r * r * series(r, 2, 1, 14) + rounded)), (int)n);
}

double elementary_expm1(double x) {
  return fabs(x) < 0.35 ? x + x * x * series(x, 2, 1, 15) : elementary_exp(x) - 1;
}

/* fmod is exact, so multiples of TURN are removed without an error; their difference from full turns is
   small. */
void elementary_sin_cos(double angle, double *sine, double *cosine) {
  const double part = fmod(angle, TURN), turns = (angle - part) / TURN;
  const double quarters = floor(part * (4 / TURN) + 0.5);
  const double rest = fabs(angle) < 1e15 ? turns * TURN_REST : 0;
  const double high = part - quarters * QUARTER_HIGH - quarters * QUARTER_MIDDLE;
  const double low = quarters * QUARTER_LOW + rest, r = high - low, rounded = (high - r) - low;
  const double square = r * r;
  const double s = r - (r * square * series(-square, 3, 2, 17) - rounded);
  const double c = 1 - (square * series(-square, 2, 2, 18) + rounded * r);
  switch ((int)quarters & 3) {
  case 0:
    *sine = s, *cosine = c;
    break;
  case 1:
    *sine = c, *cosine = -s;
    break;
  case 2:
    *sine = -s, *cosine = -c;
    break;
  default:
    *sine = -c, *cosine = s;
  }
}
