#include "engine/builder/fibres.h"

#define LANE_DOUBLE
#include "engine/base/lane.h"

#include <math.h>

static double length_of(double3 v) {
  return sqrt(lane_dot(v, v));
}

static msd_vec3 stored(double3 v) {
  return (msd_vec3){(msd_real)v.x, (msd_real)v.y, (msd_real)v.z};
}

/* A direction at least that far from the normal, as the sine of the angle, is one in the plane. */
static const double ACROSS = 0.01;

/* The unit direction in the plane of a unit normal. */
static double3 warp_in(double3 normal, msd_vec3 grain) {
  const msd_vec3 others[3] = {grain, {1, 0, 0}, {0, 0, 1}};
  double3 warp = {0, 0, 0};
  for (int n = 0; n < 3; n++) {
    const double3 along = vec3_double(others[n]);
    const double size = length_of(along);
    if (!(size > 0.0))
      continue;
    const double3 unit = lane_scale(along, 1.0 / size);
    warp = lane_subtract(unit, lane_scale(normal, lane_dot(normal, unit)));
    if (length_of(warp) > ACROSS)
      break;
  }
  return lane_scale(warp, 1.0 / length_of(warp));
}

/* Adds one, where it is stiff; false where the shape is flat. */
static bool put(fibre_set *set, const msd_vec3 *rest, int corners, double3 along, double stiffness) {
  if (!(stiffness > 0.0))
    return true;
  const bool done = msd_fibre_weights(rest, corners, stored(along), set->weights[set->count]) == MSD_OK;
  set->stiffness[set->count] = stiffness;
  set->count += done;
  return done;
}

fibre_set fibres_in_triangle(const material_numbers *m, const msd_vec3 rest[3], msd_vec3 grain) {
  const double3 a = vec3_double(rest[0]);
  const double3 normal =
      lane_cross(lane_subtract(vec3_double(rest[1]), a), lane_subtract(vec3_double(rest[2]), a));
  const double twice = length_of(normal), area = 0.5 * twice;
  fibre_set set = {.count = 0};
  if (!(twice > 0.0))
    return set;
  const double3 unit = lane_scale(normal, 1.0 / twice), warp = warp_in(unit, grain);
  const double3 weft = lane_cross(unit, warp);
  bool done = true;
  if (material_is_isotropic(m)) {
    const double half = 0.5, root = 0.5 * sqrt(3.0);
    for (int n = -1; n <= 1 && done; n++)
      done = put(&set, rest, 3, lane_add(lane_scale(warp, n == 0 ? 1.0 : half), lane_scale(weft, n * root)),
                 m->stretch[0] * area);
  } else {
    double normals[3];
    material_constants(m, normals);
    done = put(&set, rest, 3, warp, (normals[0] - m->shear) * area) &&
           put(&set, rest, 3, weft, (normals[1] - m->shear) * area) &&
           put(&set, rest, 3, lane_add(warp, weft), 2.0 * m->shear * area) &&
           put(&set, rest, 3, lane_subtract(warp, weft), 2.0 * m->shear * area);
  }
  if (!done)
    set.count = 0;
  return set;
}

fibre_set fibres_in_tetrahedron(const material_numbers *m, const msd_vec3 rest[4]) {
  const double golden = 0.5 * (1.0 + sqrt(5.0));
  const double volume = fabs(builder_six_volumes(rest[0], rest[1], rest[2], rest[3])) / 6.0;
  fibre_set set = {.count = 0};
  bool done = true;
  for (int n = 0; n < FIBRES_MAX && done; n++) {
    const double side = n % 2 == 0 ? 1.0 : -1.0;
    const double3 axis = n < 2   ? (double3){0.0, side, golden}
                         : n < 4 ? (double3){side, golden, 0.0}
                                 : (double3){golden, 0.0, side};
    done = put(&set, rest, 4, axis, m->stretch[0] * volume);
  }
  if (!done)
    set.count = 0;
  return set;
}

void fibres_add(builder_constraints *constraints, const fibre_set *set, const int32_t particles[4]) {
  for (int n = 0; n < set->count; n++) {
    constraints->stiffness = (msd_real)set->stiffness[n];
    for (int c = 0; c < 4; c++)
      constraints->weights[c] = set->weights[n][c];
    builder_constraints_add(constraints, particles);
  }
}
