/* All pairs of triangles and segments that intersect: against every pair of their faces by the theorem of
   separating axes, under what must not matter, and in scenes that are plain to see. */
#include "tests/support/networks.h"
#include "tests/support/scarce_memory.h"
#include "tests/support/separating_axes.h"

#include "engine/intersection/intersections.h"

#include <math.h>

enum { POINTS_MAX = 4000, PIECES_MAX = 8000, FOUND_MAX = 40000 };

/* Triangles and segments between points. */
typedef struct stage {
  msd_real x[POINTS_MAX], y[POINTS_MAX], z[POINTS_MAX];
  int32_t points;
  int32_t triangles[3 * PIECES_MAX], segments[2 * PIECES_MAX];
  int32_t triangle_count, segment_count;
  msd_intersection found[FOUND_MAX];
  int64_t count;
} stage;

static msd_intersection_def def_of(const stage *s) {
  msd_intersection_def def = msd_default_intersection_def();
  def.triangles = s->triangles;
  def.triangle_count = s->triangle_count;
  def.segments = s->segments;
  def.segment_count = s->segment_count;
  return def;
}

static msd_view view_of(const stage *s) {
  return (msd_view){s->x, s->y, s->z, NULL, s->points};
}

/* Where all is in its own slot, by two threads. */
static msd_result find_within(const stage *s, const msd_intersection_def *def, memory *m,
                              msd_intersection *out, int capacity, int64_t *count) {
  const intersection_question question = {view_of(s), def, NULL, 2};
  return intersections_find(&question, m, out, capacity, count);
}

static int64_t find(stage *s) {
  memory m = {.allocator = memory_default_allocator(), .limit = SIZE_MAX};
  const msd_intersection_def def = def_of(s);
  s->count = -1;
  cr_assert_eq(find_within(s, &def, &m, s->found, FOUND_MAX, &s->count), MSD_OK);
  cr_assert_eq(m.used, 0);
  cr_assert(s->count >= 0 && s->count <= FOUND_MAX);
  return s->count;
}

static int32_t add_point(stage *s, double x, double y, double z) {
  cr_assert(s->points < POINTS_MAX);
  s->x[s->points] = (msd_real)x;
  s->y[s->points] = (msd_real)y;
  s->z[s->points] = (msd_real)z;
  return s->points++;
}

static void add_triangle(stage *s, int32_t a, int32_t b, int32_t c) {
  int32_t *t = s->triangles + 3 * (size_t)s->triangle_count++;
  t[0] = a, t[1] = b, t[2] = c;
}

static void add_segment(stage *s, int32_t a, int32_t b) {
  int32_t *t = s->segments + 2 * (size_t)s->segment_count++;
  t[0] = a, t[1] = b;
}

/* A sheet of n x n points. */
static void add_sheet(stage *s, int n, const double origin[3], const double u[3], const double v[3]) {
  const int32_t first = s->points;
  for (int i = 0; i < n * n; i++) {
    const double a = (double)(i % n) / (n - 1), b = (double)(i / n) / (n - 1);
    add_point(s, origin[0] + a * u[0] + b * v[0], origin[1] + a * u[1] + b * v[1],
              origin[2] + a * u[2] + b * v[2]);
  }
  for (int r = 0; r + 1 < n; r++)
    for (int c = 0; c + 1 < n; c++) {
      const int32_t a = first + r * n + c;
      add_triangle(s, a, a + n, a + n + 1);
      add_triangle(s, a, a + n + 1, a + 1);
    }
}

static void random_soup(stage *s, generator *random, int32_t points, int32_t side, int32_t triangles,
                        int32_t segments) {
  *s = (stage){.points = 0};
  for (int32_t i = 0; i < points; i++)
    add_point(s, random_below(random, side), random_below(random, side), random_below(random, side));
  while (s->triangle_count < triangles) {
    const int32_t a = random_below(random, points), b = random_below(random, points),
                  c = random_below(random, points);
    if (a != b && b != c && c != a)
      add_triangle(s, a, b, c);
  }
  while (s->segment_count < segments) {
    const int32_t a = random_below(random, points), b = random_below(random, points);
    if (a != b)
      add_segment(s, a, b);
  }
}

