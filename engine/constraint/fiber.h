/* The stretch of a triangle or tetrahedron in a direction of its rest shape.

   With the gradients b_j of the shape functions of the rest shape and a unit direction d there, F the
   deformation gradient, a fiber along d becomes

       y = F d = sum of w_j x_j        w_j = b_j . d,   sum of w_j = 0

   Its value is |y|, 1 at rest, and with u = y/|y| the gradients, in 1/m, are

       g_j = w_j u

   so a fiber is a distance spring between two points that move with three or four particles. The gradients
   sum to 0 and have no torque, as sum of x_j x w_j u = y x u = 0. Their norm is |w_j| in every configuration.
   The Hessian of 1/2 k C^2 in y, k (u u' + (1 - rest/|y|) (1 - u u')), is at most k for rest >= 0. So
   stability bounds of fibers are like those of springs (stability/fiber_bound.h).

   The sum is taken over the edges from corner 0, so that a position far from the origin loses no precision. A
   fiber of length 0 has no direction, and no force. A triangle has a fourth corner equal to the first, with
   the weight 0. */
#ifndef MSD_ENGINE_CONSTRAINT_FIBER_H
#define MSD_ENGINE_CONSTRAINT_FIBER_H

#include "engine/base/lane.h"

/* |y| and u of a fiber over two or three edges from corner 0, and the weights of the corners at their
   ends. */
LANE_INLINE LANE fiber_along(const LANE3 *edge, const LANE *weights, int edges, LANE3 *u) {
  LANE3 y = lane_scale(edge[0], weights[0]);
  for (int n = 1; n < edges; n++)
    y = lane_add(y, lane_scale(edge[n], weights[n]));
  LANE inverse_length;
  *u = lane_unit(y, &inverse_length);
  return lane_dot(y, *u);
}

LANE_INLINE LANE fiber_shape(const LANE3 *x, const LANE *weights, LANE3 *gradient) {
  const LANE3 edge[3] = {lane_subtract(x[1], x[0]), lane_subtract(x[2], x[0]), lane_subtract(x[3], x[0])};
  LANE3 u;
  const LANE value = fiber_along(edge, weights + 1, 3, &u);
  for (int n = 1; n < 4; n++)
    gradient[n] = lane_scale(u, weights[n]);
  gradient[0] = lane_balance(lane_add(gradient[1], gradient[2]), gradient[3]);
  return value;
}

#endif
