#include "engine/step/drag.h"

/* exp(-u) = (exp(-u/2^n))^(2^n), with a Taylor series that has converged to the last bit. */
double drag_decay(double rate, double dt) {
  double u = rate * dt;
  if (!(u > 0))
    return 1;
  if (u > 800)
    return 0;
  int squarings = 0;
  for (; u > 0.125; squarings++)
    u /= 2;
  double sum = 1;
  for (int term = 14; term >= 1; term--)
    sum = 1 - u / term * sum;
  for (; squarings > 0; squarings--)
    sum *= sum;
  return sum;
}
