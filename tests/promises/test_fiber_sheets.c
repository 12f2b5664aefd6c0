/* What fibers make of a sheet or a block: an elastic material, the same on any mesh and in any direction.
   The stress of a homogeneous strain is measured by the virial of the forces on the vertices, which are
   read from one short step. */
#include "tests/support/fibers.h"

#include "tests/support/stability.h"

#include <msd/msd.h>

static const double PI = 3.14159265358979323846;

/* Linear statics need strains whose squares do not count, and digits for them. */
static const bool IS_DOUBLE = sizeof(msd_real) == sizeof(double);
#define STRAIN    (IS_DOUBLE ? 1e-6 : 1e-3)
#define TOLERANCE (IS_DOUBLE ? 1e-5 : 5e-3)

enum { AXES = 3 };

/* x x, y y, z z, then y z, z x, x y (once, not twice). */
typedef struct tensor {
  double at[AXES][AXES];
} tensor;

static msd_world *world_at(const msd_vec3 *rest, int32_t count, const tensor *strain) {
  msd_world_def world_def = msd_default_world_def();
  world_def.gravity = (msd_vec3){0, 0, 0};
  msd_world *world = NULL;
  cr_assert_eq(msd_create_world(&world_def, &world), MSD_OK);
  for (int32_t i = 0; i < count; i++) {
    const double x[AXES] = {(double)rest[i].x, (double)rest[i].y, (double)rest[i].z};
    double moved[AXES];
    for (int r = 0; r < AXES; r++)
      moved[r] = x[r] + strain->at[r][0] * x[0] + strain->at[r][1] * x[1] + strain->at[r][2] * x[2];
    msd_particle_def def = msd_default_particle_def();
    def.position = (msd_vec3){(msd_real)moved[0], (msd_real)moved[1], (msd_real)moved[2]};
    ASSERT_OK(world, msd_add_particles(world, &def, 1, NULL));
  }
  return world;
}

/* Of a step from rest with masses of 1 kg. */
static void read_forces(msd_world *world, double (*force)[AXES]) {
  const double dt = 1e-3;
  ASSERT_OK(world, msd_world_step(world, (msd_real)dt, 1));
  for (int32_t i = 0; i < msd_world_get_particle_count(world); i++) {
    const msd_vec3 v = msd_particle_get_velocity(world, i);
    force[i][0] = (double)v.x / dt, force[i][1] = (double)v.y / dt, force[i][2] = (double)v.z / dt;
  }
}

/* -sum of f x' over the area or volume. */
static tensor stress_of(const msd_vec3 *rest, int32_t count, double (*force)[AXES], double size) {
  tensor s = {{{0}}};
  for (int32_t i = 0; i < count; i++) {
    const double x[AXES] = {(double)rest[i].x, (double)rest[i].y, (double)rest[i].z};
    for (int r = 0; r < AXES; r++)
      for (int c = 0; c < AXES; c++)
        s.at[r][c] -= force[i][r] * x[c] / size;
  }
  return s;
}

static void expect_stress(const tensor *got, const tensor *expected, double unit, const char *what) {
  for (int r = 0; r < AXES; r++)
    for (int c = 0; c < AXES; c++)
      cr_expect_float_eq(got->at[r][c], expected->at[r][c], TOLERANCE * unit, "%s, %d %d: %g, not %g", what,
                         r, c, got->at[r][c], expected->at[r][c]);
}

/* ------------------------------------------------------------------------------------------------- sheets */

/* C11, C22, C12 and G of plane stress, along the axes that are turned by `turn`. */
typedef struct sheet_material {
  double c11, c22, c12, g, turn;
} sheet_material;

static tensor turned(const tensor *a, double turn) {
  const double c = cos(turn), s = sin(turn);
  const double r[2][2] = {{c, -s}, {s, c}};
  tensor out = {{{0}}};
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2; j++)
      for (int k = 0; k < 2; k++)
        for (int l = 0; l < 2; l++)
          out.at[i][j] += r[i][k] * a->at[k][l] * r[j][l];
  return out;
}

static tensor sheet_stress(const sheet_material *m, const tensor *strain) {
  const tensor e = turned(strain, -m->turn);
  const tensor own = {{{m->c11 * e.at[0][0] + m->c12 * e.at[1][1], 2 * m->g * e.at[0][1], 0},
                       {2 * m->g * e.at[1][0], m->c12 * e.at[0][0] + m->c22 * e.at[1][1], 0},
                       {0, 0, 0}}};
  return turned(&own, m->turn);
}

