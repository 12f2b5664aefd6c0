/* With S substeps of a frame dt the largest stiffness that the stable substep s allows is (s S/dt)^2 times
   the current one, and coefficient springs grow with S^2 as well. So the strain of the stiffest stable
   network is that of S = 1 divided by S^2. With stiffness clamping the strain decreases with S in some other
   manner, and the smallest number of substeps is searched for. */
#include "engine/stability/strain_target.h"

#include "engine/stability/hanging_strain.h"
#include "engine/stability/rotor_bound.h"
#include "engine/stability/steps.h"

#include <math.h>

/* The fraction of the stable substep that is used, so that the scaled springs are stable after rounding to
   msd_real. */
static const double ROOM = 1 - 1e-5;

/* The factor on stiffness at which a frame with that many substeps is just stable. */
static double max_stable_factor(double step, double frame_time, double substeps) {
  const double ratio = ROOM * step * substeps / frame_time;
  return isfinite(step) ? ratio * ratio : 1;
}

/* A query and its data. */
typedef struct planning {
  const analysis *analysis;
  const msd_stretch_target *target;
  level_chain *levels;
  /* The target strain. */
  double wanted;
  /* The stable substep of the springs that are scaled. */
  double step;
  /* The smallest number of substeps for rotors, whose stiffness is kept. */
  int32_t least;
  /* The smallest number of substeps for the springs as they are; 0: no number suffices. */
  int32_t own;
} planning;

static bool is_limited(const planning *q) {
  return stability_limit_certifies(q->analysis->model, q->analysis->model->integrator);
}

static double stretch_at(const planning *q, double substeps, double factor) {
  return level_chain_solve(q->analysis, q->levels, q->target->frame_time / substeps,
                           q->analysis->model->clamp_stiffness, factor)
      .present;
}

/* The smallest number of substeps from `first` to `last` whose strain, which decreases, meets the target; 0
   if none does. stiffened: with the largest stable stiffness, but never softer than the springs are; else as
   they are. */
static int32_t search_substeps(const planning *q, int32_t first, int32_t last, bool stiffened) {
  const msd_stretch_target *t = q->target;
  int32_t below = first - 1, enough = last;
  /* Doubles until it suffices, then bisects: the result is rarely near `last`. */
  for (int32_t n = first;; n = n > last / 2 ? last : 2 * n) {
    const double factor = stiffened ? fmax(1, max_stable_factor(q->step, t->frame_time, n)) : 1;
    if (stretch_at(q, n, factor) <= q->wanted) {
      enough = n;
      break;
    }
    if (n == last)
      return 0;
    below = n;
  }
  while (enough - below > 1) {
    const int32_t middle = below + (enough - below) / 2;
    const double factor = stiffened ? fmax(1, max_stable_factor(q->step, t->frame_time, middle)) : 1;
    if (stretch_at(q, middle, factor) <= q->wanted)
      enough = middle;
    else
      below = middle;
  }
  return enough;
}

/* The plan without changes. substeps 0: the springs need more substeps than allowed. */
static msd_stretch_plan unchanged(const planning *q, bool reached, int32_t needed) {
  const int32_t substeps = q->own <= q->target->substeps_max ? q->own : 0;
  return (msd_stretch_plan){.reached = reached,
                            .substeps = substeps,
                            .substeps_needed = needed,
                            .stiffness_factor = 1,
                            .stretch = stretch_at(q, fmax(1, q->own), 1)};
}

/* With stiffness clamping. No spring becomes softer than clamping makes it. */
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
  const double factor = fmax(1, max_stable_factor(q->step, t->frame_time, substeps));
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
  const double once = stretch_at(q, 1, max_stable_factor(q->step, t->frame_time, 1));
  const double needed = fmax((double)q->least, ceil(sqrt(once / t->stretch)));
  if (!(needed <= STABILITY_SUBSTEPS_MAX))
    return unchanged(q, false, 0);
  const bool reached = needed <= t->substeps_max;
  const int32_t substeps = reached ? (int32_t)needed : t->substeps_max;
  const double factor = max_stable_factor(q->step, t->frame_time, substeps);
  /* Softer springs do not help if the target is missed anyway, or if nothing hangs. */
  if (factor < 1 && (!reached || once == 0))
    return unchanged(q, false, once == 0 ? q->own : (int32_t)needed);
  return (msd_stretch_plan){.reached = reached,
                            .substeps = substeps,
                            .substeps_needed = (int32_t)needed,
                            .stiffness_factor = factor,
                            .stretch = once / ((double)substeps * substeps)};
}

/* A strain that exceeds the limit for many substeps by this factor is accepted. */
static const double NEAR_ENOUGH = 1.1;

static msd_stretch_plan plan_kept(planning *q) {
  const msd_stretch_target *t = q->target;
  if (q->own == 0)
    return unchanged(q, false, 0);
  q->wanted = fmax(t->stretch, NEAR_ENOUGH * stretch_at(q, STABILITY_SUBSTEPS_MAX, 1));
  const int32_t found = search_substeps(q, q->own, STABILITY_SUBSTEPS_MAX, false);
  const int32_t needed = q->wanted > t->stretch ? 0 : found;
  const int32_t substeps = found < t->substeps_max ? found : q->own <= t->substeps_max ? t->substeps_max : 0;
  return (msd_stretch_plan){.reached = needed > 0 && needed <= t->substeps_max,
                            .substeps = substeps,
                            .substeps_needed = needed,
                            .stiffness_factor = 1,
                            .stretch = stretch_at(q, fmax(1, substeps), 1)};
}

static msd_result plan_stretch(analysis *a, const msd_stretch_target *t, msd_stretch_plan *plan) {
  double steps[MSD_INTEGRATOR_COUNT], rotor_steps[MSD_INTEGRATOR_COUNT];
  stability_steps(a, t->frame_time, quick_step(a), steps);
  if (!rotor_stable_steps(a->model, a->memory, rotor_steps))
    return MSD_OUT_OF_MEMORY;
  const double rotor_step = rotor_steps[a->model->integrator];
  planning q = {.analysis = a,
                .target = t,
                .wanted = t->stretch,
                .step = steps[a->model->integrator],
                .least = stability_substeps(rotor_step, t->frame_time)};
  q.own = is_limited(&q) ? q.least : stability_substeps(fmin(q.step, rotor_step), t->frame_time);
  if (!(q.step > 0) || q.least == 0 || q.least > t->substeps_max)
    return MSD_NO_STABLE_STEP;
  q.levels = level_chain_open(a);
  if (!q.levels)
    return MSD_OUT_OF_MEMORY;
  *plan = t->keep_stiffness ? plan_kept(&q) : is_limited(&q) ? plan_limited(&q) : plan_certified(&q);
  level_chain_close(a, q.levels);
  return MSD_OK;
}

msd_result stretch_plan(const world_model *model, const msd_stretch_target *target, msd_stretch_plan *plan) {
  memory scratch = {.allocator = model->memory.allocator, .limit = model->memory.limit};
  analysis a;
  msd_stretch_plan made = {.reached = false};
  const msd_result result =
      analysis_open(&a, model, &scratch) ? plan_stretch(&a, target, &made) : MSD_OUT_OF_MEMORY;
  analysis_close(&a);
  if (result == MSD_OK)
    *plan = made;
  return result;
}
