/* msd run: simulates a scene, writes what was asked for, and prints a summary. */
#include "app/commands.h"

#include "app/base/interrupt.h"
#include "app/base/output_file.h"
#include "app/base/progress.h"
#include "app/base/units.h"
#include "app/checkpoint.h"
#include "app/export/pictures.h"
#include "app/export/trace.h"
#include "app/report/certificate.h"
#include "app/report/energy_input.h"
#include "app/report/stretch.h"
#include "app/report/summary.h"
#include "app/run_options.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

static const char command[] = "run";

static const double SAVE_SECONDS = 10; /* wall time from one checkpoint to the next */

/* What a fixed number of substeps bears, looked at now and then where that changes with the shape. */
typedef struct watch {
  int64_t every; /* frames from one look to the next; 0: none is needed */
  int64_t frame; /* where most substeps were needed */
  int needed;    /* there; 0: no number is certified */
} watch;

typedef struct run {
  run_options options;
  scene *scene;
  uint64_t fingerprint; /* of the scene, for checkpoints */
  double duration, time_step;
  int substeps; /* as msd_world_step gets them: 0 is auto */
  int64_t first_frame, frame, frames;
  double wall_seconds; /* spent stepping, earlier parts included */
  stretch_outcome stretch;
  int substeps_least, substeps_most; /* that a frame of this part took; 0 before the first */
  certificate certificate;           /* at the start */
  watch watch;
  energy_input input;
  trace *traces[TRACE_KIND_COUNT]; /* NULL: not asked for */
  exporter *exporter;
  pictures *pictures;
  bool diverged, interrupted, failed;
} run;

/* ------------------------------------------------------------------------------------------- preparation */

/* A last frame shorter than this part of a time step is the rounding of a step such as 0.016666667. */
static const double FRAME_ROUNDING = 1e-3;

static const double FRAMES_MAX = 9e15; /* whole numbers are exact in a double up to here */

static bool plan_frames(run *r, problem *p) {
  double frames = r->duration > 0 ? fmax(ceil(r->duration / r->time_step - FRAME_ROUNDING), 1) : 0;
  if (!(frames <= FRAMES_MAX))
    return problem_set(p, "%g s in time steps of %g s are %g frames; take a larger --dt or a shorter --time",
                       r->duration, r->time_step, frames);
  r->frames = (int64_t)frames;
  if (r->frame > r->frames)
    return problem_set(
        p, "%s: is at frame %" PRId64 " already (%g s), past the end at %g s; give a longer --time",
        r->options.resume, r->frame, (double)r->frame * r->time_step, r->duration);
  return true;
}

/* The checkpoint says what the command line does not. */
static bool resume(run *r, problem *p) {
  checkpoint c;
  if (!checkpoint_load(r->options.resume, r->scene, r->fingerprint, &c, p))
    return false;
  if (r->options.time_step > 0 && r->options.time_step != c.time_step)
    return problem_set(p, "%s: was saved with --dt %.17g, not %.17g; leave --dt out", r->options.resume,
                       c.time_step, r->options.time_step);
  r->first_frame = r->frame = c.frame;
  r->time_step = c.time_step;
  r->substeps = c.substeps;
  r->duration = c.duration;
  r->wall_seconds = c.wall_seconds;
  return true;
}

static bool apply_settings(run *r, problem *p) {
  const run_options *o = &r->options;
  msd_world *world = r->scene->world;
  if (o->duration >= 0)
    r->duration = o->duration;
  if (o->time_step > 0)
    r->time_step = o->time_step;
  if (o->substeps != SUBSTEPS_OF_SCENE)
    r->substeps = o->substeps;
  msd_result result = msd_world_set_thread_count(world, o->threads);
  if (result == MSD_OK && o->integrator >= 0)
    result = msd_world_set_integrator(world, (msd_integrator)o->integrator);
  if (result == MSD_OK && o->limit >= 0)
    result = msd_world_set_limit(world, (msd_limit)o->limit);
  return result == MSD_OK || problem_set(p, "%s: %s", r->scene->path, msd_world_message(world));
}

