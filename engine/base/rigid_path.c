#include "engine/base/rigid_path.h"

#include "engine/base/portable_math.h"

rigid_path rigid_path_make(double3 turn, double3 pivot) {
  const double angle = sqrt(double3_dot(turn, turn));
  rigid_path path = {.pivot = pivot, .angle = angle, .whole = {1, 0, 0, 0}};
  if (angle > 0)
    path.axis = double3_scale(turn, 1 / angle);
  path.whole = rigid_path_rotation(&path, 1);
  return path;
}

rigid_path rigid_path_of(msd_turn turn) {
  return rigid_path_make(vec3_double(turn.rotation), vec3_double(turn.pivot));
}

msd_quaternion rigid_path_rotation(const rigid_path *path, double share) {
  double sine = 0, cosine = 1;
  if (path->angle > 0 && share != 0)
    elementary_sin_cos(path->angle * share / 2, &sine, &cosine);
  return (msd_quaternion){cosine, sine * path->axis.x, sine * path->axis.y, sine * path->axis.z};
}

/* v + 2 w (u x v) + 2 u x (u x v), with u the vector part. */
double3 quaternion_turn_vector(msd_quaternion q, double3 v) {
  const double3 u = {q.x, q.y, q.z};
  const double3 once = double3_cross(u, v), twice = double3_cross(u, once);
  return double3_add_scaled(double3_add_scaled(v, once, 2 * q.w), twice, 2);
}

double3 rigid_path_point(const rigid_path *path, msd_quaternion turned, double share, double3 from,
                         double3 to) {
  if (share >= 1)
    return to;
  const double3 arm = double3_subtract(from, path->pivot);
  const double3 rest =
      double3_subtract(double3_subtract(to, path->pivot), quaternion_turn_vector(path->whole, arm));
  const double3 now = double3_add_scaled(path->pivot, quaternion_turn_vector(turned, arm), 1);
  return double3_add_scaled(now, rest, share);
}

/* Halving an angle keeps its cosine c and sine s away from rounding: cos(a/2) = sqrt((1 + c)/2), sin(a/2) =
   s/(2 cos(a/2)). After HALVES halvings the tangent is below 0.1, where the series of the arc tangent converges
   to the last bit. */
double3 quaternion_rotation_vector(msd_quaternion q) {
  enum { HALVES = 4, TERMS = 9 };
  const double3 part = double3_scale((double3){q.x, q.y, q.z}, q.w < 0 ? -1 : 1);
  const double sine = sqrt(double3_dot(part, part));
  /* asin(s) is s. */
  if (!(sine > 1e-8))
    return double3_scale(part, 2);
  double c = fabs(q.w), s = sine;
  for (int n = 0; n < HALVES; n++) {
    c = sqrt((1 + c) / 2);
    s = s / (2 * c);
  }
  const double tangent = s / c, square = tangent * tangent;
  double sum = 0;
  for (int n = TERMS; n >= 0; n--)
    sum = 1.0 / (2 * n + 1) - square * sum;
  return double3_scale(part, 2 * (1 << HALVES) * tangent * sum / sine);
}
