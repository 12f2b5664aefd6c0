/* Stretch targets on hanging chains, whose stretch has a formula and can be simulated. */
#include <criterion/criterion.h>

#include <msd/msd.h>

#include <math.h>

enum { HANGING = 20 };

/* A pin and 20 unit masses one meter apart, hanging down with 10 m/s^2. */
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
  cr_assert_eq(msd_world_analyze_stability(world, (msd_real)(1 / 60.0 / substeps), &report), MSD_OK);
  return report.radius;
}

/* Steps of 1/60 s until it hangs still. */
static double settled_stretch(msd_world *world, int32_t substeps) {
  cr_assert_eq(msd_world_set_linear_damping(world, 2), MSD_OK);
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
  /* Without the time for that they are softened as far as the target allows. */
  const msd_stretch_plan hasty = plan_of(world, 0.05, plan.substeps - 1);
  cr_assert_lt(hasty.stiffness_factor, 1);
  cr_assert(hasty.reached);
  cr_assert_leq(hasty.stretch, 0.05);
  msd_destroy_world(world);
}

Test(stretch_target, coefficient_springs_get_substeps_alone) {
  msd_spring_def max_stable = msd_default_spring_def();
  max_stable.law = MSD_SPRING_COEFFICIENT;
  msd_world *world = chain(max_stable);
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

static void assert_unchanged(msd_stretch_plan plan) {
  cr_assert_not(plan.reached);
  cr_assert_eq(plan.stiffness_factor, 1);
}

Test(stretch_target, a_chain_of_dampers_can_never_reach_one) {
  msd_world *world = chain(physical(0, 1));
  const msd_stretch_plan plan = plan_of(world, 0.01, 1000000);
  assert_unchanged(plan);
  cr_assert_eq(plan.substeps_needed, 0);
  cr_assert_eq(plan.stretch, INFINITY);
  msd_destroy_world(world);
}

Test(stretch_target, springs_stay_where_no_number_of_substeps_reaches_it) {
  msd_world *world = chain(physical(40000, 20));
  const msd_stretch_plan plan = plan_of(world, 1e-15, 1000000);
  assert_unchanged(plan);
  cr_assert_eq(plan.substeps_needed, 0);
  cr_assert_lt(radius_at(world, plan.substeps), 4);
  cr_assert_float_eq(plan.stretch, HANGING * 10 / 40000.0, 1e-9);
  msd_destroy_world(world);
}

Test(stretch_target, springs_never_become_softer_for_a_target_that_is_missed_all_the_same) {
  msd_world *world = chain(physical(40000, 20));
  const msd_stretch_plan plan = plan_of(world, 0.001, 1);
  assert_unchanged(plan);
  cr_assert_eq(plan.substeps, 0, "one substep can take none as stiff");
  cr_assert_eq(plan.substeps_needed, plan_of(world, 0.001, 1000000).substeps);
  msd_destroy_world(world);
}

Test(stretch_target, what_hangs_nowhere_does_not_become_softer) {
  msd_world *world = chain(physical(40000, 20));
  cr_assert_eq(msd_particle_unpin(world, 0), MSD_OK);
  assert_unchanged(plan_of(world, 0.05, 1));
  msd_destroy_world(world);
}

/* Far stiffer than any step of the frame can take, and softened to what each can: 20 masses at a spring of k
   stretch it by 200/k, and the softened top spring, between the pin and a mass with two, has k = 1/2
   kg/dt^2. */
Test(stretch_target, the_limit_needs_the_substeps_of_what_it_leaves) {
  msd_world *world = chain(physical(1e9, 0));
  cr_assert_eq(msd_world_set_clamp_stiffness(world, true), MSD_OK);
  const msd_stretch_plan plan = plan_of(world, 0.02, 1000000);
  cr_assert(plan.reached);
  cr_assert_eq(plan.stiffness_factor, 1);
  cr_assert_eq(plan.substeps_needed, plan.substeps);
  /* The second spring, 1/4 kg/dt^2 and 190 N, is the weakest: 760 (dt/S)^2 <= 0.02. */
  cr_assert_eq(plan.substeps, ceil(sqrt(760 / 0.02) / 60));
  cr_assert_float_eq(settled_stretch(world, plan.substeps), plan.stretch, 0.02 * plan.stretch + 1e-4);
  msd_destroy_world(world);
}

Test(stretch_target, under_the_limit_soft_springs_become_stiffer_and_none_softer) {
  msd_world *world = chain(physical(100, 0));
  cr_assert_eq(msd_world_set_clamp_stiffness(world, true), MSD_OK);
  const msd_stretch_plan plan = plan_of(world, 0.01, 1000000);
  cr_assert(plan.reached);
  cr_assert_gt(plan.stiffness_factor, 1);
  cr_assert_leq(plan.stretch, 0.01);
  const msd_stretch_plan fewer = plan_of(world, 0.01, plan.substeps - 1);
  cr_assert_not(fewer.reached);
  cr_assert_eq(fewer.substeps_needed, plan.substeps);
  cr_assert_geq(fewer.stiffness_factor, 1);
  cr_assert_eq(msd_world_scale_stiffness(world, plan.stiffness_factor), MSD_OK);
  cr_assert_float_eq(settled_stretch(world, plan.substeps), plan.stretch, 0.02 * plan.stretch + 1e-4);
  msd_destroy_world(world);
}

/* ------------------------------------------------------------------------------------------ the estimate */

static double estimate_of(const msd_world *world) {
  msd_static_stretch stretch;
  cr_assert_eq(msd_world_estimate_stretch(world, (msd_real)1e-4, &stretch), MSD_OK);
  return stretch.present;
}

static void add_spring(msd_world *world, int32_t a, int32_t b, double stiffness, double rest,
                       msd_spring_mode side) {
  msd_spring_def def = physical(stiffness, 0);
  def.a = a;
  def.b = b;
  def.rest_length = (msd_real)rest;
  def.mode = side;
  cr_assert_eq(msd_add_springs(world, &def, 1, NULL), MSD_OK);
}

Test(stretch_target, a_strut_carries_no_hanging_load) {
  msd_world *world = chain(physical(5000, 0));
  add_spring(world, 0, 1, 5000, 1, MSD_SPRING_COMPRESSION_ONLY);
  add_spring(world, 0, HANGING, 5000, HANGING, MSD_SPRING_COMPRESSION_ONLY);
  cr_assert_float_eq(estimate_of(world), HANGING * 10 / 5000.0, 1e-9);
  msd_destroy_world(world);
}

/* With F in the tether the end is at u = sum over the links of (10 (21 - j) - F)/5000 = (2100 - 20 F)/5000, and
   F = 250 u: 52.5 N, which the top link is spared. */
Test(stretch_target, a_tether_holds_its_end_of_the_chain) {
  msd_world *world = chain(physical(5000, 2));
  add_spring(world, 0, HANGING, 250, HANGING, MSD_SPRING_TENSION_ONLY);
  cr_assert_float_eq(estimate_of(world), (HANGING * 10 - 52.5) / 5000, 1e-9);
  cr_assert_float_eq(settled_stretch(world, 0), (HANGING * 10 - 52.5) / 5000, 1e-4);
  msd_destroy_world(world);
}

Test(stretch_target, a_slack_tether_does_not_help) {
  msd_world *world = chain(physical(5000, 2));
  add_spring(world, 0, HANGING, 250, 1.1 * HANGING, MSD_SPRING_TENSION_ONLY);
  cr_assert_float_eq(estimate_of(world), HANGING * 10 / 5000.0, 1e-9);
  msd_destroy_world(world);
}

Test(stretch_target, a_chain_of_tethers_hangs_as_one_of_springs) {
  msd_spring_def rope = physical(5000, 2);
  rope.mode = MSD_SPRING_TENSION_ONLY;
  msd_world *world = chain(rope);
  cr_assert_float_eq(estimate_of(world), HANGING * 10 / 5000.0, 1e-9);
  msd_destroy_world(world);
}

/* Below the end of the chain, in the same place, hang two masses by springs without a length of their own: 220
   N at the top, and no end to the relative stretch of a length of 0. */
Test(stretch_target, a_spring_without_a_length_carries_and_has_no_stretch) {
  msd_world *world = chain(physical(5000, 2));
  msd_particle_def more[2] = {msd_default_particle_def(), msd_default_particle_def()};
  more[0].position = more[1].position = (msd_vec3){0, -HANGING, 0};
  cr_assert_eq(msd_add_particles(world, more, 2, NULL), MSD_OK);
  add_spring(world, HANGING, HANGING + 1, 1, 0, MSD_SPRING_BOTH);
  add_spring(world, HANGING + 1, HANGING + 2, 5000, 0, MSD_SPRING_BOTH);
  cr_assert_float_eq(estimate_of(world), (HANGING + 2) * 10 / 5000.0, 1e-9);
  /* Beside the top link another of no length: they share the load as springs that grow alike. */
  add_spring(world, 0, 1, 5000, 0, MSD_SPRING_BOTH);
  cr_assert_float_eq(estimate_of(world), (HANGING + 1) * 10 / 5000.0, 1e-9);
  msd_destroy_world(world);
}

static msd_stretch_plan kept_plan_of(const msd_world *world, double stretch, int32_t substeps_max) {
  msd_stretch_target target = msd_default_stretch_target();
  target.stretch = stretch;
  target.substeps_max = substeps_max;
  target.keep_stiffness = true;
  msd_stretch_plan plan;
  cr_assert_eq(msd_world_plan_stretch(world, &target, &plan), MSD_OK);
  cr_assert_eq(plan.stiffness_factor, 1);
  return plan;
}

/* A link is ck m/dt^2 stiff, with m = 1/2 kg between two masses. The second one stretches most: 19 masses
   hang from it, and the first, at the pin, has m = 1 kg. */
Test(stretch_target, substeps_alone_stiffen_coefficient_springs) {
  msd_spring_def link = msd_default_spring_def();
  link.law = MSD_SPRING_COEFFICIENT;
  link.ck = link.cd = (msd_real)0.2;
  msd_world *world = chain(link);
  const msd_stretch_plan plan = kept_plan_of(world, 0.01, 1000000);
  cr_assert(plan.reached);
  cr_assert_eq(plan.substeps, plan.substeps_needed);
  const double needed = ceil(sqrt(19 * 10 / (0.2 * 0.5) / 0.01) / 60);
  cr_assert_float_eq(plan.substeps, needed, 1.01, "%d substeps, not %g", (int)plan.substeps, needed);
  const msd_stretch_plan fewer = kept_plan_of(world, 0.01, plan.substeps - 1);
  cr_assert(!fewer.reached && fewer.substeps == plan.substeps - 1 && fewer.substeps_needed == plan.substeps);
  cr_assert_gt(fewer.stretch, 0.01);
  msd_destroy_world(world);
}

/* 200 N on 500 N/m at the top: 0.4 whatever the substeps. Below it 190 N on a coefficient spring. */
Test(stretch_target, what_physical_springs_stretch_is_left_to_them) {
  msd_world *world = chain(physical(500, 2));
  const msd_stretch_plan as_they_are = kept_plan_of(world, 0.01, 1000000);
  cr_assert(!as_they_are.reached && as_they_are.substeps_needed == 0);
  cr_assert_float_eq(as_they_are.stretch, 0.4, 1e-6);
  msd_spring_def link = msd_spring_get_def(world, 1);
  link.law = MSD_SPRING_COEFFICIENT;
  link.ck = link.cd = (msd_real)0.2;
  cr_assert_eq(msd_spring_set_law(world, 1, &link), MSD_OK);
  const msd_stretch_plan plan = kept_plan_of(world, 0.01, 1000000);
  cr_assert_gt(plan.substeps, as_they_are.substeps);
  cr_assert_float_eq(plan.stretch, 0.42, 0.021, "%g", plan.stretch);
  cr_assert_eq(kept_plan_of(world, 0.01, 1).substeps, 1);
  msd_destroy_world(world);
  world = chain(physical(50000, 2));
  cr_assert_eq(kept_plan_of(world, 0.01, 1).substeps, 0, "one substep is not certified");
  msd_destroy_world(world);
}

Test(stretch_target, scaling_keeps_damping_ratios_and_coefficients) {
  msd_world *world = chain(physical(100, 4));
  msd_spring_def def = physical(0, 0);
  def.law = MSD_SPRING_FREQUENCY;
  def.frequency = 3;
  def.damping_ratio = (msd_real)0.5;
  cr_assert_eq(msd_spring_set_law(world, 1, &def), MSD_OK);
  def.law = MSD_SPRING_COEFFICIENT;
  def.ck = (msd_real)0.25;
  cr_assert_eq(msd_spring_set_law(world, 2, &def), MSD_OK);
  cr_assert_eq(msd_world_scale_stiffness(world, 9), MSD_OK);
  cr_assert_float_eq(msd_spring_get_def(world, 0).stiffness, 900, 1e-3);
  cr_assert_float_eq(msd_spring_get_def(world, 0).damping, 12, 1e-5);
  cr_assert_float_eq(msd_spring_get_def(world, 1).frequency, 9, 1e-5);
  cr_assert_float_eq(msd_spring_get_def(world, 1).damping_ratio, 0.5, 1e-7);
  cr_assert_float_eq(msd_spring_get_def(world, 2).ck, 0.25, 1e-7);
  cr_assert_eq(msd_spring_get_def(world, 2).cd, MSD_MAX_STABLE);
  msd_destroy_world(world);
}

Test(stretch_target, bad_questions_are_refused_and_change_nothing) {
  msd_world *world = chain(physical(1e30, 0));
  msd_stretch_plan plan;
  msd_stretch_target target = {.stretch = 0.1, .frame_time = 0.1, .substeps_max = 1};
  cr_assert_eq(msd_world_plan_stretch(world, &target, &plan), MSD_UNINITIALIZED_DEF);
  cr_assert_eq(msd_world_plan_stretch(world, NULL, &plan), MSD_UNINITIALIZED_DEF);
  target = msd_default_stretch_target();
  cr_assert_eq(msd_world_plan_stretch(NULL, &target, &plan), MSD_BAD_VALUE);
  cr_assert_eq(msd_world_plan_stretch(world, &target, NULL), MSD_BAD_VALUE);
  target.stretch = 0;
  cr_assert_eq(msd_world_plan_stretch(world, &target, &plan), MSD_BAD_VALUE);
  target = msd_default_stretch_target();
  target.frame_time = NAN;
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