/* ----------------------------------------------------------------------------------- by another theorem */

static const int32_t *corners_of(const stage *s, int32_t i, int *count) {
  *count = i < s->triangle_count ? 3 : 2;
  return i < s->triangle_count ? s->triangles + 3 * (size_t)i
                               : s->segments + 2 * (size_t)(i - s->triangle_count);
}

/* The corners of which `face` has the bits; returns those. */
static int32_t take_face(const stage *s, int32_t piece, unsigned face, lattice_point out[3],
                         int32_t names[3]) {
  int count, taken = 0;
  const int32_t *corner = corners_of(s, piece, &count);
  for (int i = 0; i < count; i++)
    if (face >> i & 1) {
      names[taken] = corner[i];
      out[taken++] =
          (lattice_point){{(int64_t)s->x[corner[i]], (int64_t)s->y[corner[i]], (int64_t)s->z[corner[i]]}};
    }
  return taken;
}

static bool have_a_particle_in_common(const int32_t *a, int32_t a_count, const int32_t *b, int32_t b_count) {
  for (int32_t i = 0; i < a_count; i++)
    for (int32_t j = 0; j < b_count; j++)
      if (a[i] == b[j])
        return true;
  return false;
}

/* As the public header says it: some face of the one and some face of the other share a point and no
   particle. */
static bool should_intersect(const stage *s, int32_t a, int32_t b) {
  for (unsigned f = 1; f < 8; f++)
    for (unsigned g = 1; g < 8; g++) {
      lattice_point one[3], other[3];
      int32_t names[3], other_names[3];
      const int32_t n = take_face(s, a, f, one, names), m = take_face(s, b, g, other, other_names);
      if (n > 0 && m > 0 && !have_a_particle_in_common(names, n, other_names, m) &&
          hulls_share_a_point(one, n, other, m))
        return true;
    }
  return false;
}

static void assert_finds_what_all_pairs_find(stage *s) {
  find(s);
  int64_t at = 0;
  const int32_t count = s->triangle_count + s->segment_count;
  for (int32_t a = 0; a < count; a++)
    for (int32_t b = a + 1; b < count; b++) {
      const bool found = at < s->count && s->found[at].a == a && s->found[at].b == b;
      cr_assert_eq(found, should_intersect(s, a, b), "%d and %d of %d", a, b, count);
      at += found;
    }
  cr_assert_eq(at, s->count, "pairs that are out of order");
}

Test(intersections, are_those_of_all_pairs_in_the_order_of_their_numbers) {
  static stage s;
  generator random = {.state = 1};
  for (int n = 0; n < 60; n++) {
    const int32_t side = 2 + n % 8;
    random_soup(&s, &random, 4 + n, side, 3 + n % 40, n % 30);
    assert_finds_what_all_pairs_find(&s);
  }
}

/* A sheet of whole coordinates whose points are then moved by whole numbers: neighbors share corners and
   edges. */
Test(intersections, of_joined_triangles_are_those_of_faces_without_a_common_particle) {
  static stage s;
  generator random = {.state = 2};
  for (int n = 0; n < 20; n++) {
    s = (stage){.points = 0};
    add_sheet(&s, 6, (double[]){10, 10, 10}, (double[]){15, 0, 0}, (double[]){0, 15, 0});
    for (int32_t i = 0; i < s.points; i++) {
      s.x[i] += (msd_real)random_below(&random, 1 + n / 4);
      s.z[i] += (msd_real)random_below(&random, 1 + n / 4);
    }
    for (int32_t i = 0; i + 1 < s.points; i += 3)
      add_segment(&s, i, i + 1);
    assert_finds_what_all_pairs_find(&s);
  }
}

/* --------------------------------------------------------------------------------- what must not matter */

static int compare_pairs(const void *left, const void *right) {
  const msd_intersection *a = left, *b = right;
  return a->a != b->a ? (a->a < b->a ? -1 : 1) : a->b != b->b ? (a->b < b->b ? -1 : 1) : 0;
}

