/* atan2 of the four operations, in double. test_constraint_kind.c has it in the vectors of the step. */
#define LANE_DOUBLE
#include "engine/base/lane_atan2.h"

#include <criterion/criterion.h>
#include <float.h>
#include <stdint.h>

static const double PI = 3.14159265358979323846;

static double random_number(uint64_t *state) {
  *state ^= *state << 13;
  *state ^= *state >> 7;
  *state ^= *state << 17;
  return (double)(*state >> 11) * 0x1p-53;
}

/* Units in the last place of the result, against the C library's own in its widest type. */
static double error_of(double y, double x) {
  const long double expected = atan2l(y, x);
  int exponent;
  frexp((double)expected, &exponent);
  return (double)(fabsl(lane_atan2(y, x) - expected) / (long double)ldexp(1, exponent - DBL_MANT_DIG));
}

static void assert_close(double y, double x) {
  const double error = error_of(y, x);
  cr_assert(error < 2, "atan2(%a, %a) is %.17g, %.2f units in the last place off", y, x, lane_atan2(y, x),
            error);
}

Test(lane_atan2, is_within_two_units_in_the_last_place_all_around) {
  uint64_t state = 1;
  for (int i = 0; i < 1000000; i++) {
    const double turn = 2 * PI * random_number(&state);
    assert_close(sin(turn), cos(turn));
  }
}

Test(lane_atan2, is_as_close_for_tiny_and_huge_arguments) {
  uint64_t state = 2;
  const double sizes[] = {1e-290, 1e-150, 1e-20, 1, 1e20, 1e150, 1e290, DBL_MAX};
  for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++)
    for (int i = 0; i < 10000; i++)
      assert_close((2 * random_number(&state) - 1) * sizes[s], (2 * random_number(&state) - 1) * sizes[s]);
  for (int i = 0; i < 100000; i++) {
    const double ratio = pow(10, 300 * (2 * random_number(&state) - 1));
    const double y = random_number(&state) < 0.5 ? -ratio : ratio;
    assert_close(y, 1);
    if (fabs(ratio) < 1e280) /* else the angle from the axis is lost beside pi */
      assert_close(y, -1);
  }
}

Test(lane_atan2, is_exact_on_the_axes_and_diagonals) {
  const double sizes[] = {DBL_MIN, 1e-100, 0.3, 1, 7, 1e100, DBL_MAX};
  for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
    const double a = sizes[s];
    cr_assert_eq(lane_atan2(0, a), 0);
    cr_assert_eq(lane_atan2(a, a), PI / 4);
    cr_assert_eq(lane_atan2(a, 0), PI / 2);
    cr_assert_eq(lane_atan2(a, -a), 3 * PI / 4);
    cr_assert_eq(lane_atan2(0, -a), PI);
    cr_assert_eq(lane_atan2(-a, -a), -3 * PI / 4);
    cr_assert_eq(lane_atan2(-a, 0), -PI / 2);
    cr_assert_eq(lane_atan2(-a, a), -PI / 4);
  }
}

Test(lane_atan2, knows_no_sign_of_zero) {
  cr_assert_eq(lane_atan2(0, 0), 0);
  cr_assert_eq(lane_atan2(-0.0, 0), 0);
  cr_assert_eq(lane_atan2(0, -0.0), 0);
  cr_assert_eq(lane_atan2(-0.0, -0.0), 0);
  cr_assert_eq(lane_atan2(-0.0, -1), PI);
  cr_assert_eq(lane_atan2(1, -0.0), PI / 2);
}

Test(lane_atan2, is_odd_in_y_to_the_last_bit) {
  uint64_t state = 3;
  for (int i = 0; i < 100000; i++) {
    const double y = random_number(&state), x = 2 * random_number(&state) - 1;
    cr_assert_eq(lane_atan2(-y, x), -lane_atan2(y, x));
  }
}

/* Where the ways of reducing the argument meet: at lo = hi/2 and lo = hi of every octant. */
Test(lane_atan2, does_not_fall_where_its_pieces_meet) {
  for (int quarter = -4; quarter <= 4; quarter++)
    for (int piece = -1; piece <= 1; piece++) {
      const double middle = quarter * PI / 4 + piece * (quarter % 2 == 0 ? atan(0.5) : PI / 4 - atan(0.5));
      double before = -4;
      for (int i = -2000; i <= 2000; i++) {
        const double turn = middle + i * 1e-15;
        if (fabs(turn) > PI - 1e-14)
          continue;
        const double angle = lane_atan2(sin(turn), cos(turn));
        cr_assert_geq(angle, before - 2 * DBL_EPSILON * fabs(angle));
        before = angle;
      }
    }
}
