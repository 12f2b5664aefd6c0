/* Springs on rotations. quaternion.csv has paths by the matrix exponential of the rotation vector; its
   angular velocities are derivatives of rotation matrices. */
#include <msd/damped_spring.h>

#include "tests/support/table.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const double PI = 3.14159265358979323846;

static double dot(msd_quaternion a, msd_quaternion b) {
  return a.w * b.w + a.x * b.x + a.y * b.y + a.z * b.z;
}

static msd_quaternion negative(msd_quaternion q) {
  return (msd_quaternion){-q.w, -q.x, -q.y, -q.z};
}

/* The angle between two rotations; atan2-like accuracy for small ones. */
static double angle_between(msd_quaternion a, msd_quaternion b) {
  if (dot(a, b) < 0)
    b = negative(b);
  const double x = a.x - b.x, y = a.y - b.y, z = a.z - b.z, w = a.w - b.w;
  return 4 * asin(fmin(1, sqrt(x * x + y * y + z * z + w * w) / 2));
}

static msd_quaternion about_z(double angle) {
  const double vector[3] = {0, 0, angle};
  return msd_quaternion_from_rotation_vector(vector);
}

Test(damped_spring_quaternion, paths_and_angular_velocities_agree_with_the_table) {
  table *t = table_read("quaternion.csv", 27);
  for (int i = 0; i < t->rows; i++) {
    const double *r = t->at[i], *start = r + 7, *end = r + 17;
    const msd_damped_spring s = msd_damped_spring_make(r[4], r[5], r[6]);
    const msd_quaternion goal = {r[0], r[1], r[2], r[3]};
    msd_quaternion a = {start[0], start[1], start[2], start[3]}, b = a;
    double omega[3] = {start[4], start[5], start[6]}, rate[3] = {start[7], start[8], start[9]};
    msd_damped_spring_update_quaternion(&s, &a, omega, goal);
    msd_damped_spring_update_rotation_vector(&s, &b, rate, goal);
    const msd_quaternion want = {end[0], end[1], end[2], end[3]};
    cr_assert(angle_between(a, want) < 1e-13 && angle_between(b, want) < 1e-13, "row %d: %g", i + 2,
              angle_between(a, want));
    for (int c = 0; c < 3; c++) {
      cr_assert_float_eq(omega[c], end[4 + c], 1e-12, "row %d: omega %d: %g for %g", i + 2, c, omega[c],
                         end[4 + c]);
      cr_assert_float_eq(rate[c], end[7 + c], 1e-12);
    }
  }
  free(t);
}

/* What the shortest arc is about: 20 degrees given as -q are not 340 degrees. */
Test(damped_spring_quaternion, q_and_minus_q_give_one_path) {
  const msd_damped_spring s = msd_damped_spring_make(4, 0.5, 1.0 / 60);
  const msd_quaternion goal = about_z(0.3);
  const double vector[3] = {0.2, -1, 0.4};
  msd_quaternion a = msd_quaternion_from_rotation_vector(vector), b = negative(a), c = a;
  double va[3] = {1, 2, 3}, vb[3] = {1, 2, 3}, vc[3] = {1, 2, 3};
  for (int n = 0; n < 200; n++) {
    msd_damped_spring_update_quaternion(&s, &a, va, goal);
    msd_damped_spring_update_quaternion(&s, &b, vb, goal);
    msd_damped_spring_update_quaternion(&s, &c, vc, n % 2 ? negative(goal) : goal);
    cr_assert(angle_between(a, b) < 1e-12 && angle_between(a, c) < 1e-12);
    for (int i = 0; i < 3; i++)
      cr_assert(fabs(va[i] - vb[i]) < 1e-11 && fabs(va[i] - vc[i]) < 1e-11);
  }
  msd_quaternion q = negative(about_z(20 * PI / 180));
  double v[3] = {0};
  msd_damped_spring_update_quaternion(&s, &q, v, (msd_quaternion){1, 0, 0, 0});
  cr_assert(angle_between(q, (msd_quaternion){1, 0, 0, 0}) < 20 * PI / 180);
}

Test(damped_spring_quaternion, about_one_axis_it_is_the_scalar_spring) {
  const msd_damped_spring s = msd_damped_spring_make(6, 0.4, 1.0 / 60);
  msd_quaternion q = about_z(2.9);
  double omega[3] = {0, 0, -1}, x = 2.9, v = -1;
  for (int n = 0; n < 120; n++) {
    msd_damped_spring_update_quaternion(&s, &q, omega, about_z(0.2));
    msd_damped_spring_update(&s, &x, &v, 0.2);
    cr_assert(angle_between(q, about_z(x)) < 1e-12);
    cr_assert_float_eq(omega[2], v, 1e-11);
    cr_assert(omega[0] == 0 && omega[1] == 0);
  }
}

Test(damped_spring_quaternion, a_second_ends_the_same_in_any_number_of_steps) {
  const int counts[] = {1, 15, 60, 144, 1000};
  const double vector[3] = {1, -0.7, 1.5}, goal_vector[3] = {-0.2, 0.1, 0.4};
  const msd_quaternion goal = msd_quaternion_from_rotation_vector(goal_vector);
  for (double zeta = 0.3; zeta < 3; zeta += 0.7) {
    msd_quaternion want = {0};
    for (int c = 0; c < 5; c++) {
      msd_quaternion q = msd_quaternion_from_rotation_vector(vector);
      double omega[3] = {2, -3, 1};
      const msd_damped_spring s = msd_damped_spring_make(5, zeta, 1.0 / counts[c]);
      for (int n = 0; n < counts[c]; n++)
        msd_damped_spring_update_quaternion(&s, &q, omega, goal);
      if (c == 0)
        want = q;
      cr_assert(angle_between(q, want) < 1e-12, "%d steps: %g", counts[c], angle_between(q, want));
    }
  }
}

