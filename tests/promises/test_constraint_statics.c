/* Shapes that hold a load by springs on constraints, against statics: a cantilever and a balloon. */
#include "tests/support/laboratory.h"

#include <msd/builder.h>
#include <msd/constraint.h>

#include <string.h>

enum { CORNERS = 4 };

static double position(const msd_world *world, int32_t particle, int axis) {
  return component(msd_particle_get_position(world, particle), axis);
}

static void add_constraint(msd_world *world, msd_constraint_def def) {
  ok(world, msd_add_constraints(world, &def, 1, NULL));
}

/* --------------------------------------------------------------------------------------------- cantilever */

/* A strip of L = 1 m, clamped at one end, carries its weight of w = 1 N/m; EI is such that its tip goes down by
   w L^4/(8 EI) = 0.01 m. N cells of h = L/N. The spring at a node stands for the bending of the half cells on
   both sides, k = EI/h; at the clamp there is one half, k = 2 EI/h. The tip has half a cell's mass. Then the
   moment M = w (L - s)^2/2 is exact at the nodes, and the tip goes down by

       sum of (M_i/k_i)(L - s_i) = (w L^4/(8 EI)) (1 + 1/N^2)

   the trapezoidal rule of the beam's integral: it converges with the square of the resolution. */
enum { MOST_CELLS = 16 };

static const double DEFLECTION = 0.01, GRAVITY = 10, BENDING = 12.5, LINE_MASS = 0.1;

/* The first mode of a cantilever, rad/s. */
static double first_mode(void) {
  return 1.8751 * 1.8751 * sqrt(BENDING / LINE_MASS);
}

/* With air that damps the first mode critically. */
static msd_world *new_still_air(double gravity, double drag) {
  msd_world_def def = msd_default_world_def();
  def.gravity = (msd_vec3){0, (msd_real)-gravity, 0};
  def.linear_damping = (msd_real)drag;
  msd_world *world = NULL;
  cr_assert_eq(msd_create_world(&def, &world), MSD_OK);
  return world;
}

/* One line of nodes at z: -1 and 0 are clamped, 1 to N hang. Returns the index of the clamped one at -1. */
static int32_t add_line(msd_world *world, int cells, double z, double share) {
  const double h = 1.0 / cells;
  int32_t first = -1;
  for (int i = -1; i <= cells; i++) {
    const double mass = LINE_MASS * h * share * (i == cells ? 0.5 : 1);
    const int32_t index = i < 1 ? add_pin(world, i * h, 0, z) : add_particle(world, mass, i * h, 0, z);
    if (i == -1)
      first = index;
    else
      add_spring(world, physical(4 * share * BENDING / (h * h * h), 0), index - 1, index, -1);
  }
  return first;
}

/* Until what is left of the way down is 1e-5 of it. */
static void hang(msd_world *world, int cells) {
  const double h = 1.0 / cells, max_stable_mode = 4 / (h * h) * sqrt(BENDING / LINE_MASS);
  const double dt = 0.5 / max_stable_mode;
  step(world, dt * 1000, 1000);
  while (msd_world_get_time(world) < 15 / first_mode())
    step(world, dt * 1000, 1000);
}

static void assert_tip(const msd_world *world, int32_t tip, int cells) {
  const double down = -position(world, tip, 1) / DEFLECTION, expected = 1 + 1.0 / (cells * cells);
  cr_assert_float_eq(down, expected, 0.0005, "%d cells: %g of w L^4/(8 EI), not %g", cells, down, expected);
}

Test(constraint_statics, a_cantilever_of_angle_springs_converges_to_the_beam_formula) {
  for (int cells = 4; cells <= MOST_CELLS; cells *= 2) {
    msd_world *world = new_still_air(GRAVITY, 2 * first_mode());
    const int32_t first = add_line(world, cells, 0, 1);
    for (int i = 0; i < cells; i++) {
      msd_constraint_def def = msd_default_constraint_def();
      def.kind = MSD_CONSTRAINT_ANGLE;
      for (int j = 0; j < 3; j++)
        def.particles[j] = first + i + j;
      def.stiffness = (msd_real)(BENDING * cells * (i == 0 ? 2 : 1));
      def.rest = (msd_real)PI;
      add_constraint(world, def);
    }
    hang(world, cells);
    assert_tip(world, first + cells + 1, cells);
    msd_destroy_world(world);
  }
}

/* Two lines of nodes 0.2 m apart, each with half of all. Every edge across bends between the triangles with
   the neighbors on the one line, and between those with the neighbors on the other. */
