/* Whatever is asked of it, a world answers with a result and one line that names the item, and stays as it
   was. */
#include "tests/support/misuse.h"
#include "tests/support/picture.h"

#include <float.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>

/* --------------------------------------------------------------------------------------------- scaffolding */

/* -------------------------------------------------------------------------------------- making a world */

static void keep_line(const char *message, void *context) {
  snprintf(context, 256, "%s", message);
}

static void *allocate_plainly(size_t bytes, void *context) {
  (void)context;
  return aligned_alloc(64, (bytes + 63) / 64 * 64);
}

static void release_plainly(void *memory, void *context) {
  (void)context;
  free(memory);
}

static void refuse_world(msd_world_def def, msd_result expected, const char *part) {
  char line[256] = "";
  def.log = keep_line;
  def.log_context = line;
  msd_world *world = (msd_world *)&def;
  cr_expect(msd_create_world(&def, &world) == expected, "%s", part);
  cr_expect(world == NULL, "%s: there is a world", part);
  cr_expect(strstr(line, part) != NULL, "the log was told \"%s\", without \"%s\"", line, part);
}

Test(misuse, a_wrong_world_definition_makes_no_world) {
  const msd_world_def good = msd_default_world_def();
  msd_world_def def;
  for (int i = 0; i < BAD_COUNT; i++) {
    def = good, def.gravity.z = BAD[i];
    refuse_world(def, MSD_BAD_VALUE, "gravity");
    def = good, def.linear_damping = BAD[i];
    refuse_world(def, MSD_BAD_VALUE, "linear_damping");
  }
  def = good, def.linear_damping = -1;
  refuse_world(def, MSD_BAD_VALUE, "linear_damping");
  def = good, def.integrator = MSD_INTEGRATOR_COUNT;
  refuse_world(def, MSD_BAD_VALUE, "integrator");
  def = good, def.simd = (msd_simd)77;
  refuse_world(def, MSD_BAD_VALUE, "simd");
  def = good, def.thread_count = -1;
  refuse_world(def, MSD_BAD_VALUE, "thread_count");
  def = good, def.thread_count = 257;
  refuse_world(def, MSD_BAD_VALUE, "thread_count");
  def = good, def.allocator.allocate = allocate_plainly;
  refuse_world(def, MSD_BAD_VALUE, "allocator");
  def = good, def.allocator.release = release_plainly;
  refuse_world(def, MSD_BAD_VALUE, "allocator");
}

Test(misuse, a_definition_without_its_cookie_is_not_looked_at) {
  msd_world *world = (msd_world *)&world;
  cr_expect_eq(msd_create_world(NULL, &world), MSD_UNINITIALIZED_DEF);
  cr_expect_null(world);
  msd_world_def def;
  memset(&def, 0xa5, sizeof def); /* as an uninitialized one may look */
  world = (msd_world *)&world;
  cr_expect_eq(msd_create_world(&def, &world), MSD_UNINITIALIZED_DEF);
  cr_expect_null(world);
  def = msd_default_world_def();
  cr_expect_eq(msd_create_world(&def, NULL), MSD_BAD_VALUE);
}

/* ---------------------------------------------------------------------------------------------- particles */

static void refuse_particle(msd_world *world, msd_particle_def wrong, msd_result expected, const char *part) {
  msd_particle_def defs[4];
  for (int i = 0; i < 4; i++)
    defs[i] = msd_default_particle_def();
  defs[2] = wrong;
  int32_t first = 77;
  REFUSED(world, msd_add_particles(world, defs, 4, &first), expected, part);
  expect_message(world, "2"); /* the one meant */
  cr_expect_eq(first, 77);
}

