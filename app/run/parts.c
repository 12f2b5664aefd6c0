#include "app/run/parts.h"

#include "app/base/interrupt.h"
#include "app/base/mpi_shim.h"
#include "app/base/progress.h"
#include "app/base/scene_input.h"
#include "app/report/summary.h"

#include <inttypes.h>

static const char command[] = "run";

static bool print_summary(const parts_run *run) {
  const msd_world *world = run->scene->world;
  const energy_ledger ledger = {0};
  const intersection_tally intersections = {0};
  const bool stepped = run->substeps_most > 0;
  const run_report report = {.scene = run->scene,
                             .frames = run->frame,
                             .frames_wanted = run->plan.frames,
                             .steps = msd_world_get_steps(world),
                             .substeps = stepped ? run->substeps_most : run->plan.substeps,
                             .substeps_least = stepped ? run->substeps_least : run->plan.substeps,
                             .time = run_plan_time(&run->plan, run->frame),
                             .frame_time = run->plan.frame_time,
                             .wall_seconds = run->wall_seconds,
                             .resumed_from = run->options->resume != NULL ? run->plan.first_frame : -1,
                             .interrupted = run->interrupted,
                             .stats = msd_world_get_stats(world),
                             .ledger = &ledger,
                             .intersections = &intersections,
                             .in_parts = true};
  if (run->options->json)
    return summary_print_json(&report, stdout);
  summary_print(&report, run->options->details, stdout);
  return true;
}

static void count_frame(parts_run *run, int taken) {
  run->substeps_least = run->substeps_most == 0 || taken < run->substeps_least ? taken : run->substeps_least;
  run->substeps_most = taken > run->substeps_most ? taken : run->substeps_most;
  run->frame++;
}

/* One frame. */
static bool advance(parts_run *run, problem *p) {
  const double before = progress_clock();
  const int64_t steps = msd_world_get_steps(run->scene->world);
  const msd_result result = scene_step(run->scene, run->plan.frame_time, run->plan.substeps);
  run->wall_seconds += processes_largest(progress_clock() - before);
  if (result == MSD_OK) {
    count_frame(run, (int)(msd_world_get_steps(run->scene->world) - steps));
    return true;
  }
  const char *message = msd_world_message(run->scene->world);
  run->diverged = result == MSD_DIVERGED;
  if (run->diverged)
    return problem_set(p, "unstable at %.3g s (frame %" PRId64 "). Use more substeps.",
                       msd_world_get_time(run->scene->world), run->frame + 1);
  return problem_set(p, "%s: frame %" PRId64 ": %s", run->scene->name, run->frame + 1, message);
}

/* The first process alone has files, but all of them make what is written. */
static bool open_outputs(parts_run *run, problem *p) {
  if (run->options->export_folder != NULL)
    run->rows = gathered_rows_open(run->scene, p);
  if (!processes_all_succeed(run->options->export_folder == NULL || run->rows != NULL, p))
    return false;
  const bool ok = !processes_is_first() ||
                  run_outputs_open(&run->outputs, run->options, &run->plan, run->scene, run->rows, p);
  return processes_all_succeed(ok, p);
}

static bool give_traces(const parts_run *run, problem *p) {
  const double time = run_plan_time(&run->plan, run->frame);
  bool ok = true;
  problem later;
  for (int kind = 0; kind < TRACE_KIND_COUNT && run->frame % run->options->every == 0; kind++)
    if (run->options->traces[kind] != NULL)
      ok = trace_give((trace_kind)kind, run->scene->world, time, ok ? p : &later) && ok;
  return ok;
}

static bool write_outputs(parts_run *run, problem *p) {
  const double time = run_plan_time(&run->plan, run->frame);
  bool ok =
      processes_is_first() ? run_outputs_trace(&run->outputs, run->frame, time, p) : give_traces(run, p);
  if (!processes_all_succeed(ok, p))
    return false;
  if (processes_is_first())
    ok = run_outputs_show(&run->outputs, run->frame, time, p);
  else if (run->rows != NULL && run->frame % run->options->every == 0)
    ok = gathered_rows_give(run->rows, p);
  return processes_all_succeed(ok, p);
}

