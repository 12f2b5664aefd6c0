/* msd run: simulates a scene, writes its outputs, and prints a summary. */
#include "app/commands.h"

#include "app/base/interrupt.h"
#include "app/base/mpi_shim.h"
#include "app/base/scene_input.h"
#include "app/base/units.h"
#include "app/report/scene_checks.h"
#include "app/report/summary.h"
#include "app/run/parts.h"
#include "app/run/simulation.h"

#include <ctype.h>
#include <inttypes.h>

static const char command[] = "run";

static bool writes_frames(const run_options *o) {
  bool any = o->export_folder != NULL || o->png != NULL || o->video != NULL || o->save != NULL;
  for (int kind = 0; kind < TRACE_KIND_COUNT; kind++)
    any = any || o->traces[kind] != NULL;
  return any;
}

/* The second and last line of a run that became unstable; the first was the warning before the run, if there
   was a reason for one. */
static void report_instability(const simulation *sim) {
  const msd_world *world = sim->scene->world;
  char remedy[CERTIFICATE_TEXT_MAX], kept[80] = "";
  certificate_remedy(world, &sim->watch.certificate, remedy, sizeof remedy);
  remedy[0] = (char)toupper((unsigned char)remedy[0]);
  if (!sim->diverged) {
    message_error(
        command,
        "unstable: the energy at the end is over a million times what the start and gravity can give. %s.",
        remedy);
    return;
  }
  if (writes_frames(sim->options))
    snprintf(kept, sizeof kept, " Output up to frame %" PRId64 " is kept.", sim->frame);
  message_error(command, "unstable at %s s (frame %" PRId64 ").%s %s.",
                units_number(msd_world_get_time(world), 3).text, sim->frame + 1, kept, remedy);
}

static bool print_results(const simulation *sim, const msd_stats *stats, bool failed) {
  const msd_world *world = sim->scene->world;
  const certificate *c = &sim->watch.certificate;
  const bool stepped = sim->substeps_most > 0;
  const run_report report = {.scene = sim->scene,
                             .frames = sim->frame,
                             .frames_wanted = sim->plan.frames,
                             .steps = msd_world_get_steps(world),
                             .substeps = stepped ? sim->substeps_most : c->substeps,
                             .substeps_least = stepped ? sim->substeps_least : c->substeps,
                             .time = sim->diverged ? msd_world_get_time(world)
                                                   : run_plan_time(&sim->plan, sim->frame),
                             .frame_time = sim->plan.frame_time,
                             .wall_seconds = sim->wall_seconds,
                             .stretch = sim->plan.stretch,
                             .method = sim->plan.method,
                             .resumed_from = sim->options->resume != NULL ? sim->plan.first_frame : -1,
                             .diverged = sim->diverged,
                             .unstable = sim->is_unstable,
                             .failed = failed,
                             .interrupted = sim->interrupted,
                             .stats = *stats,
                             .ledger = &sim->ledger,
                             .intersections = &sim->intersections,
                             .warnings = &sim->warnings,
                             .certificate = *c};
  if (sim->options->json)
    return summary_print_json(&report, stdout);
  summary_print(&report, sim->options->details, stdout);
  return true;
}

static void warn_of_intersections(simulation *sim) {
  char text[INTERSECTION_TEXT_MAX];
  if (sim->intersections.intersections == 0)
    return;
  intersection_tally_describe(&sim->intersections, text);
  warn(&sim->warnings, "surfaces intersect", "%s: intersections: %s", sim->scene->name, text);
}

static void warn_of_unshared(simulation *sim) {
  const char *what = msd_world_why_not_distributed(sim->scene->world);
  if (processes_count() > 1 && what != NULL)
    warn(&sim->warnings, "not distributed",
         "%s: has %s, which cannot be distributed: each of the %d processes computes all of it, and only the "
         "search for "
         "contacts is divided",
         sim->scene->name, what, processes_count());
}

/* All before the first frame, except outputs; returns the exit status. */
static int prepare(simulation *sim) {
  problem p;
  if (run_plan_make(&sim->plan, sim->options, sim->scene, &p) &&
      run_warnings_begin(&sim->watch, &sim->plan, sim->scene, &p) &&
      (!sim->options->check_intersections || intersection_tally_begin(&sim->intersections, sim->scene, &p)))
    return STATUS_DONE;
  message_error(command, "%s", p.text);
  return STATUS_BAD_INPUT;
}

/* A name that cannot be written is bad usage: nothing has run yet. */
static int open_outputs(simulation *sim) {
  problem p;
  interrupt_install();
  if (run_outputs_open(&sim->outputs, sim->options, &sim->plan, sim->scene, NULL, &p))
    return STATUS_DONE;
  message_error(command, "%s", p.text);
  return STATUS_BAD_INPUT;
}

