/* Whether points, segments and triangles meet: against the theorem of separating axes, and in cases that are
   plain to see. */
#include "tests/support/networks.h"
#include "tests/support/separating_axes.h"

#include "engine/intersection/hull.h"

#include <math.h>

typedef struct lattice_hull {
  lattice_point corner[HULL_CORNERS_MAX];
  int count;
} lattice_hull;

static lattice_hull random_hull(generator *random, int count, int32_t side) {
  lattice_hull h = {.count = count};
  for (int i = 0; i < count; i++)
    for (int k = 0; k < 3; k++)
      h.corner[i].at[k] = random_below(random, side);
  return h;
}

static bool meet(const lattice_hull *a, const lattice_hull *b) {
  point points[2][HULL_CORNERS_MAX];
  hull hulls[2] = {{.count = a->count}, {.count = b->count}};
  const lattice_hull *const both[] = {a, b};
  for (int h = 0; h < 2; h++)
    for (int i = 0; i < both[h]->count; i++) {
      for (int k = 0; k < 3; k++)
        points[h][i].at[k] = (double)both[h]->corner[i].at[k];
      hulls[h].corner[i] = &points[h][i];
    }
  const bool answer = hulls_meet(&hulls[0], &hulls[1]);
  cr_assert_eq(hulls_meet(&hulls[1], &hulls[0]), answer);
  return answer;
}

/* In small cubes nearly all that can degenerate does: points in one place, flat triangles, planes and lines
   shared. */
static void assert_agrees(int a_count, int b_count) {
  generator random = {.state = (uint64_t)(3 * a_count + b_count)};
  const int32_t sides[] = {2, 3, 4, 7, 40};
  int met[5] = {0};
  for (int n = 0; n < 60000; n++) {
    const lattice_hull a = random_hull(&random, a_count, sides[n % 5]),
                       b = random_hull(&random, b_count, sides[n % 5]);
    const bool expected = hulls_share_a_point(a.corner, a.count, b.corner, b.count);
    cr_assert_eq(meet(&a, &b), expected, "%d and %d corners, try %d", a_count, b_count, n);
    met[n % 5] += expected;
  }
  cr_expect(met[0] > 100 && met[0] < 12000);
}

Test(hull, points_segments_and_triangles_meet_as_no_axis_separates_them) {
  for (int a = 1; a <= HULL_CORNERS_MAX; a++)
    for (int b = 1; b <= a; b++)
      assert_agrees(a, b);
}

/* All in one plane that is not one of the axes'. */
Test(hull, what_is_in_a_slanting_plane_meets_as_no_axis_separates_it) {
  generator random = {.state = 9};
  for (int n = 0; n < 60000; n++) {
    lattice_hull a = random_hull(&random, 1 + n % 3, 5), b = random_hull(&random, 1 + n / 3 % 3, 5);
    for (int i = 0; i < 3; i++) {
      a.corner[i].at[2] = 2 * a.corner[i].at[0] - 3 * a.corner[i].at[1];
      b.corner[i].at[2] = 2 * b.corner[i].at[0] - 3 * b.corner[i].at[1];
    }
    cr_assert_eq(meet(&a, &b), hulls_share_a_point(a.corner, a.count, b.corner, b.count), "try %d", n);
  }
}

static point random_point(generator *random) {
  point p;
  for (int k = 0; k < 3; k++)
    p.at[k] = (double)random_below(random, 1 << 24);
  return p;
}

/* a + share (b - a), which has no rounding here. */
static point point_between(const point *a, const point *b, double share) {
  point p;
  for (int k = 0; k < 3; k++)
    p.at[k] = a->at[k] + share * (b->at[k] - a->at[k]);
  return p;
}

/* A segment in the plane of a triangle leads away from a side, or from just outside of it: in numbers
   whose products are rounded. */
Test(hull, what_touches_a_side_in_its_plane_meets_it_though_products_are_rounded) {
  generator random = {.state = 11};
  for (int n = 0; n < 20000; n++) {
    const point a = random_point(&random), b = random_point(&random), c = random_point(&random);
    const point on_it = point_between(&a, &b, 0.75), away = point_between(&c, &on_it, 2),
                outside = point_between(&on_it, &away, 0x1p-20);
    const hull triangle = {{&a, &b, &c}, 3}, touching = {{&on_it, &away}, 2}, apart = {{&outside, &away}, 2},
               place = {{&on_it}, 1}, side = {{&a, &b}, 2};
    cr_assert(hulls_meet(&triangle, &touching), "try %d", n);
    cr_assert(hulls_meet(&touching, &side), "try %d", n);
    cr_assert(hulls_meet(&place, &triangle), "try %d", n);
    cr_assert_not(hulls_meet(&apart, &triangle), "try %d", n);
    cr_assert_not(hulls_meet(&side, &apart), "try %d", n);
  }
}

static const point LEFT = {{0, 0, 0}}, RIGHT = {{1, 0, 0}}, BACK = {{0, 1, 0}};

static bool segment_meets_triangle(point from, point to) {
  const hull triangle = {{&LEFT, &RIGHT, &BACK}, 3}, segment = {{&from, &to}, 2};
  return hulls_meet(&segment, &triangle);
}

Test(hull, touching_is_meeting_and_the_next_number_is_not) {
  const double above = nextafter(0, 1);
  cr_expect(segment_meets_triangle((point){{0.25, 0.25, 1}}, (point){{0.25, 0.25, 0}}));
  cr_expect_not(segment_meets_triangle((point){{0.25, 0.25, 1}}, (point){{0.25, 0.25, above}}));
  cr_expect(segment_meets_triangle((point){{0.5, 0.5, 1}}, (point){{0.5, 0.5, -1}}));
  cr_expect_not(
      segment_meets_triangle((point){{0.5, nextafter(0.5, 1), 1}}, (point){{0.5, nextafter(0.5, 1), -1}}));
  cr_expect(segment_meets_triangle((point){{-1, 0, 0}}, (point){{0, 0, 0}}));
  cr_expect_not(segment_meets_triangle((point){{-1, 0, 0}}, (point){{-above, 0, 0}}));
  cr_expect(segment_meets_triangle((point){{0, 0, 1}}, (point){{0, 0, -1}}));
  cr_expect_not(segment_meets_triangle((point){{-above, 0, 1}}, (point){{-above, 0, -1}}));
}

/* The cross product of such edges is below the smallest number. */
Test(hull, triangles_too_small_or_too_large_for_a_product_meet_too) {
  const double sizes[] = {0x1p-1070, 0x1p1020};
  for (int n = 0; n < 2; n++) {
    const double s = sizes[n];
    const point a = {{0, 0, 0}}, b = {{4 * s, 0, 0}}, c = {{0, 4 * s, 0}}, below = {{s, s, -s}},
                above = {{s, s, s}}, beside = {{3 * s, 3 * s, s}}, under = {{3 * s, 3 * s, -s}};
    const hull triangle = {{&a, &b, &c}, 3}, through = {{&below, &above}, 2}, past = {{&under, &beside}, 2};
    cr_expect(hulls_meet(&triangle, &through));
    cr_expect_not(hulls_meet(&triangle, &past));
  }
}
