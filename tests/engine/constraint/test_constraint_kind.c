/* The kinds of constraints: values against geometry, gradients against differences, and every way through the
   same text against every other. */
#define SIMD_BYTES 16
#include "engine/constraint/shapes.h"

#include <criterion/criterion.h>
#include <float.h>

enum { CORNERS = 4, KINDS = MSD_CONSTRAINT_MESH_VOLUME, SHAPES = 500 };

static const double PI = 3.14159265358979323846;
static const double EPSILON = sizeof(msd_real) == sizeof(double) ? DBL_EPSILON : FLT_EPSILON;
static const int DIMENSION[KINDS] = {0, 0, 2, 3, 1}; /* of the value in lengths */
/* Of a fiber; each is an msd_real. */
static const double WEIGHTS[CORNERS] = {-0.75, 1.25, -0.875, 0.375};
static const msd_real REAL_WEIGHTS[CORNERS] = {(msd_real)-0.75, (msd_real)1.25, (msd_real)-0.875,
                                               (msd_real)0.375};

typedef struct placing {
  double3 x[CORNERS];
} placing;

typedef struct real_placing {
  msd_vec3 x[CORNERS];
} real_placing;

static double random_number(uint64_t *state) {
  *state ^= *state << 13;
  *state ^= *state >> 7;
  *state ^= *state << 17;
  return (double)(*state >> 11) * 0x1p-53;
}

static double3 difference(double3 a, double3 b) {
  return (double3){a.x - b.x, a.y - b.y, a.z - b.z};
}

static double dot(double3 a, double3 b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}

