/* What a shape is found by, in three steps that kernels do for several vectors in turns:

       void NAME_sides(const LANE3 *x, shape_sides *s)                  what the gradients follow from
       shape_pair NAME_slopes(const shape_sides *s, LANE3 *gradient)    they, and what the value follows from
       LANE NAME_value(shape_pair pair)                                 the value

   No step waits for more than one root and its division, one behind the other, or for the polynomial of an
   angle. */
#ifndef MSD_ENGINE_CONSTRAINT_SLOPES_H
#define MSD_ENGINE_CONSTRAINT_SLOPES_H

#include "engine/base/lane.h"

/* What each kind says that it is. */
typedef struct shape_sides {
  LANE3 of[4];
  LANE inverse[2];
} shape_sides;

/* Two sides of a right triangle, for lane_atan2; of what is no angle the value is `y`. */
typedef struct shape_pair {
  LANE y, x;
} shape_pair;

#endif
