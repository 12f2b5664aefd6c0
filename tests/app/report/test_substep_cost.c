/* app/report/substep_cost.c */
#include "app/report/substep_cost.h"

#include <criterion/criterion.h>

static const double SUBSTEP = 1e-3;

/* A cloth of 20x20 that hangs from its first particle; its springs wear, or its bend springs are folds. */
static msd_world *cloth(bool wears, bool folds) {
  msd_world_def world_def = msd_default_world_def();
  msd_world *world = NULL;
  cr_assert_eq(msd_create_world(&world_def, &world), MSD_OK);
  msd_cloth_def def = msd_default_cloth_def();
  def.columns = def.rows = 20;
  def.mass = 1;
  def.stretch.law = MSD_SPRING_STIFFNESS;
  def.stretch.stiffness = 100;
  def.stretch.damping = (msd_real)0.01;
  if (folds) {
    def.bend = def.stretch;
    def.bend.stiffness = (msd_real)1e-4;
    def.bend.damping = 0;
    def.bend_kind = MSD_BEND_DIHEDRAL;
  }
  cr_assert_eq(msd_add_cloth(world, &def, NULL), MSD_OK);
  cr_assert_eq(msd_particle_pin(world, 0), MSD_OK);
  if (wears) {
    msd_damage_def damage = msd_default_damage_def();
    damage.tear_strain = 9;
    cr_assert_eq(msd_springs_set_damage(world, (msd_range){0, 10}, &damage), MSD_OK);
  }
  return world;
}

static void step(msd_world *world) {
  for (int n = 0; n < 3; n++)
    cr_assert_eq(msd_world_step(world, (msd_real)0.01, 10), MSD_OK);
}

/* Before its first step, and after some. */
static void expect_untouched(bool wears, bool folds) {
  msd_world *tried = cloth(wears, folds), *other = cloth(wears, folds);
  for (int n = 0; n < 2; n++) {
    const double time = msd_world_get_time(tried);
    const int64_t steps = msd_world_get_steps(tried);
    const uint64_t hash = msd_world_hash(tried);
    cr_assert(substep_cost_measure(tried, 1, SUBSTEP) > 0);
    cr_assert(msd_world_get_time(tried) == time && msd_world_get_steps(tried) == steps);
    cr_assert_eq(msd_world_hash(tried), hash);
    step(tried);
    step(other);
    cr_assert_eq(msd_world_hash(tried), msd_world_hash(other));
  }
  msd_destroy_world(tried);
  msd_destroy_world(other);
}

Test(substep_cost, what_a_trial_computes_is_thrown_away) {
  expect_untouched(false, false);
}

Test(substep_cost, what_a_state_does_not_have_is_tried_on_a_copy) {
  expect_untouched(true, false);
  expect_untouched(false, true);
}

/* Positions leave the range of numbers within three substeps, however few of them a slow machine tries. */
Test(substep_cost, what_diverges_costs_nothing_and_is_as_before) {
  msd_world *world = cloth(false, false);
  const uint64_t hash = msd_world_hash(world);
  const double endless = sizeof(msd_real) == sizeof(float) ? 1e15 : 1e60;
  cr_assert_eq(substep_cost_measure(world, 1, endless), 0);
  cr_assert_eq(msd_world_hash(world), hash);
  msd_destroy_world(world);
}