/* Triangle i of `to` is triangle place[i] of `from`, with its corners turned. */
static void assert_same_but_for_the_order(const stage *from, stage *to, const int32_t *place) {
  static int32_t new_number[PIECES_MAX];
  for (int32_t i = 0; i < from->triangle_count; i++) {
    for (int k = 0; k < 3; k++)
      to->triangles[3 * i + k] = from->triangles[3 * place[i] + (k + i) % 3];
    new_number[place[i]] = i;
  }
  cr_assert_eq(find(to), from->count);
  static msd_intersection expected[FOUND_MAX];
  for (int64_t n = 0; n < from->count; n++) {
    const int32_t a = new_number[from->found[n].a], b = new_number[from->found[n].b];
    expected[n] = (msd_intersection){a < b ? a : b, a < b ? b : a};
  }
  qsort(expected, (size_t)from->count, sizeof *expected, compare_pairs);
  cr_assert_eq(memcmp(expected, to->found, (size_t)from->count * sizeof *expected), 0);
}

Test(intersections, do_not_depend_on_the_order_of_triangles_and_corners) {
  static stage s, other;
  static int32_t place[PIECES_MAX];
  generator random = {.state = 3};
  random_soup(&s, &random, 300, 60, 400, 0);
  cr_assert(find(&s) > 100);
  for (int32_t i = 0; i < s.triangle_count; i++)
    place[i] = i;
  for (int32_t i = s.triangle_count - 1; i > 0; i--) {
    const int32_t j = random_below(&random, i + 1), moved = place[i];
    place[i] = place[j];
    place[j] = moved;
  }
  other = s;
  assert_same_but_for_the_order(&s, &other, place);
}

Test(intersections, are_the_same_in_a_mirror_along_other_axes_and_at_another_scale) {
  static stage s, other;
  generator random = {.state = 4};
  random_soup(&s, &random, 300, 60, 300, 100);
  find(&s);
  cr_assert(s.count > 100);
  const msd_real factors[] = {-1, 1, (msd_real)0x1p-100, (msd_real)0x1p100};
  for (int n = 0; n < 12; n++) {
    other = s;
    const msd_real *const from[] = {s.x, s.y, s.z};
    for (int32_t i = 0; i < s.points; i++) {
      other.x[i] = factors[n % 4] * from[n / 4][i];
      other.y[i] = from[(n / 4 + 1) % 3][i];
      other.z[i] = factors[(n + 2) % 4] * from[(n / 4 + 2) % 3][i];
    }
    cr_assert_eq(find(&other), s.count);
    cr_assert_eq(memcmp(other.found, s.found, (size_t)s.count * sizeof *s.found), 0);
  }
}

Test(intersections, positions_may_stand_in_any_slots) {
  static stage s;
  static msd_real x[POINTS_MAX], y[POINTS_MAX], z[POINTS_MAX];
  static int32_t slot[POINTS_MAX];
  generator random = {.state = 5};
  random_soup(&s, &random, 101, 30, 200, 20);
  find(&s);
  for (int32_t i = 0; i < s.points; i++) {
    slot[i] = 7 * i % s.points;
    x[slot[i]] = s.x[i], y[slot[i]] = s.y[i], z[slot[i]] = s.z[i];
  }
  memory m = {.allocator = memory_default_allocator(), .limit = SIZE_MAX};
  const msd_intersection_def def = def_of(&s);
  static msd_intersection found[FOUND_MAX];
  int64_t count = -1;
  const intersection_question question = {(msd_view){x, y, z, slot, s.points}, &def, NULL, 1};
  cr_assert_eq(intersections_find(&question, &m, found, FOUND_MAX, &count), MSD_OK);
  cr_assert_eq(count, s.count);
  cr_assert_eq(memcmp(found, s.found, (size_t)count * sizeof *found), 0);
}

