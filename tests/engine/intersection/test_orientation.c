/* Signs of determinants, against exact ones of small whole coordinates and against what geometry says. */
#include "tests/support/networks.h"

#include "engine/intersection/orientation.h"

#include <float.h>
#include <math.h>

/* Differences to 2^19 and their determinants to 6 2^57 are exact in 64 bits. */
enum { SIDE = 1 << 18 };

typedef struct place {
  int64_t at[3];
} place;

static place random_place(generator *random, int32_t side) {
  place p;
  for (int k = 0; k < 3; k++)
    p.at[k] = random_below(random, 2 * side + 1) - side;
  return p;
}

static point to_point(place p, double scale) {
  return (point){{(double)p.at[0] * scale, (double)p.at[1] * scale, (double)p.at[2] * scale}};
}

static int sign(int64_t value) {
  return (value > 0) - (value < 0);
}

static int sign_in_plane(place a, place b, place c, int dropped) {
  const int u = (dropped + 1) % 3, v = (dropped + 2) % 3;
  return sign((a.at[u] - c.at[u]) * (b.at[v] - c.at[v]) - (a.at[v] - c.at[v]) * (b.at[u] - c.at[u]));
}

static int sign_in_space(place a, place b, place c, place d) {
  int64_t m[3][3], determinant = 0;
  for (int k = 0; k < 3; k++) {
    m[0][k] = a.at[k] - d.at[k];
    m[1][k] = b.at[k] - d.at[k];
    m[2][k] = c.at[k] - d.at[k];
  }
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    determinant += m[0][i] * (m[1][j] * m[2][k] - m[1][k] * m[2][j]);
  }
  return sign(determinant);
}

/* At any power of two the sign is the same, down to multiples of the smallest number and up to the largest. */
static void assert_signs(place a, place b, place c, place d) {
  const double scales[] = {1, 0x1p-1074, 0x1p-600, 0x1p300, 0x1p1005};
  for (size_t n = 0; n < sizeof scales / sizeof *scales; n++) {
    const point pa = to_point(a, scales[n]), pb = to_point(b, scales[n]), pc = to_point(c, scales[n]),
                pd = to_point(d, scales[n]);
    cr_assert_eq(orientation_in_space(&pa, &pb, &pc, &pd), sign_in_space(a, b, c, d), "scale %g", scales[n]);
    for (int axis = 0; axis < 3; axis++)
      cr_assert_eq(orientation_in_plane(&pa, &pb, &pc, axis), sign_in_plane(a, b, c, axis));
  }
}

Test(orientation, signs_of_random_points_are_those_of_whole_numbers) {
  generator random = {.state = 1};
  const int32_t sides[] = {1, 2, 5, 100, SIDE};
  for (int n = 0; n < 50000; n++) {
    const int32_t side = sides[n % 5];
    assert_signs(random_place(&random, side), random_place(&random, side), random_place(&random, side),
                 random_place(&random, side));
  }
}

/* d = a + i (b - a) + j (c - a), and beside it by one. */
Test(orientation, signs_near_a_plane_are_those_of_whole_numbers) {
  generator random = {.state = 2};
  for (int n = 0; n < 20000; n++) {
    const place a = random_place(&random, SIDE / 16), b = random_place(&random, SIDE / 16),
                c = random_place(&random, SIDE / 16);
    const int32_t i = random_below(&random, 4), j = random_below(&random, 4);
    place d = a;
    for (int k = 0; k < 3; k++)
      d.at[k] += i * (b.at[k] - a.at[k]) + j * (c.at[k] - a.at[k]);
    assert_signs(a, b, c, d);
    d.at[random_below(&random, 3)] += random_below(&random, 2) ? 1 : -1;
    assert_signs(a, b, c, d);
  }
}

/* A multiple of 2^-51 in 2..2.5: so are differences of these, which are exact, and one more of them again. */
static double random_coordinate(generator *random) {
  return 2 + (double)(next_random(random) >> 14) * 0x1p-51;
}