Test(misuse, a_wrong_particle_is_named_and_none_is_added) {
  msd_world *world = small_world();
  const msd_particle_def good = msd_default_particle_def();
  msd_particle_def def;
  for (int i = 0; i < BAD_COUNT; i++) {
    def = good, def.position.x = BAD[i];
    refuse_particle(world, def, MSD_BAD_VALUE, "position");
    def = good, def.position.z = BAD[i];
    refuse_particle(world, def, MSD_BAD_VALUE, "position");
    def = good, def.velocity.y = BAD[i];
    refuse_particle(world, def, MSD_BAD_VALUE, "velocity");
    def = good, def.mass = BAD[i];
    refuse_particle(world, def, MSD_BAD_VALUE, "mass");
  }
  def = good, def.mass = 0;
  refuse_particle(world, def, MSD_BAD_VALUE, "mass is 0");
  def = good, def.mass = -3;
  refuse_particle(world, def, MSD_BAD_VALUE, "mass is -3");
  def = good, def.mass = sizeof(msd_real) == sizeof(float) ? (msd_real)1e-40 : (msd_real)1e-310;
  refuse_particle(world, def, MSD_BAD_VALUE, "mass"); /* 1/mass would be no number */
  memset(&def, 0, sizeof def);
  refuse_particle(world, def, MSD_UNINITIALIZED_DEF, "msd_default_particle_def");
  def = good, def.cookie++;
  refuse_particle(world, def, MSD_UNINITIALIZED_DEF, "msd_default_particle_def");
  msd_destroy_world(world);
}

Test(misuse, counts_and_null_arrays_are_checked) {
  msd_world *world = small_world();
  const msd_particle_def particle = msd_default_particle_def();
  const msd_spring_def spring = spring_between(0, 1);
  REFUSED(world, msd_add_particles(world, &particle, -1, NULL), MSD_BAD_VALUE, "-1");
  REFUSED(world, msd_add_particles(world, &particle, INT_MIN, NULL), MSD_BAD_VALUE, "count");
  REFUSED(world, msd_add_particles(world, NULL, 3, NULL), MSD_BAD_VALUE, "NULL");
  REFUSED(world, msd_add_springs(world, &spring, -5, NULL), MSD_BAD_VALUE, "-5");
  REFUSED(world, msd_add_springs(world, NULL, 1, NULL), MSD_BAD_VALUE, "NULL");
  int32_t first = -1;
  cr_expect_eq(msd_add_particles(world, NULL, 0, &first), MSD_OK, "adding none is no error");
  cr_expect_eq(first, 4);
  cr_expect_eq(msd_add_springs(world, NULL, 0, &first), MSD_OK);
  cr_expect_eq(first, 3);
  msd_destroy_world(world);
}

Test(misuse, an_index_out_of_range_is_refused_everywhere) {
  msd_world *world = small_world();
  const msd_spring_def def = spring_between(0, 1);
  for (int i = 0; i < BAD_INDEX_COUNT; i++) {
    const int32_t bad = BAD_INDEX[i];
    char text[16];
    snprintf(text, sizeof text, "%d", (int)bad);
    REFUSED(world, msd_particle_set_position(world, bad, ORIGIN), MSD_BAD_INDEX, text);
    REFUSED(world, msd_particle_set_velocity(world, bad, ORIGIN), MSD_BAD_INDEX, text);
    REFUSED(world, msd_particle_set_mass(world, bad, 1), MSD_BAD_INDEX, text);
    REFUSED(world, msd_particle_pin(world, bad), MSD_BAD_INDEX, text);
    REFUSED(world, msd_particle_unpin(world, bad), MSD_BAD_INDEX, text);
    REFUSED(world, msd_particle_move_to(world, bad, ORIGIN), MSD_BAD_INDEX, text);
    REFUSED(world, msd_particle_apply_force(world, bad, ORIGIN), MSD_BAD_INDEX, text);
    REFUSED(world, msd_spring_set_law(world, bad, &def), MSD_BAD_INDEX, text);
    REFUSED(world, msd_spring_set_rest_length(world, bad, 1), MSD_BAD_INDEX, text);
    REFUSED(world, msd_spring_move_rest_length_to(world, bad, 1), MSD_BAD_INDEX, text);
    REFUSED(world, msd_spring_break(world, bad), MSD_BAD_INDEX, text);

    const msd_vec3 position = msd_particle_get_position(world, bad),
                   velocity = msd_particle_get_velocity(world, bad);
    cr_expect(position.x == 0 && position.y == 0 && position.z == 0);
    cr_expect(velocity.x == 0 && velocity.y == 0 && velocity.z == 0);
    cr_expect(msd_particle_get_mass(world, bad) == 0 && !msd_particle_is_pinned(world, bad));
    const msd_spring_def none = msd_spring_get_def(world, bad), usual = msd_default_spring_def();
    cr_expect(none.a == usual.a && none.b == usual.b && none.law == usual.law && none.cookie == usual.cookie);
    cr_expect_not(msd_spring_is_broken(world, bad));
    cr_expect(msd_spring_get_length(world, bad) == 0 && msd_spring_get_stiffness(world, bad) == 0 &&
              msd_spring_get_damping(world, bad) == 0 && msd_spring_get_tension(world, bad) == 0);
  }
  REFUSED(world, msd_spring_break(world, 3), MSD_BAD_INDEX, "3"); /* springs are 0, 1, 2 */
  msd_destroy_world(world);
}

