/* Public functions of msd/stability.h: argument checks, and changes of the world. */

#include "engine/base/float_environment.h"
#include "engine/stability/hanging_strain.h"
#include "engine/stability/mass_redistribution.h"
#include "engine/stability/report.h"
#include "engine/stability/required_mass.h"
#include "engine/stability/sensitivity.h"
#include "engine/stability/softening.h"
#include "engine/stability/steps.h"
#include "engine/stability/strain_target.h"
#include "engine/world/world.h"

#include <math.h>

const char *msd_cause_name(msd_cause cause) {
  static const char *const names[MSD_CAUSE_COUNT] = {"none", "all_alike", "light_particle", "stiff_spring",
                                                     "many_springs"};
  return (unsigned)cause < MSD_CAUSE_COUNT ? names[cause] : NULL;
}

/* Checks that all queries about a substep have in common. */
static msd_result check_question(const msd_world *world, msd_real substep, const void *out) {
  if (!world || !out)
    return MSD_BAD_VALUE;
  return isfinite(substep) && substep > 0 ? MSD_OK : MSD_BAD_FRAME_TIME;
}

msd_result msd_world_analyze_stability(const msd_world *world, msd_real substep, msd_stability *out) {
  DEFAULT_FLOAT_ENVIRONMENT;
  const msd_result result = check_question(world, substep, out);
  return result == MSD_OK ? stability_report(&world->model, (double)substep, out) : result;
}

msd_result msd_world_explain_stability(const msd_world *world, msd_real substep,
                                       msd_stability_explanation *out) {
  DEFAULT_FLOAT_ENVIRONMENT;
  const msd_result result = check_question(world, substep, out);
  return result == MSD_OK ? stability_explain(&world->model, (double)substep, out) : result;
}

msd_result msd_world_estimate_current_limit(const msd_world *world, msd_real substep, double *limit) {
  DEFAULT_FLOAT_ENVIRONMENT;
  const msd_result result = check_question(world, substep, limit);
  return result == MSD_OK ? stability_estimate_linearized_limit(&world->model, (double)substep, limit)
                          : result;
}

msd_result msd_world_find_substeps(const msd_world *world, msd_real frame_time, int32_t *substeps) {
  DEFAULT_FLOAT_ENVIRONMENT;
  msd_result result = check_question(world, frame_time, substeps);
  if (result != MSD_OK)
    return result;
  if (stability_limit_certifies(&world->model, world->model.integrator)) {
    *substeps = 1;
    return MSD_OK;
  }
  double step;
  result = stability_find_stable_substep(&world->model, &world->limits, &step);
  if (result == MSD_OK)
    *substeps = stability_substeps(step, (double)frame_time);
  return result;
}

msd_result msd_world_find_stable_substep(msd_world *world, double *step) {
  DEFAULT_FLOAT_ENVIRONMENT;
  if (!world_is_open(world))
    return fail_locked(world);
  if (!step)
    return MSD_BAD_VALUE;
  const bool is_part = world->part.is_open;
  msd_result result = is_part ? subdomain_join(world) : MSD_OK;
  const analysis_whole whole = part_whole(world);
  if (result == MSD_OK)
    result =
        stability_stable_step(&world->model, &world->limits, &world->bounds, is_part ? &whole : NULL, step);
  if (result == MSD_OK)
    stability_keep(&world->model, &world->limits);
  return result;
}

msd_result msd_world_find_softening(const msd_world *world, msd_real substep, bool clamp_stiffness,
                                    msd_softening *out) {
  DEFAULT_FLOAT_ENVIRONMENT;
  const msd_result result = check_question(world, substep, out);
  return result == MSD_OK ? softening_find(&world->model, (double)substep, clamp_stiffness, out) : result;
}

msd_result msd_world_find_softening_steps(const msd_world *world, double *springs, double *constraints) {
  DEFAULT_FLOAT_ENVIRONMENT;
  if (!world)
    return MSD_BAD_VALUE;
  softening_find_steps(&world->model, springs, constraints);
  return MSD_OK;
}

msd_result msd_world_find_required_masses(const msd_world *world, msd_real substep, double *masses) {
  DEFAULT_FLOAT_ENVIRONMENT;
  const msd_result result = check_question(world, substep, masses);
  return result == MSD_OK ? required_mass_find(&world->model, (double)substep, masses) : result;
}

