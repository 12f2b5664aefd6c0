/* Where stability ends on the slider of a spring group. */
#ifndef MSD_RENDER_VIEW_SLIDER_LIMITS_H
#define MSD_RENDER_VIEW_SLIDER_LIMITS_H

#include "render/view/controls.h"

/* Fills `limit` of all groups for the substep of c->stability, which is there: how far each number can go,
   all others as they are, with a network that is certified by its sums (w_a S_a + w_b S_b < 4 at the ends of
   every spring, S the sum of dt^2 k + 2 dt mu at a particle). Without the sliders' numbers being moved it
   agrees with the report: they are below their limits exactly when the radius is below 4. O(groups x
   springs). */
void slider_limits_find(controls *c, const scene *s);

#endif
