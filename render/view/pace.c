#include "render/view/pace.h"

#include <math.h>

/* s: the time constant of the average `rate`. */
#define MEMORY 0.5
/* A rate above this share of the speed looks the same as the speed. */
#define RATE_SHARE 0.93

pace pace_make(double time_step) {
  return (pace){.time_step = time_step, .speed = 1, .rate = 1};
}

int pace_due(pace *p, double elapsed) {
  double most = fmin(fmax(PACE_SECONDS_MAX * p->speed, p->time_step), PACE_STEPS_MAX * p->time_step);
  p->account = fmin(p->account + elapsed * p->speed, most);
  /* The margin keeps rounding from skipping a step when the display is exactly as fast as the steps. */
  int steps = (int)floor(p->account / p->time_step + 1e-6);
  p->account = fmax(p->account - steps * p->time_step, 0);
  return steps;
}

void pace_record(pace *p, int steps, double elapsed) {
  if (!(elapsed > 0))
    return;
  double weight = 1 - exp(-elapsed / MEMORY);
  p->rate += weight * (steps * p->time_step / elapsed - p->rate);
}

pace_cause pace_find_cause(const pace *p, double own_seconds) {
  if (p->rate >= RATE_SHARE * p->speed)
    return PACE_KEEPS_UP;
  return own_seconds * p->speed > p->time_step ? PACE_STEPS_ARE_SLOW : PACE_DRAWING_IS_SLOW;
}

void pace_restart(pace *p) {
  p->account = 0;
  p->rate = p->speed;
}
