/* Springs that cannot be, and springs at the ends of what can. */
#include "tests/support/misuse.h"

static void refuse_spring(msd_world *world, msd_spring_def wrong, msd_result expected, const char *part) {
  msd_spring_def defs[3] = {spring_between(0, 2), wrong, spring_between(1, 3)};
  int32_t first = 77;
  REFUSED(world, msd_add_springs(world, defs, 3, &first), expected, part);
  expect_message(world, "1");
  cr_expect_eq(first, 77);
}

/* As a new spring, and as other numbers for an old one. */
static void refuse_tuning(msd_world *world, msd_spring_def wrong, msd_result expected, const char *part) {
  refuse_spring(world, wrong, expected, part);
  REFUSED(world, msd_spring_set_law(world, 2, &wrong), expected, part);
  expect_message(world, "spring 2");
}

Test(misuse_springs, a_wrong_spring_is_named_and_none_is_added) {
  msd_world *world = small_world();
  const msd_spring_def good = spring_between(0, 2);
  msd_spring_def def;
  for (int i = 0; i < BAD_INDEX_COUNT; i++) {
    def = good, def.a = BAD_INDEX[i];
    refuse_spring(world, def, MSD_BAD_INDEX, "4 particles");
    def = good, def.b = BAD_INDEX[i];
    refuse_spring(world, def, MSD_BAD_INDEX, "4 particles");
  }
  def = good, def.a = def.b = 2;
  refuse_spring(world, def, MSD_BAD_INDEX, "both ends are particle 2");
  for (int i = 0; i < BAD_COUNT; i++) {
    def = good, def.rest_length = BAD[i];
    refuse_spring(world, def, MSD_BAD_VALUE, "rest_length");
    def = good, def.stiffness = BAD[i];
    refuse_tuning(world, def, MSD_BAD_VALUE, "stiffness");
    def = good, def.damping = BAD[i];
    refuse_tuning(world, def, MSD_BAD_VALUE, "damping");
    def = good, def.law = MSD_SPRING_COEFFICIENT, def.ck = BAD[i];
    refuse_tuning(world, def, MSD_BAD_VALUE, "ck");
    def = good, def.law = MSD_SPRING_COEFFICIENT, def.cd = BAD[i];
    refuse_tuning(world, def, MSD_BAD_VALUE, "cd");
    def = good, def.law = MSD_SPRING_FREQUENCY, def.frequency = BAD[i];
    refuse_tuning(world, def, MSD_BAD_VALUE, "frequency");
    def = good, def.law = MSD_SPRING_FREQUENCY, def.damping_ratio = BAD[i];
    refuse_tuning(world, def, MSD_BAD_VALUE, "damping_ratio");
  }
  def = good, def.stiffness = -1;
  refuse_tuning(world, def, MSD_BAD_VALUE, "stiffness is -1");
  def = good, def.damping = -1; /* MSD_MAX_STABLE is for coefficients only */
  refuse_tuning(world, def, MSD_BAD_VALUE, "damping is -1");
  def = good, def.law = MSD_SPRING_COEFFICIENT, def.ck = (msd_real)-0.5;
  refuse_tuning(world, def, MSD_BAD_VALUE, "ck is -0.5");
  def = good, def.law = MSD_SPRING_COEFFICIENT, def.cd = -2;
  refuse_tuning(world, def, MSD_BAD_VALUE, "cd is -2");
  def = good, def.law = MSD_SPRING_FREQUENCY, def.frequency = -1;
  refuse_tuning(world, def, MSD_BAD_VALUE, "frequency is -1");
  def = good, def.law = MSD_SPRING_NONE;
  refuse_tuning(world, def, MSD_BAD_VALUE, "law");
  def = good, def.law = MSD_SPRING_LAW_COUNT;
  refuse_tuning(world, def, MSD_BAD_VALUE, "law");
  def = good, def.law = (msd_spring_law)-7;
  refuse_tuning(world, def, MSD_BAD_VALUE, "law");
  memset(&def, 0, sizeof def);
  refuse_tuning(world, def, MSD_UNINITIALIZED_DEF, "msd_default_spring_def");
  REFUSED(world, msd_spring_set_law(world, 1, NULL), MSD_UNINITIALIZED_DEF, "spring 1");
  msd_destroy_world(world);
}

