/* Weights of fibers: y = sum of w_j x_j is F d, whatever the shape, its deformation F and the direction d. */
#include "tests/support/networks.h"

#include <float.h>
#include <math.h>
#include <msd/msd.h>

static const double EPSILON = sizeof(msd_real) == sizeof(double) ? DBL_EPSILON : FLT_EPSILON;

static double dot(msd_vec3 a, msd_vec3 b) {
  return (double)a.x * (double)b.x + (double)a.y * (double)b.y + (double)a.z * (double)b.z;
}

static double length(msd_vec3 a) {
  return sqrt(dot(a, a));
}

static msd_vec3 difference(msd_vec3 a, msd_vec3 b) {
  return (msd_vec3){a.x - b.x, a.y - b.y, a.z - b.z};
}

static msd_vec3 cross(msd_vec3 a, msd_vec3 b) {
  return (msd_vec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

/* No edge or height is much shorter than others. */
static void random_shape(generator *random, int corners, msd_vec3 *rest) {
  double size = 0;
  do {
    for (int n = 0; n < corners; n++)
      rest[n] = random_vector(random, 1);
    const msd_vec3 normal = cross(difference(rest[1], rest[0]), difference(rest[2], rest[0]));
    size = corners == 3 ? length(normal) : fabs(dot(normal, difference(rest[3], rest[0])));
  } while (size < 0.3);
}

/* F x of a matrix with rows. */
static msd_vec3 mapped(const msd_vec3 *rows, msd_vec3 x) {
  return (msd_vec3){(msd_real)dot(rows[0], x), (msd_real)dot(rows[1], x), (msd_real)dot(rows[2], x)};
}

/* Along `direction`, which is in the plane of a triangle. */
static void expect_deformed(generator *random, const msd_vec3 *rest, int corners, msd_vec3 direction,
                            const msd_real *weights) {
  const msd_vec3 rows[3] = {random_vector(random, 2), random_vector(random, 2), random_vector(random, 2)};
  const msd_vec3 moved = mapped(rows, direction);
  msd_vec3 y = {0, 0, 0};
  double sum = 0;
  for (int n = 0; n < corners; n++) {
    const msd_vec3 x = mapped(rows, rest[n]);
    y.x += weights[n] * x.x, y.y += weights[n] * x.y, y.z += weights[n] * x.z;
    sum += (double)weights[n];
  }
  const double size = length(direction), rounding = 300 * EPSILON;
  cr_assert_float_eq((double)y.x, (double)moved.x / size, rounding);
  cr_assert_float_eq((double)y.y, (double)moved.y / size, rounding);
  cr_assert_float_eq((double)y.z, (double)moved.z / size, rounding);
  cr_assert_float_eq(sum, 0, rounding);
  cr_assert(corners == 4 || weights[3] == 0);
}

Test(fiber_weights, they_map_the_direction_as_the_shape_is_deformed) {
  generator random = {.state = 3};
  for (int turn = 0; turn < 400; turn++) {
    const int corners = 3 + turn % 2;
    msd_vec3 rest[4];
    msd_real weights[4];
    random_shape(&random, corners, rest);
    msd_vec3 direction = random_vector(&random, 4);
    if (corners == 3) { /* in the plane */
      const msd_vec3 a = difference(rest[1], rest[0]), b = difference(rest[2], rest[0]);
      direction = (msd_vec3){a.x * direction.x + b.x * direction.y, a.y * direction.x + b.y * direction.y,
                             a.z * direction.x + b.z * direction.y};
    }
    if (length(direction) < 0.1)
      continue;
    cr_assert_eq(msd_fiber_weights(rest, corners, direction, weights), MSD_OK);
    expect_deformed(&random, rest, corners, direction, weights);
  }
}

Test(fiber_weights, of_a_triangle_only_the_part_of_the_direction_in_its_plane_counts) {
  generator random = {.state = 4};
  for (int turn = 0; turn < 100; turn++) {
    msd_vec3 rest[3];
    msd_real flat[4], raised[4];
    random_shape(&random, 3, rest);
    const msd_vec3 along = difference(rest[1], rest[2]);
    const msd_vec3 normal = cross(difference(rest[1], rest[0]), difference(rest[2], rest[0]));
    const msd_vec3 up = {along.x + 3 * normal.x, along.y + 3 * normal.y, along.z + 3 * normal.z};
    cr_assert_eq(msd_fiber_weights(rest, 3, along, flat), MSD_OK);
    cr_assert_eq(msd_fiber_weights(rest, 3, up, raised), MSD_OK);
    for (int n = 0; n < 4; n++)
      cr_assert_float_eq((double)raised[n], (double)flat[n], 300 * EPSILON);
  }
}

/* A right triangle: along its legs a fiber is the spring of that leg, over its length. */
Test(fiber_weights, along_an_edge_they_are_those_of_a_spring_between_its_ends) {
  const msd_vec3 rest[4] = {{1, 1, 1}, {5, 1, 1}, {1, 3, 1}, {1, 1, 9}};
  msd_real weights[4];
  cr_assert_eq(msd_fiber_weights(rest, 3, (msd_vec3){7, 0, 0}, weights), MSD_OK);
  cr_assert(weights[0] == (msd_real)-0.25 && weights[1] == (msd_real)0.25 && weights[2] == 0);
  cr_assert_eq(msd_fiber_weights(rest, 4, (msd_vec3){0, 0, -2}, weights), MSD_OK);
  cr_assert(weights[0] == (msd_real)0.125 && weights[1] == 0 && weights[3] == (msd_real)-0.125);
}

Test(fiber_weights, shapes_of_any_size_have_them) {
  const double sizes[] = {1e-12, 1e-3, 1e3, 1e12};
  for (int s = 0; s < 4; s++) {
    const msd_real a = (msd_real)sizes[s];
    const msd_vec3 rest[4] = {{0, 0, 0}, {a, 0, 0}, {0, a, 0}, {0, 0, a}};
    msd_real weights[4];
    for (int corners = 3; corners <= 4; corners++) {
      cr_assert_eq(msd_fiber_weights(rest, corners, (msd_vec3){a, 0, 0}, weights), MSD_OK);
      cr_assert_float_eq((double)weights[1] * (double)a, 1, 4 * EPSILON);
    }
  }
}

Test(fiber_weights, what_has_none_is_refused_and_nothing_is_written) {
  const msd_vec3 good[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  const msd_vec3 line[4] = {{0, 0, 0}, {1, 2, 3}, {2, 4, 6}, {3, 6, 9}};
  const msd_vec3 plane[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}};
  const msd_vec3 point[4] = {{1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}};
  const msd_vec3 nowhere[4] = {{0, 0, 0}, {1, 0, 0}, {0, (msd_real)NAN, 0}, {0, 0, 1}};
  const msd_vec3 tiny[4] = {
      {0, 0, 0}, {(msd_real)1e-16, 0, 0}, {0, (msd_real)1e-16, 0}, {0, 0, (msd_real)1e-16}};
  const msd_vec3 x = {1, 0, 0}, up = {0, 0, 1}, none = {0, 0, 0}, endless = {(msd_real)INFINITY, 0, 0};
  const struct {
    const msd_vec3 *rest;
    int corners;
    msd_vec3 direction;
  } mistakes[] = {{NULL, 3, x},       {good, 2, x},       {good, 5, x},  {good, 3, none},
                  {good, 4, none},    {good, 3, up},      {line, 3, x},  {line, 4, x},
                  {plane, 4, x},      {point, 3, x},      {point, 4, x}, {nowhere, 3, x},
                  {good, 3, endless}, {good, 4, endless}, {tiny, 3, x},  {tiny, 4, x}};
  for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
    msd_real weights[4] = {1, 2, 3, 4};
    cr_expect_eq(msd_fiber_weights(mistakes[i].rest, mistakes[i].corners, mistakes[i].direction, weights),
                 MSD_BAD_VALUE, "mistake %zu", i);
    cr_expect(weights[0] == 1 && weights[1] == 2 && weights[2] == 3 && weights[3] == 4, "mistake %zu", i);
  }
  cr_expect_eq(msd_fiber_weights(good, 3, x, NULL), MSD_BAD_VALUE);
}