/* Whether all processes are at the same frame and state, where there are several; returns the exit status. */
static int begin_alike(const simulation *sim) {
  if (processes_count() == 1 ||
      processes_agree(msd_world_hash(sim->scene->world) + (uint64_t)sim->plan.first_frame))
    return STATUS_DONE;
  message_error(command, "%s: begins in another state on some processes; all must read the same files",
                sim->scene->name);
  return STATUS_BAD_INPUT;
}

/* Of several processes none begins without the others, and no file is changed before all can begin. *status is
   that of this one, where not all can. */
static bool prepare_all(simulation *sim, int *status) {
  *status = sim->scene != NULL ? prepare(sim) : STATUS_BAD_INPUT;
  if (processes_any(*status != STATUS_DONE))
    return false;
  *status = begin_alike(sim);
  if (*status == STATUS_DONE)
    *status = open_outputs(sim);
  return !processes_any(*status != STATUS_DONE);
}

/* A resumed run may have moved anywhere. */
static void warn_before(simulation *sim) {
  warn_of_unshared(sim);
  warn_of_file(&sim->warnings, sim->scene);
  if (sim->options->resume == NULL && sim->plan.frames > 0)
    scene_check(sim->scene, &sim->warnings);
  run_warnings_before(&sim->watch, &sim->plan, &sim->warnings);
}

static void report_end(simulation *sim, const msd_stats *stats, bool ok, const problem *p) {
  sim->is_unstable = sim->is_unstable || run_watch_has_blown_up(&sim->watch, stats);
  if (!ok)
    message_error(command, "%s", p->text);
  else if (sim->is_unstable)
    report_instability(sim);
  else
    run_warnings_after(&sim->watch, &sim->plan, &sim->warnings);
  warn_of_intersections(sim);
}

static int status_of(const simulation *sim, bool ok) {
  if (sim->is_unstable)
    return STATUS_FAILED;
  if (!ok)
    return sim->is_refused ? STATUS_BAD_INPUT : STATUS_IO;
  return sim->interrupted ? STATUS_SIGNAL + interrupt_signal() : STATUS_DONE;
}

static int run_scene(simulation *sim) {
  problem p;
  int status;
  if (!prepare_all(sim, &status))
    return status;
  if (processes_share(sim->scene->world, sim->options->exchange, sim->options->in_parts) != MSD_OK) {
    message_error(command, "%s", msd_world_message(sim->scene->world));
    return STATUS_IO;
  }
  warn_before(sim);
  bool ok = simulation_run(sim, &p);
  ok = simulation_close(sim, ok, &p);
  const msd_stats stats = msd_world_get_stats(sim->scene->world);
  report_end(sim, &stats, ok, &p);
  if (!print_results(sim, &stats, !ok)) {
    message_error(command, "out of memory for the summary");
    return STATUS_IO;
  }
  return status_of(sim, ok);
}

/* Each process has a subdomain of the scene. */
static int run_in_parts(const run_options *options) {
  parts_run run = {.options = options};
  int status = parts_run_prepare(&run) ? STATUS_DONE : STATUS_BAD_INPUT;
  if (!processes_any(status != STATUS_DONE))
    status = parts_run_check(&run) ? STATUS_DONE : STATUS_BAD_INPUT;
  if (!processes_any(status != STATUS_DONE)) {
    interrupt_install();
    scene_input_warn(command, run.scene);
    status = parts_run_simulate(&run) ? STATUS_DONE : run.diverged ? STATUS_FAILED : STATUS_IO;
    if (status == STATUS_DONE && run.interrupted)
      status = STATUS_SIGNAL + interrupt_signal();
  }
  scene_free(run.scene);
  return status;
}

int command_run(int argc, char **argv) {
  run_options options;
  switch (run_options_read(argc, argv, &options)) {
  case RUN_OPTIONS_HELP:
    return STATUS_DONE;
  case RUN_OPTIONS_BAD:
    return STATUS_BAD_INPUT;
  case RUN_OPTIONS_READY:
    break;
  }
  if (options.holds_own && processes_count() > 1)
    return run_in_parts(&options);
  simulation sim = {.options = &options,
                    .scene = scene_input_load(command, options.scene),
                    .warnings = {.command = command}};
  const int status = run_scene(&sim);
  energy_ledger_free(&sim.ledger);
  intersection_tally_free(&sim.intersections);
  warnings_free(&sim.warnings);
  scene_free(sim.scene);
  return status;
}