Test(misuse, numbers_that_are_not_finite_are_refused_everywhere) {
  msd_world *world = small_world();
  for (int i = 0; i < BAD_COUNT; i++)
    for (int c = 0; c < 3; c++) {
      const msd_vec3 bad = {c == 0 ? BAD[i] : 1, c == 1 ? BAD[i] : 1, c == 2 ? BAD[i] : 1};
      REFUSED(world, msd_particle_set_position(world, 2, bad), MSD_BAD_VALUE, "particle 2");
      REFUSED(world, msd_particle_set_velocity(world, 2, bad), MSD_BAD_VALUE, "particle 2");
      REFUSED(world, msd_particle_move_to(world, 0, bad), MSD_BAD_VALUE, "particle 0");
      REFUSED(world, msd_particle_apply_force(world, 1, bad), MSD_BAD_VALUE, "particle 1");
      REFUSED(world, msd_particle_set_mass(world, 3, BAD[i]), MSD_BAD_VALUE, "particle 3");
      REFUSED(world, msd_spring_set_rest_length(world, 1, BAD[i]), MSD_BAD_VALUE, "spring 1");
      REFUSED(world, msd_spring_move_rest_length_to(world, 1, BAD[i]), MSD_BAD_VALUE, "spring 1");
      REFUSED(world, msd_world_set_gravity(world, bad), MSD_BAD_VALUE, "gravity");
      REFUSED(world, msd_world_set_linear_damping(world, BAD[i]), MSD_BAD_VALUE, "linear_damping");
    }
  REFUSED(world, msd_particle_set_mass(world, 3, 0), MSD_BAD_VALUE, "particle 3");
  REFUSED(world, msd_particle_set_mass(world, 3, -1), MSD_BAD_VALUE, "-1");
  REFUSED(world, msd_spring_set_rest_length(world, 1, (msd_real)-0.5), MSD_BAD_VALUE, "-0.5");
  REFUSED(world, msd_world_set_linear_damping(world, -2), MSD_BAD_VALUE, "-2");
  msd_destroy_world(world);
}

Test(misuse, forces_that_add_up_to_infinity_are_refused) {
  msd_world *world = small_world();
  const msd_vec3 huge = {sizeof(msd_real) == sizeof(float) ? (msd_real)FLT_MAX : (msd_real)DBL_MAX, 0, 0};
  cr_expect_eq(msd_particle_apply_force(world, 1, huge), MSD_OK);
  REFUSED(world, msd_particle_apply_force(world, 1, huge), MSD_BAD_VALUE, "particle 1");
  msd_destroy_world(world);
}

Test(misuse, a_free_particle_cannot_be_moved) {
  msd_world *world = small_world();
  REFUSED(world, msd_particle_move_to(world, 1, ORIGIN), MSD_BAD_VALUE, "particle 1");
  msd_destroy_world(world);
}

/* --------------------------------------------------------------------------------------------------- steps */

