#include "engine/builder/fibers.h"

#define LANE_DOUBLE
#include "engine/base/lane.h"

#include <math.h>

static double length_of(double3 v) {
  return sqrt(lane_dot(v, v));
}

static msd_vec3 stored(double3 v) {
  return (msd_vec3){(msd_real)v.x, (msd_real)v.y, (msd_real)v.z};
}

/* The minimum sine of the angle between a thread axis direction and the normal. */
static const double ACROSS = 0.01;

/* The unit thread axis direction in the plane with a given unit normal. */
static double3 warp_in(double3 normal, msd_vec3 warp) {
  const msd_vec3 others[3] = {warp, {1, 0, 0}, {0, 0, 1}};
  double3 thread_axis = {0, 0, 0};
  for (int n = 0; n < 3; n++) {
    const double3 along = vec3_double(others[n]);
    const double size = length_of(along);
    if (!(size > 0.0))
      continue;
    const double3 unit = lane_scale(along, 1.0 / size);
    thread_axis = lane_subtract(unit, lane_scale(normal, lane_dot(normal, unit)));
    if (length_of(thread_axis) > ACROSS)
      break;
  }
  return lane_scale(thread_axis, 1.0 / length_of(thread_axis));
}

/* Adds a fiber if its stiffness is positive. Returns false if the shape is flat. */
static bool put(fiber_set *set, const msd_vec3 *rest, int corners, double3 along, double stiffness,
                double compression) {
  if (!(stiffness > 0.0))
    return true;
  const bool done = msd_fiber_weights(rest, corners, stored(along), set->weights[set->count]) == MSD_OK;
  set->stiffness[set->count] = stiffness;
  set->compression[set->count] = compression;
  set->count += done;
  return done;
}

fiber_set fibers_in_triangle(const material_numbers *m, const msd_vec3 rest[3], msd_vec3 warp) {
  const double3 a = vec3_double(rest[0]);
  const double3 normal =
      lane_cross(lane_subtract(vec3_double(rest[1]), a), lane_subtract(vec3_double(rest[2]), a));
  const double twice = length_of(normal), area = 0.5 * twice;
  fiber_set set = {.count = 0};
  if (!(twice > 0.0))
    return set;
  const double3 unit = lane_scale(normal, 1.0 / twice), thread_axis = warp_in(unit, warp);
  const double3 weft = lane_cross(unit, thread_axis);
  bool done = true;
  if (material_is_isotropic(m)) {
    const double half = 0.5, root = 0.5 * sqrt(3.0);
    for (int n = -1; n <= 1 && done; n++)
      done = put(&set, rest, 3,
                 lane_add(lane_scale(thread_axis, n == 0 ? 1.0 : half), lane_scale(weft, n * root)),
                 m->stretch[0] * area, m->compression);
  } else {
    double normals[3];
    material_constants(m, normals);
    done = put(&set, rest, 3, thread_axis, (normals[0] - m->shear) * area, m->compression) &&
           put(&set, rest, 3, weft, (normals[1] - m->shear) * area, m->compression) &&
           put(&set, rest, 3, lane_add(thread_axis, weft), 2.0 * m->shear * area, m->compression) &&
           put(&set, rest, 3, lane_subtract(thread_axis, weft), 2.0 * m->shear * area, m->compression);
  }
  if (!done)
    set.count = 0;
  return set;
}

double fibers_fold_stiffness(const material_numbers *m, const msd_vec3 rest[3], msd_vec3 warp) {
  const double3 a = vec3_double(rest[0]), edge = lane_subtract(vec3_double(rest[1]), a);
  const double3 normal = lane_cross(edge, lane_subtract(vec3_double(rest[2]), a));
  const double length = length_of(edge), twice = length_of(normal);
  if (!(length > 0.0) || !(twice > 0.0))
    return material_fold_stiffness(m, 1.0);
  const double3 axis = warp_in(lane_scale(normal, 1.0 / twice), warp);
  const double along = lane_dot(axis, edge) / length;
  return material_fold_stiffness(m, sqrt(fmax(1.0 - along * along, 0.0)));
}

fiber_set fibers_in_tetrahedron(const material_numbers *m, const msd_vec3 rest[4]) {
  const double golden = 0.5 * (1.0 + sqrt(5.0));
  const double volume = fabs(builder_six_volumes(rest[0], rest[1], rest[2], rest[3])) / 6.0;
  fiber_set set = {.count = 0};
  bool done = true;
  for (int n = 0; n < FIBERS_MAX && done; n++) {
    const double side = n % 2 == 0 ? 1.0 : -1.0;
    const double3 axis = n < 2   ? (double3){0.0, side, golden}
                         : n < 4 ? (double3){side, golden, 0.0}
                                 : (double3){golden, 0.0, side};
    done = put(&set, rest, 4, axis, m->stretch[0] * volume, 1.0);
  }
  if (!done)
    set.count = 0;
  return set;
}

void fibers_add(builder_constraints *constraints, const fiber_set *set, const int32_t particles[4]) {
  for (int n = 0; n < set->count; n++) {
    constraints->stiffness = (msd_real)set->stiffness[n];
    constraints->compression = (msd_real)set->compression[n];
    for (int c = 0; c < 4; c++)
      constraints->weights[c] = set->weights[n][c];
    builder_constraints_add(constraints, particles);
  }
}
