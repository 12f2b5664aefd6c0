/* Slopes that bodies with surfaces lie on. */
#ifndef MSD_TESTS_SUPPORT_SLOPES_H
#define MSD_TESTS_SUPPORT_SLOPES_H

#include "tests/support/touching.h"

/* A large pinned triangle that falls by `angle` along x, and a place on it: downhill, above, and across. */
static inline touching new_slope(double angle, double friction) {
  touching t = contact_step_new(vector(0, -9.81, 0), friction, 0);
  const double c = cos(angle), s = sin(angle);
  const int32_t first =
      touching_triangle(&t, 1, vector(-4 * c, 4 * s, -5), vector(-4 * c, 4 * s, 5), vector(6 * c, -6 * s, 0));
  pin_all(t.world, first, 3);
  return t;
}

static inline msd_vec3 on_slope(double angle, double downhill, double above, double across) {
  const double c = cos(angle), s = sin(angle);
  return vector(downhill * c + above * s, above * c - downhill * s, across);
}

#endif