Test(misuse, a_frame_time_must_be_positive_and_finite) {
  msd_world *world = small_world();
  static const double steps[] = {0, -0.0, -1, NAN, INFINITY, -INFINITY, -1e-30};
  for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
    for (int substeps = 0; substeps < 2; substeps++) {
      REFUSED(world, msd_world_step(world, (msd_real)steps[i], substeps), MSD_BAD_FRAME_TIME, "frame time");
      msd_stability report = {.substeps = 77};
      msd_stability_explanation explanation;
      msd_softening softening;
      msd_static_stretch stretch;
      msd_stiffness_limits limits;
      int32_t fewest;
      cr_expect_eq(msd_world_analyze_stability(world, (msd_real)steps[i], &report), MSD_BAD_FRAME_TIME);
      cr_expect_eq(msd_world_explain_stability(world, (msd_real)steps[i], &explanation), MSD_BAD_FRAME_TIME);
      cr_expect_eq(msd_world_find_substeps(world, (msd_real)steps[i], &fewest), MSD_BAD_FRAME_TIME);
      double limit;
      cr_expect_eq(msd_world_estimate_current_limit(world, (msd_real)steps[i], &limit), MSD_BAD_FRAME_TIME);
      cr_expect_eq(msd_world_find_softening(world, (msd_real)steps[i], false, &softening),
                   MSD_BAD_FRAME_TIME);
      cr_expect_eq(msd_world_find_stiffness_limits(world, NULL, 0, (msd_real)steps[i], &limits),
                   MSD_BAD_FRAME_TIME);
      cr_expect_eq(msd_world_estimate_stretch(world, (msd_real)steps[i], &stretch), MSD_BAD_FRAME_TIME);
      double masses[8];
      cr_expect_eq(msd_world_find_required_masses(world, (msd_real)steps[i], masses), MSD_BAD_FRAME_TIME);
      cr_expect_eq(report.substeps, 77);
    }
  REFUSED(world, msd_world_step(world, 1, -1), MSD_BAD_FRAME_TIME, "-1");
  REFUSED(world, msd_world_step(world, 1, INT_MIN), MSD_BAD_FRAME_TIME, "substeps");
  const msd_real least = sizeof(msd_real) == sizeof(float) ? (msd_real)1e-45 : (msd_real)5e-324;
  REFUSED(world, msd_world_step(world, least, 1000), MSD_BAD_FRAME_TIME, "substep");
  cr_expect_eq(msd_world_step(world, least, 1), MSD_OK, "tiny, but above 0");
  msd_destroy_world(world);
}

Test(misuse, an_empty_world_steps_and_reports) {
  for (int integrator = 0; integrator < MSD_INTEGRATOR_COUNT; integrator++) {
    msd_world *world = empty_world();
    cr_assert_eq(msd_world_set_integrator(world, (msd_integrator)integrator), MSD_OK);
    cr_expect_eq(msd_world_step(world, (msd_real)0.5, 0), MSD_OK);
    cr_expect_eq(msd_world_step(world, (msd_real)0.5, 4), MSD_OK);
    cr_expect_eq(msd_world_get_time(world), 1);
    cr_expect_eq(msd_world_get_steps(world), 5);
    const msd_stats stats = msd_world_get_stats(world);
    cr_expect(stats.particles == 0 && stats.springs == 0 && stats.kinetic_energy == 0 &&
              stats.max_speed == 0 && stats.max_stretch_spring == -1 && stats.max_stretch_fiber == -1 &&
              stats.center_of_mass[0] == 0);
    msd_stability_explanation report;
    cr_expect_eq(msd_world_explain_stability(world, (msd_real)0.5, &report), MSD_OK);
    cr_expect(isinf(report.limit.stable_substep) && report.limit.substeps == 1 &&
              report.cause.limiting == MSD_LIMITING_NOTHING && report.cause.spring == -1 &&
              report.cause.particle == -1);
    const msd_view view = msd_world_get_positions(world);
    cr_expect_eq(view.count, 0);
    const picture p = take_picture(world);
    cr_expect_eq(msd_world_restore(world, p.bytes, p.size), MSD_OK);
    forget(p);
    cr_expect_eq(msd_world_message(world)[0], '\0', "nothing failed");
    msd_destroy_world(world);
  }
}

Test(misuse, a_network_too_stiff_for_any_substeps_says_so) {
  msd_world *world = small_world();
  msd_spring_def def = spring_between(0, 1);
  def.stiffness = (msd_real)1e30;
  cr_assert_eq(msd_spring_set_law(world, 0, &def), MSD_OK);
  REFUSED(world, msd_world_step(world, 1, 0), MSD_NO_STABLE_STEP, "to be stable");
  def.law = MSD_SPRING_COEFFICIENT;
  def.ck = 5; /* above 4 at any step */
  def.cd = 0;
  cr_assert_eq(msd_spring_set_law(world, 0, &def), MSD_OK);
  REFUSED(world, msd_world_step(world, 1, 0), MSD_NO_STABLE_STEP, "to be stable");
  cr_expect_eq(msd_world_set_clamp_stiffness(world, true), MSD_OK);
  cr_expect_eq(msd_world_step(world, 1, 0), MSD_OK, "a limit makes it possible");
  msd_destroy_world(world);
}

