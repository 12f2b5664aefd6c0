/* A stretch target: which stiffness, and which substeps to carry it.

   With S substeps of a frame dt the stiffest that the certified step s allows is (s S/dt)^2 times what the
   springs are, and coefficient springs grow with S^2 as well. So the stretch of the stiffest certified network
   is that of S = 1 divided by S^2. Where MSD_LIMIT_COEFFICIENTS softens springs it falls with S in some other way,
   and the fewest substeps are searched for. */
#include "engine/stability/report.h"
#include "engine/stability/rotor_bound.h"
#include "engine/stability/static_stretch.h"

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

/* A question, and what its answers are made from. */
typedef struct planning {
  const analysis *analysis;
  const msd_stretch_target *target;
  hang_levels *levels;
  double step;   /* certified of what is to become stiffer */
  int32_t least; /* substeps, for rotors, whose stiffness stays */
  int32_t own;   /* substeps that the springs need as they are; 0: none will do */
} planning;

/* Whether the limit makes every step bearable. */
static bool is_limited(const planning *q) {
  const msd_world *world = q->analysis->world;
  return world->limit == MSD_LIMIT_COEFFICIENTS && world->integrator == MSD_SYMPLECTIC_EULER;
}

static double stretch_at(const planning *q, double substeps, double factor) {
  return hang_at(q->analysis, q->levels, q->target->time_step / substeps, q->analysis->world->limit, factor)
      .present;
}

/* Fewest substeps of `first` to `last` whose stretch, which only falls, meets the target; 0 when none does.
   stiffened: with the stiffest that is certified, never softer than they are; else as they are. */
static int32_t search_substeps(const planning *q, int32_t first, int32_t last, bool stiffened) {
  const msd_stretch_target *t = q->target;
  int32_t below = first - 1, enough = last;
  /* Doubled until it is enough, then halved in between: what is asked for is rarely near the last. */
  for (int32_t n = first;; n = n > last / 2 ? last : 2 * n) {
    const double factor = stiffened ? fmax(1, stiffest_factor(q->step, t->time_step, n)) : 1;
    if (stretch_at(q, n, factor) <= t->stretch) {
      enough = n;
      break;
    }
    if (n == last)
      return 0;
    below = n;
  }
  while (enough - below > 1) {
    const int32_t middle = below + (enough - below) / 2;
    const double factor = stiffened ? fmax(1, stiffest_factor(q->step, t->time_step, middle)) : 1;
    if (stretch_at(q, middle, factor) <= t->stretch)
      enough = middle;
    else
      below = middle;
  }
  return enough;
}

/* As they are, for what must not or need not change. substeps 0: they do not fit. */
static msd_stretch_plan unchanged(const planning *q, bool reached, int32_t needed) {
  const int32_t substeps = q->own <= q->target->substeps_max ? q->own : 0;
  return (msd_stretch_plan){.reached = reached,
                            .substeps = substeps,
                            .substeps_needed = needed,
                            .stiffness_factor = 1,
                            .stretch = stretch_at(q, fmax(1, q->own), 1)};
}

/* Where is_limited. Nothing becomes softer than the limit makes it. */
static msd_stretch_plan plan_limited(const planning *q) {
  const msd_stretch_target *t = q->target;
  const int32_t as_they_are = search_substeps(q, q->least, t->substeps_max, false);
  if (as_they_are > 0) {
    const double stretch = stretch_at(q, as_they_are, 1);
    return (msd_stretch_plan){.reached = true,
                              .substeps = as_they_are,
                              .substeps_needed = as_they_are,
                              .stiffness_factor = 1,
                              .stretch = stretch};
  }
  const int32_t needed = search_substeps(q, q->least, STABILITY_SUBSTEPS_MAX, true);
  if (needed == 0)
    return unchanged(q, false, 0);
  const bool reached = needed <= t->substeps_max;
  const int32_t substeps = reached ? needed : t->substeps_max;
  const double factor = fmax(1, stiffest_factor(q->step, t->time_step, substeps));
  return (msd_stretch_plan){.reached = reached,
                            .substeps = substeps,
                            .substeps_needed = needed,
                            .stiffness_factor = factor,
                            .stretch = stretch_at(q, substeps, factor)};
}