Test(intersections, beyond_the_capacity_are_counted) {
  static stage s;
  generator random = {.state = 6};
  random_soup(&s, &random, 50, 20, 60, 10);
  cr_assert(find(&s) > 20);
  const msd_intersection_def def = def_of(&s);
  memory m = {.allocator = memory_default_allocator(), .limit = SIZE_MAX};
  int64_t count = -1;
  cr_expect_eq(find_within(&s, &def, &m, NULL, 0, &count), MSD_OK);
  cr_expect_eq(count, s.count);
  msd_intersection some[8];
  some[7] = (msd_intersection){-7, -7};
  cr_expect_eq(find_within(&s, &def, &m, some, 7, &count), MSD_OK);
  cr_expect_eq(count, s.count);
  cr_expect_eq(memcmp(some, s.found, 7 * sizeof *some), 0);
  cr_expect_eq(some[7].a, -7);
}

/* Whether so many threads find the same, and write no more than there is room for. */
static void assert_found_by(const stage *s, int threads, int capacity) {
  static msd_intersection found[FOUND_MAX + 1];
  const msd_intersection_def def = def_of(s);
  const size_t room = (size_t)capacity, kept = room < (size_t)s->count ? room : (size_t)s->count;
  memory m = {.allocator = memory_default_allocator(), .limit = SIZE_MAX};
  const intersection_question question = {view_of(s), &def, NULL, threads};
  int64_t count = -1;
  found[kept] = (msd_intersection){-7, -7};
  cr_assert_eq(intersections_find(&question, &m, found, capacity, &count), MSD_OK);
  cr_assert_eq(m.used, 0);
  cr_assert_eq(count, s->count, "%d threads", threads);
  cr_assert_eq(memcmp(found, s->found, kept * sizeof *found), 0, "%d of %d by %d threads", (int)kept,
               (int)count, threads);
  cr_assert_eq(found[kept].a, -7, "%d threads", threads);
}

Test(intersections, are_the_same_by_any_number_of_threads_in_any_room) {
  static stage s;
  generator random = {.state = 8};
  random_soup(&s, &random, 900, 200, 250, 350);
  cr_assert(find(&s) > 100);
  const int rooms[] = {0, 1, 7, (int)s.count / 2, (int)s.count - 1, (int)s.count, FOUND_MAX};
  for (int threads = 1; threads <= 16; threads = 2 * threads + 1)
    for (size_t n = 0; n < sizeof rooms / sizeof *rooms; n++)
      assert_found_by(&s, threads, rooms[n]);
}

Test(intersections, without_memory_write_and_keep_nothing) {
  static stage s;
  generator random = {.state = 9};
  random_soup(&s, &random, 900, 200, 250, 350);
  const msd_intersection_def def = def_of(&s);
  for (int threads = 1; threads <= 3; threads += 2) {
    const intersection_question question = {view_of(&s), &def, NULL, threads};
    msd_result result = MSD_OUT_OF_MEMORY;
    int requests = 0;
    for (; result == MSD_OUT_OF_MEMORY; requests++) {
      scarce of = {.left = requests};
      const msd_allocator allocator = scarce_allocator(&of);
      memory m = {.allocator = allocator, .limit = SIZE_MAX};
      int64_t count = -5;
      result = intersections_find(&question, &m, NULL, 0, &count);
      cr_assert(result == MSD_OK || (result == MSD_OUT_OF_MEMORY && count == -5));
      cr_assert(of.in_use == 0 && m.used == 0);
    }
    cr_expect_gt(requests, 3 + 2 * threads);
  }
}

/* ----------------------------------------------------------------------------------------- plain to see */

Test(intersections, a_sheet_does_not_intersect_itself_flat_slanting_or_folded) {
  static stage s;
  const double slants[][3] = {{0, 0, 1}, {0, 0.3, 0.7}, {0.1, 0.2, 0.9}};
  for (int n = 0; n < 3; n++) {
    s = (stage){.points = 0};
    add_sheet(&s, 20, (double[]){0.1, 0.2, 0.3}, (double[]){1, 0, 0}, slants[n]);
    cr_expect_eq(find(&s), 0);
    for (int32_t i = 0; i < s.points; i++)
      s.y[i] += (msd_real)(i % 20 % 2 * 0.5);
    cr_expect_eq(find(&s), 0);
  }
}