/* Diverging keeps the state before the bad substep, whichever way it is stepped, and the world goes on. */
Test(misuse, a_diverging_step_keeps_the_last_finite_state) {
  for (int integrator = 0; integrator < MSD_INTEGRATOR_COUNT; integrator++)
    for (int simd = 0; simd < MSD_SIMD_COUNT; simd++) {
      msd_world *one = small_world(), *other = small_world();
      msd_world *worlds[] = {one, other};
      msd_spring_def def = spring_between(1, 2);
      def.stiffness = (msd_real)1e12;
      for (int w = 0; w < 2; w++) {
        cr_assert_eq(msd_world_set_integrator(worlds[w], (msd_integrator)integrator), MSD_OK);
        cr_assert_eq(msd_world_set_simd(worlds[w], (msd_simd)simd), MSD_OK);
        cr_assert_eq(msd_particle_set_position(worlds[w], 2, (msd_vec3){2, (msd_real)0.5, 0}), MSD_OK);
        cr_assert_eq(msd_spring_set_law(worlds[w], 1, &def), MSD_OK);
      }
      int steps = 0;
      while (msd_world_step(one, 1, 1) == MSD_OK)
        cr_assert_lt(++steps, 10000, "it never diverges");
      expect_message(one, "particle 1 ");
      cr_expect(is_finite_world(one));
      cr_expect_eq(msd_world_get_steps(one), steps);
      cr_expect_eq(msd_world_get_time(one), steps);
      cr_expect_eq(msd_world_step(other, 10000, 10000), MSD_DIVERGED);
      cr_expect_eq(msd_world_get_steps(other), steps);
      cr_expect_eq(msd_world_get_time(other), steps);
      cr_expect_eq(msd_world_hash(other), msd_world_hash(one));
      cr_expect_eq(msd_world_step(one, 1, 1), MSD_DIVERGED, "it still does");
      cr_expect_eq(msd_world_hash(other), msd_world_hash(one));
      for (int32_t s = 0; s < 3; s++)
        cr_assert_eq(msd_spring_break(one, s), MSD_OK);
      for (int32_t i = 0; i < 4; i++)
        cr_assert_eq(msd_particle_set_velocity(one, i, ORIGIN), MSD_OK);
      cr_expect_eq(msd_world_step(one, (msd_real)0.01, 1), MSD_OK, "without the spring it goes on");
      msd_destroy_world(one);
      msd_destroy_world(other);
    }
}

Test(misuse, the_first_particle_that_diverges_is_named) {
  const msd_real huge = sizeof(msd_real) == sizeof(float) ? (msd_real)FLT_MAX : (msd_real)DBL_MAX;
  for (int32_t bad = 0; bad < 70; bad += 23) {
    msd_world *world = empty_world();
    msd_particle_def def = msd_default_particle_def();
    for (int32_t i = 0; i < 70; i++)
      cr_assert_eq(msd_add_particles(world, &def, 1, NULL), MSD_OK);
    for (int32_t i = bad; i < 70; i += 3)
      cr_assert_eq(msd_particle_set_velocity(world, i, (msd_vec3){0, 0, huge}), MSD_OK);
    const uint64_t hash = msd_world_hash(world);
    cr_expect_eq(msd_world_step(world, 2, 1), MSD_DIVERGED);
    char text[32];
    snprintf(text, sizeof text, "particle %d ", (int)bad);
    expect_message(world, text);
    cr_expect_eq(msd_world_hash(world), hash);
    msd_destroy_world(world);
  }
}

Test(misuse, a_pin_sent_too_far_too_fast_diverges_and_stands_still) {
  const msd_real huge = sizeof(msd_real) == sizeof(float) ? (msd_real)FLT_MAX : (msd_real)DBL_MAX;
  msd_world *world = small_world();
  cr_assert_eq(msd_particle_set_position(world, 0, (msd_vec3){-huge, 0, 0}), MSD_OK);
  for (int32_t s = 0; s < 3; s++)
    cr_assert_eq(msd_spring_break(world, s), MSD_OK);
  cr_assert_eq(msd_particle_move_to(world, 0, (msd_vec3){huge, 0, 0}), MSD_OK);
  cr_expect_eq(msd_world_step(world, (msd_real)1e-3, 1), MSD_DIVERGED);
  expect_message(world, "particle 0 ");
  cr_expect(is_finite_world(world));
  cr_expect_eq(msd_particle_get_position(world, 0).x, -huge);
  cr_expect_eq(msd_particle_get_velocity(world, 0).x, 0);
  cr_expect_eq(msd_world_step(world, (msd_real)1e-3, 1), MSD_OK);
  msd_destroy_world(world);
}