static msd_result check_pool(msd_world *world, const msd_mass_pool *pools, int n) {
  const msd_range range = pools[n].particles;
  const int32_t particles = world->model.particles.count;
  const subject about = {"mass pool", n, NULL};
  if (range.first < 0 || range.count < 0 || range.first > particles || range.count > particles - range.first)
    return fail_field(world, MSD_BAD_INDEX, about,
                      "has %d particles from particle %d on; the world has %d particles", (int)range.count,
                      (int)range.first, (int)particles);
  if (!(pools[n].fraction > 0 && pools[n].fraction <= 1))
    return fail_field(world, MSD_BAD_VALUE, about,
                      "the movable fraction of the mass is %g; it must be above 0 and at most 1",
                      pools[n].fraction);
  for (int other = 0; other < n; other++)
    if (world_ranges_overlap(range, pools[other].particles))
      return fail_field(world, MSD_BAD_VALUE, about, "shares particles with mass pool %d", other);
  return MSD_OK;
}

msd_result msd_world_redistribute_mass(msd_world *world, const msd_mass_pool *pools, int count,
                                       msd_real frame_time, msd_mass_redistribution *out) {
  DEFAULT_FLOAT_ENVIRONMENT;
  if (!world_is_open(world))
    return fail_locked(world);
  msd_result result = check_list(&world->model.report, __func__, count, pools);
  for (int n = 0; n < count && result == MSD_OK; n++)
    result = check_pool(world, pools, n);
  if (result == MSD_OK && !(isfinite(frame_time) && frame_time > 0))
    result = world_fail(world, MSD_BAD_FRAME_TIME, "frame time is %g s; it must be finite and above 0",
                        (double)frame_time);
  msd_mass_redistribution made;
  if (result == MSD_OK)
    result = mass_redistribution_make(&world->model, pools, count, (double)frame_time, &made);
  if (result == MSD_OK && out)
    *out = made;
  return result;
}

static bool has_springs(const msd_world *world, msd_range springs) {
  const int32_t count = world->model.springs.count;
  return springs.first >= 0 && springs.first < count && springs.count >= 1 &&
         springs.count <= count - springs.first;
}

msd_result msd_world_find_stiffness_limits(const msd_world *world, const msd_range *springs, int count,
                                           msd_real substep, msd_stiffness_limits *limits) {
  DEFAULT_FLOAT_ENVIRONMENT;
  if (count < 0 || (count > 0 && !springs))
    return MSD_BAD_VALUE;
  const msd_result result = check_question(world, substep, limits);
  if (result != MSD_OK)
    return result;
  for (int n = 0; n < count; n++)
    if (!has_springs(world, springs[n]))
      return MSD_BAD_INDEX;
  return stiffness_limits_find(&world->model, springs, count, (double)substep, limits);
}

msd_result msd_world_estimate_stretch(const msd_world *world, msd_real substep, msd_static_stretch *out) {
  DEFAULT_FLOAT_ENVIRONMENT;
  const msd_result result = check_question(world, substep, out);
  return result == MSD_OK ? stretch_estimate(&world->model, (double)substep, out) : result;
}

msd_stretch_target msd_default_stretch_target(void) {
  return (msd_stretch_target){.stretch = 0.05,
                              .frame_time = 1 / 60.0,
                              .substeps_max = STABILITY_SUBSTEPS_MAX,
                              .cookie = MSD_STRETCH_TARGET_COOKIE};
}

static bool is_good_target(const msd_stretch_target *t) {
  return isfinite(t->stretch) && t->stretch > 0 && isfinite(t->frame_time) && t->frame_time > 0 &&
         t->substeps_max >= 1 && t->substeps_max <= STABILITY_SUBSTEPS_MAX;
}

msd_result msd_world_plan_stretch(const msd_world *world, const msd_stretch_target *target,
                                  msd_stretch_plan *plan) {
  DEFAULT_FLOAT_ENVIRONMENT;
  if (!world || !plan)
    return MSD_BAD_VALUE;
  if (!target || target->cookie != MSD_STRETCH_TARGET_COOKIE)
    return MSD_UNINITIALIZED_DEF;
  if (!is_good_target(target))
    return MSD_BAD_VALUE;
  return stretch_plan(&world->model, target, plan);
}

static bool can_be_scaled(law l, double factor) {
  const law scaled = law_scaled(l, factor);
  return isfinite(scaled.first) && isfinite(scaled.second);
}

msd_result msd_world_scale_stiffness(msd_world *world, double factor) {
  DEFAULT_FLOAT_ENVIRONMENT;
  if (!world_is_open(world))
    return fail_locked(world);
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
  law_table_scale(&springs->laws, springs->count, factor);
  for (int32_t c = 0; c < constraints->count; c++)
    constraints->laws[c] = law_scaled(constraints->laws[c], factor);
  world->model.revision.definitions++;
  sleep_wake_all(&world->model.sleep);
  return MSD_OK;
}
