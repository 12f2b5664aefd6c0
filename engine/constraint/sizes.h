/* How large the gradients of a shape are, and how much they turn with it, also where the shape has no
   direction: legs in line, a triangle without area. */
#ifndef MSD_ENGINE_CONSTRAINT_SIZES_H
#define MSD_ENGINE_CONSTRAINT_SIZES_H

#include "engine/constraint/kind.h"

enum {
  /* The most corners that a kind has. */
  CONSTRAINT_CORNERS = 4
};

typedef struct constraint_sizes {
  /* |dC/dx_j|; where the shape has no direction what it is close by; 0 of what has no size. */
  double norm[CONSTRAINT_CORNERS];
  /* c_j with sum c_j |y_j|^2 >= y' C H y, H the Hessian of C; stability/constraint_bound.h derives them. */
  double curve[CONSTRAINT_CORNERS];
} constraint_sizes;

/* Of a kind with corners at x[0], x[1], ..., and the weights of a fibre, at an error C. */
constraint_sizes constraint_sizes_of(msd_constraint_kind kind, const double3 *x, const double *weights,
                                     double error);

#endif