Test(misuse, settings_outside_their_ranges_are_refused) {
  msd_world *world = small_world();
  REFUSED(world, msd_world_set_integrator(world, MSD_INTEGRATOR_COUNT), MSD_BAD_VALUE, "integrator");
  REFUSED(world, msd_world_set_integrator(world, (msd_integrator)-1), MSD_BAD_VALUE, "integrator");
  REFUSED(world, msd_world_set_energy_mode(world, MSD_ENERGY_MODE_COUNT), MSD_BAD_VALUE, "energy");
  REFUSED(world, msd_world_set_simd(world, MSD_SIMD_COUNT), MSD_BAD_VALUE, "simd");
  REFUSED(world, msd_world_set_thread_count(world, -1), MSD_BAD_VALUE, "thread_count");
  REFUSED(world, msd_world_set_thread_count(world, 257), MSD_BAD_VALUE, "thread_count");
  cr_expect_null(msd_integrator_name(MSD_INTEGRATOR_COUNT));
  cr_expect_null(msd_integrator_name((msd_integrator)-1));
  cr_expect_str_eq(msd_result_string((msd_result)-1), "unknown result");
  cr_expect_str_eq(msd_result_string(MSD_RESULT_COUNT), "unknown result");
  msd_destroy_world(world);
}

Test(misuse, stiffness_scales_by_a_positive_factor_and_all_or_nothing) {
  msd_world *world = small_world();
  static const double factors[] = {0, -1, NAN, INFINITY, -INFINITY};
  for (size_t i = 0; i < sizeof factors / sizeof *factors; i++)
    REFUSED(world, msd_world_scale_stiffness(world, factors[i]), MSD_BAD_VALUE, "factor");
  msd_spring_def def = spring_between(1, 2);
  def.stiffness = (msd_real)1e30;
  cr_assert_eq(msd_spring_set_law(world, 1, &def), MSD_OK);
  REFUSED(world, msd_world_scale_stiffness(world, 1e300), MSD_BAD_VALUE,
          ""); /* spring 0 alone could take 1e36 */
  if (sizeof(msd_real) == sizeof(float))
    REFUSED(world, msd_world_scale_stiffness(world, 1e10), MSD_BAD_VALUE, "spring 1");
  cr_expect_neq(msd_world_scale_stiffness(NULL, 1), MSD_OK);
  msd_destroy_world(world);
}

Test(misuse, a_wrong_stretch_target_is_refused) {
  msd_world *world = small_world();
  const msd_stretch_target good = msd_default_stretch_target();
  msd_stretch_target target = good;
  msd_stretch_plan plan;
  const picture before = take_picture(world);
  cr_expect_eq(msd_world_plan_stretch(world, NULL, &plan), MSD_UNINITIALIZED_DEF);
  target.cookie = 0;
  cr_expect_eq(msd_world_plan_stretch(world, &target, &plan), MSD_UNINITIALIZED_DEF);
  static const double bad[] = {0, -1, NAN, INFINITY};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    target = good, target.stretch = bad[i];
    cr_expect(msd_world_plan_stretch(world, &target, &plan) == MSD_BAD_VALUE, "stretch %g", bad[i]);
    target = good, target.frame_time = bad[i];
    cr_expect(msd_world_plan_stretch(world, &target, &plan) == MSD_BAD_VALUE, "time step %g", bad[i]);
  }
  target = good, target.substeps_max = 0;
  cr_expect_eq(msd_world_plan_stretch(world, &target, &plan), MSD_BAD_VALUE);
  target = good, target.substeps_max = 1000001;
  cr_expect_eq(msd_world_plan_stretch(world, &target, &plan), MSD_BAD_VALUE);
  cr_expect_neq(msd_world_plan_stretch(world, &good, NULL), MSD_OK);
  cr_expect_neq(msd_world_plan_stretch(NULL, &good, &plan), MSD_OK);
  cr_expect(is_unchanged(world, before));
  msd_destroy_world(world);
}

/* -------------------------------------------------------------------------------------------- NULL worlds */

