/* msd run: simulates a scene, writes what was asked for, and prints a summary. */
#include "app/commands.h"

#include "app/base/interrupt.h"
#include "app/base/processes.h"
#include "app/base/scene_input.h"
#include "app/report/summary.h"
#include "app/run/parts.h"
#include "app/run/simulation.h"

#include <inttypes.h>

static const char command[] = "run";

static void report_divergence(const simulation *sim) {
  char remedy[CERTIFICATE_TEXT_MAX];
  certificate_remedy(sim->scene->world, &sim->watch.certificate, remedy, sizeof remedy);
  message_error(command, "%s: diverged in frame %" PRId64 " (from %.6g s): %s; %s", sim->scene->name,
                sim->frame + 1, run_plan_time(&sim->plan, sim->frame), msd_world_message(sim->scene->world),
                remedy);
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
                             .time_step = sim->plan.time_step,
                             .wall_seconds = sim->wall_seconds,
                             .stretch = sim->plan.stretch,
                             .method = sim->plan.method,
                             .resumed_from = sim->options->resume != NULL ? sim->plan.first_frame : -1,
                             .diverged = sim->diverged,
                             .failed = failed,
                             .interrupted = sim->interrupted,
                             .stats = *stats,
                             .ledger = &sim->ledger,
                             .intersections = &sim->intersections,
                             .certificate = *c};
  if (sim->options->json)
    return summary_print_json(&report, stdout);
  summary_print(&report, stdout);
  return true;
}

static void warn_of_intersections(const simulation *sim) {
  char text[INTERSECTION_TEXT_MAX];
  if (sim->intersections.intersections == 0)
    return;
  intersection_tally_describe(&sim->intersections, text);
  message_warning(command, "%s: intersections: %s", sim->scene->name, text);
}

static void warn_of_unshared(const simulation *sim) {
  const char *what = msd_world_why_unshared(sim->scene->world);
  if (processes_count() > 1 && what != NULL)
    message_warning(
        command,
        "%s: has %s, which are not shared: each of the %d processes computes all of it; only what "
        "surfaces touch is searched for together",
        sim->scene->name, what, processes_count());
}

/* All before the first frame, but for files that are written; returns the exit status. */
static int prepare(simulation *sim) {
  problem p;
  if (run_plan_make(&sim->plan, sim->options, sim->scene, &p) &&
      run_watch_begin(&sim->watch, &sim->plan, sim->scene, &p) &&
      (!sim->options->check_intersections || intersection_tally_begin(&sim->intersections, sim->scene, &p)))
    return STATUS_DONE;
  message_error(command, "%s", p.text);
  return STATUS_BAD_INPUT;
}

static int open_outputs(simulation *sim) {
  problem p;
  interrupt_install();
  if (run_outputs_open(&sim->outputs, sim->options, &sim->plan, sim->scene, NULL, &p))
    return STATUS_DONE;
  message_error(command, "%s", p.text);
  return STATUS_FAILED;
}

/* Whether all processes are at the same frame and state, where there are several; returns the exit status. */
static int begin_alike(const simulation *sim) {
  if (processes_count() == 1 ||
      processes_agree(msd_world_hash(sim->scene->world) + (uint64_t)sim->plan.first_frame))
    return STATUS_DONE;
  message_error(command, "%s: begins in another state on some processes; all must see the same files",
                sim->scene->name);
  return STATUS_BAD_INPUT;
}

/* Of several processes none begins without the others, and no file is touched before all can. *status is that
   of this one, where not all can. */
static bool prepare_all(simulation *sim, int *status) {
  *status = sim->scene != NULL ? prepare(sim) : STATUS_BAD_INPUT;
  if (processes_any(*status != STATUS_DONE))
    return false;
  *status = begin_alike(sim);
  if (*status == STATUS_DONE)
    *status = open_outputs(sim);
  return !processes_any(*status != STATUS_DONE);
}

static int run_scene(simulation *sim) {
  problem p;
  int status;
  if (!prepare_all(sim, &status))
    return status;
  if (processes_share(sim->scene->world, sim->options->exchange, sim->options->in_parts) != MSD_OK) {
    message_error(command, "%s", msd_world_message(sim->scene->world));
    return STATUS_FAILED;
  }
  warn_of_unshared(sim);
  scene_input_warn(command, sim->scene);
  run_watch_warn_before(&sim->watch, &sim->plan);
  bool ok = simulation_run(sim, &p);
  ok = simulation_close(sim, ok, &p);
  if (!ok)
    message_error(command, "%s", p.text);
  const msd_stats stats = msd_world_get_stats(sim->scene->world);
  if (sim->diverged)
    report_divergence(sim);
  else
    run_watch_warn_after(&sim->watch, &sim->plan, &stats);
  warn_of_intersections(sim);
  if (!print_results(sim, &stats, !ok)) {
    message_error(command, "out of memory for the summary");
    ok = false;
  }
  if (!ok || sim->diverged)
    return STATUS_FAILED;
  return sim->interrupted ? STATUS_SIGNAL + interrupt_signal() : STATUS_DONE;
}

/* Each process has a part of the scene. */
static int run_in_parts(const run_options *options) {
  parts_run run = {.options = options};
  int status = parts_run_prepare(&run) ? STATUS_DONE : STATUS_BAD_INPUT;
  if (!processes_any(status != STATUS_DONE))
    status = parts_run_check(&run) ? STATUS_DONE : STATUS_BAD_INPUT;
  if (!processes_any(status != STATUS_DONE)) {
    interrupt_install();
    scene_input_warn(command, run.scene);
    status = !parts_run_simulate(&run) ? STATUS_FAILED
             : run.interrupted         ? STATUS_SIGNAL + interrupt_signal()
                                       : STATUS_DONE;
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
  simulation sim = {.options = &options, .scene = scene_input_load(command, options.scene)};
  const int status = run_scene(&sim);
  energy_ledger_free(&sim.ledger);
  intersection_tally_free(&sim.intersections);
  scene_free(sim.scene);
  return status;
}
