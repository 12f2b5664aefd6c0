/* The shape functions in msd_real, bitwise identical to each lane of the vector kernels. */
#include "engine/constraint/shapes.h"

#define CONSTRAINT_REAL(kind, name, corners, wraps)                                                          \
  msd_real constraint_##name##_real(const msd_vec3 *x, const msd_real *weights, msd_vec3 *gradient) {        \
    return name##_shape(x, weights, gradient);                                                               \
  }
CONSTRAINT_KINDS(CONSTRAINT_REAL)

msd_real constraint_error_real(const constraint_kind *kind, msd_real value, msd_real rest) {
  return constraint_error(value, rest, kind->wraps);
}