/* Outputs of what the scene has none of. */
static bool check_outputs(const run *r, problem *p) {
  const run_options *o = &r->options;
  const msd_world *world = r->scene->world;
  const char *option = NULL;
  if (msd_world_get_particle_count(world) == 0)
    option = o->trace != NULL ? "trace" : o->export_folder != NULL ? "export" : NULL;
  if (option != NULL)
    return problem_set(p, "%s: has no particles to %s; leave --%s out%s", r->scene->path, option, option,
                       msd_world_get_rotor_count(world) > 0 ? ", or give --trace-rotors FILE" : "");
  return o->trace_rotors == NULL || msd_world_get_rotor_count(world) > 0 ||
         problem_set(p, "%s: has no rotors to trace; leave --trace-rotors out", r->scene->path);
}

static bool apply_stretch_target(run *r, problem *p) {
  r->stretch = (stretch_outcome){.wanted = r->options.stretch, .budget = r->options.budget};
  if (r->stretch.wanted == 0)
    return true;
  if (!stretch_apply(r->scene->world, r->time_step, r->options.threads, &r->stretch, p))
    return false;
  r->substeps = r->stretch.plan.substeps;
  if (!r->stretch.plan.reached) {
    char text[256];
    stretch_describe(&r->stretch, text, sizeof text);
    message_warning(command, "the stretch target is %s", text);
  }
  return true;
}

/* Frames of a run in which the certificate is made anew, where it changes with the shape. */
enum { LOOKS = 64 };

static bool find_stability(run *r, problem *p) {
  const msd_world *world = r->scene->world;
  certificate *c = &r->certificate;
  if (!certificate_make(world, r->time_step, r->substeps, c, p))
    return false;
  if (c->substeps == 0) {
    char remedy[CERTIFICATE_TEXT_MAX];
    certificate_remedy(world, c, remedy, sizeof remedy);
    return problem_set(p, "%s: no number of substeps is certified for %s; %s, or give --substeps N to try",
                       r->scene->path, msd_integrator_name(msd_world_get_integrator(world)), remedy);
  }
  /* With a limit the engine takes one substep, whatever the integrator. */
  if (msd_world_get_limit(world) == MSD_LIMIT_COEFFICIENTS && c->substeps > 1)
    r->substeps = c->substeps;
  const bool changes = !c->stability.every_shape && r->substeps > 0;
  r->watch = (watch){.every = changes ? (r->frames + LOOKS - 1) / LOOKS : 0, .needed = c->fewest};
  r->input = energy_input_begin(world, r->time_step / c->substeps);
  return true;
}

static void warn_over_limit(const run *r) {
  const certificate *c = &r->certificate;
  const msd_world *world = r->scene->world;
  if (certificate_holds(c))
    return;
  const char *integrator = msd_integrator_name(msd_world_get_integrator(world));
  const units_text substep = units_si(r->time_step / c->substeps, "s");
  char culprit[CERTIFICATE_TEXT_MAX], remedy[CERTIFICATE_TEXT_MAX];
  certificate_culprit(r->scene, c, culprit, sizeof culprit);
  certificate_remedy(world, c, remedy, sizeof remedy);
  if (c->step > 0)
    message_warning(command, "the substep of %s is over the certified %s of %s (limited by %s); %s",
                    substep.text, units_si(c->step, "s").text, integrator, culprit, remedy);
  else
    message_warning(command, "no substep is certified for %s, nor is this one of %s; %s", integrator,
                    substep.text, remedy);
}

static int64_t frame_index(const run *r, int64_t frame) {
  return frame / r->options.every;
}

static double frame_time(const run *r, int64_t frame) {
  return (double)frame * r->time_step;
}

/* Of `count` particles or rotors; nothing when no path is given. */
static bool open_trace(run *r, trace_kind kind, const char *path, int32_t count, problem *p) {
  const int64_t last_frame = r->frame - r->frame % r->options.every;
  if (path == NULL)
    return true;
  if (!output_file_check(path, p))
    return false;
  r->traces[kind] = r->options.resume != NULL
                        ? trace_continue(kind, path, count, frame_time(r, last_frame), r->time_step, p)
                        : trace_open(kind, path, p);
  return r->traces[kind] != NULL;
}

