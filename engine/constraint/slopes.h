/* The three stages of a shape function, which kernels interleave for several vectors:

       void NAME_sides(const LANE3 *x, shape_sides *s)                  inputs of the gradients
       shape_pair NAME_slopes(const shape_sides *s, LANE3 *gradient)    the gradients, and inputs of the value
       LANE NAME_value(shape_pair pair)                                 the value

   Each stage has at most one square root followed by a division, or the polynomial of an angle. */
#ifndef MSD_ENGINE_CONSTRAINT_SLOPES_H
#define MSD_ENGINE_CONSTRAINT_SLOPES_H

#include "engine/base/lane.h"

/* Each type documents its use of the fields. */
typedef struct shape_sides {
  LANE3 of[4];
  LANE inverse[2];
} shape_sides;

/* Two sides of a right triangle, for lane_atan2; for types that are not angles the value is `y`. */
typedef struct shape_pair {
  LANE y, x;
} shape_pair;

#endif
