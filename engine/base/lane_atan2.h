/* The angle of a vector (x, y) in the plane, -pi < angle <= pi, from + - * / alone, in any lane (lane.h).
   atan2(0, 0) is 0, and zeros have no sign: atan2(-0, -1) is pi. The arguments must be finite. The error is
   below 2 units in the last place, over all quadrants and magnitudes, unless the quotient of the two is so
   small that it loses precision itself.

   With lo <= hi the magnitudes of x and y, z = lo/hi is below 1. From 1/2 on the angle is measured from pi/4
   with z = (lo - hi)/(lo + hi), where lo - hi is exact. Then |z| <= 1/2 and

       atan(z) = z + z z^2 P(z^2)

   with P the minimax polynomial of its degree (Remez exchange). Its largest relative error is 5.3e-9 for
   float with 5 coefficients, and 4.1e-18 for double with 12. The result is k pi/4 +- atan(z), k = 0 to 4.
   pi/4 is split into two numbers; k times the first is exact. */
#ifndef MSD_ENGINE_BASE_LANE_ATAN2_H
#define MSD_ENGINE_BASE_LANE_ATAN2_H

#include "engine/base/lane.h"

#if defined(LANE_DOUBLE) || defined(MSD_DOUBLE)
static const LANE_REAL ATAN_COEFFICIENTS[] = {
    -0x1.5555555555516p-2, 0x1.9999999991149p-3, -0x1.249249215df8ap-3, 0x1.c71c7090ec966p-4,
    -0x1.745cf4cb5a18ap-4, 0x1.3b113dc0bbf6dp-4, -0x1.10f31f04c4dd0p-4, 0x1.dfe975b95819ep-5,
    -0x1.a398595db546bp-5, 0x1.56f59ad4fdd52p-5, -0x1.c17f332052448p-6, 0x1.4b83189c60affp-7};
static const LANE_REAL QUARTER_PI_HIGH = 0x1.921fb54442d18p-1, QUARTER_PI_LOW = 0x1.1a62633145c07p-55;
#else
static const LANE_REAL ATAN_COEFFICIENTS[] = {-0x1.555512p-2f, 0x1.997b54p-3f, -0x1.224de0p-3f,
                                              0x1.a02770p-4f, -0x1.a47630p-5f};
static const LANE_REAL QUARTER_PI_HIGH = 0x1.921fb8p-1f, QUARTER_PI_LOW = -0x1.5dde98p-24f;
#endif

/* For y >= 0. */
LANE_INLINE LANE lane_atan2_above(LANE y, LANE x) {
  const LANE size_x = lane_abs(x);
  const LANE_MASK steep = y > size_x;
  LANE lo = lane_select(steep, size_x, y), hi = lane_select(steep, y, size_x);
  /* so that lo + hi is finite */
  const LANE shrink = lane_select(hi > 1, lane_set((LANE_REAL)0.25), lane_set(1));
  lo = lo * shrink;
  hi = hi * shrink;
  const LANE_MASK half_way = lo + lo > hi;
  const LANE below = lane_select(half_way, lo + hi, hi);
  const LANE z = lane_select(half_way, lo - hi, lo) / lane_select(below > 0, below, lane_set(1));
  const LANE square = z * z;
  enum { COEFFICIENTS = sizeof ATAN_COEFFICIENTS / sizeof ATAN_COEFFICIENTS[0] };
  LANE p = lane_set(ATAN_COEFFICIENTS[COEFFICIENTS - 1]);
  for (int i = COEFFICIENTS - 2; i >= 0; i--)
    p = p * square + ATAN_COEFFICIENTS[i];
  LANE part = z + z * (square * p), quarters = lane_keep(half_way, lane_set(1));
  part = lane_select(steep, -part, part);
  quarters = lane_select(steep, 2 - quarters, quarters);
  part = lane_select(x < 0, -part, part);
  quarters = lane_select(x < 0, 4 - quarters, quarters);
  return quarters * QUARTER_PI_HIGH + (part + quarters * QUARTER_PI_LOW);
}

LANE_INLINE LANE lane_atan2(LANE y, LANE x) {
  const LANE angle = lane_atan2_above(lane_abs(y), x);
  return lane_select(y < 0, -angle, angle);
}

#endif
