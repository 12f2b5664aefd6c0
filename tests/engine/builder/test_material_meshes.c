/* What a material is on meshes of triangles: how near springs on their edges and folds come to it. */
#include "tests/support/elasticity.h"
#include "tests/support/sheets.h"

static const double STRETCH = 1000, DENSITY = 0.3, BEND = 1e-4, GRAVITY = 10;

static msd_material fabric(void) {
  msd_material m = msd_default_material();
  m.area_density = (msd_real)DENSITY;
  m.stretch = (msd_real)STRETCH;
  m.bend = (msd_real)BEND;
  return m;
}

/* ----------------------------------------------------------------------------------------------- stretch */

static bool is_inside_of_patch(double3 p) {
  return p.x > 0.11 && p.x < 0.94 && p.y > 0.05 && p.y < 0.82;
}

/* Y, nu = 1/3 and G = 3/8 Y, the same along all directions. */
Test(material_meshes, springs_on_equilateral_triangles_are_exact) {
  sheet s = sheet_new((sheet_plan){11, 11, 0.1, 0.05 * sqrt(3), 0, true});
  const msd_material m = fabric();
  msd_world *world = sheet_world(&s, &m, NULL);
  elastic e = elastic_of(world);
  double unrest[3];
  const double xx =
      elastic_strained(&e, (double[]){1, 0, 0, 0, 0, 0}, is_inside_of_patch, &unrest[0]) / s.area;
  const double yy =
      elastic_strained(&e, (double[]){0, 1, 0, 0, 0, 0}, is_inside_of_patch, &unrest[1]) / s.area;
  const double shear =
      elastic_strained(&e, (double[]){0, 0, 0, 0, 0, 0.5}, is_inside_of_patch, &unrest[2]) / s.area;
  cr_expect_float_eq(xx, 1.125 * STRETCH, 1e-4 * STRETCH, "%g", xx);
  cr_expect_float_eq(yy, 1.125 * STRETCH, 1e-4 * STRETCH, "%g", yy);
  cr_expect_float_eq(shear, 0.375 * STRETCH, 1e-4 * STRETCH, "%g", shear);
  for (int n = 0; n < 3; n++)
    cr_expect_leq(unrest[n], 1e-5);
  elastic_free(&e);
  msd_destroy_world(world);
  sheet_free(&s);
}

/* How far the foot of a strip goes down that hangs by the side x = 0, in the mean. */
static double foot(const sheet *s, const msd_world *world, double length) {
  elastic e = elastic_of(world);
  double *load = calloc(6 * (size_t)s->vertex_count, sizeof *load), *x = load + 3 * s->vertex_count;
  for (int32_t i = 0; i < s->vertex_count; i++) {
    e.is_free[3 * i] = e.is_free[3 * i + 1] = e.rest[i].x > 1e-6;
    load[3 * i] = GRAVITY * (double)msd_particle_get_mass(world, i);
  }
  elastic_solve(&e, load, x);
  double sum = 0;
  int count = 0;
  for (int32_t i = 0; i < s->vertex_count; i++)
    if (e.rest[i].x > length - 1e-6) {
      sum += x[3 * i];
      count++;
    }
  free(load);
  elastic_free(&e);
  return sum / count;
}

/* 1 m long and 0.4 m wide. Apart from the side where it hangs, which cannot become narrower, that is a bar: a
   fine mesh of exact elements goes down by 0.966 of w L^2/(2 Y). */
Test(material_meshes, a_strip_hangs_down_as_far_as_its_material_says_within_what_springs_are_good_for) {
  static const sheet_plan plans[] = {
      {11, 5, 0.1, 0.1, 0, false}, {21, 9, 0.05, 0.05, 0.3, false}, {41, 17, 0.025, 0.025, 0.3, false}};
  const double expected = 0.966 * DENSITY * GRAVITY / (2 * STRETCH);
  const msd_material m = fabric();
  for (size_t n = 0; n < sizeof plans / sizeof *plans; n++) {
    sheet s = sheet_new(plans[n]);
    msd_world *world = sheet_world(&s, &m, NULL);
    cr_expect_float_eq(foot(&s, world, 1) / expected, 1, 0.2, "%d: %g of it", plans[n].columns,
                       foot(&s, world, 1) / expected);
    msd_destroy_world(world);
    sheet_free(&s);
  }
}

/* ----------------------------------------------------------------------------------------------- bending */

/* How far the free end of a sheet in the plane x, y goes along z by its weight, with both columns up to `clamp`
   held, over w L^4/(8 B) with L from the middle between them. */
static double droop(const msd_world *world, double clamp, double cell, double end) {
  elastic e = elastic_of(world);
  double *load = calloc(6 * (size_t)e.particles, sizeof *load), *x = load + 3 * e.particles;
  for (int32_t i = 0; i < e.particles; i++) {
    e.is_free[3 * i + 2] = e.rest[i].x > clamp + 1e-6;
    load[3 * i + 2] = GRAVITY * (double)msd_particle_get_mass(world, i);
  }
  elastic_solve(&e, load, x);
  double sum = 0;
  int count = 0;
  for (int32_t i = 0; i < e.particles; i++)
    if (e.rest[i].x > end - 1e-6) {
      sum += x[3 * i + 2];
      count++;
    }
  free(load);
  elastic_free(&e);
  const double length = end - clamp + cell / 2;
  return sum / count / (DENSITY * GRAVITY * length * length * length * length / (8 * BEND));
}

/* The plane where x is along u. */
static double droop_of_cloth(int columns, int rows, double width, bool along_v) {
  const msd_material m = fabric();
  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  msd_cloth_def def = msd_default_cloth_def();
  def.columns = along_v ? rows : columns;
  def.rows = along_v ? columns : rows;
  const msd_vec3 x = {1, 0, 0}, y = {0, (msd_real)width, 0};
  def.u = along_v ? y : x;
  def.v = along_v ? x : y;
  def.material = &m;
  ok(world, msd_add_cloth(world, &def, NULL));
  const double cell = 1.0 / (columns - 1), down = droop(world, cell, cell, 1);
  msd_destroy_world(world);
  return down;
}

/* With free sides, in cells of 1:1, 2:1 and 1:2, bent along both directions. */
Test(material_meshes, a_cloth_bends_as_a_strip_of_its_material_along_both_directions) {
  static const struct {
    int columns, rows;
    double width;
  } cases[] = {{33, 9, 0.25}, {17, 9, 0.25}, {17, 5, 0.5}};
  for (size_t n = 0; n < sizeof cases / sizeof *cases; n++)
    for (int along_v = 0; along_v < 2; along_v++) {
      const double down = droop_of_cloth(cases[n].columns, cases[n].rows, cases[n].width, along_v);
      cr_expect_float_eq(down, 1, 0.1, "%d x %d, %s: %g of the beam's", cases[n].columns, cases[n].rows,
                         along_v ? "v" : "u", down);
    }
}

Test(material_meshes, a_shaken_mesh_bends_as_a_strip_of_its_material_within_a_tenth) {
  const msd_material m = fabric();
  for (int cells = 20; cells <= 40; cells *= 2) {
    const double cell = 1.0 / cells;
    sheet s = sheet_new((sheet_plan){cells + 1, cells / 4 + 1, cell, cell, 0.3, false});
    msd_world *world = sheet_world(&s, &m, NULL);
    const double down = droop(world, 1.3 * cell, 1.3 * cell, 1);
    cr_expect_float_eq(down, 1, 0.1, "%d: %g of the beam's", cells, down);
    msd_destroy_world(world);
    sheet_free(&s);
  }
}
