/* msd_fiber_weights: the gradients of the shape functions of a rest shape, along a direction. */
#include "engine/base/float_environment.h"
#include "engine/base/vec3.h"
#include "engine/constraint/kind.h"

#define LANE_DOUBLE
#include "engine/base/lane.h"

#include <math.h>
#include <string.h>

/* Heights below this fraction of the longest edge are rounding noise. */
static const double FLAT = sizeof(msd_real) == sizeof(double) ? 1e-12 : 1e-6;

static double length(double3 a) {
  return sqrt(lane_dot(a, a));
}

static double size_of(double3 a) {
  return fmax(fabs(a.x), fmax(fabs(a.y), fabs(a.z)));
}

/* The gradients b_1, b_2 of a triangle with the edges a, b from its first corner. Also projects the direction
   onto its plane. Returns false if it is flat. */
static bool triangle_gradients(const double3 *edge, double3 *direction, double3 *gradient) {
  const double3 normal = lane_cross(edge[1], edge[2]);
  const double square = lane_dot(normal, normal);
  if (!(sqrt(square) > FLAT))
    return false;
  *direction = lane_subtract(*direction, lane_scale(normal, lane_dot(normal, *direction) / square));
  gradient[1] = lane_scale(lane_cross(edge[2], normal), 1 / square);
  gradient[2] = lane_scale(lane_cross(normal, edge[1]), 1 / square);
  gradient[3] = (double3){0, 0, 0};
  return true;
}

/* The same for a tetrahedron. */
static bool tetrahedron_gradients(const double3 *edge, double3 *gradient) {
  double largest = 0;
  for (int n = 1; n < 4; n++) {
    gradient[n] = lane_cross(edge[n % 3 + 1], edge[(n + 1) % 3 + 1]);
    largest = fmax(largest, length(gradient[n]));
  }
  const double volume = lane_dot(gradient[3], edge[3]);
  if (!(fabs(volume) > FLAT * largest))
    return false;
  for (int n = 1; n < 4; n++)
    gradient[n] = lane_scale(gradient[n], 1 / volume);
  return true;
}

msd_result msd_fiber_weights(const msd_vec3 *rest, int corners, msd_vec3 direction, msd_real weights[4]) {
  DEFAULT_FLOAT_ENVIRONMENT;
  if (!rest || !weights || (corners != 3 && corners != 4))
    return MSD_BAD_VALUE;
  double3 edge[4] = {{0, 0, 0}}, gradient[4], along = vec3_double(direction);
  double longest = 0;
  for (int n = 1; n < corners; n++) {
    edge[n] = lane_subtract(vec3_double(rest[n]), vec3_double(rest[0]));
    longest = fmax(longest, size_of(edge[n]));
  }
  const double size = size_of(along);
  if (!(longest > 0 && size > 0 && longest <= 1e300 && size <= 1e300))
    return MSD_BAD_VALUE;
  for (int n = 1; n < corners; n++)
    edge[n] = lane_scale(edge[n], 1 / longest);
  along = lane_scale(along, 1 / size);
  if (corners == 3 ? !triangle_gradients(edge, &along, gradient) : !tetrahedron_gradients(edge, gradient))
    return MSD_BAD_VALUE;
  const double left = length(along);
  msd_real made[4] = {0};
  for (int n = 1; n < corners; n++)
    made[n] = (msd_real)(lane_dot(gradient[n], along) / (left * longest));
  made[0] = -(made[1] + made[2] + made[3]);
  double all = 0;
  for (int n = 0; n < 4; n++)
    all += fabs((double)made[n]);
  if (!(left > FLAT && all <= FIBER_WEIGHTS_MOST))
    return MSD_BAD_VALUE;
  memcpy(weights, made, sizeof made);
  return MSD_OK;
}