/* The angular velocity is what moves the rotation: after a short flight the rotation has turned by it. */
Test(damped_spring_quaternion, the_angular_velocity_is_physical) {
  const double vector[3] = {1.2, -2, 0.5}, h = 1e-6;
  const msd_quaternion goal = {0.5, -0.5, 0.5, 0.5};
  const msd_damped_spring s = msd_damped_spring_make(3, 0.7, h);
  msd_quaternion q = msd_quaternion_from_rotation_vector(vector), before = q;
  double omega[3] = {1, 2, -1};
  msd_damped_spring_update_quaternion(&s, &q, omega, goal);
  const double turn[3] = {1 * h, 2 * h, -1 * h};
  const msd_quaternion d = msd_quaternion_from_rotation_vector(turn);
  const msd_quaternion want = {d.w * before.w - d.x * before.x - d.y * before.y - d.z * before.z,
                               d.w * before.x + d.x * before.w + d.y * before.z - d.z * before.y,
                               d.w * before.y - d.x * before.z + d.y * before.w + d.z * before.x,
                               d.w * before.z + d.x * before.y - d.y * before.x + d.z * before.w};
  cr_assert(angle_between(q, want) < 1e-10, "%g", angle_between(q, want)); /* h^2 */
}

Test(damped_spring_quaternion, rotation_vectors_are_accurate_from_tiny_angles_to_half_a_turn) {
  const double axis[3] = {0.6, 0, -0.8};
  const double angles[] = {0, 1e-300, 1e-12, 1e-5, 0.1, 1, 3, 3.1415926, PI};
  for (int i = 0; i < 9; i++) {
    double v[3] = {axis[0] * angles[i], axis[1] * angles[i], axis[2] * angles[i]}, back[3];
    const msd_quaternion q = msd_quaternion_from_rotation_vector(v);
    msd_quaternion_to_rotation_vector(q, back);
    for (int c = 0; c < 3; c++)
      cr_assert_float_eq(back[c], v[c], 4e-16 * angles[i]);
    msd_quaternion_to_rotation_vector((msd_quaternion){3 * q.w, 3 * q.x, 3 * q.y, 3 * q.z}, back);
    for (int c = 0; c < 3; c++)
      cr_assert_float_eq(back[c], v[c], 8e-16 * angles[i]);
  }
}

Test(damped_spring_quaternion, rotations_stay_normalized) {
  const msd_damped_spring s = msd_damped_spring_make(3, 0.1, 1.0 / 60);
  msd_quaternion q = {10, 3, -2, 40};
  double omega[3] = {5, -1, 2};
  for (int n = 0; n < 10000; n++) {
    msd_damped_spring_update_quaternion(&s, &q, omega, (msd_quaternion){0.1, 0.2, 0.3, 0.4});
    cr_assert_float_eq(dot(q, q), 1, 1e-15 * 4);
  }
}

Test(damped_spring_quaternion, bad_input_is_defined) {
  const msd_damped_spring still = msd_damped_spring_make(3, 0.1, 0),
                          jump = msd_damped_spring_make_critical(0, 1);
  msd_quaternion q = {2, 0, 0, 1}, before = q;
  double omega[3] = {1, 2, 3};
  msd_damped_spring_update_quaternion(&still, &q, omega, about_z(1));
  cr_assert(memcmp(&q, &before, sizeof q) == 0 && omega[0] == 1 && omega[1] == 2 && omega[2] == 3);
  msd_damped_spring_update_quaternion(&jump, &q, omega, about_z(1));
  cr_assert(angle_between(q, about_z(1)) < 1e-15 && omega[0] == 0 && omega[1] == 0 && omega[2] == 0);

  const msd_damped_spring s = msd_damped_spring_make(3, 0.3, 0.1);
  const msd_quaternion bad[] = {
      {0, 0, 0, 0},      {NAN, 0, 0, 0}, {1, INFINITY, 0, 0}, {DBL_MAX, DBL_MAX, DBL_MAX, DBL_MAX},
      {5e-324, 0, 0, 0}, {-1, 0, 0, 0},  {0, 0, 1, 0}};
  const double speeds[] = {0, 1, -1e300, DBL_MAX};
  for (int k = 0; k < 7 * 7 * 4; k++) {
    msd_quaternion a = bad[k % 7];
    double v[3] = {speeds[k / 49], 0, -speeds[k / 49]}, u[3] = {speeds[k / 49], 0, speeds[k / 49]};
    msd_damped_spring_update_quaternion(&s, &a, v, bad[k / 7 % 7]);
    cr_assert_float_eq(dot(a, a), 1, 1e-14);
    msd_damped_spring_update_rotation_vector(&s, &a, u, bad[k / 7 % 7]);
    cr_assert_float_eq(dot(a, a), 1, 1e-14);
    for (int c = 0; c < 3; c++)
      cr_assert(isfinite(v[c]) && isfinite(u[c]));
  }
  const double far[3] = {DBL_MAX, -DBL_MAX, 1}, none[3] = {NAN, 0, 0};
  const msd_quaternion f = msd_quaternion_from_rotation_vector(far),
                       n = msd_quaternion_from_rotation_vector(none);
  cr_assert_float_eq(dot(f, f), 1, 1e-14);
  cr_assert(n.w == 1 && n.x == 0 && n.y == 0 && n.z == 0);
}