Test(constraint_statics, a_cantilever_of_dihedral_springs_converges_to_the_beam_formula) {
  for (int cells = 4; cells <= MOST_CELLS; cells *= 2) {
    const double h = 1.0 / cells;
    msd_world *world = new_still_air(GRAVITY, 2 * first_mode());
    const int32_t left = add_line(world, cells, 0.1, 0.5), right = add_line(world, cells, -0.1, 0.5);
    for (int i = 1; i <= cells + 1; i++) {
      add_spring(world, physical(2 * BENDING / (h * h * h), 0), left + i, right + i, -1);
      add_spring(world, physical(BENDING / (h * h * h), 0), left + i, right + i - 1, -1);
      add_spring(world, physical(BENDING / (h * h * h), 0), left + i - 1, right + i, -1);
    }
    for (int i = 1; i <= cells; i++)
      for (int side = 0; side < 2; side++) {
        const int32_t line = side == 0 ? left : right;
        msd_constraint_def def = msd_default_constraint_def();
        def.kind = MSD_CONSTRAINT_DIHEDRAL;
        const int32_t corners[CORNERS] = {left + i, right + i, line + i - 1, line + i + 1};
        for (int j = 0; j < CORNERS; j++)
          def.particles[j] = corners[j];
        def.stiffness = (msd_real)(0.5 * BENDING * cells * (i == 1 ? 2 : 1));
        add_constraint(world, def);
      }
    hang(world, cells);
    assert_tip(world, left + cells + 1, cells);
    assert_tip(world, right + cells + 1, cells);
    msd_destroy_world(world);
  }
}

/* The same of a cloth one cell wide as msd_add_cloth cuts it, cells of h times h, all folds of stiffness k.
   Folds about the edges across turn by M/k. The fold about the diagonal of a cell lies at 45 degrees to the
   moment and feels M/sqrt 2 at its middle, and what it turns by counts as much: M/(2 k) there. The other half
   is a twist, which the next cell takes back. Together a curvature of 3/2 M/(k h): the rigidity of the sheet is
   D = 2/3 k. */
static double cloth_sag(int cells, double weight, double stiffness) {
  const double h = 1.0 / cells;
  double sag = 0;
  for (int half = 0; half < 2 * cells; half++) {
    const double s = half * h / 2;
    double moment = 0;
    for (int i = half / 2 + 1; i <= cells; i++)
      moment += 2 * weight * (i * h - s);
    sag += moment / stiffness * (half % 2 ? 0.5 : 1) * (1 - s);
  }
  return sag;
}

Test(constraint_statics, a_cantilever_of_cloth_folds_about_its_diagonals_too) {
  for (int cells = 4; cells <= MOST_CELLS / 2; cells *= 2) {
    const double h = 1.0 / cells, mass = LINE_MASS * h / 2;
    const double stiffness = 1.5 * BENDING / h; /* EI = D h = 2/3 k h of a strip as wide as h */
    msd_world *world = new_still_air(GRAVITY, 2 * first_mode());
    msd_cloth_def def = msd_default_cloth_def();
    def.columns = cells + 2;
    def.rows = 2;
    def.origin = (msd_vec3){(msd_real)-h, 0, 0};
    def.u = (msd_vec3){(msd_real)(1 + h), 0, 0};
    def.v = (msd_vec3){0, 0, (msd_real)h};
    def.mass = (msd_real)(mass * 2 * (cells + 2));
    def.stretch.law = def.shear.law = def.bend.law = MSD_SPRING_STIFFNESS;
    def.stretch.stiffness = def.shear.stiffness = (msd_real)(2 * BENDING / (h * h * h));
    def.bend.stiffness = (msd_real)stiffness;
    def.bend_kind = MSD_BEND_DIHEDRAL;
    ok(world, msd_add_cloth(world, &def, NULL));
    for (int row = 0; row < 2; row++)
      for (int column = 0; column < 2; column++)
        ok(world, msd_particle_pin(world, row * (cells + 2) + column));
    hang(world, cells);
    const double down = -(position(world, cells + 1, 1) + position(world, 2 * cells + 3, 1)) / 2;
    const double expected = cloth_sag(cells, mass * GRAVITY, stiffness);
    cr_assert_float_eq(down, expected, 0.005 * expected, "%d cells: %g m, not %g", cells, down, expected);
    msd_destroy_world(world);
  }
}

/* ------------------------------------------------------------------------------------------------ balloon */

/* A sphere of triangles: an icosahedron, its triangles split in four as often as wanted, all corners at the
   distance 1 from the middle. */
enum { SPHERE_VERTICES = 162, SPHERE_TRIANGLES = 320 };

typedef struct sphere {
  double x[SPHERE_VERTICES][3];
  int32_t triangles[3 * SPHERE_TRIANGLES];
  int32_t vertex_count, triangle_count;
} sphere;

