/* What a world says about a substep, where it must have an answer. */
#ifndef MSD_TESTS_SUPPORT_STABILITY_H
#define MSD_TESTS_SUPPORT_STABILITY_H

#include <msd/msd.h>

#include <criterion/criterion.h>

static inline msd_stability report_of(const msd_world *world, double time_step) {
  msd_stability found;
  cr_assert_eq(msd_world_stability(world, (msd_real)time_step, &found), MSD_OK);
  return found;
}

static inline msd_stability_explanation explanation_of(const msd_world *world, double time_step) {
  msd_stability_explanation explanation;
  cr_assert_eq(msd_world_explain_stability(world, (msd_real)time_step, &explanation), MSD_OK);
  return explanation;
}

/* The step for which it asks only steers the search. */
static inline double this_shape_of(const msd_world *world) {
  double limit;
  cr_assert_eq(msd_world_estimate_this_shape(world, (msd_real)0.01, &limit), MSD_OK);
  return limit;
}

/* What MSD_LIMIT_COEFFICIENTS softens, whatever the limit of the world. */
static inline msd_softening softening_of(const msd_world *world, double time_step) {
  msd_softening softening;
  cr_assert_eq(msd_world_find_softening(world, (msd_real)time_step, MSD_LIMIT_COEFFICIENTS, &softening),
               MSD_OK);
  return softening;
}

/* How many folds are softened without a limit. */
static inline int32_t softened_constraints(const msd_world *world, double time_step) {
  msd_softening softening;
  cr_assert_eq(msd_world_find_softening(world, (msd_real)time_step, MSD_LIMIT_NONE, &softening), MSD_OK);
  return softening.constraints;
}

static inline msd_static_stretch stretch_of(const msd_world *world, double time_step) {
  msd_static_stretch stretch;
  cr_assert_eq(msd_world_estimate_stretch(world, (msd_real)time_step, &stretch), MSD_OK);
  return stretch;
}

#endif