/* d = b - a + c is in the plane of a, b, c. Moved by one unit in the last place it is beside it, on the side
   of the normal where their components agree; the determinant is then below 1e-15, within the rounding of its
   products. */
Test(orientation, one_unit_in_the_last_place_off_a_plane_is_seen) {
  generator random = {.state = 3};
  for (int n = 0; n < 20000; n++) {
    point a, b, c, d;
    for (int k = 0; k < 3; k++) {
      a.at[k] = random_coordinate(&random);
      b.at[k] = random_coordinate(&random);
      c.at[k] = random_coordinate(&random);
      d.at[k] = b.at[k] - a.at[k] + c.at[k];
    }
    cr_assert_eq(orientation_in_space(&a, &b, &c, &d), 0);
    const int axis = n % 3, normal = orientation_in_plane(&a, &b, &c, axis);
    point up = d, down = d;
    up.at[axis] = nextafter(d.at[axis], 5);
    down.at[axis] = nextafter(d.at[axis], 0);
    cr_assert_neq(normal, 0);
    cr_assert_eq(orientation_in_space(&a, &b, &c, &up), -normal);
    cr_assert_eq(orientation_in_space(&a, &b, &c, &down), normal);
  }
}

/* The same for c = b - a + b in the line of a and b. */
Test(orientation, one_unit_in_the_last_place_off_a_line_is_seen) {
  generator random = {.state = 4};
  for (int n = 0; n < 20000; n++) {
    point a = {{0, 0, 0}}, b = a, c = a;
    for (int k = 0; k < 2; k++) {
      a.at[k] = random_coordinate(&random);
      b.at[k] = random_coordinate(&random);
      c.at[k] = b.at[k] - a.at[k] + b.at[k];
    }
    cr_assert_eq(orientation_in_plane(&a, &b, &c, 2), 0);
    const int ahead = b.at[0] > a.at[0] ? 1 : -1;
    point up = c, down = c;
    up.at[1] = nextafter(c.at[1], 5);
    down.at[1] = nextafter(c.at[1], 0);
    cr_assert_eq(orientation_in_plane(&a, &b, &up, 2), ahead);
    cr_assert_eq(orientation_in_plane(&a, &b, &down, 2), -ahead);
  }
}

/* Coordinates of which no product fits into a double, and sums that overflow. */
Test(orientation, the_largest_and_the_smallest_numbers_have_signs) {
  const double sizes[] = {DBL_MAX, 1e200, 1, 1e-200, DBL_MIN, 0x1p-1074};
  const point origin = {{0, 0, 0}};
  for (int i = 0; i < 6 * 6 * 6; i++) {
    const point x = {{sizes[i % 6], 0, 0}}, y = {{0, sizes[i / 6 % 6], 0}}, z = {{0, 0, sizes[i / 36]}};
    const point back = {{-x.at[0], -y.at[1], -z.at[2]}};
    cr_expect_eq(orientation_in_space(&x, &y, &z, &origin), 1);
    cr_expect_eq(orientation_in_space(&y, &x, &z, &origin), -1);
    cr_expect_eq(orientation_in_space(&x, &y, &z, &back), 1);
    cr_expect_eq(orientation_in_plane(&x, &y, &origin, 2), 1);
    cr_expect_eq(orientation_in_plane(&y, &x, &back, 2), -1);
  }
}

/* The determinant is 2^100 (2^-540)^2 - 2^-460 2^-540 = 2^-980 - 2^-1000. The square is below the smallest
   number: to doubles only what is subtracted is left, and that has no rounding that would cast doubt on it.
   */
Test(orientation, what_underflows_is_not_forgotten) {
  const point a = {{1, 0, 0x1p100}}, b = {{0x1p-540, 0, 0x1p-460}}, c = {{0, 0x1p-540, 0}}, d = {{0, 0, 0}};
  cr_expect_eq(orientation_in_space(&a, &b, &c, &d), 1);
  cr_expect_eq(orientation_in_space(&b, &a, &c, &d), -1);
}