static double3 cross(double3 a, double3 b) {
  return (double3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static double length(double3 a) {
  return sqrt(dot(a, a));
}

static double *coordinate(placing *p, int corner, int axis) {
  double3 *x = &p->x[corner];
  return axis == 0 ? &x->x : axis == 1 ? &x->y : &x->z;
}

static double component(double3 a, int axis) {
  return axis == 0 ? a.x : axis == 1 ? a.y : a.z;
}

static double sine_at(const placing *p, int corner, int one, int other) {
  const double3 a = difference(p->x[one], p->x[corner]), b = difference(p->x[other], p->x[corner]);
  return length(cross(a, b)) / (length(a) * length(b));
}

/* Corners in the cube from -1 to 1, no three of them nearly in line. */
static placing random_placing(uint64_t *state) {
  placing p;
  double smallest;
  do {
    for (int corner = 0; corner < CORNERS; corner++)
      for (int axis = 0; axis < 3; axis++)
        *coordinate(&p, corner, axis) = 2 * random_number(state) - 1;
    smallest = 1;
    for (int a = 0; a < CORNERS; a++)
      for (int b = 0; b < CORNERS; b++)
        for (int c = b + 1; c < CORNERS; c++)
          if (a != b && a != c)
            smallest = fmin(smallest, sine_at(&p, a, b, c));
  } while (smallest < 0.15);
  return p;
}

static real_placing rounded(const placing *p) {
  real_placing r;
  for (int i = 0; i < CORNERS; i++)
    r.x[i] = (msd_vec3){(msd_real)p->x[i].x, (msd_real)p->x[i].y, (msd_real)p->x[i].z};
  return r;
}

static double value_at(const constraint_kind *kind, const placing *p) {
  double3 unused[CORNERS];
  return kind->shape_double(p->x, WEIGHTS, unused);
}

static double largest_gradient(const constraint_kind *kind, const double3 *g) {
  double most = 0;
  for (int i = 0; i < kind->corners; i++)
    most = fmax(most, length(g[i]));
  return most;
}

/* ----------------------------------------------------------------------------------------------- the table */

Test(constraint_kind, names_and_corner_counts_are_those_of_the_public_header) {
  const char *names[] = {"angle", "dihedral", "area", "volume", "fiber", "mesh_volume"};
  const int corners[] = {3, 4, 3, 4, 4, 0};
  for (int k = 0; k < MSD_CONSTRAINT_KIND_COUNT; k++) {
    cr_assert_str_eq(msd_constraint_kind_name((msd_constraint_kind)k), names[k]);
    cr_assert_eq(msd_constraint_kind_particles((msd_constraint_kind)k), corners[k]);
    cr_assert_not_null(constraint_kind_get((msd_constraint_kind)k));
  }
}

Test(constraint_kind, a_number_that_is_no_kind_has_no_name_and_no_corners) {
  const int numbers[] = {-1, MSD_CONSTRAINT_KIND_COUNT, 1000000};
  for (int i = 0; i < 3; i++) {
    const msd_constraint_kind none = (msd_constraint_kind)numbers[i];
    cr_assert_null(constraint_kind_get(none));
    cr_assert_null(msd_constraint_kind_name(none));
    cr_assert_eq(msd_constraint_kind_particles(none), 0);
  }
}

/* -------------------------------------------------------------------------------------------------- values */

static double value_of(msd_constraint_kind kind, double3 a, double3 b, double3 c, double3 d) {
  return value_at(constraint_kind_get(kind), &(placing){{a, b, c, d}});
}

Test(constraint_kind, the_angle_is_that_of_the_legs) {
  const double3 none = {0, 0, 0};
  for (int degrees = 0; degrees <= 180; degrees++) {
    const double turn = degrees * PI / 180;
    const double3 end = {1 + 3 * cos(turn), 2, 3 + 3 * sin(turn)};
    const double angle = value_of(MSD_CONSTRAINT_ANGLE, (double3){6, 2, 3}, (double3){1, 2, 3}, end, none);
    cr_assert_float_eq(angle, turn, 1e-14, "%d degrees: %.17g", degrees, angle);
  }
}

/* The edge along x, the first triangle in the plane with its normal along z. */
static double dihedral_of(double turn) {
  return value_of(MSD_CONSTRAINT_DIHEDRAL, (double3){0, 0, 0}, (double3){2, 0, 0}, (double3){0.5, 1, 0},
                  (double3){3, -1.5 * cos(turn), 1.5 * sin(turn)});
}

Test(constraint_kind, the_dihedral_is_the_turn_of_the_second_triangle_to_the_normal_of_the_first) {
  for (int degrees = -179; degrees <= 180; degrees++)
    cr_assert_float_eq(dihedral_of(degrees * PI / 180), degrees * PI / 180, 1e-14, "%d degrees", degrees);
}

Test(constraint_kind, the_dihedral_is_the_same_from_either_triangle) {
  uint64_t state = 3;
  for (int i = 0; i < SHAPES; i++) {
    const placing p = random_placing(&state);
    const double one = value_of(MSD_CONSTRAINT_DIHEDRAL, p.x[0], p.x[1], p.x[2], p.x[3]);
    const double other = value_of(MSD_CONSTRAINT_DIHEDRAL, p.x[1], p.x[0], p.x[3], p.x[2]);
    cr_assert_float_eq(one, other, 1e-13);
  }
}

Test(constraint_kind, areas_and_volumes_are_those_of_the_box_they_are_cut_from) {
  const double3 o = {-1, 5, 2}, x = {2, 5, 2}, y = {-1, 9, 2}, z = {-1, 5, 4};
  cr_assert_float_eq(value_of(MSD_CONSTRAINT_AREA, o, x, y, z), 6, 1e-14);
  cr_assert_float_eq(value_of(MSD_CONSTRAINT_AREA, o, y, x, z), 6, 1e-14);
  cr_assert_float_eq(value_of(MSD_CONSTRAINT_VOLUME, o, x, y, z), 4, 1e-14);
  cr_assert_float_eq(value_of(MSD_CONSTRAINT_VOLUME, o, y, x, z), -4, 1e-14);
}

Test(constraint_kind, the_volume_is_a_third_of_area_times_height) {
  uint64_t state = 4;
  for (int i = 0; i < SHAPES; i++) {
    const placing p = random_placing(&state);
    const double3 n = cross(difference(p.x[1], p.x[0]), difference(p.x[2], p.x[0]));
    const double height = dot(n, difference(p.x[3], p.x[0])) / length(n);
    const double area = value_of(MSD_CONSTRAINT_AREA, p.x[0], p.x[1], p.x[2], p.x[3]);
    cr_assert_float_eq(value_of(MSD_CONSTRAINT_VOLUME, p.x[0], p.x[1], p.x[2], p.x[3]), area * height / 3,
                       1e-14);
  }
}

/* ----------------------------------------------------------------------------------------------- gradients */

static double change(const constraint_kind *kind, placing p, int corner, int axis, double step) {
  const double at = *coordinate(&p, corner, axis);
  *coordinate(&p, corner, axis) = at + step;
  const double after = value_at(kind, &p);
  *coordinate(&p, corner, axis) = at - step;
  return constraint_error_double(kind, after, value_at(kind, &p)) / (2 * step);
}

/* Central differences of two steps, of which the error of second order goes out. */
static double derivative(const constraint_kind *kind, const placing *p, int corner, int axis) {
  const double step = 0x1p-11;
  return (4 * change(kind, *p, corner, axis, step / 2) - change(kind, *p, corner, axis, step)) / 3;
}

static void assert_gradients(const constraint_kind *kind, const placing *p) {
  double3 g[CORNERS];
  kind->shape_double(p->x, WEIGHTS, g);
  const double most = largest_gradient(kind, g);
  for (int corner = 0; corner < kind->corners; corner++)
    for (int axis = 0; axis < 3; axis++) {
      const double expected = derivative(kind, p, corner, axis);
      cr_assert_float_eq(component(g[corner], axis), expected, 1e-8 * most,
                         "%s, corner %d axis %d: %.12g, by differences %.12g", kind->name, corner, axis,
                         component(g[corner], axis), expected);
    }
}

Test(constraint_kind, gradients_are_the_derivatives_of_the_value) {
  uint64_t state = 5;
  for (int k = 0; k < KINDS; k++)
    for (int i = 0; i < SHAPES; i++) {
      const placing p = random_placing(&state);
      assert_gradients(constraint_kind_get((msd_constraint_kind)k), &p);
    }
}

Test(constraint_kind, gradients_have_no_sum_and_no_torque) {
  uint64_t state = 6;
  for (int k = 0; k < KINDS; k++)
    for (int i = 0; i < SHAPES; i++) {
      const constraint_kind *kind = constraint_kind_get((msd_constraint_kind)k);
      const placing p = random_placing(&state);
      double3 g[CORNERS], sum = {0, 0, 0}, torque = {0, 0, 0};
      kind->shape_double(p.x, WEIGHTS, g);
      for (int j = 0; j < kind->corners; j++) {
        const double3 t = cross(p.x[j], g[j]);
        sum = (double3){sum.x + g[j].x, sum.y + g[j].y, sum.z + g[j].z};
        torque = (double3){torque.x + t.x, torque.y + t.y, torque.z + t.z};
      }
      const double most = largest_gradient(kind, g);
      cr_assert_lt(length(sum), 1e-14 * most, "%s: %g of %g", kind->name, length(sum), most);
      cr_assert_lt(length(torque), 1e-13 * most, "%s: %g of %g", kind->name, length(torque), most);
    }
}

/* About an axis through the origin, by Rodrigues' formula, then shifted. */
static double3 moved(double3 v, double3 axis, double turn, double3 shift) {
  const double3 c = cross(axis, v);
  const double along = dot(axis, v) * (1 - cos(turn));
  return (double3){v.x * cos(turn) + c.x * sin(turn) + axis.x * along + shift.x,
                   v.y * cos(turn) + c.y * sin(turn) + axis.y * along + shift.y,
                   v.z * cos(turn) + c.z * sin(turn) + axis.z * along + shift.z};
}

Test(constraint_kind, rigid_motions_leave_the_value_and_turn_the_gradients) {
  uint64_t state = 7;
  const double3 none = {0, 0, 0}, shift = {10, -20, 5};
  for (int k = 0; k < KINDS; k++)
    for (int i = 0; i < SHAPES; i++) {
      const constraint_kind *kind = constraint_kind_get((msd_constraint_kind)k);
      const placing p = random_placing(&state);
      const double turn = 2 * PI * random_number(&state);
      const double3 axis = {p.x[0].x / length(p.x[0]), p.x[0].y / length(p.x[0]), p.x[0].z / length(p.x[0])};
      placing q;
      for (int j = 0; j < CORNERS; j++)
        q.x[j] = moved(p.x[j], axis, turn, shift);
      double3 g[CORNERS], h[CORNERS];
      const double before = kind->shape_double(p.x, WEIGHTS, g), after = kind->shape_double(q.x, WEIGHTS, h);
      cr_assert_float_eq(after, before, 1e-12, "%s: %.17g, then %.17g", kind->name, before, after);
      for (int j = 0; j < kind->corners; j++)
        cr_assert_lt(length(difference(moved(g[j], axis, turn, none), h[j])),
                     1e-12 * largest_gradient(kind, g), "%s, corner %d", kind->name, j);
    }
}

/* ------------------------------------------------------------------------------------------------- extremes */

static bool is_finite3(msd_vec3 a) {
  return isfinite(a.x) && isfinite(a.y) && isfinite(a.z);
}

/* In both precisions. Returns the size of the largest gradient in msd_real. */
static double assert_finite(const constraint_kind *kind, const placing *p, const char *what) {
  double3 g[CORNERS];
  cr_assert(isfinite(kind->shape_double(p->x, WEIGHTS, g)), "%s of %s", kind->name, what);
  cr_assert(isfinite(largest_gradient(kind, g)), "%s of %s", kind->name, what);
  const real_placing r = rounded(p);
  msd_vec3 h[CORNERS];
  cr_assert(isfinite(kind->shape_real(r.x, REAL_WEIGHTS, h)), "%s of %s, msd_real", kind->name, what);
  double most = largest_gradient(kind, g);
  for (int j = 0; j < kind->corners; j++) {
    cr_assert(is_finite3(h[j]), "%s of %s, msd_real, corner %d", kind->name, what, j);
    const double3 wide = {(double)h[j].x, (double)h[j].y, (double)h[j].z};
    most = fmax(most, length(wide));
  }
  return most;
}

typedef struct named_placing {
  const char *name;
  placing p;
} named_placing;

static const named_placing DEGENERATE[] = {
    {"four corners in one place", {{{1, 2, 3}, {1, 2, 3}, {1, 2, 3}, {1, 2, 3}}}},
    {"four corners in line", {{{0.1, 0.2, 0.3}, {0.2, 0.4, 0.6}, {0.3, 0.6, 0.9}, {0.7, 1.4, 2.1}}}},
    {"corners in line beyond the edge", {{{0, 0, 0}, {1, 0, 0}, {3, 0, 0}, {-5, 0, 0}}}},
    {"all but one in one place", {{{1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {4, 5, 6}}}},
    {"two places", {{{0, 0, 0}, {1, 0, 0}, {0, 0, 0}, {1, 0, 0}}}}};
enum { DEGENERATE_COUNT = sizeof DEGENERATE / sizeof DEGENERATE[0] };

/* A fiber has a direction in all of them but the first, where it has no length. */
Test(constraint_kind, shapes_without_a_direction_have_finite_values_and_no_gradient) {
  for (int k = 0; k < KINDS; k++)
    for (int i = 0; i < (k == MSD_CONSTRAINT_FIBER ? 1 : DEGENERATE_COUNT); i++) {
      const constraint_kind *kind = constraint_kind_get((msd_constraint_kind)k);
      const double most = assert_finite(kind, &DEGENERATE[i].p, DEGENERATE[i].name);
      cr_assert_lt(most, k == MSD_CONSTRAINT_VOLUME ? 4 * EPSILON : 1e-300, "%s of %s: %g", kind->name,
                   DEGENERATE[i].name, most);
    }
}

Test(constraint_kind, a_dihedral_with_one_triangle_in_line_has_no_gradient_at_any_corner) {
  const constraint_kind *kind = constraint_kind_get(MSD_CONSTRAINT_DIHEDRAL);
  const placing folds[] = {{{{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {0.5, 1, 0}}},
                           {{{0, 0, 0}, {1, 0, 0}, {0.5, 1, 0}, {0.25, 0, 0}}},
                           {{{1, 1, 1}, {1, 1, 1}, {0, 1, 0}, {0.25, 0, 0}}},
                           {{{0, 0, 0}, {1, 0, 0}, {0, 0, 0}, {0.5, 0, 1}}},
                           {{{0, 0, 0}, {0.1, 0.2, 0.3}, {0.7, 1.4, 2.1}, {0.5, 0, 1}}},
                           {{{0, 0, 0}, {0.1, 0.2, 0.3}, {0.5, 0, 1}, {0.7, 1.4, 2.1}}}};
  for (int i = 0; i < 6; i++)
    cr_assert_eq(assert_finite(kind, &folds[i], "a triangle without area"), 0, "fold %d", i);
}

Test(constraint_kind, a_flat_tetrahedron_is_pushed_apart_and_an_inverted_one_has_negative_volume) {
  const constraint_kind *kind = constraint_kind_get(MSD_CONSTRAINT_VOLUME);
  placing p = {{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0.25, 0.25, 0}}};
  double3 g[CORNERS];
  cr_assert_eq(kind->shape_double(p.x, WEIGHTS, g), 0);
  cr_assert_float_eq(g[3].z, 1.0 / 6, 1e-16);
  assert_gradients(kind, &p);
  p.x[3].z = -1;
  cr_assert_float_eq(kind->shape_double(p.x, WEIGHTS, g), -1.0 / 6, 1e-16);
  assert_gradients(kind, &p);
}

/* With shapes of the given size the value and the gradients scale as their dimensions say. */
static void assert_scales(msd_constraint_kind k, double size, bool real) {
  const constraint_kind *kind = constraint_kind_get(k);
  uint64_t state = 8;
  for (int i = 0; i < 50; i++) {
    const placing p = random_placing(&state);
    placing large;
    for (int j = 0; j < CORNERS; j++)
      large.x[j] = (double3){size * p.x[j].x, size * p.x[j].y, size * p.x[j].z};
    double3 g[CORNERS], h[CORNERS];
    const double value = kind->shape_double(p.x, WEIGHTS, g) * pow(size, DIMENSION[k]);
    double scaled;
    if (real) {
      const real_placing r = rounded(&large);
      msd_vec3 narrow[CORNERS];
      scaled = (double)kind->shape_real(r.x, REAL_WEIGHTS, narrow);
      for (int j = 0; j < kind->corners; j++)
        h[j] = (double3){(double)narrow[j].x, (double)narrow[j].y, (double)narrow[j].z};
    } else
      scaled = kind->shape_double(large.x, WEIGHTS, h);
    const double tolerance = real ? 400 * EPSILON : 1e-12;
    const double unit = pow(size, DIMENSION[k]), gradient_unit = pow(size, DIMENSION[k] - 1);
    cr_assert_float_eq(scaled / unit, value / unit, tolerance, "%s at %g m: %g, not %g", kind->name, size,
                       scaled, value);
    for (int j = 0; j < kind->corners; j++) {
      const double3 back = {h[j].x / gradient_unit, h[j].y / gradient_unit, h[j].z / gradient_unit};
      cr_assert_lt(length(difference(back, g[j])), tolerance * largest_gradient(kind, g),
                   "%s at %g m, corner %d", kind->name, size, j);
    }
  }
}

Test(constraint_kind, shapes_of_any_size_are_measured_as_well) {
  for (int k = 0; k < KINDS; k++) {
    const double sizes[] = {1e-15, 1e-6, 1, 1e6, 1e15};
    for (int s = 0; s < 5; s++)
      assert_scales((msd_constraint_kind)k, sizes[s], false);
  }
}

/* A volume of 1e45 m^3 is no float; one of 1e36 is. */
Test(constraint_kind, shapes_of_any_size_are_measured_as_well_in_the_numbers_of_the_world) {
  for (int k = 0; k < KINDS; k++) {
    const double reach = k == MSD_CONSTRAINT_VOLUME && EPSILON > 1e-10 ? 1e12 : 1e15;
    const double sizes[] = {1 / reach, 1e-6, 1, 1e6, reach};
    for (int s = 0; s < 5; s++)
      assert_scales((msd_constraint_kind)k, sizes[s], true);
  }
}

/* At 1e15 m a float tells apart only places that are 7e7 m from each other. */
Test(constraint_kind, a_shape_far_from_the_origin_is_finite) {
  uint64_t state = 9;
  for (int k = 0; k < KINDS; k++)
    for (int i = 0; i < SHAPES; i++) {
      placing p = random_placing(&state);
      for (int j = 0; j < CORNERS; j++)
        for (int axis = 0; axis < 3; axis++)
          *coordinate(&p, j, axis) = 1e15 + 1e8 * *coordinate(&p, j, axis);
      assert_finite(constraint_kind_get((msd_constraint_kind)k), &p, "a far place");
    }
}

/* ---------------------------------------------------------------------------- through flat and through pi */

static double fold(double turn, double3 *g) {
  const double3 x[] = {{0, 0, 0}, {2, 0, 0}, {0.5, 1, 0}, {3, -1.5 * cos(turn), 1.5 * sin(turn)}};
  return constraint_dihedral_double(x, WEIGHTS, g);
}

static void assert_smooth_around(double middle) {
  const constraint_kind *kind = constraint_kind_get(MSD_CONSTRAINT_DIHEDRAL);
  double3 before[CORNERS], g[CORNERS];
  const double step = 1e-4;
  double value_before = fold(middle - 50.5 * step, before);
  for (int i = -49; i <= 50; i++) {
    const double value = fold(middle + (i - 0.5) * step, g);
    cr_assert_float_eq(constraint_error_double(kind, value, value_before), step, 1e-12);
    for (int j = 0; j < CORNERS; j++) {
      /* the tip's gradient is 1/height long and turns with it */
      cr_assert_lt(length(difference(g[j], before[j])), 4 * step, "corner %d", j);
      before[j] = g[j];
    }
    value_before = value;
  }
}

Test(constraint_kind, a_dihedral_goes_smoothly_through_flat) {
  assert_smooth_around(0);
}

Test(constraint_kind, a_dihedral_goes_smoothly_through_pi) {
  assert_smooth_around(PI);
}

Test(constraint_kind, the_error_of_a_fold_is_taken_the_short_way_round) {
  const constraint_kind *fold_kind = constraint_kind_get(MSD_CONSTRAINT_DIHEDRAL);
  cr_assert_float_eq(constraint_error_double(fold_kind, -3, 3), 2 * PI - 6, 1e-15);
  cr_assert_float_eq(constraint_error_double(fold_kind, 3, -3), 6 - 2 * PI, 1e-15);
  cr_assert_eq(constraint_error_double(fold_kind, 3, 1), 2);
  cr_assert_eq(constraint_error_double(fold_kind, PI, -PI), 0);
  cr_assert_eq(constraint_error_double(fold_kind, 0, PI), PI);
  cr_assert_eq(constraint_error_double(fold_kind, 0, -PI), PI);
  cr_assert_eq(constraint_error_real(fold_kind, (msd_real)PI, -(msd_real)PI), 0);
  const constraint_kind *volume = constraint_kind_get(MSD_CONSTRAINT_VOLUME);
  cr_assert_eq(constraint_error_double(volume, -30, 30), -60);
  cr_assert_eq(constraint_error_real(volume, -30, 30), -60);
}

Test(constraint_kind, a_rest_beyond_pi_is_the_same_fold_within) {
  const constraint_kind *fold_kind = constraint_kind_get(MSD_CONSTRAINT_DIHEDRAL);
  cr_assert_eq(constraint_kind_rest(fold_kind, (msd_real)PI), (msd_real)PI);
  cr_assert_eq(constraint_kind_rest(fold_kind, (msd_real)-1.5), (msd_real)-1.5);
  cr_assert_float_eq((double)constraint_kind_rest(fold_kind, 4), 4 - 2 * PI, 4 * EPSILON);
  cr_assert_float_eq((double)constraint_kind_rest(fold_kind, -4), 2 * PI - 4, 4 * EPSILON);
  cr_assert_leq(fabs((double)constraint_kind_rest(fold_kind, (msd_real)1e30)), (double)(msd_real)PI);
  cr_assert_eq(constraint_kind_rest(constraint_kind_get(MSD_CONSTRAINT_AREA), 4), 4);
}

/* Of a strip with legs of 1/2 and 1: C = -d (2 + 1), gradients of 3 and less, whichever way it is bent. */
Test(constraint_kind, the_force_of_a_straight_angle_vanishes_with_the_bend) {
  const double3 to[] = {{0, 1, 0}, {0, 0, -1}, {0, 0.6, 0.8}};
  for (int way = 0; way < 3; way++)
    for (double d = 0.01; d > 1e-18; d /= 10) {
      const double3 x[] = {{-0.5, 0, 0}, {0, d * to[way].y, d * to[way].z}, {1, 0, 0}};
      double3 g[CORNERS];
      const double error = constraint_angle_double(x, WEIGHTS, g) - PI;
      cr_assert_float_eq(error, -3 * d, 4 * d * d * d + 1e-15);
      const double along = dot(g[1], to[way]);
      if (d > 1e-14)
        cr_assert_float_eq(along, -3, 0.1 + 10 * d, "at %g m: %g", d, along);
      cr_assert_leq(fabs(error) * length(g[1]), 9.1 * d + 1e-14);
    }
}

Test(constraint_kind, a_straight_angle_has_no_gradient) {
  const double3 x[] = {{-0.3, -0.6, -0.9}, {0, 0, 0}, {0.7, 1.4, 2.1}};
  double3 g[CORNERS];
  cr_assert_float_eq(constraint_angle_double(x, WEIGHTS, g), PI, 1e-15);
  cr_assert_eq(largest_gradient(constraint_kind_get(MSD_CONSTRAINT_ANGLE), g), 0);
}

/* ------------------------------------------------------------------ one text, the same bits in every lane */

typedef LANE vector_shape(const LANE3 *x, const LANE *weights, LANE3 *gradient);

#define VECTOR_SHAPE(kind, name, corners, wraps)                                                             \
  static LANE name##_vector(const LANE3 *x, const LANE *weights, LANE3 *gradient) {                          \
    return name##_shape(x, weights, gradient);                                                               \
  }
CONSTRAINT_KINDS(VECTOR_SHAPE)

static vector_shape *const VECTOR_SHAPES[] = {
#define VECTOR_ROW(kind, name, corners, wraps) [kind] = name##_vector,
    CONSTRAINT_KINDS(VECTOR_ROW)};

/* Random shapes, every fifth of them degenerate or nearly so. */
static real_placing any_placing(uint64_t *state) {
  placing p = random_placing(state);
  const double kind = random_number(state) * 25;
  if (kind < 1)
    p = DEGENERATE[(int)(random_number(state) * DEGENERATE_COUNT)].p;
  else if (kind < 2)
    p.x[2] = (double3){p.x[1].x * 2 - p.x[0].x, p.x[1].y * 2 - p.x[0].y, p.x[1].z * 2 - p.x[0].z};
  else if (kind < 3)
    p.x[3] = p.x[2];
  else if (kind < 4)
    for (int j = 0; j < CORNERS; j++)
      p.x[j].z = 0;
  else if (kind < 5)
    for (int j = 0; j < CORNERS; j++)
      p.x[j] = (double3){p.x[j].x * 1e-17, p.x[j].y * 1e-17, p.x[j].z * 1e-17};
  return rounded(&p);
}

static bool same_bits(msd_real a, msd_real b) {
  return memcmp(&a, &b, sizeof a) == 0;
}

Test(constraint_kind, every_lane_of_a_vector_has_the_bits_of_the_scalar) {
  uint64_t state = 10;
  for (int k = 0; k < KINDS; k++)
    for (int i = 0; i < 4 * SHAPES; i++) {
      const constraint_kind *kind = constraint_kind_get((msd_constraint_kind)k);
      real_placing lanes[SIMD_LANES];
      LANE3 x[CORNERS] = {0}, g[CORNERS] = {0};
      LANE rest = {0}, weights[CORNERS];
      for (int j = 0; j < CORNERS; j++)
        weights[j] = lane_set(REAL_WEIGHTS[j]);
      for (int lane = 0; lane < SIMD_LANES; lane++) {
        lanes[lane] = any_placing(&state);
        rest[lane] = (msd_real)(random_number(&state) * 6 - 3);
        for (int j = 0; j < CORNERS; j++)
          x[j].x[lane] = lanes[lane].x[j].x, x[j].y[lane] = lanes[lane].x[j].y,
          x[j].z[lane] = lanes[lane].x[j].z;
      }
      const LANE value = VECTOR_SHAPES[k](x, weights, g), error = constraint_error(value, rest, kind->wraps);
      for (int lane = 0; lane < SIMD_LANES; lane++) {
        msd_vec3 expected[CORNERS];
        const msd_real scalar = kind->shape_real(lanes[lane].x, REAL_WEIGHTS, expected);
        cr_assert(same_bits(scalar, value[lane]), "%s: %.9g, not %.9g", kind->name, (double)value[lane],
                  (double)scalar);
        cr_assert(same_bits(constraint_error_real(kind, scalar, rest[lane]), error[lane]));
        for (int j = 0; j < kind->corners; j++)
          cr_assert(same_bits(expected[j].x, g[j].x[lane]) && same_bits(expected[j].y, g[j].y[lane]) &&
                        same_bits(expected[j].z, g[j].z[lane]),
                    "%s, corner %d", kind->name, j);
      }
    }
}

Test(constraint_kind, the_numbers_of_the_world_agree_with_double_to_their_rounding) {
  for (int k = 0; k < KINDS; k++)
    assert_scales((msd_constraint_kind)k, 1, true);
}

Test(constraint_kind, atan2_in_every_lane_is_within_two_units_in_the_last_place) {
  uint64_t state = 11;
  const int digits = sizeof(msd_real) == sizeof(double) ? DBL_MANT_DIG : FLT_MANT_DIG;
  const double sizes[] = {1e-30, 1e-10, 1, 1e10, 3e38};
  for (int i = 0; i < 500000; i++) {
    LANE y = {0}, x = {0};
    for (int lane = 0; lane < SIMD_LANES; lane++) {
      y[lane] = (msd_real)((2 * random_number(&state) - 1) * sizes[i % 5]);
      x[lane] = (msd_real)((2 * random_number(&state) - 1) * sizes[i % 5]);
    }
    const LANE angle = lane_atan2(y, x);
    for (int lane = 0; lane < SIMD_LANES; lane++) {
      const long double expected = atan2l((long double)y[lane], (long double)x[lane]);
      int exponent;
      frexp((double)expected, &exponent);
      const double error =
          (double)(fabsl((long double)angle[lane] - expected) / (long double)ldexp(1, exponent - digits));
      cr_assert(error < 2, "atan2(%a, %a) is %.9g, %.2f units off", (double)y[lane], (double)x[lane],
                (double)angle[lane], error);
    }
  }
}