static const char *const SHEETS[SHEET_KINDS] = {"square", "alternating", "jittered", "random"};

static void expect_sheet(sheet_kind kind, const fiber_family *families, int count,
                         const sheet_material *material) {
  const sheet s = make_sheet(kind);
  const double side = 1.5, unit = STRAIN * material->c11;
  for (int load = 0; load < 3; load++) {
    const tensor strain = {{{load == 0 ? STRAIN : 0, load == 2 ? STRAIN / 2 : 0, 0},
                            {load == 2 ? STRAIN / 2 : 0, load == 1 ? STRAIN : 0, 0},
                            {0, 0, 0}}};
    double force[SHEET_VERTICES][AXES];
    msd_world *world = world_at(s.at, SHEET_VERTICES, &strain);
    add_sheet_fibers(world, &s, families, count, 0);
    read_forces(world, force);
    const tensor stress = stress_of(s.at, SHEET_VERTICES, force, side * side),
                 expected = sheet_stress(material, &strain);
    expect_stress(&stress, &expected, unit, SHEETS[kind]);
    for (int32_t v = 0; v < SHEET_VERTICES; v++) {
      const int32_t row = v / SHEET_SIDE, column = v % SHEET_SIDE;
      const bool is_inside = row % SHEET_CELLS != 0 && column % SHEET_CELLS != 0;
      for (int c = 0; c < AXES && is_inside; c++)
        cr_expect_float_eq(force[v][c], 0, TOLERANCE * unit, "%s: vertex %d is pulled by %g N", SHEETS[kind],
                           (int)v, force[v][c]);
    }
    msd_destroy_world(world);
  }
}

/* Y = 80 N/m, nu = 1/3, G = 3/8 Y, whichever way the three directions are turned. */
Test(fiber_sheets, three_directions_make_an_isotropic_sheet_on_any_mesh) {
  const double young = 80;
  for (int kind = 0; kind < SHEET_KINDS; kind++)
    for (int turn = 0; turn < 3; turn++) {
      const double first = 0.3 * turn;
      const fiber_family families[3] = {{first, young}, {first + PI / 3, young}, {first + 2 * PI / 3, young}};
      expect_sheet((sheet_kind)kind, families, 3,
                   &(sheet_material){9 * young / 8, 9 * young / 8, 3 * young / 8, 3 * young / 8, 0});
    }
}

/* Warp, weft and both diagonals: its own Y in two directions and its own G. C11 = Yu + G^2/C22 and C22 = Yv
   + G^2/C11 say that pulling along u alone finds Yu. */
Test(fiber_sheets, warp_weft_and_diagonals_make_a_woven_sheet_on_any_mesh) {
  const double cases[][3] = {{100, 100, 10}, {100, 30, 2}, {100, 100, 37.5}};
  for (int kind = 0; kind < SHEET_KINDS; kind++)
    for (int n = 0; n < 3; n++) {
      const double yu = cases[n][0], yv = cases[n][1], g = cases[n][2], turn = 0.4 * n;
      double c11 = yu, c22 = yv;
      for (int round = 0; round < 100; round++)
        c11 = yu + g * g / c22, c22 = yv + g * g / c11;
      const fiber_family families[4] = {
          {turn, c11 - g}, {turn + PI / 2, c22 - g}, {turn + PI / 4, 2 * g}, {turn - PI / 4, 2 * g}};
      expect_sheet((sheet_kind)kind, families, 4, &(sheet_material){c11, c22, g, g, turn});
    }
}

/* ------------------------------------------------------------------------------------------------- blocks */

enum { BLOCK_CELLS = 3, BLOCK_SIDE = BLOCK_CELLS + 1, BLOCK_VERTICES = BLOCK_SIDE * BLOCK_SIDE * BLOCK_SIDE };

static int32_t block_vertex(int x, int y, int z) {
  return (int32_t)((z * BLOCK_SIDE + y) * BLOCK_SIDE + x);
}

/* Cells of side 1 in six tetrahedra each, around a diagonal; inner vertices are jittered. */
static void make_block(msd_vec3 *at) {
  generator random = {.state = 21};
  for (int z = 0; z < BLOCK_SIDE; z++)
    for (int y = 0; y < BLOCK_SIDE; y++)
      for (int x = 0; x < BLOCK_SIDE; x++) {
        const bool is_inside = x % BLOCK_CELLS && y % BLOCK_CELLS && z % BLOCK_CELLS;
        const msd_vec3 shake = random_vector(&random, is_inside ? (msd_real)0.2 : 0);
        at[block_vertex(x, y, z)] =
            (msd_vec3){(msd_real)x + shake.x, (msd_real)y + shake.y, (msd_real)z + shake.z};
      }
}

