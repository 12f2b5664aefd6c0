#include "app/run/watch.h"

#include "app/base/units.h"
#include "app/run/frame_cost.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

/* Looks at what the shape asks for, where the certificate changes with it: so many at most. One goes through
   all items of the world some LOOK_PASSES times, as a substep does once; together they take LOOKS_SHARE of the
   substeps of a run, or FREE_ITEMS, which nobody waits for. */
enum { LOOKS = 64, LOOK_PASSES = 32 };
static const double LOOKS_SHARE = 0.02, FREE_ITEMS = 1e6;

static int64_t frames_between_looks(const run_watch *w, const run_plan *plan) {
  const double items = frame_cost_items(w->scene->world) + 1;
  const double substeps = (double)plan->frames * plan->substeps;
  const double looks = (FREE_ITEMS / items + LOOKS_SHARE * substeps) / LOOK_PASSES;
  return (int64_t)ceil((double)plan->frames / fmin(fmax(looks, 1), LOOKS));
}

bool run_watch_begin(run_watch *w, const run_plan *plan, const scene *s, problem *p) {
  *w = (run_watch){.scene = s};
  certificate *c = &w->certificate;
  if (!certificate_make(s, plan->time_step, plan->substeps, c, p))
    return false;
  if (c->substeps == 0) {
    char remedy[CERTIFICATE_TEXT_MAX];
    certificate_remedy(s->world, c, remedy, sizeof remedy);
    return problem_set(p, "%s: no number of substeps is certified for %s; %s, or give --substeps N to try",
                       s->path, msd_integrator_name(msd_world_get_integrator(s->world)), remedy);
  }
  if (!c->every_shape && plan->substeps > 0)
    w->every = frames_between_looks(w, plan);
  w->needed = c->fewest;
  w->input = energy_input_begin(s->world, plan->time_step / c->substeps);
  return true;
}

/* The run does not depend on it: without memory for a look there is none. */
void run_watch_look(run_watch *w, const run_plan *plan, int64_t frame) {
  int32_t fewest;
  if (w->every == 0 || w->needed == 0 || frame % w->every != 0 ||
      msd_world_find_substeps(w->scene->world, (msd_real)plan->time_step, &fewest) != MSD_OK)
    return;
  if (fewest == 0 || fewest > w->needed) {
    w->needed = fewest;
    w->frame = frame;
  }
}

bool run_watch_refuse(const run_watch *w, const run_plan *plan, int64_t frame, problem *p) {
  certificate c;
  char culprit[CERTIFICATE_TEXT_MAX], remedy[CERTIFICATE_TEXT_MAX], message[CERTIFICATE_TEXT_MAX];
  const msd_world *world = w->scene->world;
  snprintf(message, sizeof message, "%s", msd_world_message(world));
  if (!certificate_make(w->scene, plan->time_step, 0, &c, p))
    return false;
  certificate_culprit(w->scene, &c, culprit, sizeof culprit);
  certificate_remedy(world, &c, remedy, sizeof remedy);
  return problem_set(
      p, "%s: frame %" PRId64 " (from %.6g s): %s, limited by %s; %s, or give --substeps N to try",
      w->scene->name, frame + 1, run_plan_time(plan, frame), message, culprit, remedy);
}

static void warn_over_limit(const run_watch *w, const run_plan *plan) {
  const certificate *c = &w->certificate;
  const msd_world *world = w->scene->world;
  const char *integrator = msd_integrator_name(msd_world_get_integrator(world));
  const units_text substep = units_si(plan->time_step / c->substeps, "s");
  char culprit[CERTIFICATE_TEXT_MAX], remedy[CERTIFICATE_TEXT_MAX];
  certificate_culprit(w->scene, c, culprit, sizeof culprit);
  certificate_remedy(world, c, remedy, sizeof remedy);
  if (c->step > 0)
    message_warning("run", "the substep of %s is over the certified %s of %s (limited by %s); %s",
                    substep.text, units_si(c->step, "s").text, integrator, culprit, remedy);
  else
    message_warning("run", "no substep is certified for %s, nor is this one of %s; %s", integrator,
                    substep.text, remedy);
}

