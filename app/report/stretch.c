#include "app/report/stretch.h"

#include "app/base/units.h"
#include "app/report/substep_cost.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

/* A step that the world can take whatever the target: half of what is certified. */
static bool measure_substep(msd_world *world, int threads, double time_step, double *seconds) {
  msd_stability stability;
  *seconds = 0;
  if (msd_world_stability(world, (msd_real)time_step, &stability) == MSD_OK)
    *seconds = substep_cost_measure(world, threads, fmin(stability.stable_time_step / 2, time_step));
  return *seconds > 0;
}

static bool refuse_unreachable(const stretch_outcome *o, problem *p) {
  if (isinf(o->plan.stretch))
    return problem_set(
        p, "--stretch-target: what the scene stretches at rest is not known, since the stiffness of no "
           "spring holds some of what hangs from its pins");
  return problem_set(
      p,
      "--stretch-target: no number of substeps up to 1000000 reaches %.3g %%; as it is the scene "
      "stretches %.3g %%",
      100 * o->wanted, 100 * o->plan.stretch);
}

bool stretch_apply(msd_world *world, double time_step, int threads, stretch_outcome *outcome, problem *p) {
  msd_stretch_target target = msd_default_stretch_target();
  target.stretch = outcome->wanted;
  target.time_step = time_step;
  if (outcome->budget > 0) {
    if (!measure_substep(world, threads, time_step, &outcome->substep_cost))
      return problem_set(p,
                         "--frame-budget: what a substep costs cannot be tried: out of memory, or the scene "
                         "does not step");
    const double most = floor(outcome->budget / outcome->substep_cost);
    target.substeps_max = most < 1 ? 1 : most < target.substeps_max ? (int32_t)most : target.substeps_max;
  }
  const msd_result result = msd_world_plan_stretch(world, &target, &outcome->plan);
  if (result != MSD_OK)
    return problem_set(p, "--stretch-target: %s", msd_result_string(result));
  msd_static_stretch present = {0};
  msd_world_estimate_stretch(world, (msd_real)time_step, &present);
  stretch_unseen(&present, outcome->unseen, sizeof outcome->unseen);
  if (outcome->plan.substeps_needed == 0)
    return refuse_unreachable(outcome, p);
  if (outcome->plan.substeps == 0)
    return problem_set(
        p,
        "--frame-budget: %s leaves %" PRId32 " substep%s of about %s, and the springs need more to be stable "
        "as they are; %.3g %% takes %" PRId32 " substeps, about %s",
        units_si(outcome->budget, "s").text, target.substeps_max, target.substeps_max == 1 ? "" : "s",
        units_si(outcome->substep_cost, "s").text, 100 * outcome->wanted, outcome->plan.substeps_needed,
        units_si(outcome->plan.substeps_needed * outcome->substep_cost, "s").text);
  if (outcome->plan.stiffness_factor != 1 &&
      msd_world_scale_stiffness(world, outcome->plan.stiffness_factor) != MSD_OK)
    return problem_set(p, "--stretch-target: %s", msd_world_message(world));
  return true;
}

typedef struct listing {
  char *text;
  size_t size, used;
} listing;

static void list_count(listing *l, int count, const char *one, const char *many) {
  if (count == 0 || l->used >= l->size)
    return;
  const int written = snprintf(l->text + l->used, l->size - l->used, "%s%d %s", l->used > 0 ? ", " : "",
                               count, count == 1 ? one : many);
  l->used += written > 0 ? (size_t)written : 0;
}

void stretch_unseen(const msd_static_stretch *stretch, char *text, size_t size) {
  snprintf(text, size, "%s", "");
  listing l = {.text = text, .size = size};
  list_count(&l, stretch->unseen_constraints, "constraint", "constraints");
  list_count(&l, stretch->unseen_anchors, "anchor", "anchors");
  list_count(&l, stretch->unseen_springs, "spring stretched as placed", "springs stretched as placed");
}

void stretch_describe(const stretch_outcome *o, char *text, size_t size) {
  char needed[96] = "";
  if (!o->plan.reached)
    snprintf(needed, sizeof needed, "; %.3g %% would need %" PRId32 " substeps", 100 * o->wanted,
             o->plan.substeps_needed);
  char cost[128] = "";
  if (o->substep_cost > 0)
    snprintf(cost, sizeof cost, ", about %s of %s", units_si(o->plan.substeps * o->substep_cost, "s").text,
             units_si(o->budget, "s").text);
  snprintf(text, size,
           "%s: %.3g %% to expect of what hangs straight from pins, with %" PRId32
           " substep%s and %.4g times the stiffness%s%s%s%s",
           o->plan.reached ? "reached" : "not reached", 100 * o->plan.stretch, o->plan.substeps,
           o->plan.substeps == 1 ? "" : "s", o->plan.stiffness_factor, cost, needed,
           o->unseen[0] ? "; this does not see " : "", o->unseen);
}
