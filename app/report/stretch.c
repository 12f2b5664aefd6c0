#include "app/report/stretch.h"

#include "app/base/text_line.h"
#include "app/base/units.h"
#include "app/report/substep_cost.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

/* A substep that the world can take whatever the target: half of the stable limit. */
static bool measure_substep(msd_world *world, int threads, double frame_time, double *seconds) {
  msd_stability stability;
  *seconds = 0;
  if (msd_world_analyze_stability(world, (msd_real)frame_time, &stability) == MSD_OK)
    *seconds = substep_cost_measure(world, threads, fmin(stability.stable_substep / 2, frame_time));
  return *seconds > 0;
}

static bool refuse_unreachable(const stretch_outcome *o, problem *p) {
  if (isinf(o->plan.stretch))
    return problem_set(p, "--stretch-target: the stretch at rest is unknown, since some particles hang from "
                          "pins by no spring with a "
                          "stiffness");
  return problem_set(p,
                     "--stretch-target: no number of substeps up to 1,000,000 reaches %.3g %%; without the "
                     "option the scene stretches "
                     "by %s",
                     100 * o->wanted, units_percent(o->plan.stretch).text);
}

bool stretch_apply(msd_world *world, double frame_time, int threads, stretch_outcome *outcome, problem *p) {
  msd_stretch_target target = msd_default_stretch_target();
  target.stretch = outcome->wanted;
  target.frame_time = frame_time;
  if (outcome->budget > 0) {
    if (!measure_substep(world, threads, frame_time, &outcome->substep_cost))
      return problem_set(
          p, "--frame-budget: the cost of a substep cannot be measured: out of memory, or the scene "
             "cannot be stepped");
    const double most = floor(outcome->budget / outcome->substep_cost);
    target.substeps_max = most < 1 ? 1 : most < target.substeps_max ? (int32_t)most : target.substeps_max;
  }
  const msd_result result = msd_world_plan_stretch(world, &target, &outcome->plan);
  if (result != MSD_OK)
    return problem_set(p, "--stretch-target: %s", msd_result_string(result));
  msd_static_stretch present = {0};
  msd_world_estimate_stretch(world, (msd_real)frame_time, &present);
  stretch_unseen(&present, outcome->unseen, sizeof outcome->unseen);
  if (outcome->plan.substeps_needed == 0)
    return refuse_unreachable(outcome, p);
  if (outcome->plan.substeps == 0)
    return problem_set(p,
                       "--frame-budget: %s leaves %" PRId32
                       " substep%s of about %s, and the springs need more to be stable; %.3g %% "
                       "takes %" PRId32 " substeps, about %s",
                       units_si(outcome->budget, "s").text, target.substeps_max,
                       target.substeps_max == 1 ? "" : "s", units_si(outcome->substep_cost, "s").text,
                       100 * outcome->wanted, outcome->plan.substeps_needed,
                       units_si(outcome->plan.substeps_needed * outcome->substep_cost, "s").text);
  if (outcome->plan.stiffness_factor != 1 &&
      msd_world_scale_stiffness(world, outcome->plan.stiffness_factor) != MSD_OK)
    return problem_set(p, "--stretch-target: %s", msd_world_message(world));
  return true;
}

void stretch_unseen(const msd_static_stretch *stretch, char *text, size_t size) {
  text_line line = text_line_begin(text, size);
  if (stretch->unseen_constraints > 0)
    text_list(&line, "%s constraint%s", units_count(stretch->unseen_constraints).text,
              stretch->unseen_constraints == 1 ? "" : "s");
  if (stretch->unseen_soft_pins > 0)
    text_list(&line, "%s soft pin%s", units_count(stretch->unseen_soft_pins).text,
              stretch->unseen_soft_pins == 1 ? "" : "s");
  if (stretch->unseen_springs > 0)
    text_list(&line, "%s prestretched spring%s", units_count(stretch->unseen_springs).text,
              stretch->unseen_springs == 1 ? "" : "s");
}

void stretch_describe(const stretch_outcome *o, char *text, size_t size) {
  text_line line = text_line_begin(text, size);
  text_add(&line,
           "%s: %s expected where something hangs straight from its pins, with %" PRId32
           " substep%s and %s times the stiffness",
           o->plan.reached ? "reached" : "not reached", units_percent(o->plan.stretch).text, o->plan.substeps,
           o->plan.substeps == 1 ? "" : "s", units_number(o->plan.stiffness_factor, 3).text);
  if (o->substep_cost > 0)
    text_add(&line, ", about %s of %s per frame", units_si(o->plan.substeps * o->substep_cost, "s").text,
             units_si(o->budget, "s").text);
  if (!o->plan.reached)
    text_add(&line, "; %s would need %" PRId32 " substeps", units_percent(o->wanted).text,
             o->plan.substeps_needed);
  if (o->unseen[0] != '\0')
    text_add(&line, "; %s not counted", o->unseen);
}
