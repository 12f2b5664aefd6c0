/* Closest points against a search that knows only that the distance is convex in both parameters. */
#include "engine/contact/closest_points.h"

#include "tests/support/networks.h"

#include <criterion/criterion.h>
#include <float.h>
#include <math.h>

static const double EPSILON = sizeof(msd_real) == sizeof(double) ? DBL_EPSILON : FLT_EPSILON;

typedef struct point {
  double at[3];
} point;

static point point_of(LANE3 a) {
  return (point){{(double)a.x, (double)a.y, (double)a.z}};
}

static point towards(point a, point b, double t) {
  for (int k = 0; k < 3; k++)
    a.at[k] += t * (b.at[k] - a.at[k]);
  return a;
}

static double distance(point a, point b) {
  double square = 0;
  for (int k = 0; k < 3; k++)
    square += (a.at[k] - b.at[k]) * (a.at[k] - b.at[k]);
  return sqrt(square);
}

/* A point and the corners of a triangle, or the ends of two edges. */
typedef struct shapes {
  bool is_triangle;
  point corner[4];
} shapes;

/* The first parameter goes along one edge or across the triangle, the second along what is there. */
static double distance_at(const shapes *x, double s, double t) {
  if (x->is_triangle)
    return distance(x->corner[0], towards(towards(x->corner[1], x->corner[2], s),
                                          towards(x->corner[1], x->corner[3], s), t));
  return distance(towards(x->corner[0], x->corner[1], s), towards(x->corner[2], x->corner[3], t));
}

static double least_along(const shapes *x, double s) {
  double low = 0, high = 1;
  for (int n = 0; n < 80; n++) {
    const double third = (high - low) / 3;
    if (distance_at(x, s, low + third) < distance_at(x, s, high - third))
      high -= third;
    else
      low += third;
  }
  return distance_at(x, s, (low + high) / 2);
}

/* The distance as a function of the point of the first edge, or of the line parallel to one side, is convex. */
static double least_distance(const shapes *x) {
  double low = 0, high = 1;
  for (int n = 0; n < 80; n++) {
    const double third = (high - low) / 3;
    if (least_along(x, low + third) < least_along(x, high - third))
      high -= third;
    else
      low += third;
  }
  return least_along(x, (low + high) / 2);
}

static LANE3 from_first(const LANE3 *corner, int n) {
  return lane_subtract(corner[n], corner[0]);
}

static closest_points found(bool is_triangle, const LANE3 *corner) {
  if (is_triangle)
    return closest_on_triangle(from_first(corner, 1), from_first(corner, 2), from_first(corner, 3));
  return closest_of_edges(from_first(corner, 1), from_first(corner, 2), lane_subtract(corner[3], corner[2]));
}

/* The distance between the points that have the weights. */
static double distance_by_weights(const shapes *x, closest_points c) {
  const double s = (double)c.b, t = (double)c.c;
  if (!x->is_triangle)
    return distance_at(x, s, t);
  point on = x->corner[1];
  for (int k = 0; k < 3; k++)
    on.at[k] += s * (x->corner[2].at[k] - x->corner[1].at[k]) + t * (x->corner[3].at[k] - x->corner[1].at[k]);
  return distance(x->corner[0], on);
}

static void check(bool is_triangle, const LANE3 *corner, double size) {
  shapes x = {.is_triangle = is_triangle};
  for (int n = 0; n < 4; n++)
    x.corner[n] = point_of(corner[n]);
  const closest_points c = found(is_triangle, corner);
  const double least = least_distance(&x), square = (double)c.square;
  cr_assert(isfinite((double)c.b) && isfinite((double)c.c) && isfinite(square));
  cr_assert(c.b >= 0 && c.b <= 1 && c.c >= 0 && c.c <= 1);
  cr_assert(!is_triangle || (double)c.b + (double)c.c <= 1 + 2 * EPSILON);
  /* The search ends 1e-14 before its goal. Where two edges are all but parallel, their feet are rounding while
     the ends are still farther. */
  const double rounding = (20 * EPSILON + 1e-13) * size, farther = sqrt(EPSILON) * size;
  cr_assert_float_eq(distance_by_weights(&x, c), sqrt(square), rounding);
  cr_assert(sqrt(square) >= least - rounding, "%g for %g", sqrt(square), least);
  cr_assert(sqrt(square) <= least + farther, "%g for %g", sqrt(square), least);
}

