#include "app/run/plan.h"

#include "app/run/checkpoint.h"

#include <inttypes.h>
#include <math.h>

/* A last frame shorter than this fraction of a frame is the rounding of a frame time such as 0.016666667. */
static const double FRAME_ROUNDING = 1e-3;

/* Wall time from one checkpoint to the next. */
static const double SAVE_SECONDS = 10;

static bool count_frames(run_plan *plan, const run_options *o, problem *p) {
  const double frames =
      plan->duration > 0 ? fmax(ceil(plan->duration / plan->frame_time - FRAME_ROUNDING), 1) : 0;
  if (!(frames <= (double)CHECKPOINT_FRAMES_MAX))
    return problem_set(
        p, "%g s in frames of %g s are %g frames; use a longer --frame-time or a shorter --duration",
        plan->duration, plan->frame_time, frames);
  plan->frames = (int64_t)frames;
  return plan->first_frame <= plan->frames ||
         problem_set(p, "%s: is at frame %" PRId64 " (%g s), past the end at %g s; use a longer --duration",
                     o->resume, plan->first_frame, run_plan_time(plan, plan->first_frame), plan->duration);
}

static bool resume(run_plan *plan, const run_options *o, scene *s, problem *p) {
  checkpoint c;
  if (!checkpoint_load(o->resume, s, plan->fingerprint, &c, p))
    return false;
  if (o->frame_time > 0 && o->frame_time != c.frame_time)
    return problem_set(p, "%s: was saved with --frame-time %.17g, not %.17g; leave out --frame-time",
                       o->resume, c.frame_time, o->frame_time);
  plan->first_frame = c.frame;
  plan->frame_time = c.frame_time;
  plan->substeps = c.substeps;
  plan->duration = c.duration;
  plan->wall_seconds = c.wall_seconds;
  return true;
}

/* A scene without particles, or without rotors, cannot write them. */
static bool check_outputs(const run_options *o, const scene *s, problem *p) {
  const char *option = NULL;
  if (scene_particles(s) == 0)
    option = o->traces[TRACE_PARTICLES] != NULL ? "trace" : o->export_folder != NULL ? "export" : NULL;
  if (option != NULL)
    return problem_set(p, "%s: has no particles to %s; leave --%s out%s", s->path, option, option,
                       msd_world_get_rotor_count(s->world) > 0 ? ", or give --trace-rotors FILE" : "");
  return o->traces[TRACE_ROTORS] == NULL || msd_world_get_rotor_count(s->world) > 0 ||
         problem_set(p, "%s: has no rotors to trace; leave --trace-rotors out", s->path);
}

static bool apply_settings(run_plan *plan, const run_options *o, scene *s, problem *p) {
  if (o->duration >= 0)
    plan->duration = o->duration;
  if (o->frame_time > 0)
    plan->frame_time = o->frame_time;
  if (o->substeps != SUBSTEPS_OF_SCENE)
    plan->substeps = o->substeps;
  msd_result result = msd_world_set_thread_count(s->world, o->threads);
  if (result == MSD_OK && o->energy == MSD_ENERGY_OFF)
    result = msd_world_set_energy_mode(s->world, MSD_ENERGY_OFF);
  if (result == MSD_OK && o->solver == MSD_SOLVER_EXPLICIT)
    result = msd_world_set_solver(s->world, MSD_SOLVER_EXPLICIT);
  if (result == MSD_OK && o->mass_scaling == MSD_MASS_SCALING_NONE)
    result = msd_world_set_mass_scaling(s->world, MSD_MASS_SCALING_NONE);
  if (result == MSD_OK && o->integrator >= 0)
    result = msd_world_set_integrator(s->world, (msd_integrator)o->integrator);
  if (result == MSD_OK && o->energy > MSD_ENERGY_OFF)
    result = msd_world_set_energy_mode(s->world, (msd_energy_mode)o->energy);
  if (result == MSD_OK && o->mass_scaling > MSD_MASS_SCALING_NONE)
    result = msd_world_set_mass_scaling(s->world, (msd_mass_scaling)o->mass_scaling);
  if (result == MSD_OK && o->solver > MSD_SOLVER_EXPLICIT && o->solver != SOLVER_AUTO)
    result = msd_world_set_solver(s->world, (msd_solver)o->solver);
  if (result == MSD_OK && o->clamp_stiffness >= 0)
    result = msd_world_set_clamp_stiffness(s->world, o->clamp_stiffness == 1);
  if (result == MSD_OK)
    result = msd_world_check(s->world);
  if (o->substeps == SUBSTEPS_OF_SCENE && o->resume == NULL)
    plan->substeps = scene_choose_substeps(s, plan->frame_time);
  return result == MSD_OK || problem_set(p, "%s: %s", s->path, msd_world_message(s->world));
}

static bool choose_method(run_plan *plan, const run_options *o, scene *s, problem *p) {
  const double wanted = o->stretch > 0 ? o->stretch : METHOD_STRETCH;
  if (!method_choose(s->world, plan->frame_time, wanted, o->budget, &plan->method, p))
    return false;
  plan->substeps = plan->method.of[plan->method.chosen].substeps;
  return method_apply(s->world, plan->method.chosen) == MSD_OK ||
         problem_set(p, "%s: %s", s->path, msd_world_message(s->world));
}

static bool apply_stretch_target(run_plan *plan, const run_options *o, scene *s, problem *p) {
  if (o->solver == SOLVER_AUTO)
    return choose_method(plan, o, s, p);
  plan->stretch = (stretch_outcome){.wanted = o->stretch, .budget = o->budget};
  if (o->stretch == 0)
    return true;
  if (!stretch_apply(s->world, plan->frame_time, o->threads, &plan->stretch, p))
    return false;
  plan->substeps = plan->stretch.plan.substeps;
  return true;
}

bool run_plan_make(run_plan *plan, const run_options *o, scene *s, problem *p) {
  *plan = (run_plan){.duration = s->duration, .frame_time = s->frame_time, .substeps = s->substeps};
  if (o->save != NULL || o->resume != NULL)
    plan->fingerprint = checkpoint_fingerprint(s);
  return (o->resume == NULL || resume(plan, o, s, p)) && check_outputs(o, s, p) &&
         apply_settings(plan, o, s, p) && apply_stretch_target(plan, o, s, p) && count_frames(plan, o, p);
}

bool run_plan_save_is_due(const run_plan *plan, const run_options *o, int64_t frame, double seconds) {
  if (o->save == NULL || frame == plan->frames)
    return false;
  return o->save_every > 0 ? frame % o->save_every == 0 : seconds >= SAVE_SECONDS;
}

bool run_plan_save(const run_plan *plan, const run_options *o, const scene *s, int64_t frame,
                   double wall_seconds, problem *p) {
  const checkpoint c = {.frame = frame,
                        .duration = plan->duration,
                        .frame_time = plan->frame_time,
                        .substeps = plan->substeps,
                        .wall_seconds = wall_seconds};
  return checkpoint_save(o->save, s, plan->fingerprint, &c, p);
}
