#include "app/run/warnings.h"

#include "app/base/units.h"
#include "app/run/frame_estimate.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

/* The most checks of the stable substep, where that changes with the configuration. One goes through all items
   of the world some LOOK_PASSES times, as a substep does once; together they take LOOKS_SHARE of the substeps
   of a run, or FREE_ITEMS, which take no noticeable time. */
enum { LOOKS = 64, LOOK_PASSES = 32 };
static const double LOOKS_SHARE = 0.02, FREE_ITEMS = 1e6;

static int64_t frames_between_looks(const run_warnings *w, const run_plan *plan) {
  const double items = frame_cost_items(w->scene->world) + 1;
  const double substeps = (double)plan->frames * plan->substeps;
  const double looks = (FREE_ITEMS / items + LOOKS_SHARE * substeps) / LOOK_PASSES;
  return (int64_t)ceil((double)plan->frames / fmin(fmax(looks, 1), LOOKS));
}

bool run_warnings_begin(run_warnings *w, const run_plan *plan, const scene *s, problem *p) {
  *w = (run_warnings){.scene = s};
  certificate *c = &w->certificate;
  if (!certificate_make(s, plan->frame_time, plan->substeps, c, p))
    return false;
  if (c->substeps == 0) {
    char remedy[CERTIFICATE_TEXT_MAX];
    certificate_remedy(s->world, c, remedy, sizeof remedy);
    return problem_set(p, "%s: no number of substeps is stable with %s; %s, or try --substeps N", s->path,
                       msd_integrator_name(msd_world_get_integrator(s->world)), remedy);
  }
  if (!c->every_shape && plan->substeps > 0)
    w->every = frames_between_looks(w, plan);
  w->needed = c->fewest;
  w->input = energy_input_begin(s->world, plan->frame_time / c->substeps);
  return true;
}

/* The run does not depend on it: without memory there is no check. */
void run_warnings_look(run_warnings *w, const run_plan *plan, int64_t frame) {
  int32_t fewest;
  if (w->every == 0 || w->needed == 0 || frame % w->every != 0 ||
      msd_world_find_substeps(w->scene->world, (msd_real)plan->frame_time, &fewest) != MSD_OK)
    return;
  if (fewest == 0 || fewest > w->needed) {
    w->needed = fewest;
    w->frame = frame;
  }
}

bool run_warnings_refuse(const run_warnings *w, const run_plan *plan, int64_t frame, problem *p) {
  certificate c;
  char culprit[CERTIFICATE_TEXT_MAX], remedy[CERTIFICATE_TEXT_MAX];
  const msd_world *world = w->scene->world;
  if (!certificate_make(w->scene, plan->frame_time, 0, &c, p))
    return false;
  certificate_culprit(w->scene, &c, culprit, sizeof culprit);
  certificate_remedy(world, &c, remedy, sizeof remedy);
  return problem_set(p,
                     "unstable at %s s (frame %" PRId64
                     "): no number of substeps is stable in this configuration (set by "
                     "%s); %s, or try --substeps N",
                     units_number(run_plan_time(plan, frame), 3).text, frame + 1, culprit, remedy);
}

/* "1.41 ms". */
static units_text milliseconds(double seconds) {
  units_text out;
  snprintf(out.text, sizeof out.text, "%.40s ms", units_number(1000 * seconds, 3).text);
  return out;
}

static void warn_over_limit(const run_warnings *w, const run_plan *plan, warning_list *warnings) {
  const certificate *c = &w->certificate;
  const msd_world *world = w->scene->world;
  const char *integrator = msd_integrator_name(msd_world_get_integrator(world));
  char culprit[CERTIFICATE_TEXT_MAX], remedy[CERTIFICATE_TEXT_MAX], brief[WARNING_BRIEF_MAX];
  certificate_culprit(w->scene, c, culprit, sizeof culprit);
  certificate_remedy(world, c, remedy, sizeof remedy);
  if (c->fewest > 0) {
    snprintf(brief, sizeof brief, "%d substep%s where %d are stable", c->substeps,
             c->substeps == 1 ? "" : "s", c->fewest);
    warn(warnings, brief,
         "%d substep%s of %s %s fewer than the %d that are stable with %s (up to %s%s%s); %s", c->substeps,
         c->substeps == 1 ? "" : "s", milliseconds(plan->frame_time / c->substeps).text,
         c->substeps == 1 ? "is" : "are", c->fewest, integrator, milliseconds(c->step).text,
         *culprit != '\0' ? ", set by " : "", culprit, remedy);
    return;
  }
  snprintf(brief, sizeof brief, "%s is not proven stable", integrator);
  warn(warnings, brief, "no number of substeps is proven stable with %s; %s", integrator, remedy);
}

