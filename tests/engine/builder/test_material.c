/* A material gives a body its mass and damping, and costs the substeps that it must. */
#include "tests/support/laboratory.h"

#include <string.h>

static msd_material sheet(void) {
  msd_material m = msd_default_material();
  m.area_density = (msd_real)0.3;
  m.stretch_modulus = 1000;
  m.bend_rigidity = (msd_real)1e-4;
  return m;
}

static double mass_of(const msd_world *world) {
  return msd_world_get_stats(world).total_mass;
}

static double mass_at(const msd_world *world, int32_t particle) {
  return (double)msd_particle_get_mass(world, particle);
}

/* ------------------------------------------------------------------------------------------------- masses */

static void expect_mass(double mass, double expected, const char *what) {
  cr_expect_float_eq(mass, expected, 20 * EPSILON * expected, "%s: %.9g kg, not %.9g", what, mass, expected);
}

Test(material, a_particle_has_the_mass_of_its_share_of_the_cells_around_it) {
  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  const msd_material m = sheet();
  msd_cloth_def cloth = msd_default_cloth_def();
  cloth.u.x = 2;
  cloth.columns = 9;
  cloth.rows = 6;
  cloth.material = &m;
  ok(world, msd_add_cloth(world, &cloth, NULL));
  expect_mass(mass_of(world), 0.6, "cloth");
  const double cell = 0.3 * 0.25 * 0.2;
  expect_mass(mass_at(world, 0), cell / 4, "corner");
  expect_mass(mass_at(world, 1), cell / 2, "border");
  expect_mass(mass_at(world, 9), cell / 2, "border");
  expect_mass(mass_at(world, 10), cell, "inside");
  msd_destroy_world(world);

  world = new_world(MSD_SYMPLECTIC_EULER);
  msd_material solid = msd_default_material();
  solid.density = 500;
  solid.stretch_modulus = 1e5;
  msd_block_def block = msd_default_block_def();
  block.cells[0] = 2;
  block.cells[1] = 2;
  block.cells[2] = 2;
  block.size.z = (msd_real)1.125;
  block.material = &solid;
  ok(world, msd_add_block(world, &block, NULL));
  expect_mass(mass_of(world), 562.5, "block");
  expect_mass(mass_at(world, 13), 562.5 / 8, "inside");
  expect_mass(mass_at(world, 0), 562.5 / 64, "corner");
  msd_destroy_world(world);

  world = new_world(MSD_SYMPLECTIC_EULER);
  msd_material cord = msd_default_material();
  cord.line_density = (msd_real)0.05;
  cord.stretch_modulus = 100;
  msd_rope_def rope = msd_default_rope_def();
  rope.to.x = 3;
  rope.particles = 7;
  rope.material = &cord;
  ok(world, msd_add_rope(world, &rope, NULL));
  expect_mass(mass_of(world), 0.15, "rope");
  expect_mass(mass_at(world, 0), 0.0125, "end");
  expect_mass(mass_at(world, 3), 0.025, "middle");
  msd_destroy_world(world);
}

/* ------------------------------------------------------------------------------------------------ damping */

static msd_world *new_sheet(int side, const msd_material *m, msd_body *body) {
  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  msd_cloth_def def = msd_default_cloth_def();
  def.columns = def.rows = side;
  def.material = m;
  ok(world, msd_add_cloth(world, &def, body));
  return world;
}

/* In how many springs and constraints each particle is. */
static void count_shares(const msd_world *world, int *shares) {
  for (int32_t s = 0; s < msd_world_get_spring_count(world); s++) {
    const msd_spring_def def = msd_spring_get_def(world, s);
    shares[def.a]++;
    shares[def.b]++;
  }
  for (int32_t c = 0; c < msd_world_get_constraint_count(world); c++) {
    const msd_constraint_def def = msd_constraint_get_def(world, c);
    for (int n = 0; n < msd_constraint_kind_particles(def.kind); n++)
      shares[def.particles[n]]++;
  }
}