Test(misuse, functions_without_a_world_answer_and_do_nothing) {
  const msd_particle_def particle = msd_default_particle_def();
  const msd_spring_def spring = spring_between(0, 1);
  msd_stability report;
  size_t size = 0;
  cr_expect_neq(msd_world_step(NULL, 1, 1), MSD_OK);
  cr_expect_neq(msd_world_set_gravity(NULL, ORIGIN), MSD_OK);
  cr_expect_neq(msd_world_set_linear_damping(NULL, 0), MSD_OK);
  cr_expect_neq(msd_world_set_integrator(NULL, MSD_RK4), MSD_OK);
  cr_expect_neq(msd_world_set_clamp_stiffness(NULL, false), MSD_OK);
  cr_expect_neq(msd_world_set_energy_mode(NULL, MSD_ENERGY_OFF), MSD_OK);
  cr_expect_eq(msd_world_get_energy_mode(NULL), MSD_ENERGY_OFF);
  cr_expect_neq(msd_world_set_mass_scaling(NULL, MSD_MASS_SCALING_NONE), MSD_OK);
  cr_expect_eq(msd_world_get_mass_scaling(NULL), MSD_MASS_SCALING_NONE);
  cr_expect_neq(msd_world_set_solver(NULL, MSD_SOLVER_EXPLICIT), MSD_OK);
  cr_expect_eq(msd_world_get_solver(NULL), MSD_SOLVER_EXPLICIT);
  cr_expect_eq(msd_world_get_energy_account(NULL).gain, 0);
  cr_expect_eq(msd_world_get_solver_residual(NULL).spring, -1);
  cr_expect_neq(msd_world_set_thread_count(NULL, 1), MSD_OK);
  cr_expect_neq(msd_world_set_simd(NULL, MSD_SIMD_SCALAR), MSD_OK);
  cr_expect_neq(msd_add_particles(NULL, &particle, 1, NULL), MSD_OK);
  cr_expect_neq(msd_add_springs(NULL, &spring, 1, NULL), MSD_OK);
  cr_expect_neq(msd_particle_set_position(NULL, 0, ORIGIN), MSD_OK);
  cr_expect_neq(msd_particle_set_velocity(NULL, 0, ORIGIN), MSD_OK);
  cr_expect_neq(msd_particle_set_mass(NULL, 0, 1), MSD_OK);
  cr_expect_neq(msd_particle_pin(NULL, 0), MSD_OK);
  cr_expect_neq(msd_particle_unpin(NULL, 0), MSD_OK);
  cr_expect_neq(msd_particle_move_to(NULL, 0, ORIGIN), MSD_OK);
  cr_expect_neq(msd_particle_apply_force(NULL, 0, ORIGIN), MSD_OK);
  cr_expect_neq(msd_spring_set_law(NULL, 0, &spring), MSD_OK);
  cr_expect_neq(msd_spring_set_rest_length(NULL, 0, 1), MSD_OK);
  cr_expect_neq(msd_spring_move_rest_length_to(NULL, 0, 1), MSD_OK);
  cr_expect_neq(msd_spring_break(NULL, 0), MSD_OK);
  cr_expect_neq(msd_world_analyze_stability(NULL, 1, &report), MSD_OK);
  cr_expect_neq(msd_world_save(NULL, NULL, 0, &size), MSD_OK);
  cr_expect_neq(msd_world_restore(NULL, &size, sizeof size), MSD_OK);
  cr_expect_str_eq(msd_world_message(NULL), "");
  cr_expect(msd_world_get_gravity(NULL).y == 0 && msd_world_get_linear_damping(NULL) == 0);
  cr_expect(msd_world_get_particle_count(NULL) == 0 && msd_world_get_spring_count(NULL) == 0);
  cr_expect(msd_world_get_time(NULL) == 0 && msd_world_get_steps(NULL) == 0);
  msd_world_get_integrator(NULL);
  msd_world_get_clamp_stiffness(NULL);
  msd_world_get_thread_count(NULL);
  msd_world_hash(NULL);
  cr_expect_eq(msd_particle_get_position(NULL, 0).x, 0);
  cr_expect_eq(msd_particle_get_velocity(NULL, 0).x, 0);
  cr_expect_eq(msd_particle_get_mass(NULL, 0), 0);
  cr_expect_not(msd_particle_is_pinned(NULL, 0));
  cr_expect_eq(msd_spring_get_def(NULL, 0).a, -1);
  cr_expect_not(msd_spring_is_broken(NULL, 0));
  cr_expect(msd_spring_get_length(NULL, 0) == 0 && msd_spring_get_stiffness(NULL, 0) == 0);
  cr_expect(msd_spring_get_damping(NULL, 0) == 0 && msd_spring_get_tension(NULL, 0) == 0);
  cr_expect_eq(msd_world_get_positions(NULL).count, 0);
  cr_expect_eq(msd_world_get_velocities(NULL).count, 0);
  cr_expect_eq(msd_world_get_stats(NULL).particles, 0);
  msd_destroy_world(NULL);
}

