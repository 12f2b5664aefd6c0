/* What a shape is found by, in two steps that kernels do for several vectors in turns:

       shape_pair NAME_slopes(const LANE3 *x, LANE3 *gradient)    the gradients, and what the value follows from
       LANE NAME_value(shape_pair pair)                           the value

   The first waits for roots and divisions, the second of an angle for a polynomial. */
#ifndef MSD_ENGINE_CONSTRAINT_SLOPES_H
#define MSD_ENGINE_CONSTRAINT_SLOPES_H

#include "engine/base/lane.h"

/* Two sides of a right triangle, for lane_atan2; of what is no angle the value is `y`. */
typedef struct shape_pair {
  LANE y, x;
} shape_pair;

#endif