/* Triangles around a corner, of so many degrees each from one to the next. */
static void add_fan(stage *s, int count, double angle, double rise) {
  const int32_t middle = add_point(s, 0, 0, 0);
  for (int n = 0; n < count; n++)
    add_point(s, cos(n * angle), sin(n * angle), n * rise);
  for (int n = 0; n < count; n++)
    add_triangle(s, middle, middle + 1 + n, middle + 1 + (n + 1) % count);
}

Test(intersections, triangles_around_a_corner_meet_where_they_go_around_it_twice_or_fold_back) {
  static stage s;
  const double round = 2 * acos(-1);
  s = (stage){.points = 0};
  add_fan(&s, 7, round / 7, 0.01);
  cr_expect_eq(find(&s), 0);
  s = (stage){.points = 0};
  add_fan(&s, 7, 2 * round / 7, 0);
  cr_expect_gt(find(&s), 6, "twice around");
  s = (stage){.points = 0};
  add_fan(&s, 6, round / 6, 0);
  s.x[2] = (msd_real)cos(2.5 * round / 6), s.y[2] = (msd_real)sin(2.5 * round / 6);
  cr_expect_gt(find(&s), 0, "folded back");
}

/* A sheet folded flat: what lies on what is found, of two triangles with a common edge too. */
Test(intersections, a_sheet_folded_onto_itself_is_seen) {
  static stage s;
  s = (stage){.points = 0};
  const int32_t a = add_point(&s, 0, 0, 0), b = add_point(&s, 1, 0, 0);
  const int32_t c = add_point(&s, 0, 1, 0), d = add_point(&s, 1, 1, 0);
  add_triangle(&s, a, b, c);
  add_triangle(&s, b, a, d);
  cr_expect_eq(find(&s), 1);
  s.z[d] = (msd_real)1e-30;
  cr_expect_eq(find(&s), 0);
}

/* A vertical sheet through the cells of a level one: no point of the one is in a plane of the other, so each
   of its cut triangles crosses some of the other's. */
Test(intersections, a_sheet_pushed_through_another_is_seen_and_one_just_above_is_not) {
  static stage s;
  const double up[] = {0, 1, 0}, side[] = {1, 0, 0}, depth[] = {0, 0, 1};
  s = (stage){.points = 0};
  add_sheet(&s, 11, (double[]){0, 0, 0}, side, depth);
  const int32_t level = s.triangle_count;
  add_sheet(&s, 11, (double[]){0, -0.55, 0.53}, side, up);
  cr_expect(find(&s) > 20);
  for (int64_t n = 0; n < s.count; n++)
    cr_expect(s.found[n].a < level && s.found[n].b >= level);

  s.points -= 11 * 11;
  s.triangle_count = level;
  add_sheet(&s, 11, (double[]){0, 0, 0.53}, side, up);
  cr_expect(find(&s) > 0, "a sheet that stands on another touches it");
  for (int32_t i = 11 * 11; i < s.points; i++)
    s.y[i] = s.y[i] > 0 ? s.y[i] : nextafterf(0, 1);
  cr_expect_eq(find(&s), 0, "one above it by the smallest number does not");
}

/* Two sheets in one plane: each triangle has its twin, and those that touch it. */
Test(intersections, two_sheets_in_one_plane_are_seen) {
  static stage s;
  const double u[] = {16, 0, 0}, v[] = {0, 0, 16};
  s = (stage){.points = 0};
  add_sheet(&s, 9, (double[]){0, 0, 0}, u, v);
  add_sheet(&s, 9, (double[]){0, 0, 0}, u, v);
  cr_expect(find(&s) > s.triangle_count / 2);
  int twins = 0;
  for (int64_t n = 0; n < s.count; n++)
    twins += s.found[n].b == s.found[n].a + s.triangle_count / 2;
  cr_expect_eq(twins, s.triangle_count / 2);
}

