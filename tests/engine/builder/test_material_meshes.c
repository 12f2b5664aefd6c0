/* What a material is on meshes: fibers are it, springs on edges and folds come near it. */
#include "tests/support/elasticity.h"
#include "tests/support/sheets.h"

static const double STRETCH = 1000, DENSITY = 0.3, BEND = 1e-4, GRAVITY = 10;

static msd_material fabric(msd_elements elements) {
  msd_material m = msd_default_material();
  m.elements = elements;
  m.area_density = (msd_real)DENSITY;
  m.stretch_modulus = (msd_real)STRETCH;
  m.bend_rigidity = (msd_real)BEND;
  return m;
}

/* ----------------------------------------------------------------------------------------------- stretch */

static bool is_inside_of_patch(double3 p) {
  return p.x > 0.11 && p.x < 0.94 && p.y > 0.05 && p.y < 0.82;
}

/* Y, nu = 1/3 and G = 3/8 Y, the same along all directions. */
Test(material_meshes, springs_on_equilateral_triangles_are_exact) {
  sheet s = sheet_new((sheet_plan){11, 11, 0.1, 0.05 * sqrt(3), 0, true});
  const msd_material m = fabric(MSD_ELEMENTS_SPRINGS);
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

/* How far the foot of a strip goes down that hangs by the side x = 0, in the mean over its width. With `slides`
   that side may become narrower, as in a bar: one corner of it alone is held along y. */
static double foot(const sheet *s, const msd_world *world, const sheet_plan *plan, bool slides) {
  elastic e = elastic_of(world);
  double *load = calloc(6 * (size_t)s->vertex_count, sizeof *load), *x = load + 3 * s->vertex_count;
  for (int32_t i = 0; i < s->vertex_count; i++) {
    e.is_free[3 * i] = e.rest[i].x > 1e-6;
    e.is_free[3 * i + 1] = e.is_free[3 * i] || (slides && i > 0);
    load[3 * i] = GRAVITY * (double)msd_particle_get_mass(world, i);
  }
  elastic_solve(&e, load, x);
  double sum = 0;
  for (int r = 0; r < plan->rows; r++)
    sum += x[3 * ((r + 1) * plan->columns - 1)] * (r == 0 || r + 1 == plan->rows ? 0.5 : 1);
  free(load);
  elastic_free(&e);
  return sum / (plan->rows - 1);
}

/* 1 m long and 0.4 m wide, over w L^2/(2 Y), which is a bar's. */
static double strip_of(sheet_plan plan, msd_elements elements, bool slides) {
  const msd_material m = fabric(elements);
  sheet s = sheet_new(plan);
  msd_world *world = sheet_world(&s, &m, NULL);
  const double down = foot(&s, world, &plan, slides) / (DENSITY * GRAVITY / (2 * STRETCH));
  msd_destroy_world(world);
  sheet_free(&s);
  return down;
}

static const sheet_plan plans[] = {{16, 7, 1.0 / 15, 0.4 / 6, 0, false},
                                   {11, 5, 0.1, 0.1, 0.3, false},
                                   {21, 9, 0.05, 0.05, 0.3, false},
                                   {41, 17, 0.025, 0.025, 0.3, false}};

/* The mean over the width at the foot is what a pull of 1 N/m there does work on. The strain of such a pull
   is uniform, which meshes of fibers have exactly, and a particle at x then goes down by x/Y; so by
   reciprocity the foot goes down by the sum of the weights times x/Y, which is w L^2/(2 Y), on any mesh. */
Test(material_meshes, a_strip_of_fibers_that_may_become_narrower_hangs_down_as_a_bar_on_any_mesh) {
  for (size_t n = 0; n < sizeof plans / sizeof *plans; n++) {
    const double down = strip_of(plans[n], MSD_ELEMENTS_FIBERS, true);
    cr_expect_float_eq(down, 1, 1e-6, "%d: %.6f of the bar", plans[n].columns, down);
  }
}

/* A side that is held and cannot become narrower is stiffer. The strip in plane stress, with nu = 1/3 and Y =
   1, was solved by finite elements of another kind, nine nodes with quadratic functions, graded to the
   corners where the stress is singular (displacements go with r^0.745): 8 x 4, 16 x 8, 32 x 16 and 64 x 32 of
   them on half of the width come to 0.988480, 0.988511, 0.988513 and 0.988513, and to 1 with nu = 0. */
static const double STRIP = 0.988513;

Test(material_meshes, a_strip_of_fibers_hangs_down_as_the_theory_of_elasticity_says) {
  for (size_t n = 0; n < sizeof plans / sizeof *plans; n++) {
    const double down = strip_of(plans[n], MSD_ELEMENTS_FIBERS, false) / STRIP;
    cr_expect_float_eq(down, 1, 0.0005 + 0.055 * plans[n].across, "%d: %.5f", plans[n].columns, down);
    cr_expect_lt(down, 1, "linear elements are too stiff, not %.5f", down);
  }
}

Test(material_meshes, a_strip_of_springs_hangs_down_as_far_within_what_they_are_good_for) {
  for (size_t n = 0; n < sizeof plans / sizeof *plans; n++) {
    const double down = strip_of(plans[n], MSD_ELEMENTS_SPRINGS, false);
    cr_expect_float_eq(down / STRIP, 1, 0.2, "%d: %g of the bar", plans[n].columns, down);
  }
}

/* Sheets of the fabrics (stretch, weft, shear), shaken, with the warp along x, and across it at an angle: the
   energy of uniform strains along warp and weft. */
Test(material_meshes, fibers_have_the_moduli_of_a_fabric_along_its_warp_on_any_mesh) {
  static const double fabrics[][3] = {
      {1000, 1000, 375}, {1000, 300, 20}, {1000, 1000, 100}, {1000, 1000, 500}};
  sheet s = sheet_new((sheet_plan){11, 11, 0.1, 0.04, 0.3, false});
  for (size_t n = 0; n < sizeof fabrics / sizeof *fabrics; n++)
    for (int turned = 0; turned < 2; turned++) {
      msd_material m = fabric(MSD_ELEMENTS_FIBERS);
      m.stretch_modulus = (msd_real)fabrics[n][0];
      m.weft_modulus = (msd_real)fabrics[n][1];
      m.shear_modulus = (msd_real)fabrics[n][2];
      m.bend_rigidity = 0;
      const double c = turned ? 0.8 : 1, d = turned ? 0.6 : 0;
      msd_world *world = sheet_world_along(&s, &m, (msd_vec3){(msd_real)c, (msd_real)d, 0}, NULL);
      elastic e = elastic_of(world);
      double unrest;
      const double uu =
          elastic_strained(&e, (double[]){c * c, d * d, 0, 0, 0, c * d}, NULL, &unrest) / s.area;
      const double vv =
          elastic_strained(&e, (double[]){d * d, c * c, 0, 0, 0, -c * d}, NULL, &unrest) / s.area;
      const double both = elastic_strained(&e, (double[]){1, 1, 0, 0, 0, 0}, NULL, &unrest) / s.area;
      const double shear =
          elastic_strained(&e, (double[]){-c * d, c * d, 0, 0, 0, (c * c - d * d) / 2}, NULL, &unrest) /
          s.area;
      const double cross = (both - uu - vv) / 2;
      cr_expect_float_eq(uu - cross * cross / vv, fabrics[n][0], 1e-4 * fabrics[n][0], "stretch %g",
                         uu - cross * cross / vv);
      cr_expect_float_eq(vv - cross * cross / uu, fabrics[n][1], 1e-4 * fabrics[n][1], "weft %g",
                         vv - cross * cross / uu);
      cr_expect_float_eq(shear, fabrics[n][2], 1e-4 * fabrics[n][2], "shear %g", shear);
      elastic_free(&e);
      msd_destroy_world(world);
    }
  sheet_free(&s);
}

/* What lies across the warp has its warp along x. */
Test(material_meshes, a_sheet_across_the_warp_is_woven_along_x) {
  sheet s = sheet_new((sheet_plan){5, 5, 0.1, 0.1, 0, false});
  msd_material m = fabric(MSD_ELEMENTS_FIBERS);
  m.weft_modulus = 300;
  m.shear_modulus = 20;
  msd_world *world = sheet_world_along(&s, &m, (msd_vec3){0, 0, 1}, NULL);
  elastic e = elastic_of(world);
  double unrest;
  const double xx = elastic_strained(&e, (double[]){1, 0, 0, 0, 0, 0}, NULL, &unrest) / s.area;
  cr_expect_float_eq(xx, 1000 + 20.0 * 20 / 300, 0.1, "%g", xx);
  elastic_free(&e);
  msd_destroy_world(world);
  sheet_free(&s);
}

/* A cube of five tetrahedra, and a skewed one: C_11 = 6/5 E, C_12 = C_44 = 2/5 E. */
Test(material_meshes, fibers_in_tetrahedra_are_a_solid_with_a_quarter_as_poissons_ratio) {
  static const int32_t tetrahedra[] = {0, 3, 6, 5, 1, 0, 5, 3, 2, 0, 3, 6, 4, 0, 6, 5, 7, 3, 5, 6};
  for (int skewed = 0; skewed < 2; skewed++) {
    msd_vec3 vertices[8];
    for (int n = 0; n < 8; n++)
      vertices[n] = (msd_vec3){(msd_real)((n & 1) + 0.3 * skewed * (n >> 2)), (msd_real)(n >> 1 & 1),
                               (msd_real)((n >> 2) * (skewed ? 0.25 : 1))};
    msd_material m = msd_default_material();
    m.density = 800;
    m.stretch_modulus = 1000;
    msd_tetmesh_def def = msd_default_tetmesh_def();
    def.vertices = vertices;
    def.vertex_count = 8;
    def.tetrahedra = tetrahedra;
    def.tetrahedron_count = 5;
    def.material = &m;
    msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
    msd_body body;
    ok(world, msd_add_tetmesh(world, &def, &body));
    const double volume = skewed ? 0.25 : 1;
    cr_expect_float_eq(msd_world_get_stats(world).total_mass, 800 * volume, 1e-3);
    cr_expect(body.fibers.count == 30 && body.springs.count == 0 && body.constraints.count == 30);
    cr_expect_gt(msd_constraint_get_def(world, 0).damping, 0);
    elastic e = elastic_of(world);
    double unrest;
    for (int axis = 0; axis < 3; axis++) {
      double alone[6] = {0}, two[6] = {0}, shear[6] = {0};
      alone[axis] = two[axis] = two[(axis + 1) % 3] = 1;
      shear[3 + axis] = 0.5;
      cr_expect_float_eq(elastic_strained(&e, alone, NULL, &unrest) / volume, 1200, 0.1);
      cr_expect_float_eq(elastic_strained(&e, two, NULL, &unrest) / volume, 3200, 0.3);
      cr_expect_float_eq(elastic_strained(&e, shear, NULL, &unrest) / volume, 400, 0.04);
    }
    elastic_free(&e);
    msd_destroy_world(world);
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
  const msd_material m = fabric(MSD_ELEMENTS_FIBERS);
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
  const msd_material m = fabric(MSD_ELEMENTS_SPRINGS);
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

/* Vertex 3 is a tenth of a rounding error beside an edge: that is an area and a mass, but no height. */
Test(material_meshes, a_vertex_that_no_fiber_holds_is_refused) {
  const msd_real low = sizeof(msd_real) == 4 ? (msd_real)1e-7 : (msd_real)1e-13;
  const msd_vec3 vertices[] = {
      {0, 0, 0}, {1, 0, 0}, {(msd_real)0.5, (msd_real)-0.5, 0}, {(msd_real)0.5, low, 0}};
  const int32_t triangles[] = {0, 2, 1, 0, 1, 3};
  const msd_world_def world_def = msd_default_world_def();
  msd_world *world;
  cr_assert_eq(msd_create_world(&world_def, &world), MSD_OK);
  msd_material m = msd_default_material();
  m.area_density = m.stretch_modulus = 1;
  msd_mesh_def def = msd_default_mesh_def();
  def.vertices = vertices;
  def.vertex_count = 4;
  def.triangles = triangles;
  def.triangle_count = 2;
  def.material = &m;
  cr_expect_eq(msd_add_mesh(world, &def, NULL), MSD_BAD_VALUE);
  cr_expect(strstr(msd_world_message(world),
                   "mesh: material: vertex 3 belongs only to triangles that are too flat"),
            "%s", msd_world_message(world));
  cr_expect_eq(msd_world_get_particle_count(world), 0);
  m.elements = MSD_ELEMENTS_SPRINGS;
  cr_expect_eq(msd_add_mesh(world, &def, NULL), MSD_OK);
  msd_destroy_world(world);
}
