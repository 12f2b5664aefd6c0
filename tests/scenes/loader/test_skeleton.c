#include "scenes/loader/skeleton.h"

#include "scenes/loader/rotation.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { JOINTS = 4, FRAMES = 3 };

/* A root, an arm of 2 m upwards from it, a hand 3 m further, and its end 1 m beyond. */
static skeleton_joint joints[JOINTS] = {
    {"root", -1, {0, 0, 0}, 0}, {"arm", 0, {0, 2, 0}, 1}, {"hand", 1, {0, 3, 0}, 2}, {NULL, 2, {0, 1, 0}, 3}};
static double rotations[FRAMES * JOINTS][4];
static double roots[FRAMES][3] = {{1, 2, 3}, {1, 2, 5}, {2, 2, 9}};

/* The first frame turns nothing, the second the root by 90 degrees about z and the arm about x. */
static skeleton make(void) {
  for (int r = 0; r < FRAMES * JOINTS; r++)
    memcpy(rotations[r], (double[]){1, 0, 0, 0}, sizeof rotations[r]);
  quaternion_turn(rotations[JOINTS], 2, 90);
  quaternion_turn(rotations[JOINTS + 1], 0, 90);
  return (skeleton){.joints = joints,
                    .joint_count = JOINTS,
                    .rotations = rotations,
                    .turn_count = JOINTS,
                    .roots = roots,
                    .frame_count = FRAMES,
                    .start = 1,
                    .rate = 2,
                    .place = {{0, 0, 0}, {1, 0, 0, 0}}};
}

static void expect_at(const skeleton *f, int32_t joint, double time, double x, double y, double z) {
  const skeleton_place at = skeleton_joint_at(f, joint, time);
  cr_expect_float_eq(at.position[0], x, 1e-14, "joint %d at %g s: x is %g", (int)joint, time, at.position[0]);
  cr_expect_float_eq(at.position[1], y, 1e-14, "joint %d at %g s: y is %g", (int)joint, time, at.position[1]);
  cr_expect_float_eq(at.position[2], z, 1e-14, "joint %d at %g s: z is %g", (int)joint, time, at.position[2]);
}

Test(skeleton, a_skeleton_at_rest_adds_its_offsets) {
  const skeleton f = make();
  expect_at(&f, 0, 1, 1, 2, 3);
  expect_at(&f, 1, 1, 1, 4, 3);
  expect_at(&f, 2, 1, 1, 7, 3);
  expect_at(&f, 3, 1, 1, 8, 3);
}

/* Up becomes -x for the arm; what is up in the arm's frame becomes z. */
Test(skeleton, joints_carry_what_hangs_on_them) {
  const skeleton f = make();
  expect_at(&f, 0, 1.5, 1, 2, 5);
  expect_at(&f, 1, 1.5, -1, 2, 5);
  expect_at(&f, 2, 1.5, -1, 2, 8);
  expect_at(&f, 3, 1.5, -1, 2, 9);
}

/* Half of 90 degrees is 45: no bone becomes shorter on the way. */
Test(skeleton, joints_turn_and_the_root_goes_straight_between_frames) {
  const skeleton f = make();
  expect_at(&f, 0, 1.25, 1, 2, 4);
  expect_at(&f, 1, 1.25, 1 - sqrt(2), 2 + sqrt(2), 4);
  for (double time = 1; time < 2; time += 0.01) {
    const skeleton_place arm = skeleton_joint_at(&f, 1, time), hand = skeleton_joint_at(&f, 2, time);
    double square = 0;
    for (int c = 0; c < 3; c++)
      square += (hand.position[c] - arm.position[c]) * (hand.position[c] - arm.position[c]);
    cr_expect_float_eq(sqrt(square), 3, 1e-14);
  }
}

/* From 350 to 10 degrees leads over 0, and not over 180. */
Test(skeleton, joints_turn_the_short_way) {
  const skeleton f = make();
  quaternion_turn(rotations[0], 2, 350);
  memcpy(rotations[JOINTS], (double[]){1, 0, 0, 0}, sizeof rotations[0]);
  quaternion_turn(rotations[JOINTS], 2, 10);
  expect_at(&f, 1, 1.25, 1, 4, 4);
}

Test(skeleton, it_rests_before_its_first_frame_and_after_its_last) {
  const skeleton f = make();
  expect_at(&f, 3, 0, 1, 8, 3);
  expect_at(&f, 3, 2, 2, 8, 9);
  expect_at(&f, 3, 1e18, 2, 8, 9);
}

