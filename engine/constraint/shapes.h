/* The shape functions of all types with corners, as templates over the selected lane (lane.h):

       LANE NAME_shape(const LANE3 *x, const LANE *weights, LANE3 *gradient)

   x[0], x[1], ... are the corners in the order of msd/constraint.h, weights[n] is the weight of corner n of a
   fiber (unused by other types), and gradient[n] is the gradient at corner n. */
#ifndef MSD_ENGINE_CONSTRAINT_SHAPES_H
#define MSD_ENGINE_CONSTRAINT_SHAPES_H

#include "engine/base/lane.h"
#include "engine/constraint/kind.h"

#include "engine/constraint/angle.h"
#include "engine/constraint/area.h"
#include "engine/constraint/dihedral.h"
#include "engine/constraint/fiber.h"
#include "engine/constraint/volume.h"

/* Types that are evaluated individually have no weights. */
#define CONSTRAINT_SHAPE(kind, name, corners, wraps)                                                         \
  LANE_INLINE LANE name##_shape(const LANE3 *x, const LANE *weights, LANE3 *gradient) {                      \
    (void)weights;                                                                                           \
    shape_sides sides;                                                                                       \
    name##_sides(x, &sides);                                                                                 \
    return name##_value(name##_slopes(&sides, gradient));                                                    \
  }
CONSTRAINT_LONE_KINDS(CONSTRAINT_SHAPE)
#undef CONSTRAINT_SHAPE

/* C = value - rest; with `wraps` in the shorter direction, -pi < C <= pi if both are within -pi..pi. */
LANE_INLINE LANE constraint_error(LANE value, LANE rest, bool wraps) {
  const LANE_REAL pi = (LANE_REAL)3.14159265358979323846, turn = (LANE_REAL)6.28318530717958647692;
  const LANE error = value - rest;
  if (!wraps)
    return error;
  return lane_select(error > pi, error - turn, lane_select(error <= -pi, error + turn, error));
}

#endif
