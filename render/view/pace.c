#include "render/view/pace.h"

#include <math.h>

/* s: the time constant of the average `rate`. */
#define MEMORY 0.5
/* A rate above this share of the speed looks the same as the speed. */
#define RATE_SHARE 0.93

pace pace_make(double frame_time) {
  return (pace){.frame_time = frame_time, .speed = 1, .rate = 1};
}

int pace_due(pace *p, double elapsed) {
  double most = fmin(fmax(PACE_SECONDS_MAX * p->speed, p->frame_time), PACE_STEPS_MAX * p->frame_time);
  p->account = fmin(p->account + elapsed * p->speed, most);
  /* The margin keeps rounding from skipping a step when the display is exactly as fast as the steps. */
  int steps = (int)floor(p->account / p->frame_time + 1e-6);
  p->account = fmax(p->account - steps * p->frame_time, 0);
  return steps;
}

void pace_record(pace *p, int steps, double elapsed) {
  if (!(elapsed > 0))
    return;
  double weight = 1 - exp(-elapsed / MEMORY);
  p->rate += weight * (steps * p->frame_time / elapsed - p->rate);
}

pace_cause pace_find_cause(const pace *p, double own_seconds) {
  if (p->rate >= RATE_SHARE * p->speed)
    return PACE_KEEPS_UP;
  return own_seconds * p->speed > p->frame_time ? PACE_STEPS_ARE_SLOW : PACE_DRAWING_IS_SLOW;
}

void pace_restart(pace *p) {
  p->account = 0;
  p->rate = p->speed;
}