/* Further than any cloth or rope: such a run shows nothing that was meant. */
static const double STRETCH_WARNED = 0.2;

/* What has a stiffness in N/m, or in Hz, has the same at any substep. */
static bool follows_substep(const msd_world *world) {
  return msd_world_get_law_count(world, MSD_SPRING_COEFFICIENT) > 0 ||
         msd_world_get_law_count(world, MSD_SPRING_CATCH) > 0 || msd_world_get_constraint_count(world) > 0 ||
         msd_world_get_limit(world) != MSD_LIMIT_NONE;
}

static bool helps_against_stretch(const run_watch *w, double substep, double stretch) {
  msd_static_stretch half;
  return follows_substep(w->scene->world) &&
         msd_world_estimate_stretch(w->scene->world, (msd_real)(substep / 2), &half) == MSD_OK &&
         half.present < 0.9 * stretch;
}

/* Said before the run, when there is still time to change it. What no spring holds has no stretch to expect. */
static void warn_of_stretch(const run_watch *w, const run_plan *plan) {
  const double substep = plan->time_step / w->certificate.substeps;
  msd_static_stretch stretch;
  if (msd_world_estimate_stretch(w->scene->world, (msd_real)substep, &stretch) != MSD_OK ||
      !(stretch.present > STRETCH_WARNED) || isinf(stretch.present))
    return;
  message_warning(
      "run",
      "what hangs from pins is expected to stretch by %.3g %% at rest, in substeps of %s; give stiffer "
      "springs, %sor --stretch-target 5",
      100 * stretch.present, units_si(substep, "s").text,
      helps_against_stretch(w, substep, stretch.present) ? "more --substeps, " : "");
}

void run_watch_warn_before(const run_watch *w, const run_plan *plan) {
  if (plan->stretch.wanted > 0 && !plan->stretch.plan.reached) {
    char text[256];
    stretch_describe(&plan->stretch, text, sizeof text);
    message_warning("run", "the stretch target is %s", text);
  }
  if (plan->method.made && !plan->method.of[plan->method.chosen].reached) {
    char text[METHOD_TEXT_MAX];
    method_describe(&plan->method, text, sizeof text);
    message_warning("run", "the stretch target of %.3g %% is not reached: %s", 100 * plan->method.wanted,
                    text);
  }
  if (plan->stretch.wanted == 0 && !plan->method.made)
    warn_of_stretch(w, plan);
  if (!certificate_holds(&w->certificate))
    warn_over_limit(w, plan);
}

/* With scaled masses and by Gauss-Seidel any number is. */
static bool is_limited(const msd_world *world) {
  return msd_world_get_mass_scaling(world) == MSD_MASS_SCALING_NONE &&
         msd_world_get_solver(world) == MSD_SOLVER_FORCES;
}

void run_watch_warn_after(const run_watch *w, const run_plan *plan, const msd_stats *stats) {
  const msd_world *world = w->scene->world;
  const bool has_changed = w->frame > 0 && is_limited(world);
  if (has_changed && w->needed == 0)
    message_warning("run", "at %.6g s no number of substeps was certified for the shape that the scene had",
                    run_plan_time(plan, w->frame));
  else if (has_changed && w->needed > plan->substeps)
    message_warning(
        "run", "at %.6g s the shape of the scene needed --substeps %d to be certified, over the %d taken",
        run_plan_time(plan, w->frame), w->needed, plan->substeps);
  const double energy = stats->kinetic_energy + stats->elastic_energy;
  if (energy <= energy_input_limit(&w->input, world))
    return;
  char remedy[CERTIFICATE_TEXT_MAX];
  certificate_remedy(world, &w->certificate, remedy, sizeof remedy);
  message_warning("run",
                  "%s: blew up: it ends with %s of kinetic and elastic energy, over a million times what its "
                  "start and gravity can give; %s",
                  w->scene->name, units_si(energy, "J").text, remedy);
}
