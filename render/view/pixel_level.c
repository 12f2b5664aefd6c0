#include "render/view/pixel_level.h"

/* What is left of the longest time in the next frame, of its distance to the time of that. */
static const double KEPT = 0.8;

/* Frames may become so long, as a share of what they may take, where more pixels are drawn: a frame now and
   then takes longer. */
static const double ROOM = 0.8;

pixel_level pixel_level_make(void) {
  return (pixel_level){.side = 1};
}

/* Nothing but pixels takes longer where there are more of them. */
static double seconds_with_more(const pixel_level *p) {
  const double ratio = (double)p->side / (p->side - 1);
  return p->seconds * ratio * ratio;
}

void pixel_level_look(pixel_level *p, double seconds) {
  const double faded = seconds + KEPT * (p->seconds - seconds);
  p->seconds = faded > seconds ? faded : seconds;
  if (p->seconds > PIXELS_SECONDS_MAX && p->side < PIXELS_SIDE_MAX)
    *p = (pixel_level){.side = p->side + 1, .seconds = PIXELS_SECONDS_MAX};
  else if (p->side > 1 && seconds_with_more(p) < ROOM * PIXELS_SECONDS_MAX)
    *p = (pixel_level){.side = p->side - 1, .seconds = seconds_with_more(p)};
}
