/* The public functions of msd/stability.h: what they check, and what they change. */

#include "engine/base/float_environment.h"
#include "engine/stability/report.h"
#include "engine/stability/stretch_target.h"
#include "engine/world/world.h"

#include <math.h>

msd_result msd_world_stability(const msd_world *world, msd_real time_step, msd_stability *out) {
  DEFAULT_FLOAT_ENVIRONMENT;
  if (!world || !out)
    return MSD_BAD_VALUE;
  if (!(isfinite(time_step) && time_step > 0))
    return MSD_BAD_TIME_STEP;
  return stability_report(&world->model, (double)time_step, out);
}

msd_stretch_target msd_default_stretch_target(void) {
  return (msd_stretch_target){.stretch = 0.05,
                              .time_step = 1 / 60.0,
                              .substeps_max = STABILITY_SUBSTEPS_MAX,
                              .cookie = MSD_STRETCH_TARGET_COOKIE};
}

static bool is_good_target(const msd_stretch_target *t) {
  return isfinite(t->stretch) && t->stretch > 0 && isfinite(t->time_step) && t->time_step > 0 &&
         t->substeps_max >= 1 && t->substeps_max <= STABILITY_SUBSTEPS_MAX;
}

msd_result msd_world_plan_stretch(const msd_world *world, const msd_stretch_target *target,
                                  msd_stretch_plan *plan) {
  DEFAULT_FLOAT_ENVIRONMENT;
  if (!world || !plan)
    return MSD_BAD_VALUE;
  if (!target || target->cookie != MSD_STRETCH_TARGET_COOKIE)
    return MSD_BAD_DEF;
  if (!is_good_target(target))
    return MSD_BAD_VALUE;
  return stretch_plan(&world->model, target, plan);
}

static bool can_be_scaled(law l, double factor) {
  const law scaled = law_scaled(l, factor);
  return isfinite(scaled.first) && isfinite(scaled.second);
}

/* A law that no spring has any more may become infinite; it will not be met again. */
static void scale_springs(spring_store *s, double factor) {
  const int32_t count = s->laws.index ? s->laws.count : s->count;
  for (int32_t n = 0; n < count; n++)
    s->laws.laws[n] = law_scaled(s->laws.laws[n], factor);
}

msd_result msd_world_scale_stiffness(msd_world *world, double factor) {
  DEFAULT_FLOAT_ENVIRONMENT;
  if (!world)
    return MSD_BAD_VALUE;
  if (!(isfinite(factor) && factor > 0))
    return world_fail(world, MSD_BAD_VALUE, "stiffness factor %g; it must be finite and above 0", factor);
  spring_store *springs = &world->model.springs;
  constraint_store *constraints = &world->model.constraints;
  for (int32_t e = 0; e < springs->count; e++)
    if (!can_be_scaled(spring_law(springs, e), factor))
      return world_fail(world, MSD_BAD_VALUE, "spring %d: %g times its stiffness is too large a number",
                        (int)e, factor);
  for (int32_t c = 0; c < constraints->count; c++)
    if (!can_be_scaled(constraints->laws[c], factor))
      return world_fail(world, MSD_BAD_VALUE, "constraint %d: %g times its stiffness is too large a number",
                        (int)c, factor);
  scale_springs(springs, factor);
  for (int32_t c = 0; c < constraints->count; c++)
    constraints->laws[c] = law_scaled(constraints->laws[c], factor);
  world->model.revision.definitions++;
  return MSD_OK;
}