/* Further than any cloth or rope stretches. */
static const double STRETCH_WARNED = 0.2;

/* Springs in N/m, or in Hz, have the same stiffness at any substep. */
static bool follows_substep(const msd_world *world) {
  return msd_world_get_law_count(world, MSD_SPRING_COEFFICIENT) > 0 ||
         msd_world_get_law_count(world, MSD_SPRING_HARD_LIMIT) > 0 ||
         msd_world_get_constraint_count(world) > 0 || msd_world_get_clamp_stiffness(world) != false;
}

static bool helps_against_stretch(const run_warnings *w, double substep, double stretch) {
  msd_static_stretch half;
  return follows_substep(w->scene->world) &&
         msd_world_estimate_stretch(w->scene->world, (msd_real)(substep / 2), &half) == MSD_OK &&
         half.present < 0.9 * stretch;
}

/* What hangs by no stiffness has no stretch to expect. */
static void warn_of_stretch(const run_warnings *w, const run_plan *plan, warning_list *warnings) {
  const double substep = plan->frame_time / w->certificate.substeps;
  char brief[WARNING_BRIEF_MAX];
  msd_static_stretch stretch;
  if (msd_world_estimate_stretch(w->scene->world, (msd_real)substep, &stretch) != MSD_OK ||
      !(stretch.present > STRETCH_WARNED) || isinf(stretch.present))
    return;
  const units_text percent = units_percent(stretch.present);
  snprintf(brief, sizeof brief, "%s stretch expected", percent.text);
  warn(warnings, brief,
       "springs that hang from pins are expected to stretch by %s at rest, with %d substep%s; use stiffer "
       "springs, %sor "
       "--stretch-target 5%%",
       percent.text, w->certificate.substeps, w->certificate.substeps == 1 ? "" : "s",
       helps_against_stretch(w, substep, stretch.present) ? "more --substeps, " : "");
}

void run_warnings_before(const run_warnings *w, const run_plan *plan, warning_list *warnings) {
  if (plan->stretch.wanted > 0 && !plan->stretch.plan.reached) {
    char text[256];
    stretch_describe(&plan->stretch, text, sizeof text);
    warn(warnings, "the stretch target is not reached", "the stretch target is %s", text);
  }
  if (plan->method.made && !plan->method.of[plan->method.chosen].reached) {
    char text[METHOD_TEXT_MAX];
    method_describe(&plan->method, text, sizeof text);
    warn(warnings, "the stretch target is not reached", "the stretch target of %s is not reached: %s",
         units_percent(plan->method.wanted).text, text);
  }
  if (plan->stretch.wanted == 0 && !plan->method.made)
    warn_of_stretch(w, plan, warnings);
  if (!certificate_holds(&w->certificate))
    warn_over_limit(w, plan, warnings);
}

/* Any number of substeps is stable with mass scaling and with Gauss-Seidel. */
static bool is_limited(const msd_world *world) {
  return msd_world_get_mass_scaling(world) == MSD_MASS_SCALING_NONE &&
         msd_world_get_solver(world) == MSD_SOLVER_EXPLICIT;
}

bool run_watch_has_blown_up(const run_warnings *w, const msd_stats *stats) {
  return stats->kinetic_energy + stats->elastic_energy > energy_input_limit(&w->input, w->scene->world);
}

void run_warnings_after(const run_warnings *w, const run_plan *plan, warning_list *warnings) {
  const bool has_changed = w->frame > 0 && is_limited(w->scene->world);
  const units_text when = units_number(run_plan_time(plan, w->frame), 3);
  if (has_changed && w->needed == 0)
    warn(warnings, "the configuration left the stable range",
         "at %s s no number of substeps was stable in the configuration of the scene; use --clamp-stiffness",
         when.text);
  else if (has_changed && w->needed > plan->substeps)
    warn(warnings, "the configuration needed more substeps",
         "at %s s the configuration of the scene needed %d substeps to be stable, more than the %d taken; "
         "use --substeps "
         "auto, or %d or more",
         when.text, w->needed, plan->substeps, w->needed);
}
