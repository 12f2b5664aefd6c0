#include "app/run/parts.h"

#include "app/base/interrupt.h"
#include "app/base/processes.h"
#include "app/base/progress.h"
#include "app/base/scene_input.h"
#include "app/report/summary.h"

#include <inttypes.h>

static const char command[] = "run";

static bool print_summary(const parts_run *run) {
  const msd_world *world = run->scene->world;
  const energy_ledger ledger = {0};
  const intersection_tally intersections = {0};
  const run_report report = {.scene = run->scene,
                             .frames = run->frame,
                             .frames_wanted = run->plan.frames,
                             .steps = msd_world_get_steps(world),
                             .substeps = run->plan.substeps,
                             .substeps_least = run->plan.substeps,
                             .time = run_plan_time(&run->plan, run->frame),
                             .time_step = run->plan.time_step,
                             .wall_seconds = run->wall_seconds,
                             .resumed_from = run->options->resume != NULL ? run->plan.first_frame : -1,
                             .interrupted = run->interrupted,
                             .stats = msd_world_get_stats(world),
                             .ledger = &ledger,
                             .intersections = &intersections,
                             .in_parts = true};
  if (run->options->json)
    return summary_print_json(&report, stdout);
  summary_print(&report, stdout);
  return true;
}

/* One frame; false when it could not be taken, which has been said then. */
static bool advance(parts_run *run) {
  const double before = progress_clock();
  const msd_result result = scene_step(run->scene, run->plan.time_step, run->plan.substeps);
  run->wall_seconds += processes_largest(progress_clock() - before);
  if (result == MSD_OK) {
    run->frame++;
    return true;
  }
  const char *message = msd_world_message(run->scene->world);
  if (result == MSD_DIVERGED)
    message_error(command, "%s: diverged in frame %" PRId64 " (from %.6g s): %s; give more --substeps",
                  run->scene->name, run->frame + 1, run_plan_time(&run->plan, run->frame), message);
  else
    message_error(command, "%s: frame %" PRId64 ": %s", run->scene->name, run->frame + 1, message);
  return false;
}

static void show_progress(const parts_run *run, progress *bar, double began) {
  const progress_state state = {.frame = run->frame,
                                .frames = run->plan.frames,
                                .first_frame = run->plan.first_frame,
                                .seconds = progress_clock() - began};
  progress_update(bar, &state);
}

static bool save(const parts_run *run) {
  problem p;
  if (run_plan_save(&run->plan, run->options, run->scene, run->frame, run->wall_seconds, &p))
    return true;
  message_error(command, "%s", p.text);
  return false;
}

/* On all processes where the clock of one says so. */
static bool save_is_due(const parts_run *run, double last_saved) {
  return processes_any(
      run_plan_save_is_due(&run->plan, run->options, run->frame, progress_clock() - last_saved));
}

/* False when a frame could not be taken or saved, which has been said then. */
static bool take_frames(parts_run *run) {
  const double began = progress_clock();
  double last_saved = began;
  progress bar = progress_begin(run->scene->name);
  bool goes_on = true;
  while (goes_on && run->frame < run->plan.frames) {
    run->interrupted = processes_any(interrupt_signal() != 0);
    if (run->interrupted)
      break;
    goes_on = advance(run);
    if (goes_on && save_is_due(run, last_saved)) {
      goes_on = save(run);
      last_saved = progress_clock();
    }
    show_progress(run, &bar, began);
  }
  progress_clear(&bar);
  return goes_on;
}

bool parts_run_simulate(parts_run *run) {
  run->frame = run->plan.first_frame;
  run->wall_seconds = run->plan.wall_seconds;
  if (!take_frames(run) || (run->options->save != NULL && !save(run)))
    return false;
  if (print_summary(run))
    return true;
  message_error(command, "out of memory for the summary");
  return false;
}

bool parts_run_prepare(parts_run *run) {
  scene_error error;
  problem p;
  run->scene = scene_load_part(run->options->scene, processes_ranks(run->options->exchange), &error);
  if (run->scene == NULL) {
    message_error(command, "%s", error.text);
    return false;
  }
  if (!run_plan_make(&run->plan, run->options, run->scene, &p)) {
    message_error(command, "%s", p.text);
    return false;
  }
  if (run->plan.substeps == 0)
    message_error(command,
                  "%s: leaves its substeps open, which are found from all of the scene; give --substeps N, "
                  "or \"substeps\" in the file",
                  run->scene->path);
  return run->plan.substeps > 0;
}
