#include "engine/step/drag.h"

/* exp(-u) = (exp(-u/2^n))^(2^n), with the Taylor series where it has converged to the last bit. */
double drag_decay(double rate, double time_step) {
  double u = rate * time_step;
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