static double tetrahedron_volume(const msd_vec3 *x) {
  double e[3][3];
  for (int n = 0; n < 3; n++) {
    e[n][0] = (double)x[n + 1].x - (double)x[0].x;
    e[n][1] = (double)x[n + 1].y - (double)x[0].y;
    e[n][2] = (double)x[n + 1].z - (double)x[0].z;
  }
  return (e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) -
          e[0][1] * (e[1][0] * e[2][2] - e[1][2] * e[2][0]) +
          e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0])) /
         6;
}

static void add_tetrahedron(msd_world *world, const msd_vec3 *at, const int32_t *corner, double young) {
  const double golden = (1 + sqrt(5)) / 2;
  const msd_vec3 axes[6] = {{0, 1, (msd_real)golden},  {0, 1, (msd_real)-golden}, {1, (msd_real)golden, 0},
                            {1, (msd_real)-golden, 0}, {(msd_real)golden, 0, 1},  {(msd_real)-golden, 0, 1}};
  const msd_vec3 rest[4] = {at[corner[0]], at[corner[1]], at[corner[2]], at[corner[3]]};
  for (int n = 0; n < 6; n++) {
    msd_constraint_def def = msd_default_constraint_def();
    def.kind = MSD_CONSTRAINT_FIBER;
    memcpy(def.particles, corner, sizeof def.particles);
    def.rest = 1;
    def.stiffness = (msd_real)(young * tetrahedron_volume(rest));
    cr_assert_eq(msd_fiber_weights(rest, 4, axes[n], def.weights), MSD_OK);
    ASSERT_OK(world, msd_add_constraints(world, &def, 1, NULL));
  }
}

static void add_block_fibers(msd_world *world, const msd_vec3 *at, double young) {
  static const int ways[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {1, 0, 2}, {0, 2, 1}, {2, 1, 0}};
  for (int cell = 0; cell < BLOCK_CELLS * BLOCK_CELLS * BLOCK_CELLS; cell++)
    for (int n = 0; n < 6; n++) {
      int place[3] = {cell % BLOCK_CELLS, cell / BLOCK_CELLS % BLOCK_CELLS,
                      cell / (BLOCK_CELLS * BLOCK_CELLS)};
      int32_t corner[4] = {block_vertex(place[0], place[1], place[2])};
      for (int k = 0; k < 3; k++) {
        place[ways[n][k]]++;
        corner[k + 1] = block_vertex(place[0], place[1], place[2]);
      }
      if (n >= 3) { /* counterclockwise as the others */
        const int32_t swapped = corner[1];
        corner[1] = corner[2];
        corner[2] = swapped;
      }
      add_tetrahedron(world, at, corner, young);
    }
}

/* The six axes of an icosahedron: mu = lambda = 2/5 E, which is E and nu = 1/4. */
Test(fiber_sheets, six_directions_make_an_isotropic_block) {
  const double young = 50, lame = 2 * young / 5;
  msd_vec3 at[BLOCK_VERTICES];
  make_block(at);
  for (int load = 0; load < 6; load++) {
    const int r = load < 3 ? load : (load + 1) % 3, c = load < 3 ? load : (load + 2) % 3;
    tensor strain = {{{0}}}, expected = {{{0}}};
    strain.at[r][c] += STRAIN / 2, strain.at[c][r] += STRAIN / 2;
    const double trace = strain.at[0][0] + strain.at[1][1] + strain.at[2][2];
    for (int i = 0; i < AXES; i++)
      for (int j = 0; j < AXES; j++)
        expected.at[i][j] = 2 * lame * strain.at[i][j] + (i == j ? lame * trace : 0);
    double force[BLOCK_VERTICES][AXES];
    msd_world *world = world_at(at, BLOCK_VERTICES, &strain);
    add_block_fibers(world, at, young);
    read_forces(world, force);
    const tensor stress = stress_of(at, BLOCK_VERTICES, force, BLOCK_CELLS * BLOCK_CELLS * BLOCK_CELLS);
    expect_stress(&stress, &expected, STRAIN * young, "block");
    msd_destroy_world(world);
  }
}
