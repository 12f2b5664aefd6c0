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

/* Of one spring or constraint; false, and nothing written, when a number would not be finite. */
static bool scale_law(msd_spring_law law, msd_real *stiffness, msd_real *damping, double factor, bool write) {
  if (law == MSD_SPRING_COEFFICIENT)
    return true;
  const double root = sqrt(factor);
  const double first = (double)*stiffness * (law == MSD_SPRING_FREQUENCY ? root : factor);
  const double second = (double)*damping * (law == MSD_SPRING_FREQUENCY ? 1 : root);
  if (write) {
    *stiffness = (msd_real)first;
    *damping = (msd_real)second;
  }
  return isfinite((msd_real)first) && isfinite((msd_real)second);
}

static bool scale_material(spring_material *m, double factor, bool write) {
  return scale_law((msd_spring_law)m->law, &m->stiffness, &m->damping, factor, write);
}

/* A material that no spring has any more may become infinite; it will not be met again. */
static void scale_materials(spring_store *s, double factor) {
  const int32_t count = s->materials.index ? s->materials.count : s->count;
  for (int32_t n = 0; n < count; n++)
    scale_material(&s->materials.table[n], factor, true);
}

static bool scale_constraint(msd_world *world, int32_t constraint, double factor, bool write) {
  constraint_store *s = &world->model.constraints;
  return scale_law(constraint_law_of(s, constraint), &s->stiffness[constraint], &s->damping[constraint],
                   factor, write);
}

msd_result msd_world_scale_stiffness(msd_world *world, double factor) {
  DEFAULT_FLOAT_ENVIRONMENT;
  if (!world)
    return MSD_BAD_VALUE;
  if (!(isfinite(factor) && factor > 0))
    return world_fail(world, MSD_BAD_VALUE, "stiffness factor %g; it must be finite and above 0", factor);
  for (int32_t e = 0; e < world->model.springs.count; e++) {
    spring_material material = spring_material_of(&world->model.springs, e);
    if (!scale_material(&material, factor, false))
      return world_fail(world, MSD_BAD_VALUE, "spring %d: %g times its stiffness is too large a number",
                        (int)e, factor);
  }
  for (int32_t c = 0; c < world->model.constraints.count; c++)
    if (!scale_constraint(world, c, factor, false))
      return world_fail(world, MSD_BAD_VALUE, "constraint %d: %g times its stiffness is too large a number",
                        (int)c, factor);
  scale_materials(&world->model.springs, factor);
  for (int32_t c = 0; c < world->model.constraints.count; c++)
    scale_constraint(world, c, factor, true);
  world->model.revision.definitions++;
  return MSD_OK;
}