Test(material, a_spring_is_damped_by_the_ratio_of_what_is_critical_for_its_share_of_the_mass) {
  enum { SIDE = 7 };
  msd_material m = sheet();
  m.damping_ratio = (msd_real)0.2;
  msd_body body;
  msd_world *world = new_sheet(SIDE, &m, &body);
  int shares[SIDE * SIDE] = {0};
  count_shares(world, shares);
  for (int32_t s = 0; s < body.springs.count; s++) {
    const msd_spring_def def = msd_spring_get_def(world, s);
    const double share = 1 / (shares[def.a] / mass_at(world, def.a) + shares[def.b] / mass_at(world, def.b));
    const double expected = 2 * 0.2 * sqrt((double)def.stiffness * share);
    cr_expect_float_eq((double)def.damping, expected, 1e-5 * expected, "spring %d", (int)s);
  }
  for (int32_t c = 0; c < body.constraints.count; c++)
    cr_expect_gt(msd_constraint_get_def(world, c).damping, 0);
  msd_destroy_world(world);
}

static double stable_step(const msd_world *world) {
  msd_stability limit;
  cr_assert_eq(msd_world_analyze_stability(world, (msd_real)(1.0 / 60), &limit), MSD_OK);
  return limit.stable_substep;
}

/* kappa = dt^2 k + 4 r dt sqrt(k s) of a spring is at most its share, 4 s, at sqrt(1 + r^2) - r of the step at
   which dt^2 k is. The whole network is certified somewhat above that, alike with damping and without. */
Test(material, damping_by_ratio_costs_the_same_part_of_the_step_at_any_resolution) {
  static const double ratios[] = {0.05, 0.2};
  for (int side = 5; side <= 65; side = 2 * side - 1)
    for (size_t r = 0; r < sizeof ratios / sizeof *ratios; r++) {
      msd_material m = sheet();
      m.bend_rigidity = 0;
      m.damping_ratio = 0;
      msd_world *free_world = new_sheet(side, &m, NULL);
      m.damping_ratio = (msd_real)ratios[r];
      msd_world *damped_world = new_sheet(side, &m, NULL);
      const double left = stable_step(damped_world) / stable_step(free_world);
      const double least = sqrt(1 + ratios[r] * ratios[r]) - ratios[r];
      cr_expect(left >= 0.99 * least && left < 1, "%d, ratio %g: %g of the step, not %g", side, ratios[r],
                left, least);
      msd_destroy_world(free_world);
      msd_destroy_world(damped_world);
    }
}

/* --------------------------------------------------------------------------------------------- soft stretch */

/* By its formula: a sheet of 1 m that may stretch by 1 % under its weight needs rho g L/0.01. */
Test(material, soft_stretch_makes_a_body_just_stiff_enough_for_its_weight) {
  msd_world_def world_def = msd_default_world_def();
  world_def.gravity = (msd_vec3){0, -10, 0};
  msd_world *world;
  cr_assert_eq(msd_create_world(&world_def, &world), MSD_OK);
  msd_material m = sheet();
  m.stretch_modulus = 350000;
  m.shear_modulus = 130000;
  m.stretch_under_weight = (msd_real)0.01;
  msd_cloth_def def = msd_default_cloth_def();
  def.columns = def.rows = 11;
  def.material = &m;
  msd_body body;
  ok(world, msd_add_cloth(world, &def, &body));
  cr_expect_float_eq((double)body.material.stretch_modulus, 0.3 * 10 / 0.01, 0.01);
  cr_expect_float_eq((double)body.material.weft_modulus, 300, 0.01);
  cr_expect_float_eq((double)body.material.shear_modulus, 130000.0 * 300 / 350000, 0.01);
  m.bend_rigidity = (msd_real)0.9;
  ok(world, msd_add_cloth(world, &def, &body));
  cr_expect_float_eq((double)body.material.stretch_modulus, 10 * 0.9 / (0.1 * 0.1), 0.01);
  m = sheet();
  m.stretch_modulus = 100;
  m.stretch_under_weight = (msd_real)0.01;
  ok(world, msd_add_cloth(world, &def, &body));
  cr_expect_float_eq((double)body.material.stretch_modulus, 100, 1e-3);
  msd_destroy_world(world);
}

