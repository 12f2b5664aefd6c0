/* The motion of a rigid body in a frame: a rotation about a pivot at a constant rate, and a translation at a
   constant velocity (msd_turn). Substeps need the pose at fractions of the frame. Only + - * / and sqrt are
   used, so that the results are the same on every machine. */
#ifndef MSD_ENGINE_BASE_RIGID_PATH_H
#define MSD_ENGINE_BASE_RIGID_PATH_H

#include "engine/base/vec3.h"

/* A rotation by `angle` rad, 0 or more, about a unit vector; in the frame. */
typedef struct rigid_path {
  double3 axis, pivot;
  double angle;
  /* The rotation of the whole frame. */
  msd_quaternion whole;
} rigid_path;

static inline bool turn_is_finite(msd_turn turn) {
  return vec3_is_finite(turn.rotation) && vec3_is_finite(turn.pivot);
}

static inline bool turn_is_none(msd_turn turn) {
  return turn.rotation.x == 0 && turn.rotation.y == 0 && turn.rotation.z == 0;
}

/* `turn`: the rotation vector of the frame in rad. */
rigid_path rigid_path_make(double3 turn, double3 pivot);
rigid_path rigid_path_of(msd_turn turn);

/* The rotation after the fraction `share` of the frame; without rounding errors at 0 and 1. */
msd_quaternion rigid_path_rotation(const rigid_path *path, double share);

/* Where the point that the frame takes `from` there `to` is after the fraction `share`, at which the rotation
   is `turned`. */
double3 rigid_path_point(const rigid_path *path, msd_quaternion turned, double share, double3 from,
                         double3 to);

double3 quaternion_turn_vector(msd_quaternion q, double3 v);

/* The rotation vector in rad of a unit quaternion, with an angle of 0 to pi. */
double3 quaternion_rotation_vector(msd_quaternion q);

#endif