/* The other files are handed over first: what a checkpoint continues must be there, too. */
static bool save(parts_run *run, problem *p) {
  const bool ok = !processes_is_first() || run_outputs_flush(&run->outputs, p);
  return processes_all_succeed(ok, p) &&
         run_plan_save(&run->plan, run->options, run->scene, run->frame, run->wall_seconds, p);
}

/* On all processes where the clock of one says so. */
static bool save_is_due(const parts_run *run, double last_saved) {
  return processes_any(
      run_plan_save_is_due(&run->plan, run->options, run->frame, progress_clock() - last_saved));
}

static void show_progress(const parts_run *run, progress *bar, double began) {
  const progress_state state = {.frame = run->frame,
                                .frames = run->plan.frames,
                                .first_frame = run->plan.first_frame,
                                .seconds = progress_clock() - began};
  progress_update(bar, &state);
}

static bool take_frames(parts_run *run, problem *p) {
  const double began = progress_clock();
  double last_saved = began;
  progress bar = progress_begin(run->scene->name);
  bool goes_on = run->options->resume != NULL || write_outputs(run, p);
  while (goes_on && run->frame < run->plan.frames) {
    run->interrupted = processes_any(interrupt_signal() != 0);
    if (run->interrupted)
      break;
    goes_on = advance(run, p) && write_outputs(run, p);
    if (goes_on && save_is_due(run, last_saved)) {
      goes_on = save(run, p);
      last_saved = progress_clock();
    }
    show_progress(run, &bar, began);
  }
  progress_clear(&bar);
  return goes_on && (run->options->save == NULL || save(run, p));
}

/* Files are put in their places whatever has become of the run. */
static bool close_outputs(parts_run *run, bool ok, problem *p) {
  problem later;
  const bool closed = !processes_is_first() || run_outputs_close(&run->outputs, ok, ok ? p : &later);
  return ok && processes_all_succeed(closed, p);
}

bool parts_run_simulate(parts_run *run) {
  problem p;
  run->frame = run->plan.first_frame;
  run->wall_seconds = run->plan.wall_seconds;
  bool ok = open_outputs(run, &p);
  if (ok) {
    ok = take_frames(run, &p);
    ok = close_outputs(run, ok, &p);
  }
  gathered_rows_close(run->rows);
  if (!ok)
    message_error(command, "%s", p.text);
  else if (!print_summary(run))
    message_error(command, "out of memory for the summary"), ok = false;
  return ok;
}

bool parts_run_prepare(parts_run *run) {
  scene_error error;
  problem p;
  run->scene = scene_load_part(run->options->scene, processes_ranks(run->options->exchange),
                               run->options->export_folder != NULL, &error);
  if (run->scene == NULL) {
    message_error(command, "%s", error.text);
    return false;
  }
  if (!run_plan_make(&run->plan, run->options, run->scene, &p)) {
    message_error(command, "%s", p.text);
    return false;
  }
  return true;
}

/* Limits are found before the first frame, as in one process, which then are in its checkpoints. What automatic
   substeps of the stiffest springs are found from are levels of the whole network (msd_world_plan_stretch). */
bool parts_run_check(const parts_run *run) {
  double step;
  if (msd_world_find_stable_substep(run->scene->world, &step) != MSD_OK) {
    message_error(command, "%s: %s", run->scene->name, msd_world_message(run->scene->world));
    return false;
  }
  if (run->plan.substeps > 0 || !processes_any(scene_has_max_stable(run->scene)))
    return true;
  message_error(command,
                "%s: has no fixed substeps, and has springs of the maximum stable stiffness, whose substeps "
                "are found from "
                "the whole scene; use --substeps N, or \"substeps\" in the file",
                run->scene->path);
  return false;
}