/* Everything that can be found wrong with an output is found here, before anything is simulated. */
static bool open_outputs(run *r, problem *p) {
  const run_options *o = &r->options;
  bool resumed = o->resume != NULL;
  if (o->save != NULL && !output_file_check(o->save, p))
    return false;
  if (!open_trace(r, TRACE_PARTICLES, o->trace, msd_world_get_particle_count(r->scene->world), p) ||
      !open_trace(r, TRACE_ROTORS, o->trace_rotors, msd_world_get_rotor_count(r->scene->world), p))
    return false;
  if (o->export_folder != NULL) {
    export_start start = {.index = resumed ? frame_index(r, r->frame) + 1 : 0,
                          .time_step = r->time_step * (double)o->every};
    r->exporter = export_open(o->export_folder, o->format, r->scene, start, p);
    if (r->exporter == NULL)
      return false;
  }
  if (o->png != NULL || o->video != NULL) {
    const pictures_request request = {.png = o->png,
                                      .video = o->video,
                                      .frames_per_second = 1 / (r->time_step * (double)o->every),
                                      .look = o->picture};
    r->pictures = pictures_open(&request, r->scene, p);
    if (r->pictures == NULL)
      return false;
  }
  return true;
}

/* -------------------------------------------------------------------------------------------- simulation */

static bool write_frame(run *r, problem *p) {
  int64_t index = frame_index(r, r->frame);
  double time = frame_time(r, r->frame);
  for (int kind = 0; kind < TRACE_KIND_COUNT; kind++)
    if (r->traces[kind] != NULL && !trace_write(r->traces[kind], r->scene->world, time, p))
      return false;
  if (r->exporter != NULL && !export_write(r->exporter, index, time, p))
    return false;
  return r->pictures == NULL || pictures_frame(r->pictures, index, p);
}

/* Traces and export are handed over first: what a checkpoint continues must be there, too. */
static bool save(run *r, problem *p) {
  checkpoint c = {.frame = r->frame,
                  .duration = r->duration,
                  .time_step = r->time_step,
                  .substeps = r->substeps,
                  .wall_seconds = r->wall_seconds};
  for (int kind = 0; kind < TRACE_KIND_COUNT; kind++)
    if (r->traces[kind] != NULL && !trace_flush(r->traces[kind], p))
      return false;
  return (r->exporter == NULL || export_flush(r->exporter, p)) &&
         checkpoint_save(r->options.save, r->scene, r->fingerprint, &c, p);
}

static bool save_is_due(const run *r, double last_saved) {
  if (r->options.save == NULL || r->frame == r->frames)
    return false;
  if (r->options.save_every > 0)
    return r->frame % r->options.save_every == 0;
  return progress_clock() - last_saved >= SAVE_SECONDS;
}

/* The shape has come to one at which no number of substeps is certified. */
static bool refuse_frame(const run *r, problem *p) {
  certificate c;
  char culprit[CERTIFICATE_TEXT_MAX], remedy[CERTIFICATE_TEXT_MAX], message[CERTIFICATE_TEXT_MAX];
  const msd_world *world = r->scene->world;
  snprintf(message, sizeof message, "%s", msd_world_message(world));
  if (!certificate_make(world, r->time_step, 0, &c, p))
    return false;
  certificate_culprit(r->scene, &c, culprit, sizeof culprit);
  certificate_remedy(world, &c, remedy, sizeof remedy);
  return problem_set(
      p, "%s: frame %" PRId64 " (from %.6g s): %s, limited by %s; %s, or give --substeps N to try",
      r->scene->name, r->frame + 1, frame_time(r, r->frame), message, culprit, remedy);
}

/* Beside the run: when there is no memory for a look there is none. */
static void look_at_limit(run *r) {
  watch *w = &r->watch;
  certificate c;
  problem p;
  if (w->every == 0 || w->needed == 0 || r->frame % w->every != 0 ||
      !certificate_make(r->scene->world, r->time_step, 1, &c, &p))
    return;
  if (c.fewest == 0 || c.fewest > w->needed) {
    w->needed = c.fewest;
    w->frame = r->frame;
  }
}