Test(intersections, of_ropes_with_triangles_and_with_ropes_in_one_point_are_seen) {
  static stage s;
  s = (stage){.points = 0};
  for (int i = 0; i < 10; i++)
    add_point(&s, i, 0, 0);
  for (int i = 0; i < 9; i++)
    add_segment(&s, i, i + 1);
  cr_expect_eq(find(&s), 0, "a straight rope does not intersect itself");
  const int32_t low = add_point(&s, 4.5, -1, 0), high = add_point(&s, 4.5, 1, 0);
  add_segment(&s, low, high);
  cr_expect_eq(find(&s), 1, "ropes that cross in a point");
  s.z[low] = (msd_real)1e-6;
  cr_expect_eq(find(&s), 0, "ropes that pass each other");
  const int32_t a = add_point(&s, 2.5, -1, -1), b = add_point(&s, 2.5, -1, 2), c = add_point(&s, 2.5, 2, -1);
  add_triangle(&s, a, b, c);
  cr_expect_eq(find(&s), 1);
  cr_expect(s.found[0].a == 0 && s.found[0].b == 1 + 2, "the third segment goes through the triangle");
}

/* A tetrahedron is joined everywhere, and one wholly inside of it touches nothing. */
Test(intersections, what_is_inside_of_a_closed_surface_does_not_intersect_it) {
  static stage s;
  s = (stage){.points = 0};
  for (int n = 0; n < 2; n++) {
    const double size = n == 0 ? 10 : 1, at = n == 0 ? 0 : 1;
    const int32_t first = add_point(&s, at, at, at);
    add_point(&s, at + size, at, at);
    add_point(&s, at, at + size, at);
    add_point(&s, at, at, at + size);
    add_triangle(&s, first, first + 2, first + 1);
    add_triangle(&s, first, first + 1, first + 3);
    add_triangle(&s, first + 1, first + 2, first + 3);
    add_triangle(&s, first + 2, first, first + 3);
  }
  cr_expect_eq(find(&s), 0);
  s.x[5] = 20;
  cr_expect(find(&s) > 0);
}

/* ----------------------------------------------------------------------------------------------- misuse */

static msd_result refusal(const stage *s, const msd_intersection_def *def) {
  memory m = {.allocator = memory_default_allocator(), .limit = SIZE_MAX};
  int64_t count = -5;
  const msd_result result = find_within(s, def, &m, NULL, 0, &count);
  cr_expect_eq(m.used, 0);
  cr_expect(result == MSD_OK || count == -5, "a refused call writes nothing");
  return result;
}

Test(intersections, of_wrong_lists_and_of_no_numbers_are_refused) {
  static stage s;
  generator random = {.state = 7};
  random_soup(&s, &random, 10, 5, 5, 5);
  msd_intersection_def def = def_of(&s);
  cr_expect_eq(refusal(&s, &def), MSD_OK);
  def.triangle_count = -1;
  cr_expect_eq(refusal(&s, &def), MSD_BAD_VALUE);
  def.triangle_count = INT32_MAX;
  cr_expect_eq(refusal(&s, &def), MSD_TOO_LARGE);
  def = def_of(&s);
  def.segments = NULL;
  cr_expect_eq(refusal(&s, &def), MSD_BAD_VALUE);
  const int32_t wrong[][3] = {{0, 1, 10}, {-1, 0, 1}, {0, 1, 0}, {3, 3, 1}};
  for (int n = 0; n < 4; n++) {
    def = def_of(&s);
    def.triangles = wrong[n];
    def.triangle_count = 1;
    cr_expect_eq(refusal(&s, &def), n < 2 ? MSD_BAD_INDEX : MSD_BAD_VALUE);
  }
  def = def_of(&s);
  const msd_real bad[] = {(msd_real)NAN, (msd_real)INFINITY};
  for (int n = 0; n < 2; n++) {
    s.y[s.segments[1]] = bad[n];
    cr_expect_eq(refusal(&s, &def), MSD_BAD_VALUE);
  }
  def = msd_default_intersection_def();
  cr_expect_eq(refusal(&s, &def), MSD_OK, "nothing does not intersect");
}
