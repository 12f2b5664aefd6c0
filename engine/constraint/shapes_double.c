/* The shape functions in double, for set-up, stability analysis and diagnostics. */
#define LANE_DOUBLE
#include "engine/constraint/shapes.h"

#define CONSTRAINT_DOUBLE(kind, name, corners, wraps)                                                        \
  double constraint_##name##_double(const double3 *x, const double *weights, double3 *gradient) {            \
    return name##_shape(x, weights, gradient);                                                               \
  }
CONSTRAINT_KINDS(CONSTRAINT_DOUBLE)

double constraint_error_double(const constraint_kind *kind, double value, double rest) {
  return constraint_error(value, rest, kind->wraps);
}
