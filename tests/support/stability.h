/* What a world says about a substep, where it must have an answer. */
#ifndef MSD_TESTS_SUPPORT_STABILITY_H
#define MSD_TESTS_SUPPORT_STABILITY_H

#include <msd/msd.h>

#include <criterion/criterion.h>

static inline msd_stability report_of(const msd_world *world, double frame_time) {
  msd_stability found;
  cr_assert_eq(msd_world_analyze_stability(world, (msd_real)frame_time, &found), MSD_OK);
  return found;
}

static inline msd_stability_explanation explanation_of(const msd_world *world, double frame_time) {
  msd_stability_explanation explanation;
  cr_assert_eq(msd_world_explain_stability(world, (msd_real)frame_time, &explanation), MSD_OK);
  return explanation;
}

/* The step for which it asks only steers the search. */
static inline double linearized_limit_of(const msd_world *world) {
  double limit;
  cr_assert_eq(msd_world_estimate_current_limit(world, (msd_real)0.01, &limit), MSD_OK);
  return limit;
}

/* What true softens, whatever the limit of the world. */
static inline msd_softening softening_of(const msd_world *world, double frame_time) {
  msd_softening softening;
  cr_assert_eq(msd_world_find_softening(world, (msd_real)frame_time, true, &softening), MSD_OK);
  return softening;
}

/* How many folds are softened without a limit. */
static inline int32_t softened_constraints(const msd_world *world, double frame_time) {
  msd_softening softening;
  cr_assert_eq(msd_world_find_softening(world, (msd_real)frame_time, false, &softening), MSD_OK);
  return softening.constraints;
}

static inline msd_static_stretch stretch_of(const msd_world *world, double frame_time) {
  msd_static_stretch stretch;
  cr_assert_eq(msd_world_estimate_stretch(world, (msd_real)frame_time, &stretch), MSD_OK);
  return stretch;
}

#endif