static int32_t sphere_vertex(sphere *s, double x, double y, double z) {
  const double length = sqrt(x * x + y * y + z * z), at[3] = {x / length, y / length, z / length};
  for (int32_t i = 0; i < s->vertex_count; i++)
    if (fabs(s->x[i][0] - at[0]) + fabs(s->x[i][1] - at[1]) + fabs(s->x[i][2] - at[2]) < 1e-9)
      return i;
  for (int c = 0; c < 3; c++)
    s->x[s->vertex_count][c] = at[c];
  return s->vertex_count++;
}

static int32_t middle_of(sphere *s, int32_t a, int32_t b) {
  return sphere_vertex(s, s->x[a][0] + s->x[b][0], s->x[a][1] + s->x[b][1], s->x[a][2] + s->x[b][2]);
}

static void split(sphere *s) {
  static int32_t old[3 * SPHERE_TRIANGLES];
  const int32_t count = s->triangle_count;
  memcpy(old, s->triangles, sizeof old);
  for (int32_t t = 0; t < count; t++) {
    const int32_t a = old[3 * t], b = old[3 * t + 1], c = old[3 * t + 2];
    const int32_t ab = middle_of(s, a, b), bc = middle_of(s, b, c), ca = middle_of(s, c, a);
    const int32_t parts[12] = {a, ab, ca, ab, b, bc, ca, bc, c, ab, bc, ca};
    memcpy(s->triangles + 12 * t, parts, sizeof parts);
  }
  s->triangle_count = 4 * count;
}

static void make_sphere(sphere *s, int splits) {
  static const int32_t faces[60] = {0, 11, 5,  0, 5,  1, 0, 1, 7, 0, 7,  10, 0, 10, 11, 1, 5, 9, 5, 11,
                                    4, 11, 10, 2, 10, 7, 6, 7, 1, 8, 3,  9,  4, 3,  4,  2, 3, 2, 6, 3,
                                    6, 8,  3,  8, 9,  4, 9, 5, 2, 4, 11, 6,  2, 10, 8,  6, 7, 9, 8, 1};
  const double g = (1 + sqrt(5)) / 2;
  const double corners[12][3] = {{-1, g, 0},  {1, g, 0},  {-1, -g, 0}, {1, -g, 0}, {0, -1, g},  {0, 1, g},
                                 {0, -1, -g}, {0, 1, -g}, {g, 0, -1},  {g, 0, 1},  {-g, 0, -1}, {-g, 0, 1}};
  s->vertex_count = 0;
  s->triangle_count = 20;
  for (int i = 0; i < 12; i++)
    sphere_vertex(s, corners[i][0], corners[i][1], corners[i][2]);
  memcpy(s->triangles, faces, sizeof faces);
  for (int i = 0; i < splits; i++)
    split(s);
}

static void add_sphere(msd_world *world, const sphere *s, double mass) {
  for (int32_t i = 0; i < s->vertex_count; i++)
    add_particle(world, mass / s->vertex_count, s->x[i][0], s->x[i][1], s->x[i][2]);
}

/* A spring on the volume inside, k in Pa/m^3. */
static void add_pressure(msd_world *world, const sphere *s, double stiffness, double rest) {
  msd_constraint_def def = msd_default_constraint_def();
  def.kind = MSD_CONSTRAINT_MESH_VOLUME;
  def.triangles = s->triangles;
  def.triangle_count = s->triangle_count;
  def.stiffness = (msd_real)stiffness;
  def.rest = (msd_real)rest;
  add_constraint(world, def);
}

static double mean_radius(const msd_world *world) {
  double sum = 0;
  const int32_t count = msd_world_get_particle_count(world);
  for (int32_t i = 0; i < count; i++)
    sum +=
        sqrt(position(world, i, 0) * position(world, i, 0) + position(world, i, 1) * position(world, i, 1) +
             position(world, i, 2) * position(world, i, 2));
  return sum / count;
}

typedef double balance(double radius);

/* Where a function that falls from above 0 to below goes through it. */
static double root_of(balance *f) {
  double low = 0.2, high = 5;
  for (int i = 0; i < 100; i++) {
    const double middle = (low + high) / 2;
    if (f(middle) > 0)
      low = middle;
    else
      high = middle;
  }
  return low;
}

/* An icosahedron with its 30 edges as springs. All its corners are alike, so that it is held by symmetry and

       E(R) = 1/2 k_V (V(R) - V_0)^2 + 30 1/2 k (l(R) - l_0)^2,   l = R/sin(2 pi/5),  V = 5 (3 + sqrt 5)/12 l^3

   is at rest where E'(R) = 0, exactly: p V' = 30 k (l - l_0) l' with the pressure p = k_V (V_0 - V). */