Test(misuse, a_search_for_intersections_of_what_is_not_there_is_refused) {
  msd_world *world = small_world();
  const picture before = take_picture(world);
  const int32_t triangle[] = {0, 1, 2};
  msd_intersection_def def = msd_default_intersection_def();
  def.triangles = triangle;
  def.triangle_count = 1;
  msd_intersection out[1];
  int64_t found = -7;
  cr_expect_eq(msd_world_find_intersections(NULL, &def, out, 1, &found), MSD_BAD_VALUE);
  cr_expect_eq(msd_world_find_intersections(world, &def, out, 1, NULL), MSD_BAD_VALUE);
  cr_expect_eq(msd_world_find_intersections(world, &def, out, -1, &found), MSD_BAD_VALUE);
  cr_expect_eq(msd_world_find_intersections(world, &def, NULL, 1, &found), MSD_BAD_VALUE);
  cr_expect_eq(msd_world_find_intersections(world, NULL, out, 1, &found), MSD_UNINITIALIZED_DEF);
  cr_expect_eq(msd_world_find_intersections(world, &(msd_intersection_def){.cookie = 0}, out, 1, &found),
               MSD_UNINITIALIZED_DEF);
  for (int n = 0; n < BAD_INDEX_COUNT; n++) {
    const int32_t bad[] = {0, BAD_INDEX[n], 2};
    def.triangles = bad;
    cr_expect_eq(msd_world_find_intersections(world, &def, out, 1, &found), MSD_BAD_INDEX);
  }
  const int32_t twice[] = {0, 2, 0};
  def.triangles = twice;
  cr_expect_eq(msd_world_find_intersections(world, &def, out, 1, &found), MSD_BAD_VALUE);
  def.triangles = NULL;
  cr_expect_eq(msd_world_find_intersections(world, &def, out, 1, &found), MSD_BAD_VALUE);
  cr_expect_eq(found, -7, "a refused search finds nothing");
  cr_expect(is_unchanged(world, before));
  msd_destroy_world(world);
}

Test(misuse, results_without_a_place_to_go_are_refused) {
  msd_world *world = small_world();
  size_t size = 0;
  const picture before = take_picture(world);
  cr_expect_neq(msd_world_analyze_stability(world, 1, NULL), MSD_OK);
  cr_expect_neq(msd_world_explain_stability(world, 1, NULL), MSD_OK);
  cr_expect_neq(msd_world_find_substeps(world, 1, NULL), MSD_OK);
  cr_expect_eq(msd_world_find_stable_substep(world, NULL), MSD_BAD_VALUE);
  cr_expect_neq(msd_world_estimate_current_limit(world, 1, NULL), MSD_OK);
  cr_expect_neq(msd_world_find_softening(world, 1, false, NULL), MSD_OK);
  cr_expect_eq(msd_world_find_softening_steps(world, NULL, NULL), MSD_OK, "neither is wanted");
  cr_expect_neq(msd_world_find_stiffness_limits(world, NULL, 0, 1, NULL), MSD_OK);
  cr_expect_neq(msd_world_find_required_masses(world, 1, NULL), MSD_OK);
  cr_expect_neq(msd_world_estimate_stretch(world, 1, NULL), MSD_OK);
  cr_expect_neq(msd_world_save(world, NULL, 0, NULL), MSD_OK);
  char small[8];
  cr_expect_eq(msd_world_save(world, small, sizeof small, &size), MSD_BUFFER_TOO_SMALL);
  REFUSED(world, msd_world_restore(world, NULL, 100), MSD_BAD_SNAPSHOT, "NULL");
  REFUSED(world, msd_world_restore(world, small, 0), MSD_BAD_SNAPSHOT, "");
  cr_expect(is_unchanged(world, before));
  msd_destroy_world(world);
}
