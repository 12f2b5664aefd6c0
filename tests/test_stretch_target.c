/* Stretch targets on hanging chains, whose stretch has a formula and can be simulated. */
#include <criterion/criterion.h>

#include <msd/msd.h>

#include <math.h>

enum { HANGING = 20 };

/* A pin and 20 unit masses one metre apart, hanging down with 10 m/s^2. */
static msd_world *chain(msd_spring_def spring) {
  msd_world_def def = msd_default_world_def();
  def.gravity = (msd_vec3){0, -10, 0};
  msd_world *world;
  cr_assert_eq(msd_create_world(&def, &world), MSD_OK);
  msd_rope_def rope = msd_default_rope_def();
  rope.particles = HANGING + 1;
  rope.mass = HANGING + 1;
  rope.to = (msd_vec3){0, -HANGING, 0};
  rope.stretch = spring;
  cr_assert_eq(msd_add_rope(world, &rope, NULL), MSD_OK);
  cr_assert_eq(msd_particle_pin(world, 0), MSD_OK);
  return world;
}

static msd_spring_def physical(double stiffness, double damping) {
  msd_spring_def def = msd_default_spring_def();
  def.stiffness = (msd_real)stiffness;
  def.damping = (msd_real)damping;
  return def;
}

static msd_stretch_plan plan_of(const msd_world *world, double stretch, int32_t substeps_max) {
  msd_stretch_target target = msd_default_stretch_target();
  target.stretch = stretch;
  target.substeps_max = substeps_max;
  msd_stretch_plan plan;
  cr_assert_eq(msd_world_plan_stretch(world, &target, &plan), MSD_OK);
  return plan;
}

static double radius_at(const msd_world *world, int32_t substeps) {
  msd_stability report;
  cr_assert_eq(msd_world_stability(world, (msd_real)(1 / 60.0 / substeps), &report), MSD_OK);
  return report.radius;
}

/* Steps of 1/60 s until it hangs still. */
static double settled_stretch(msd_world *world, int32_t substeps) {
  cr_assert_eq(msd_world_set_air_drag(world, 2), MSD_OK);
  for (int frame = 0; frame < 2400; frame++)
    cr_assert_eq(msd_world_step(world, (msd_real)(1 / 60.0), substeps), MSD_OK);
  return msd_world_get_stats(world).max_stretch;
}

Test(stretch_target, a_plan_is_certified_and_reaches_its_stretch) {
  for (double stretch = 0.2; stretch > 0.005; stretch /= 3) {
    msd_world *world = chain(physical(500, 2));
    const msd_stretch_plan plan = plan_of(world, stretch, 1000000);
    cr_assert(plan.reached);
    cr_assert_eq(plan.substeps, plan.substeps_needed);
    cr_assert_leq(plan.stretch, stretch);
    /* 200 N on the top spring. */
    cr_assert_float_eq(plan.stretch, HANGING * 10 / (500 * plan.stiffness_factor), 1e-6 * stretch);
    cr_assert_eq(msd_world_scale_stiffness(world, plan.stiffness_factor), MSD_OK);
    cr_assert_lt(radius_at(world, plan.substeps), 4);
    cr_assert_float_eq(settled_stretch(world, plan.substeps), plan.stretch, 0.02 * plan.stretch + 1e-4);
    msd_destroy_world(world);
  }
}

Test(stretch_target, fewer_substeps_would_not_reach_it) {
  msd_world *world = chain(physical(500, 2));
  const msd_stretch_plan plan = plan_of(world, 0.01, 1000000);
  cr_assert_gt(plan.substeps, 2);
  const msd_stretch_plan less = plan_of(world, 0.01, plan.substeps - 1);
  cr_assert_not(less.reached);
  cr_assert_eq(less.substeps, plan.substeps - 1);
  cr_assert_eq(less.substeps_needed, plan.substeps);
  cr_assert_gt(less.stretch, 0.01);
  cr_assert_eq(msd_world_scale_stiffness(world, less.stiffness_factor), MSD_OK);
  cr_assert_lt(radius_at(world, less.substeps), 4);
  cr_assert_float_eq(settled_stretch(world, less.substeps), less.stretch, 0.02 * less.stretch);
  msd_destroy_world(world);
}

Test(stretch_target, springs_that_are_stiff_enough_stay_as_they_are) {
  msd_world *world = chain(physical(40000, 20));
  const msd_stretch_plan plan = plan_of(world, 0.05, 1000000);
  cr_assert(plan.reached);
  cr_assert_eq(plan.stiffness_factor, 1);
  cr_assert_float_eq(plan.stretch, HANGING * 10 / 40000.0, 1e-9);
  cr_assert_lt(radius_at(world, plan.substeps), 4);
  /* Without the time for that they are softened as far as the target bears. */
  const msd_stretch_plan hasty = plan_of(world, 0.05, plan.substeps - 1);
  cr_assert_lt(hasty.stiffness_factor, 1);
  cr_assert(hasty.reached);
  cr_assert_leq(hasty.stretch, 0.05);
  msd_destroy_world(world);
}