Test(misuse_springs, a_hard_limit_must_be_one_sided_and_take_back_a_share) {
  static const msd_real wrong_shares[] = {
      0, (msd_real)1.0625, -2, (msd_real)-0.5, (msd_real)NAN, (msd_real)INFINITY};
  msd_world *world = small_world();
  msd_spring_def def = spring_between(0, 2);
  def.law = MSD_SPRING_HARD_LIMIT;
  refuse_tuning(world, def, MSD_BAD_VALUE, "mode is both");
  def.mode = MSD_SPRING_TENSION_ONLY;
  REFUSED(world, msd_spring_set_law(world, 2, &def), MSD_BAD_VALUE, "mode is both"); /* as the spring is */
  for (size_t i = 0; i < sizeof wrong_shares / sizeof *wrong_shares; i++) {
    def.ck = wrong_shares[i];
    refuse_spring(world, def, MSD_BAD_VALUE, "ck");
  }
  def.ck = MSD_MAX_STABLE;
  msd_range caught = {msd_world_get_spring_count(world), 2};
  cr_assert_eq(msd_add_springs(world, (msd_spring_def[]){def, def}, 2, NULL), MSD_OK);
  const msd_range with_another = {caught.first - 1, 2};
  REFUSED(world, msd_springs_set_law(world, with_another, &def), MSD_BAD_VALUE, "mode is both");
  def.ck = 2;
  REFUSED(world, msd_springs_set_law(world, caught, &def), MSD_BAD_VALUE, "ck is 2");
  cr_expect_eq(msd_spring_get_def(world, caught.first).ck, MSD_MAX_STABLE);
  /* Nothing else has catches. */
  msd_soft_pin_def soft_pin = msd_default_soft_pin_def();
  soft_pin.law = MSD_SPRING_HARD_LIMIT;
  REFUSED(world, msd_add_soft_pins(world, &soft_pin, 1, NULL), MSD_BAD_VALUE, "law");
  msd_destroy_world(world);
}

Test(misuse_springs, numbers_of_other_laws_are_not_looked_at) {
  msd_world *world = small_world();
  msd_spring_def def = spring_between(0, 2);
  def.ck = def.cd = def.frequency = def.damping_ratio = (msd_real)NAN;
  cr_expect_eq(msd_add_springs(world, &def, 1, NULL), MSD_OK);
  msd_destroy_world(world);
}

/* Where both ends stand in one place a spring has no direction: it exerts no force, at any rest length. */
Test(misuse_springs, two_particles_in_one_place_feel_no_spring_and_stay_finite) {
  for (int simd = 0; simd < MSD_SIMD_COUNT; simd++)
    for (int integrator = 0; integrator < MSD_INTEGRATOR_COUNT; integrator++)
      for (int placed = 0; placed < 2; placed++) {
        msd_world *world = empty_world();
        cr_assert_eq(msd_world_set_simd(world, (msd_simd)simd), MSD_OK);
        cr_assert_eq(msd_world_set_integrator(world, (msd_integrator)integrator), MSD_OK);
        cr_assert_eq(msd_world_set_gravity(world, ORIGIN), MSD_OK);
        msd_particle_def particles[2] = {msd_default_particle_def(), msd_default_particle_def()};
        particles[0].position = particles[1].position = (msd_vec3){1, -2, 3};
        cr_assert_eq(msd_add_particles(world, particles, 2, NULL), MSD_OK);
        msd_spring_def def = spring_between(0, 1);
        def.rest_length = placed ? -1 : 1;
        cr_assert_eq(msd_add_springs(world, &def, 1, NULL), MSD_OK);
        cr_expect(msd_spring_get_def(world, 0).rest_length == (placed ? 0 : 1));
        for (int n = 0; n < 10; n++)
          cr_expect_eq(msd_world_step(world, (msd_real)0.01, 1), MSD_OK);
        for (int32_t i = 0; i < 2; i++) {
          const msd_vec3 p = msd_particle_get_position(world, i);
          cr_expect(p.x == 1 && p.y == -2 && p.z == 3, "moved to %g %g %g", (double)p.x, (double)p.y,
                    (double)p.z);
        }
        cr_expect_eq(msd_spring_get_length(world, 0), 0);
        cr_expect(isfinite(msd_spring_get_tension(world, 0)));
        const msd_stats stats = msd_world_get_stats(world);
        cr_expect(isfinite(stats.elastic_energy) && isfinite(stats.max_stretch) &&
                  isfinite(stats.mean_stretch));
        msd_destroy_world(world);
      }
}

