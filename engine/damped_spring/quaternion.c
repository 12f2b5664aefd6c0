/* Springs on rotations. The offset from the goal is the rotation vector r of rotation * goal^-1 in world
   axes; its three components are three springs. */
#include "engine/damped_spring/internal.h"

#include "engine/base/quaternion.h"
#include "engine/base/rigid_path.h"

static msd_quaternion normalized(msd_quaternion q) {
  const double largest = fmax(fmax(fabs(q.w), fabs(q.x)), fmax(fabs(q.y), fabs(q.z)));
  if (!(largest > 0 && largest <= DBL_MAX) || isnan(q.w + q.x + q.y + q.z))
    return (msd_quaternion){1, 0, 0, 0};
  const double w = q.w / largest, x = q.x / largest, y = q.y / largest, z = q.z / largest;
  const double length = sqrt(w * w + x * x + y * y + z * z);
  return (msd_quaternion){w / length, x / length, y / length, z / length};
}

static msd_quaternion conjugate(msd_quaternion q) {
  return (msd_quaternion){q.w, -q.x, -q.y, -q.z};
}

/* The length of a vector, and its direction (0 if it has none). Never overflows. */
static double direction(const double vector[3], double unit[3]) {
  const double largest = fmax(fmax(fabs(vector[0]), fabs(vector[1])), fabs(vector[2]));
  unit[0] = unit[1] = unit[2] = 0;
  if (!(largest > 0 && largest <= DBL_MAX))
    return 0;
  for (int i = 0; i < 3; i++)
    unit[i] = vector[i] / largest;
  const double length = sqrt(unit[0] * unit[0] + unit[1] * unit[1] + unit[2] * unit[2]);
  for (int i = 0; i < 3; i++)
    unit[i] /= length;
  return bounded(largest * length);
}

/* q and -q are the same rotation: the one with w >= 0 has the angle up to pi. */
void msd_quaternion_to_rotation_vector(msd_quaternion rotation, double vector[3]) {
  const double3 turn = quaternion_rotation_vector(normalized(rotation));
  vector[0] = turn.x;
  vector[1] = turn.y;
  vector[2] = turn.z;
}

msd_quaternion msd_quaternion_from_rotation_vector(const double vector[3]) {
  double axis[3];
  const double half = direction(vector, axis) / 2, s = sin(half);
  return (msd_quaternion){cos(half), s * axis[0], s * axis[1], s * axis[2]};
}

/* along * u + (1 - along) n (n . u) + across * (n x u): the component of u along the axis n is kept, the
   rest is scaled and rotated. */
static void turn(const double n[3], double along, double across, double u[3]) {
  const double rest = (1 - along) * bounded(n[0] * u[0] + n[1] * u[1] + n[2] * u[2]);
  const double cross[3] = {n[1] * u[2] - n[2] * u[1], n[2] * u[0] - n[0] * u[2], n[0] * u[1] - n[1] * u[0]};
  for (int i = 0; i < 3; i++)
    u[i] = bounded(bounded(along * u[i] + rest * n[i]) + bounded(across * bounded(cross[i])));
}

/* From u = r' to the angular velocity J(r) r', with the left Jacobian of SO(3), a = |r| and n = r/a: J =
   sin(a)/a I + (1 - sin(a)/a) n n' + (1 - cos(a))/a [n]x. */
static void rate_to_angular_velocity(const double r[3], double u[3]) {
  double n[3];
  const double a = direction(r, n);
  if (a > 0)
    turn(n, sin(a) / a, 2 * sin(a / 2) * sin(a / 2) / a, u);
}

/* The inverse: J^-1 = c I + (1 - c) n n' - a/2 [n]x with c = a/2 cot(a/2), for a up to pi. */
static void angular_velocity_to_rate(const double r[3], double u[3]) {
  double n[3];
  const double a = direction(r, n);
  if (a > 0)
    turn(n, a / 2 * cos(a / 2) / sin(a / 2), -a / 2, u);
}

static void update(const msd_damped_spring *spring, msd_quaternion *rotation, double velocity[3],
                   bool physical, msd_quaternion goal) {
  if (spring->pos_pos == 1 && spring->pos_vel == 0 && spring->vel_pos == 0 && spring->vel_vel == 1)
    return;
  goal = normalized(goal);
  double r[3], zero[3] = {0, 0, 0};
  msd_quaternion_to_rotation_vector(quaternion_product(normalized(*rotation), conjugate(goal)), r);
  if (physical)
    angular_velocity_to_rate(r, velocity);
  msd_damped_spring_update_vec3(spring, r, velocity, zero);
  if (physical)
    rate_to_angular_velocity(r, velocity);
  *rotation = normalized(quaternion_product(msd_quaternion_from_rotation_vector(r), goal));
}

void msd_damped_spring_update_quaternion(const msd_damped_spring *spring, msd_quaternion *rotation,
                                         double angular_velocity[3], msd_quaternion goal) {
  update(spring, rotation, angular_velocity, true, goal);
}

void msd_damped_spring_update_rotation_vector(const msd_damped_spring *spring, msd_quaternion *rotation,
                                              double rate[3], msd_quaternion goal) {
  update(spring, rotation, rate, false, goal);
}
