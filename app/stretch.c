#include "stretch.h"

#include "progress.h"
#include "units.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Trying what a substep costs. */
static const double TRIAL_SECONDS = 0.05;
enum { TRIAL_SUBSTEPS = 16 };

/* An independent world in the same state. NULL when there is no memory. */
static msd_world *copy_world(const msd_world *world) {
  size_t size = 0;
  if (msd_world_save(world, NULL, 0, &size) != MSD_OK)
    return NULL;
  void *bytes = malloc(size);
  msd_world_def def = msd_default_world_def();
  msd_world *copy = NULL;
  if (bytes && msd_world_save(world, bytes, size, &size) == MSD_OK &&
      msd_create_world(&def, &copy) == MSD_OK && msd_world_restore(copy, bytes, size) != MSD_OK) {
    msd_destroy_world(copy);
    copy = NULL;
  }
  free(bytes);
  return copy;
}

/* The least time of a substep in a copy, over trials for a moment; what the trials compute is thrown away. */
static bool measure_substep(const msd_world *world, int threads, double time_step, double *seconds) {
  msd_stability stability;
  msd_world *copy = copy_world(world);
  bool done = copy && msd_world_set_thread_count(copy, threads) == MSD_OK &&
              msd_world_stability(copy, (msd_real)time_step, &stability) == MSD_OK;
  if (done) {
    const double substep = fmin(stability.stable_time_step / 2, time_step);
    const double began = progress_clock();
    *seconds = INFINITY;
    while (done && progress_clock() - began < TRIAL_SECONDS) {
      const double start = progress_clock();
      done = msd_world_step(copy, (msd_real)(substep * TRIAL_SUBSTEPS), TRIAL_SUBSTEPS) == MSD_OK;
      *seconds = fmin(*seconds, (progress_clock() - start) / TRIAL_SUBSTEPS);
    }
    done = done && *seconds > 0 && isfinite(*seconds);
  }
  msd_destroy_world(copy);
  return done;
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
  msd_result result = msd_world_plan_stretch(world, &target, &outcome->plan);
  if (result == MSD_OK && outcome->plan.stiffness_factor != 1)
    result = msd_world_scale_stiffness(world, outcome->plan.stiffness_factor);
  if (result != MSD_OK)
    return problem_set(p, "--stretch-target: %s", msd_result_string(result));
  return true;
}

void stretch_describe(const stretch_outcome *o, char *text, size_t size) {
  char needed[96] = "";
  if (!o->plan.reached && o->plan.substeps_needed > 0)
    snprintf(needed, sizeof needed, "; %.3g %% would need %" PRId32 " substeps", 100 * o->wanted,
             o->plan.substeps_needed);
  else if (!o->plan.reached)
    snprintf(needed, sizeof needed, "; no number of substeps reaches %.3g %%", 100 * o->wanted);
  char cost[128] = "";
  if (o->substep_cost > 0)
    snprintf(cost, sizeof cost, ", about %s of %s", units_si(o->plan.substeps * o->substep_cost, "s").text,
             units_si(o->budget, "s").text);
  snprintf(text, size, "%s: %.3g %% to expect with %" PRId32 " substep%s and %.4g times the stiffness%s%s",
           o->plan.reached ? "reached" : "not reached", 100 * o->plan.stretch, o->plan.substeps,
           o->plan.substeps == 1 ? "" : "s", o->plan.stiffness_factor, cost, needed);
}
