/* Bounds of the gradients of a shape function and of their derivatives, also in degenerate configurations:
   collinear legs, a triangle of area 0. */
#ifndef MSD_ENGINE_CONSTRAINT_SIZES_H
#define MSD_ENGINE_CONSTRAINT_SIZES_H

#include "engine/constraint/kind.h"

enum {
  /* The maximum number of corners of a type. */
  CONSTRAINT_CORNERS = 4
};

typedef struct constraint_sizes {
  /* |dC/dx_j|; in a degenerate configuration its limit; 0 if the shape has no size. */
  double norm[CONSTRAINT_CORNERS];
  /* c_j with sum c_j |y_j|^2 >= y' C H y, H the Hessian of C; stability/constraint_bound.h derives them. */
  double curve[CONSTRAINT_CORNERS];
} constraint_sizes;

/* For a type with corners at x[0], x[1], ..., and the weights of a fiber, at an error C. */
constraint_sizes constraint_sizes_of(msd_constraint_kind kind, const double3 *x, const double *weights,
                                     double error);

#endif