static LANE3 random_corner(generator *random, msd_real size) {
  const msd_vec3 at = random_vector(random, size);
  return (LANE3){at.x, at.y, at.z};
}

Test(closest_points, they_are_as_near_as_any_two_points_of_the_primitives) {
  generator random = {.state = 1};
  for (int n = 0; n < 1500; n++) {
    LANE3 corner[4];
    for (int k = 0; k < 4; k++)
      corner[k] = random_corner(&random, 1);
    check(n % 2 == 0, corner, 2);
  }
}

Test(closest_points, they_are_where_the_geometry_is_plain) {
  const LANE3 triangle[4] = {{1, 1, 5}, {0, 0, 2}, {4, 0, 2}, {0, 4, 2}};
  closest_points c = found(true, triangle);
  cr_assert_float_eq((double)c.b, 0.25, 1e-6);
  cr_assert_float_eq((double)c.c, 0.25, 1e-6);
  cr_assert_float_eq((double)c.between.z, -3, 1e-6);
  cr_assert_float_eq((double)c.square, 9, 1e-5);

  const LANE3 crossing[4] = {{-1, 0, 0}, {3, 0, 0}, {0, -1, 2}, {0, 1, 2}};
  c = found(false, crossing);
  cr_assert_float_eq((double)c.b, 0.25, 1e-6);
  cr_assert_float_eq((double)c.c, 0.5, 1e-6);
  cr_assert_float_eq((double)c.between.z, 2, 1e-6);
}

Test(closest_points, nearly_parallel_edges_are_not_farther_than_their_ends) {
  generator random = {.state = 2};
  for (int n = 0; n < 400; n++) {
    const LANE3 along = random_corner(&random, 1), start = random_corner(&random, 1);
    const LANE3 tilt = lane_scale(random_corner(&random, 1), (msd_real)pow(10, -1 - n % 8));
    const LANE3 from = lane_scale(random_corner(&random, 1), (msd_real)0.3);
    const LANE3 corner[4] = {start, lane_add(start, along), lane_add(start, from),
                             lane_add(lane_add(start, from), lane_add(along, tilt))};
    check(false, corner, 3);
  }
}

/* Corners that coincide or lie on a line, in all combinations. */
Test(closest_points, primitives_without_length_or_area_have_finite_weights) {
  generator random = {.state = 3};
  for (int n = 0; n < 800; n++) {
    LANE3 corner[4];
    for (int k = 0; k < 4; k++)
      corner[k] = random_corner(&random, 1);
    if (n & 2)
      corner[2] = corner[3];
    if (n & 4)
      corner[1] = corner[n & 8 ? 0 : 2];
    if (n & 16)
      corner[3] = lane_add(corner[1], lane_scale(lane_subtract(corner[2], corner[1]), (msd_real)0.5));
    if (n & 32)
      corner[0] = corner[3];
    check(n % 2 == 0, corner, 2);
  }
}

Test(closest_points, lengths_may_be_large_or_small) {
  static const double sizes[] = {1e-6, 1e-4, 1e3, 1e6};
  generator random = {.state = 4};
  for (int n = 0; n < 400; n++) {
    LANE3 corner[4];
    for (int k = 0; k < 4; k++)
      corner[k] = random_corner(&random, (msd_real)sizes[n % 4]);
    check(n % 8 < 4, corner, 2 * sizes[n % 4]);
  }
}

Test(closest_points, what_overflows_has_weights_all_the_same) {
  const msd_real most = sizeof(msd_real) == sizeof(double) ? (msd_real)1e160 : (msd_real)1e30;
  generator random = {.state = 5};
  for (int n = 0; n < 200; n++) {
    LANE3 corner[4];
    for (int k = 0; k < 4; k++)
      corner[k] = random_corner(&random, most);
    const closest_points c = found(n % 2 == 0, corner);
    cr_assert(c.b >= 0 && c.b <= 1 && c.c >= 0 && c.c <= 1);
  }
}
