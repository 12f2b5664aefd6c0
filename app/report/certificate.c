#include "app/report/certificate.h"

#include "app/report/stability_report.h"

#include <math.h>
#include <stdio.h>

/* As the engine's. */
static const double SUBSTEPS_MAX = 1e6;

/* 0: none. */
static int fewest_of(double limit, double frame) {
  const double needed = limit > 0 ? floor(frame / limit) + 1 : INFINITY;
  return needed <= SUBSTEPS_MAX ? (int)needed : 0;
}

/* The limit on coefficients is certified for symplectic Euler; to any other integrator it promises nothing,
   and what is certified is the network as it was defined. */
static bool is_softened(const msd_world *world) {
  return msd_world_get_limit(world) == MSD_LIMIT_COEFFICIENTS &&
         msd_world_get_integrator(world) == MSD_SYMPLECTIC_EULER;
}

static bool find(const msd_world *world, double step, msd_stability *out, problem *p) {
  const msd_result result = msd_world_stability(world, (msd_real)step, out);
  return result == MSD_OK || problem_set(p, "a step of %g s: %s", step, msd_result_string(result));
}

int certificate_fewest(const msd_world *world, const msd_stability *frame) {
  /* The frame as the engine sees it, in its own precision. */
  return is_softened(world)
             ? 1
             : fewest_of(frame->integrator_time_step[msd_world_get_integrator(world)], frame->time_step);
}

bool certificate_make(const msd_world *world, double frame, int substeps, certificate *out, problem *p) {
  *out = (certificate){.frame = frame, .substeps = substeps};
  if (!find(world, frame, &out->stability, p))
    return false;
  out->step = out->stability.integrator_time_step[msd_world_get_integrator(world)];
  out->fewest = certificate_fewest(world, &out->stability);
  if (substeps == 0)
    out->substeps = out->fewest;
  return out->substeps <= 1 || find(world, frame / out->substeps, &out->stability, p);
}

bool certificate_holds(const certificate *c) {
  return c->fewest > 0 && c->substeps >= c->fewest;
}

void certificate_culprit(const scene *s, const certificate *c, char *text, size_t size) {
  const msd_stability *stability = &c->stability;
  char who[512] = "the network as a whole", cause[200];
  if (!isfinite(stability->stable_time_step)) {
    snprintf(text, size, "%s", "");
    return;
  }
  if (stability->rotor_time_step <= stability->stable_time_step) {
    snprintf(text, size, "the angular springs");
    return;
  }
  if (stability->limiting_spring >= 0)
    scene_describe_spring(s, stability->limiting_spring, who, sizeof who);
  else if (stability->limiting_constraint >= 0)
    stability_report_constraint(s, stability->limiting_constraint, who, sizeof who);
  const bool stands_out = stability->cause != MSD_CAUSE_NONE && stability->cause != MSD_CAUSE_ALL_ALIKE;
  stability_report_cause(stability, cause, sizeof cause);
  snprintf(text, size, "%s%s%s", who, stands_out ? ": " : "", stands_out ? cause : "");
}

/* What symplectic Euler would need. */
static void describe_symplectic(const certificate *c, bool limited, char *text, size_t size) {
  const int fewest = limited ? 1 : fewest_of(c->stability.stable_time_step, c->frame);
  if (fewest == 0)
    snprintf(text, size, "--integrator symplectic_euler --limit coefficients is certified");
  else if (fewest > c->substeps)
    snprintf(text, size, "--integrator symplectic_euler is certified with --substeps %d", fewest);
  else
    snprintf(text, size, "--integrator symplectic_euler is certified%s", limited ? " with this limit" : "");
}

void certificate_remedy(const msd_world *world, const certificate *c, char *text, size_t size) {
  const bool symplectic = msd_world_get_integrator(world) == MSD_SYMPLECTIC_EULER;
  const bool limited = msd_world_get_limit(world) == MSD_LIMIT_COEFFICIENTS;
  char instead[CERTIFICATE_TEXT_MAX / 4] = "";
  if (!symplectic)
    describe_symplectic(c, limited, instead, sizeof instead);
  if (certificate_holds(c))
    snprintf(text, size, "give more --substeps than %d", c->substeps);
  else if (c->fewest > 0)
    snprintf(text, size, "--substeps %d is certified%s%s", c->fewest, limited ? ", or " : "",
             limited ? instead : "");
  else
    snprintf(text, size, "%s", symplectic ? "--limit coefficients would soften it" : instead);
}