static msd_stretch_plan plan_certified(const planning *q) {
  const msd_stretch_target *t = q->target;
  if (q->own > 0 && q->own <= t->substeps_max && stretch_at(q, q->own, 1) <= t->stretch)
    return unchanged(q, true, q->own);
  const double once = stretch_at(q, 1, stiffest_factor(q->step, t->time_step, 1));
  const double needed = fmax((double)q->least, ceil(sqrt(once / t->stretch)));
  if (!(needed <= STABILITY_SUBSTEPS_MAX))
    return unchanged(q, false, 0);
  const bool reached = needed <= t->substeps_max;
  const int32_t substeps = reached ? (int32_t)needed : t->substeps_max;
  const double factor = stiffest_factor(q->step, t->time_step, substeps);
  /* Softer springs are no way to a target that they miss, nor where nothing hangs. */
  if (factor < 1 && (!reached || once == 0))
    return unchanged(q, false, once == 0 ? q->own : (int32_t)needed);
  return (msd_stretch_plan){.reached = reached,
                            .substeps = substeps,
                            .substeps_needed = (int32_t)needed,
                            .stiffness_factor = factor,
                            .stretch = once / ((double)substeps * substeps)};
}

static msd_result plan_stretch(analysis *a, const msd_stretch_target *t, msd_stretch_plan *plan) {
  double steps[MSD_INTEGRATOR_COUNT], rotor_steps[MSD_INTEGRATOR_COUNT];
  stability_steps(a, t->time_step, quick_step(a), steps);
  if (!rotor_stable_steps(a->world, a->memory, rotor_steps))
    return MSD_OUT_OF_MEMORY;
  const double rotor_step = rotor_steps[a->world->integrator];
  planning q = {.analysis = a,
                .target = t,
                .step = steps[a->world->integrator],
                .least = stability_substeps(rotor_step, t->time_step)};
  q.own = is_limited(&q) ? q.least : stability_substeps(fmin(q.step, rotor_step), t->time_step);
  if (!(q.step > 0) || q.least == 0 || q.least > t->substeps_max)
    return MSD_NO_STABLE_STEP;
  q.levels = hang_open(a);
  if (!q.levels)
    return MSD_OUT_OF_MEMORY;
  *plan = is_limited(&q) ? plan_limited(&q) : plan_certified(&q);
  hang_close(a, q.levels);
  return MSD_OK;
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
  constraint_store *s = &world->constraints;
  return scale_law(constraint_law_of(s, constraint), &s->stiffness[constraint], &s->damping[constraint],
                   factor, write);
}

msd_result msd_world_scale_stiffness(msd_world *world, double factor) {
  if (!world)
    return MSD_BAD_VALUE;
  if (!(isfinite(factor) && factor > 0))
    return world_fail(world, MSD_BAD_VALUE, "stiffness factor %g; it must be finite and above 0", factor);
  for (int32_t e = 0; e < world->springs.count; e++) {
    spring_material material = spring_material_of(&world->springs, e);
    if (!scale_material(&material, factor, false))
      return world_fail(world, MSD_BAD_VALUE, "spring %d: %g times its stiffness is too large a number",
                        (int)e, factor);
  }
  for (int32_t c = 0; c < world->constraints.count; c++)
    if (!scale_constraint(world, c, factor, false))
      return world_fail(world, MSD_BAD_VALUE, "constraint %d: %g times its stiffness is too large a number",
                        (int)c, factor);
  scale_materials(&world->springs, factor);
  for (int32_t c = 0; c < world->constraints.count; c++)
    scale_constraint(world, c, factor, true);
  world_touch_tuning(world);
  return MSD_OK;
}