Test(stretch_target, coefficient_springs_get_substeps_alone) {
  msd_spring_def stiffest = msd_default_spring_def();
  stiffest.law = MSD_SPRING_COEFFICIENT;
  msd_world *world = chain(stiffest);
  const msd_stretch_plan plan = plan_of(world, 0.02, 1000000);
  cr_assert(plan.reached);
  cr_assert_eq(plan.stiffness_factor, 1);
  cr_assert_gt(plan.substeps, 2);
  cr_assert_float_eq(settled_stretch(world, plan.substeps), plan.stretch, 0.02 * plan.stretch);
  msd_destroy_world(world);
}

Test(stretch_target, nothing_that_hangs_needs_one_substep_of_soft_springs) {
  msd_world *world = chain(physical(1, 0));
  cr_assert_eq(msd_particle_unpin(world, 0), MSD_OK);
  const msd_stretch_plan plan = plan_of(world, 0.01, 10);
  cr_assert(plan.reached);
  cr_assert_eq(plan.substeps, 1);
  cr_assert_eq(plan.stretch, 0);
  msd_destroy_world(world);
}

Test(stretch_target, a_chain_of_dampers_can_never_reach_one) {
  msd_world *world = chain(physical(0, 1));
  const msd_stretch_plan plan = plan_of(world, 0.01, 1000000);
  cr_assert_not(plan.reached);
  cr_assert_eq(plan.substeps_needed, 0);
  cr_assert_eq(plan.stretch, INFINITY);
  msd_destroy_world(world);
}

Test(stretch_target, scaling_keeps_damping_ratios_and_coefficients) {
  msd_world *world = chain(physical(100, 4));
  msd_spring_def def = physical(0, 0);
  def.law = MSD_SPRING_FREQUENCY;
  def.frequency = 3;
  def.damping_ratio = (msd_real)0.5;
  cr_assert_eq(msd_spring_retune(world, 1, &def), MSD_OK);
  def.law = MSD_SPRING_COEFFICIENT;
  def.ck = (msd_real)0.25;
  cr_assert_eq(msd_spring_retune(world, 2, &def), MSD_OK);
  cr_assert_eq(msd_world_scale_stiffness(world, 9), MSD_OK);
  cr_assert_float_eq(msd_spring_get_def(world, 0).stiffness, 900, 1e-3);
  cr_assert_float_eq(msd_spring_get_def(world, 0).damping, 12, 1e-5);
  cr_assert_float_eq(msd_spring_get_def(world, 1).frequency, 9, 1e-5);
  cr_assert_float_eq(msd_spring_get_def(world, 1).damping_ratio, 0.5, 1e-7);
  cr_assert_float_eq(msd_spring_get_def(world, 2).ck, 0.25, 1e-7);
  cr_assert_eq(msd_spring_get_def(world, 2).cd, MSD_STIFFEST);
  msd_destroy_world(world);
}

Test(stretch_target, bad_questions_are_refused_and_change_nothing) {
  msd_world *world = chain(physical(1e30, 0));
  msd_stretch_plan plan;
  msd_stretch_target target = {.stretch = 0.1, .time_step = 0.1, .substeps_max = 1};
  cr_assert_eq(msd_world_plan_stretch(world, &target, &plan), MSD_BAD_DEF);
  cr_assert_eq(msd_world_plan_stretch(world, NULL, &plan), MSD_BAD_DEF);
  target = msd_default_stretch_target();
  cr_assert_eq(msd_world_plan_stretch(NULL, &target, &plan), MSD_BAD_VALUE);
  cr_assert_eq(msd_world_plan_stretch(world, &target, NULL), MSD_BAD_VALUE);
  target.stretch = 0;
  cr_assert_eq(msd_world_plan_stretch(world, &target, &plan), MSD_BAD_VALUE);
  target = msd_default_stretch_target();
  target.time_step = NAN;
  cr_assert_eq(msd_world_plan_stretch(world, &target, &plan), MSD_BAD_VALUE);
  target = msd_default_stretch_target();
  target.substeps_max = 0;
  cr_assert_eq(msd_world_plan_stretch(world, &target, &plan), MSD_BAD_VALUE);
  cr_assert_eq(msd_world_scale_stiffness(world, 0), MSD_BAD_VALUE);
  cr_assert_eq(msd_world_scale_stiffness(world, NAN), MSD_BAD_VALUE);
  cr_assert_eq(msd_world_scale_stiffness(NULL, 1), MSD_BAD_VALUE);
  cr_assert_eq(msd_world_scale_stiffness(world, 1e300), MSD_BAD_VALUE);
  cr_assert_eq(msd_spring_get_def(world, 0).stiffness, (msd_real)1e30);
  msd_destroy_world(world);

  msd_spring_def rigid = msd_default_spring_def();
  rigid.law = MSD_SPRING_COEFFICIENT;
  rigid.ck = rigid.cd = 1;
  world = chain(rigid);
  target = msd_default_stretch_target();
  cr_assert_eq(msd_world_plan_stretch(world, &target, &plan), MSD_NO_STABLE_STEP);
  msd_destroy_world(world);
}