static const double EDGE_STIFFNESS = 50, EDGE_REST = 0.8, VOLUME_STIFFNESS = 20, VOLUME_REST = 8;

static double icosahedron_balance(double radius) {
  const double edge = 1 / sin(2 * PI / 5), unit_volume = 5 * (3 + sqrt(5)) / 12 * edge * edge * edge;
  const double volume = unit_volume * radius * radius * radius;
  return VOLUME_STIFFNESS * (VOLUME_REST - volume) * 3 * volume / radius -
         30 * EDGE_STIFFNESS * (edge * radius - EDGE_REST) * edge;
}

Test(constraint_statics, a_balloon_of_edge_springs_has_the_radius_at_which_pressure_and_tension_balance) {
  static sphere s;
  make_sphere(&s, 0);
  msd_world *world = new_still_air(0, 20);
  add_sphere(world, &s, 1.2);
  for (int32_t t = 0; t < s.triangle_count; t++)
    for (int i = 0; i < 3; i++) {
      const int32_t a = s.triangles[3 * t + i], b = s.triangles[3 * t + (i + 1) % 3];
      if (a < b)
        add_spring(world, physical(EDGE_STIFFNESS, 0), a, b, EDGE_REST);
    }
  cr_assert_eq(msd_world_get_spring_count(world), 30);
  add_pressure(world, &s, VOLUME_STIFFNESS, VOLUME_REST);
  for (int i = 0; i < 10; i++)
    step(world, 0.5, 500);
  const double expected = root_of(icosahedron_balance);
  cr_assert_gt(expected, 1.1); /* it was placed at 1 */
  cr_assert_float_eq(mean_radius(world), expected, largest(1e-9, 20 * EPSILON), "%.9g, not %.9g",
                     mean_radius(world), expected);
  const double pressure = -msd_constraint_get_tension(world, 0);
  const double volume = msd_constraint_get_value(world, 0);
  cr_assert_float_eq(pressure, VOLUME_STIFFNESS * (VOLUME_REST - volume), 100 * EPSILON);
  msd_destroy_world(world);
}

/* A rubber skin of springs on the triangles' areas, each with k = kappa/A_1 and rest c A_1, A_1 its area as
   placed: a tension of gamma = kappa (A/A_1 - c), the same in all triangles when they grow alike. In a sphere
   of radius R, placed with 1, the excess pressure is Laplace's, p = 2 gamma/R:

       k_V (V_0 - 4 pi R^3/3) = 2 kappa (R^2 - c)/R

   The triangles lie inside their sphere, to the second order in the length of their edges. */
static const double SKIN = 10, SKIN_REST = 0.5, BUBBLE_REST = 8;

static double bubble_balance(double radius) {
  const double volume = 4 * PI / 3 * radius * radius * radius;
  return VOLUME_STIFFNESS * (BUBBLE_REST - volume) - 2 * SKIN * (radius * radius - SKIN_REST) / radius;
}

static double bubble_radius(int splits) {
  static sphere s;
  make_sphere(&s, splits);
  msd_world *world = new_still_air(0, 20);
  add_sphere(world, &s, 2);
  add_pressure(world, &s, VOLUME_STIFFNESS, BUBBLE_REST);
  for (int32_t t = 0; t < s.triangle_count; t++) {
    msd_constraint_def def = msd_default_constraint_def();
    def.kind = MSD_CONSTRAINT_AREA;
    for (int i = 0; i < 3; i++)
      def.particles[i] = s.triangles[3 * t + i];
    add_constraint(world, def);
    const double area = msd_constraint_get_value(world, t + 1);
    def.stiffness = (msd_real)(SKIN / area);
    ok(world, msd_constraint_set_law(world, t + 1, &def));
    ok(world, msd_constraint_set_rest(world, t + 1, (msd_real)(SKIN_REST * area)));
  }
  for (int i = 0; i < 10; i++)
    step(world, 0.5, 200);
  const double radius = mean_radius(world);
  msd_destroy_world(world);
  return radius;
}

Test(constraint_statics, a_balloon_of_area_springs_converges_to_the_radius_of_laplace) {
  const double expected = root_of(bubble_balance);
  double before = 0;
  for (int splits = 0; splits <= 2; splits++) {
    const double error = fabs(bubble_radius(splits) / expected - 1);
    if (splits > 0)
      cr_assert_lt(error, before / 3, "%d splits: %g, before %g", splits, error, before);
    before = error;
  }
  cr_assert_lt(before, 0.02, "%g", before);
}