Test(skeleton, a_loop_goes_on_from_where_its_root_is) {
  skeleton f = make();
  f.loops = true;
  expect_at(&f, 0, 2.5, 2, 2, 11);
  expect_at(&f, 1, 2.5, 0, 2, 11);
  expect_at(&f, 0, 4, 4, 2, 21);
  expect_at(&f, 0, 0, 1, 2, 3);
}

Test(skeleton, a_skeleton_of_one_frame_stands) {
  skeleton f = make();
  f.frame_count = 1;
  f.loops = true;
  expect_at(&f, 2, 0, 1, 7, 3);
  expect_at(&f, 2, 7.3, 1, 7, 3);
}

Test(skeleton, it_stands_where_it_is_placed) {
  skeleton f = make();
  quaternion_turn(f.place.rotation, 1, 90);
  f.place.position[1] = 10;
  expect_at(&f, 3, 1.5, 9, 12, 1);
  const skeleton_place at = skeleton_joint_at(&f, 0, 0);
  const msd_vec3 position = skeleton_place_position(&at);
  const msd_quaternion rotation = skeleton_place_rotation(&at);
  cr_expect(fabs((double)position.x - 3) < 1e-6 && position.y == 12 && fabs((double)position.z + 1) < 1e-6);
  cr_expect(fabs(rotation.w - sqrt(0.5)) < 1e-15 && fabs(rotation.y - sqrt(0.5)) < 1e-15);
  cr_expect(rotation.x == 0 && rotation.z == 0);
}

/* The arm does not turn, and the hand has its rotations. */
Test(skeleton, a_joint_that_does_not_turn_has_no_rotations) {
  skeleton_joint some[JOINTS];
  memcpy(some, joints, sizeof some);
  some[1].turn = -1;
  some[2].turn = 1;
  skeleton f = make();
  f.joints = some;
  expect_at(&f, 2, 1.5, -4, 2, 5);
  expect_at(&f, 3, 1.5, -4, 2, 6);
}

Test(skeleton, joints_are_found_by_name) {
  const skeleton f = make();
  cr_expect_eq(skeleton_find_joint(&f, "root"), 0);
  cr_expect_eq(skeleton_find_joint(&f, "hand"), 2);
  cr_expect_eq(skeleton_find_joint(&f, "Hand"), -1);
}

/* Rotation matrices as textbooks have them, for a chain of three joints and 300 times. */
typedef double matrix[3][3];

static void turn(matrix m, const double degrees[3]) {
  static const int order[] = {2, 0, 1};
  for (int k = 0; k < 3; k++) {
    const int axis = order[k], u = (axis + 1) % 3, v = (axis + 2) % 3;
    const double angle = degrees[axis] * 3.14159265358979323846 / 180, c = cos(angle), s = sin(angle);
    for (int row = 0; row < 3; row++) {
      const double a = m[row][u], b = m[row][v];
      m[row][u] = c * a + s * b;
      m[row][v] = c * b - s * a;
    }
  }
}

Test(skeleton, it_is_where_products_of_matrices_have_it) {
  skeleton f = make();
  srand(7);
  f.frame_count = 1;
  for (int round = 0; round < 300; round++) {
    matrix m = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    double at[3] = {roots[0][0], roots[0][1], roots[0][2]};
    for (int j = 0; j < JOINTS; j++) {
      double degrees[3], *q = rotations[j];
      for (int c = 0; c < 3; c++)
        degrees[c] = rand() % 72000 / 100.0 - 360;
      memcpy(q, (double[]){1, 0, 0, 0}, 4 * sizeof *q);
      quaternion_turn(q, 2, degrees[2]);
      quaternion_turn(q, 0, degrees[0]);
      quaternion_turn(q, 1, degrees[1]);
      for (int row = 0; row < 3; row++)
        for (int c = 0; c < 3; c++)
          at[row] += m[row][c] * joints[j].offset[c];
      turn(m, degrees);
    }
    const skeleton_place end = skeleton_joint_at(&f, JOINTS - 1, 0);
    for (int c = 0; c < 3; c++)
      cr_expect_float_eq(end.position[c], at[c], 1e-13);
    for (int axis = 0; axis < 3; axis++) {
      double v[3] = {axis == 0, axis == 1, axis == 2};
      quaternion_turn_point(end.rotation, v);
      for (int row = 0; row < 3; row++)
        cr_expect_float_eq(v[row], m[row][axis], 1e-13);
    }
  }
}