Test(material, soft_stretch_without_weight_and_bending_changes_nothing) {
  msd_material m = sheet();
  m.bend_rigidity = 0;
  m.stretch_under_weight = (msd_real)0.01;
  msd_body body;
  msd_destroy_world(new_sheet(5, &m, &body));
  cr_expect_float_eq((double)body.material.stretch_modulus, 1000, 1e-3);
}

/* ------------------------------------------------------------------------------------------------- motion */

/* A sheet that hangs by two corners, with substeps left to the engine: whatever the frames it must not gain
   energy over what it had, with the damping that it has. */
Test(material, a_body_of_a_material_is_stable_at_any_frame_rate) {
  static const int rates[] = {24, 60, 240};
  for (size_t r = 0; r < sizeof rates / sizeof *rates; r++) {
    msd_world_def world_def = msd_default_world_def();
    msd_world *world;
    cr_assert_eq(msd_create_world(&world_def, &world), MSD_OK);
    msd_material denim;
    cr_assert_eq(msd_material_named("denim", &denim), MSD_OK);
    msd_cloth_def def = msd_default_cloth_def();
    def.columns = def.rows = 13;
    def.v = (msd_vec3){0, 0, 1};
    def.material = &denim;
    ok(world, msd_add_cloth(world, &def, NULL));
    ok(world, msd_particle_pin(world, 0));
    ok(world, msd_particle_pin(world, 12));
    for (int frame = 0; frame < rates[r]; frame++)
      ok(world, msd_world_step(world, (msd_real)(1.0 / rates[r]), 0));
    const msd_stats stats = msd_world_get_stats(world);
    cr_expect_lt(stats.kinetic_energy + stats.elastic_energy + stats.potential_energy, 1e-3 * 0.324 * 9.81,
                 "%d frames a second", rates[r]);
    msd_destroy_world(world);
  }
}

/* Edges and half of their diagonals bend in series. First are edges along rows, then along columns. */
Test(material, a_cloth_bends_along_warp_and_weft_with_the_rigidity_of_each) {
  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  msd_material m = sheet();
  m.weft_bend_rigidity = (msd_real)3e-5;
  msd_cloth_def def = msd_default_cloth_def();
  def.columns = def.rows = 9;
  def.material = &m;
  msd_body body;
  ok(world, msd_add_cloth(world, &def, &body));
  const int32_t first = body.bend_constraints.first, of_rows = 8 * 7;
  const double row = (double)msd_constraint_get_def(world, first).stiffness,
               column = (double)msd_constraint_get_def(world, first + of_rows).stiffness,
               diagonal = (double)msd_constraint_get_def(world, first + 2 * of_rows).stiffness;
  cr_expect_float_eq(1 / (1 / column + 0.5 / diagonal), 1e-4, 1e-9);
  cr_expect_float_eq(1 / (1 / row + 0.5 / diagonal), 3e-5, 1e-9);
  msd_destroy_world(world);
}

/* ------------------------------------------------------------------------------------------------- errors */

static void refuse(msd_material m, msd_cloth_def def, msd_result expected, const char *part) {
  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  def.material = &m;
  msd_body body = {.particles = {1, 1}};
  cr_expect_eq(msd_add_cloth(world, &def, &body), expected, "%s", part);
  cr_expect(strstr(msd_world_message(world), part), "\"%s\" is not in \"%s\"", part,
            msd_world_message(world));
  cr_expect(body.particles.count == 0 && msd_world_get_particle_count(world) == 0, "%s: added", part);
  msd_destroy_world(world);
}

