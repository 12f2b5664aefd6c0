/* A stretch target: which stiffness, and which substeps to carry it.

   With S substeps of a frame dt the stiffest that the certified step s allows is (s S/dt)^2 times what the
   springs are, and coefficient springs grow with S^2 as well. So the stretch of the stiffest certified network
   is that of S = 1 divided by S^2. */
#include "rotor_stability.h"
#include "stability.h"
#include "stability_hang.h"

#include <math.h>

/* Kept of the certified step, so that the scaled springs are certified after their rounding to msd_real. */
static const double ROOM = 1 - 1e-5;

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

/* The factor on stiffness at which a frame in that many substeps is just certified. */
static double stiffest_factor(double step, double time_step, double substeps) {
  const double ratio = ROOM * step * substeps / time_step;
  return isfinite(step) ? ratio * ratio : 1;
}

/* The springs may stay when their own substeps fit and their stretch does. */
static bool plan_unchanged(const analysis *a, const msd_stretch_target *t, double step,
                           msd_stretch_plan *plan, bool *has_memory) {
  const int32_t substeps = stability_substeps(step, t->time_step);
  if (substeps == 0 || substeps > t->substeps_max)
    return false;
  hang at_rest;
  *has_memory = hang_estimate(a, t->time_step / substeps, MSD_LIMIT_NONE, 1, &at_rest);
  if (!*has_memory || at_rest.present > t->stretch)
    return false;
  *plan = (msd_stretch_plan){.reached = true,
                             .substeps = substeps,
                             .substeps_needed = substeps,
                             .stiffness_factor = 1,
                             .stretch = at_rest.present};
  return true;
}

/* Not fewer than the `least` substeps that rotors need, whose stiffness stays. */
static bool plan_stiffest(const analysis *a, const msd_stretch_target *t, double step, int32_t least,
                          msd_stretch_plan *plan) {
  hang once;
  const double factor = stiffest_factor(step, t->time_step, 1);
  if (!hang_estimate(a, t->time_step, MSD_LIMIT_NONE, factor, &once))
    return false;
  const double needed = fmax((double)least, ceil(sqrt(once.present / t->stretch)));
  const bool can_be = needed <= STABILITY_SUBSTEPS_MAX;
  plan->substeps_needed = can_be ? (int32_t)needed : 0;
  plan->reached = needed <= t->substeps_max;
  plan->substeps = plan->reached ? (int32_t)needed : t->substeps_max;
  plan->stiffness_factor = stiffest_factor(step, t->time_step, plan->substeps);
  plan->stretch = once.present / ((double)plan->substeps * plan->substeps);
  return true;
}

static msd_result plan_stretch(analysis *a, const msd_stretch_target *t, msd_stretch_plan *plan) {
  double steps[MSD_INTEGRATOR_COUNT], rotor_steps[MSD_INTEGRATOR_COUNT];
  stability_steps(a, t->time_step, quick_step(a), steps);
  if (!rotor_stable_steps(a->world, a->memory, rotor_steps))
    return MSD_OUT_OF_MEMORY;
  const double step = steps[a->world->integrator], rotor_step = rotor_steps[a->world->integrator];
  const int32_t least = stability_substeps(rotor_step, t->time_step);
  if (!(step > 0) || least == 0 || least > t->substeps_max)
    return MSD_NO_STABLE_STEP;
  bool has_memory = true;
  if (plan_unchanged(a, t, fmin(step, rotor_step), plan, &has_memory))
    return MSD_OK;
  return has_memory && plan_stiffest(a, t, step, least, plan) ? MSD_OK : MSD_OUT_OF_MEMORY;
}

msd_result msd_world_plan_stretch(const msd_world *world, const msd_stretch_target *target,
                                  msd_stretch_plan *plan) {
  if (!world || !plan)
    return MSD_BAD_VALUE;
  if (!target || target->cookie != MSD_STRETCH_TARGET_COOKIE)
    return MSD_BAD_DEF;
  if (!is_good_target(target))
    return MSD_BAD_VALUE;
  memory scratch = {.allocator = world->memory.allocator, .limit = world->memory.limit};
  analysis a;
  msd_stretch_plan made = {.reached = false};
  const msd_result result =
      analysis_open(&a, world, &scratch) ? plan_stretch(&a, target, &made) : MSD_OUT_OF_MEMORY;
  analysis_close(&a);
  if (result == MSD_OK)
    *plan = made;
  return result;
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

static bool scale_spring(msd_world *world, int32_t spring, double factor, bool write) {
  spring_store *s = &world->springs;
  return scale_law((msd_spring_law)(s->law[spring] & ~SPRING_BROKEN), &s->stiffness[spring],
                   &s->damping[spring], factor, write);
}

static bool scale_constraint(msd_world *world, int32_t constraint, double factor, bool write) {
  constraint_store *s = &world->constraints;
  return scale_law(constraint_law_of(s, constraint), &s->stiffness[constraint], &s->damping[constraint],
                   factor, write);
}

msd_result msd_world_scale_stiffness(msd_world *world, double factor) {
  if (!world)
    return MSD_BAD_VALUE;
  if (!(isfinite(factor) && factor > 0))
    return world_fail(world, MSD_BAD_VALUE, "stiffness factor %g; it must be finite and above 0", factor);
  for (int32_t e = 0; e < world->springs.count; e++)
    if (!scale_spring(world, e, factor, false))
      return world_fail(world, MSD_BAD_VALUE, "spring %d: %g times its stiffness is too large a number",
                        (int)e, factor);
  for (int32_t c = 0; c < world->constraints.count; c++)
    if (!scale_constraint(world, c, factor, false))
      return world_fail(world, MSD_BAD_VALUE, "constraint %d: %g times its stiffness is too large a number",
                        (int)c, factor);
  for (int32_t e = 0; e < world->springs.count; e++)
    scale_spring(world, e, factor, true);
  for (int32_t c = 0; c < world->constraints.count; c++)
    scale_constraint(world, c, factor, true);
  world_touch_tuning(world);
  return MSD_OK;
}