/* One frame. False when there is none to come: *ok tells whether that is a failure with *p filled, or the
   divergence that r->diverged tells of. */
static bool advance(run *r, bool *ok, problem *p) {
  msd_world *world = r->scene->world;
  const int64_t steps = msd_world_get_steps(world);
  double before = progress_clock();
  msd_result result = msd_world_step(world, (msd_real)r->time_step, r->substeps);
  r->wall_seconds += progress_clock() - before;
  if (result == MSD_OK) {
    const int taken = (int)(msd_world_get_steps(world) - steps);
    r->substeps_least = r->substeps_most == 0 || taken < r->substeps_least ? taken : r->substeps_least;
    r->substeps_most = taken > r->substeps_most ? taken : r->substeps_most;
    r->frame++;
    look_at_limit(r);
    return true;
  }
  r->diverged = result == MSD_DIVERGED;
  if (result == MSD_NO_STABLE_STEP)
    *ok = refuse_frame(r, p);
  else if (!r->diverged)
    *ok = problem_set(p, "frame %" PRId64 ": %s", r->frame + 1, msd_world_message(world));
  return false;
}

static void show_progress(const run *r, progress *bar, double began) {
  const msd_world *world = r->scene->world;
  double work = (double)msd_world_get_spring_count(world) * (double)msd_world_get_steps(world);
  progress_state state = {.frame = r->frame,
                          .frames = r->frames,
                          .first_frame = r->first_frame,
                          .seconds = progress_clock() - began,
                          .springs_per_second = r->wall_seconds > 0 ? work / r->wall_seconds : 0};
  progress_update(bar, &state);
}

static bool simulate(run *r, problem *p) {
  double began = progress_clock(), last_saved = began;
  progress bar = progress_begin(r->scene->name);
  bool ok = r->options.resume != NULL || write_frame(r, p);
  while (ok && r->frame < r->frames) {
    r->interrupted = interrupt_signal() != 0;
    if (r->interrupted || !advance(r, &ok, p))
      break;
    if (r->frame % r->options.every == 0)
      ok = write_frame(r, p);
    if (ok && save_is_due(r, last_saved)) {
      ok = save(r, p);
      last_saved = progress_clock();
    }
    show_progress(r, &bar, began);
  }
  progress_clear(&bar);
  return ok;
}

/* Puts all files in their places, whatever happened; *p keeps the first problem. */
static bool close_outputs(run *r, bool ok, problem *p) {
  problem later;
  /* A state about to blow up is no place to go on from: after a divergence the checkpoint before it stays. */
  if (ok && r->options.save != NULL && !r->diverged)
    ok = save(r, p);
  for (int kind = 0; kind < TRACE_KIND_COUNT; kind++) {
    ok = trace_close(r->traces[kind], ok ? p : &later) && ok;
    r->traces[kind] = NULL;
  }
  ok = export_close(r->exporter, ok ? p : &later) && ok;
  ok = pictures_end(r->pictures, ok, ok ? p : &later) && ok;
  r->exporter = NULL;
  r->pictures = NULL;
  return ok;
}

/* ----------------------------------------------------------------------------------------------- results */

static void report_divergence(const run *r) {
  char remedy[CERTIFICATE_TEXT_MAX];
  certificate_remedy(r->scene->world, &r->certificate, remedy, sizeof remedy);
  message_error(command, "%s: diverged in frame %" PRId64 " (from %.6g s): %s; %s", r->scene->name,
                r->frame + 1, frame_time(r, r->frame), msd_world_message(r->scene->world), remedy);
}