/* A spring of rest length 0 pulls its ends through each other; nothing breaks when they meet. */
Test(misuse_springs, a_spring_of_no_length_works) {
  msd_world *world = empty_world();
  msd_particle_def particles[2] = {msd_default_particle_def(), msd_default_particle_def()};
  particles[1].position.x = (msd_real)0.25;
  cr_assert_eq(msd_add_particles(world, particles, 2, NULL), MSD_OK);
  msd_spring_def def = spring_between(0, 1);
  def.rest_length = 0;
  cr_assert_eq(msd_add_springs(world, &def, 1, NULL), MSD_OK);
  for (int n = 0; n < 2000; n++)
    cr_assert_eq(msd_world_step(world, (msd_real)0.01, 2), MSD_OK);
  cr_expect(is_finite_world(world));
  cr_expect_lt((double)msd_spring_get_length(world, 0), 1e-4, "the ends have come together");
  msd_destroy_world(world);
}

Test(misuse_springs, a_spring_between_two_pins_moves_nothing) {
  for (int integrator = 0; integrator < MSD_INTEGRATOR_COUNT; integrator++) {
    msd_world *world = small_world();
    cr_assert_eq(msd_world_set_integrator(world, (msd_integrator)integrator), MSD_OK);
    for (int32_t i = 0; i < 4; i++)
      cr_assert_eq(msd_particle_pin(world, i), MSD_OK);
    const msd_spring_def max_stable = {.a = 0,
                                       .b = 3,
                                       .rest_length = 7,
                                       .law = MSD_SPRING_COEFFICIENT,
                                       .ck = MSD_MAX_STABLE,
                                       .cd = MSD_MAX_STABLE,
                                       .cookie = msd_default_spring_def().cookie};
    cr_assert_eq(msd_add_springs(world, &max_stable, 1, NULL), MSD_OK);
    const uint64_t hash = msd_world_hash(world);
    cr_expect_eq(msd_world_step(world, (msd_real)0.01, 3), MSD_OK);
    cr_expect_eq(msd_world_step(world, (msd_real)0.01, 0), MSD_OK);
    cr_expect_eq(msd_world_hash(world), hash);
    msd_stability_explanation report;
    cr_expect_eq(msd_world_explain_stability(world, 1, &report), MSD_OK);
    cr_expect(isinf(report.limit.stable_substep) && report.limit.substeps == 1 && report.cause.spring == -1);
    msd_destroy_world(world);
  }
}

/* Particles so far apart that squares of the length overflow: refused, or diverged, never a wrong number. */
Test(misuse_springs, particles_at_the_ends_of_the_number_range_do_no_harm) {
  const msd_real huge = sizeof(msd_real) == sizeof(float) ? (msd_real)(FLT_MAX / 2) : (msd_real)(DBL_MAX / 2);
  msd_world *world = small_world();
  cr_assert_eq(msd_particle_set_position(world, 3, (msd_vec3){huge, -huge, huge}), MSD_OK);
  const msd_spring_def def = spring_between(0, 3);
  const msd_result added = msd_add_springs(world, &def, 1, NULL);
  cr_expect(added == MSD_OK || added == MSD_BAD_VALUE, "%s", msd_result_string(added));
  const msd_result stepped = msd_world_step(world, (msd_real)0.01, 1);
  cr_expect(stepped == MSD_OK || stepped == MSD_DIVERGED, "%s", msd_result_string(stepped));
  cr_expect(is_finite_world(world));
  msd_destroy_world(world);
}