Test(material, what_is_wrong_with_a_material_is_named) {
  const msd_cloth_def def = msd_default_cloth_def();
  msd_material m = sheet();
  m.cookie = 0;
  refuse(m, def, MSD_UNINITIALIZED_DEF, "cloth: material was not made by msd_default_material");
  m = sheet();
  m.area_density = 0;
  m.density = 1;
  refuse(m, def, MSD_BAD_VALUE, "cloth: material: area_density is 0; it must be finite and above 0");
  m = sheet();
  m.stretch_modulus = (msd_real)NAN;
  refuse(m, def, MSD_BAD_VALUE, "stretch is nan");
  m = sheet();
  m.weft_modulus = 0;
  refuse(m, def, MSD_BAD_VALUE, "weft is 0");
  m = sheet();
  m.shear_modulus = -2;
  refuse(m, def, MSD_BAD_VALUE, "shear is -2");
  m = sheet();
  m.bend_rigidity = -1;
  refuse(m, def, MSD_BAD_VALUE, "bend is -1; it must be finite and not below 0");
  m = sheet();
  m.damping_ratio = 11;
  refuse(m, def, MSD_BAD_VALUE, "damping_ratio is 11; it must be 10 at most");
  m = sheet();
  m.stretch_under_weight = (msd_real)INFINITY;
  refuse(m, def, MSD_BAD_VALUE, "stretch_under_weight is inf");
  m = sheet();
  m.elements = MSD_ELEMENTS_COUNT;
  refuse(m, def, MSD_BAD_VALUE, "elements is 2; it must be MSD_ELEMENTS_FIBERS");
}

Test(material, a_cloth_without_area_or_beyond_numbers_is_refused) {
  msd_cloth_def def = msd_default_cloth_def();
  def.rows = 1;
  refuse(sheet(), def, MSD_BAD_VALUE, "columns and rows are 2 and 1");
  def = msd_default_cloth_def();
  def.v = (msd_vec3){0, (msd_real)-1e-13, 0};
  msd_material m = sheet();
  m.area_density = (msd_real)1e13;
  refuse(m, def, MSD_BAD_VALUE, "too flat for a material");
  def = msd_default_cloth_def();
  m = sheet();
  m.stretch_modulus = (msd_real)(sizeof(msd_real) == sizeof(double) ? 1e308 : 3e38);
  refuse(m, def, MSD_BAD_VALUE, "stiffness");
}

/* Folds of squares have up to 3/2 of it, and angles of a rope its share of the length of a piece. */
Test(material, folds_beyond_numbers_are_refused) {
  msd_material m = sheet();
  m.bend_rigidity = (msd_real)(sizeof(msd_real) == sizeof(double) ? 1.7e308 : 3e38);
  msd_cloth_def cloth = msd_default_cloth_def();
  cloth.columns = cloth.rows = 3;
  refuse(m, cloth, MSD_BAD_VALUE, "stiffness");
  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  m.shear_modulus = MSD_ISOTROPIC;
  m.line_density = 1;
  msd_rope_def rope = msd_default_rope_def();
  rope.particles = 5;
  rope.material = &m;
  cr_expect_eq(msd_add_rope(world, &rope, NULL), MSD_BAD_VALUE);
  cr_expect(strstr(msd_world_message(world), "rope: material: a spring or hinge would have the stiffness"),
            "%s", msd_world_message(world));
  cr_expect_eq(msd_world_get_particle_count(world), 0);
  msd_destroy_world(world);
}

Test(material, a_solid_takes_one_stiffness_and_cells_that_are_not_too_unlike) {
  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  msd_material m = msd_default_material();
  m.density = 1000;
  m.stretch_modulus = 1e4;
  msd_block_def def = msd_default_block_def();
  def.material = &m;
  def.size.x = 2;
  cr_expect_eq(msd_add_block(world, &def, NULL), MSD_BAD_VALUE);
  cr_expect(strstr(msd_world_message(world), "cells of 2 x 1 x 1 m"), "%s", msd_world_message(world));
  def.size.x = 1;
  m.shear_modulus = 10;
  cr_expect_eq(msd_add_block(world, &def, NULL), MSD_BAD_VALUE);
  cr_expect(strstr(msd_world_message(world), "block: material: shear is 10"), "%s", msd_world_message(world));
  m.shear_modulus = MSD_ISOTROPIC;
  m.bend_rigidity = 1;
  cr_expect_eq(msd_add_block(world, &def, NULL), MSD_BAD_VALUE);
  cr_expect(strstr(msd_world_message(world), "bend is 1"), "%s", msd_world_message(world));
  msd_destroy_world(world);
}