/* What only the end of a run shows. */
static void warn_of_run(const run *r) {
  const watch *w = &r->watch;
  if (w->frame > 0 && w->needed == 0)
    message_warning(command, "at %.6g s no number of substeps was certified for the shape that the scene had",
                    frame_time(r, w->frame));
  else if (w->frame > 0 && w->needed > r->substeps)
    message_warning(
        command, "at %.6g s the shape of the scene needed --substeps %d to be certified, over the %d taken",
        frame_time(r, w->frame), w->needed, r->substeps);
  const msd_stats stats = msd_world_get_stats(r->scene->world);
  const double energy = stats.kinetic_energy + stats.elastic_energy;
  char remedy[CERTIFICATE_TEXT_MAX];
  certificate_remedy(r->scene->world, &r->certificate, remedy, sizeof remedy);
  if (!(energy <= energy_input_limit(&r->input, r->scene->world)))
    message_warning(
        command,
        "%s: blew up: it ends with %s of kinetic and elastic energy, over a million times what its start "
        "and gravity can give; %s",
        r->scene->name, units_si(energy, "J").text, remedy);
}

static bool print_results(const run *r) {
  run_report report = {.scene = r->scene,
                       .frames = r->frame,
                       .frames_wanted = r->frames,
                       .steps = msd_world_get_steps(r->scene->world),
                       .substeps = r->substeps_most > 0 ? r->substeps_most : r->certificate.substeps,
                       .substeps_least = r->substeps_most > 0 ? r->substeps_least : r->certificate.substeps,
                       .time = r->diverged ? msd_world_get_time(r->scene->world) : frame_time(r, r->frame),
                       .time_step = r->time_step,
                       .wall_seconds = r->wall_seconds,
                       .stretch = r->stretch,
                       .resumed_from = r->options.resume != NULL ? r->first_frame : -1,
                       .diverged = r->diverged,
                       .failed = r->failed,
                       .interrupted = r->interrupted,
                       .stats = msd_world_get_stats(r->scene->world),
                       .certificate = r->certificate};
  if (r->options.json)
    return summary_print_json(&report, stdout);
  summary_print(&report, stdout);
  return true;
}

/* Everything after the scene is there; returns the exit status. */
static int run_scene(run *r) {
  problem p;
  r->duration = r->scene->duration;
  r->time_step = r->scene->time_step;
  r->substeps = r->scene->substeps;
  if (r->options.save != NULL || r->options.resume != NULL)
    r->fingerprint = checkpoint_fingerprint(r->scene);
  if ((r->options.resume != NULL && !resume(r, &p)) || !check_outputs(r, &p) || !apply_settings(r, &p) ||
      !apply_stretch_target(r, &p) || !plan_frames(r, &p) || !find_stability(r, &p)) {
    message_error(command, "%s", p.text);
    return STATUS_BAD_INPUT;
  }
  interrupt_install();
  if (!open_outputs(r, &p)) {
    message_error(command, "%s", p.text);
    for (int kind = 0; kind < TRACE_KIND_COUNT; kind++)
      trace_discard(r->traces[kind]);
    export_discard(r->exporter);
    pictures_discard(r->pictures);
    return STATUS_FAILED;
  }
  warn_over_limit(r);
  bool ok = simulate(r, &p);
  ok = close_outputs(r, ok, &p);
  r->failed = !ok;
  if (!ok)
    message_error(command, "%s", p.text);
  if (r->diverged)
    report_divergence(r);
  else
    warn_of_run(r);
  if (!print_results(r)) {
    message_error(command, "out of memory for the summary");
    ok = false;
  }
  if (!ok || r->diverged)
    return STATUS_FAILED;
  return r->interrupted ? STATUS_SIGNAL + interrupt_signal() : STATUS_DONE;
}

int command_run(int argc, char **argv) {
  run r = {.scene = NULL};
  switch (run_options_read(argc, argv, &r.options)) {
  case RUN_OPTIONS_HELP:
    return STATUS_DONE;
  case RUN_OPTIONS_BAD:
    return STATUS_BAD_INPUT;
  case RUN_OPTIONS_READY:
    break;
  }
  scene_error error;
  r.scene = scene_load(r.options.scene, &error);
  if (r.scene == NULL) {
    message_error(command, "%s", error.text);
    return STATUS_BAD_INPUT;
  }
  int status = run_scene(&r);
  scene_free(r.scene);
  return status;
}
