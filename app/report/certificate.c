#include "app/report/certificate.h"

#include "app/report/stability_report.h"

#include <math.h>
#include <stdio.h>

/* Where masses are scaled, or springs go by Gauss-Seidel, only rotors limit the step. */
static void certify_scaled(certificate *c, const msd_stability *whole) {
  c->step = whole->rotor_time_step;
  c->fewest = c->symplectic = isfinite(c->step) ? whole->substeps : 1;
}

static msd_real substep_of(const certificate *c) {
  return (msd_real)(c->frame / (c->substeps > 1 ? c->substeps : 1));
}

static bool is_scaled(const msd_world *world) {
  return msd_world_get_mass_scaling(world) != MSD_MASS_SCALING_NONE ||
         msd_world_get_solver(world) != MSD_SOLVER_FORCES;
}

/* Whether springs alone limit the step of symplectic Euler, at every shape alike. */
static bool is_of_springs(const msd_world *world) {
  return msd_world_get_integrator(world) == MSD_SYMPLECTIC_EULER && !is_scaled(world) &&
         msd_world_get_constraint_count(world) == 0 && msd_world_get_anchor_count(world) == 0 &&
         msd_world_get_angular_spring_count(world) == 0;
}

/* Whether the next step would find the same. What an event of its frame takes away would else count in its
   substeps, for as long as they follow single changes. */
static bool is_of_next_step(const scene *s) {
  return s->timetable.event_count == 0 && is_of_springs(s->world);
}

/* By what the steps go by too, which is then known to them. */
static msd_result certify_springs(msd_world *world, certificate *out) {
  int32_t fewest = 0;
  msd_result result = msd_world_find_stable_step(world, &out->step);
  if (result == MSD_OK)
    result = msd_world_find_substeps(world, (msd_real)out->frame, &fewest);
  out->fewest = out->symplectic = fewest;
  out->every_shape = true;
  if (out->substeps == 0)
    out->substeps = out->fewest;
  return result;
}

static msd_result certify_all(const msd_world *world, certificate *out) {
  msd_stability whole;
  const msd_result result = msd_world_stability(world, (msd_real)out->frame, &whole);
  if (result != MSD_OK)
    return result;
  out->step = whole.integrator_time_step[msd_world_get_integrator(world)];
  out->fewest = whole.substeps;
  out->symplectic = whole.integrator_substeps[MSD_SYMPLECTIC_EULER];
  out->every_shape = whole.every_shape;
  if (out->substeps == 0)
    out->substeps = out->fewest;
  if (is_scaled(world))
    certify_scaled(out, &whole);
  return result;
}

/* As the engine's. */
bool certificate_make(const scene *s, double frame, int substeps, certificate *out, problem *p) {
  msd_world *world = s->world;
  *out = (certificate){.frame = frame, .substeps = substeps};
  msd_result result = is_of_next_step(s) ? certify_springs(world, out) : certify_all(world, out);
  if (result == MSD_OK && msd_world_get_limit(world) == MSD_LIMIT_COEFFICIENTS)
    result = msd_world_find_softening(world, substep_of(out), MSD_LIMIT_COEFFICIENTS, &out->softening);
  return result == MSD_OK || problem_set(p, "a frame of %g s: %s", frame, msd_result_string(result));
}

bool certificate_holds(const certificate *c) {
  return c->fewest > 0 && c->substeps >= c->fewest;
}

void certificate_culprit(const scene *s, const certificate *c, char *text, size_t size) {
  msd_stability_explanation found;
  const msd_stability_cause *why = &found.cause;
  char who[512] = "the network as a whole", cause[200];
  snprintf(text, size, "%s", "");
  if (msd_world_explain_stability(s->world, substep_of(c), &found) != MSD_OK ||
      !isfinite(found.limit.stable_time_step))
    return;
  if (why->limiting == MSD_LIMITING_ROTORS) {
    snprintf(text, size, "the angular springs");
    return;
  }
  if (why->limiting == MSD_LIMITING_SPRING)
    scene_describe_spring(s, why->spring, who, sizeof who);
  else if (why->limiting == MSD_LIMITING_CONSTRAINT)
    stability_report_constraint(s, why->constraint, who, sizeof who);
  const bool stands_out = why->cause != MSD_CAUSE_NONE && why->cause != MSD_CAUSE_ALL_ALIKE;
  stability_report_cause(why, cause, sizeof cause);
  snprintf(text, size, "%s%s%s", who, stands_out ? ": " : "", stands_out ? cause : "");
}

/* What symplectic Euler would need. */
static void describe_symplectic(const certificate *c, bool limited, char *text, size_t size) {
  const int fewest = c->symplectic;
  if (fewest == 0)
    snprintf(text, size, "--integrator symplectic_euler --limit coefficients is certified");
  else if (fewest > c->substeps)
    snprintf(text, size, "--integrator symplectic_euler is certified with --substeps %d", fewest);
  else
    snprintf(text, size, "--integrator symplectic_euler is certified%s", limited ? " with this limit" : "");
}

/* Of symplectic Euler, for a network that none is certified for. */
static void describe_limit(const msd_world *world, const certificate *c, char *text, size_t size) {
  softening_table table;
  softening_table_make(world, c->frame, 0, 0, &table);
  softening_table_way_out(&table, text, size);
  if (!*text)
    snprintf(text, size, "--limit coefficients would soften it");
}

void certificate_remedy(const msd_world *world, const certificate *c, char *text, size_t size) {
  const bool symplectic = msd_world_get_integrator(world) == MSD_SYMPLECTIC_EULER;
  const bool limited = msd_world_get_limit(world) == MSD_LIMIT_COEFFICIENTS;
  char instead[CERTIFICATE_TEXT_MAX / 4] = "";
  if (!symplectic)
    describe_symplectic(c, limited, instead, sizeof instead);
  else if (c->fewest == 0)
    describe_limit(world, c, instead, sizeof instead);
  if (certificate_holds(c))
    snprintf(text, size, "give more --substeps than %d", c->substeps);
  else if (c->fewest > 0)
    snprintf(text, size, "--substeps %d is certified%s%s", c->fewest, limited ? ", or " : "",
             limited ? instead : "");
  else
    snprintf(text, size, "%s", instead);
}
