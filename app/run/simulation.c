#include "app/run/simulation.h"

#include "app/base/interrupt.h"
#include "app/base/mpi_shim.h"
#include "app/base/progress.h"
#include "app/run/frame_estimate.h"

#include <inttypes.h>

/* The frame is written first: it is there whatever the check says. */
static bool finish_frame(simulation *sim, problem *p) {
  return run_outputs_write(&sim->outputs, sim->frame, run_plan_time(&sim->plan, sim->frame), p) &&
         intersection_tally_look(&sim->intersections, sim->frame, p);
}

static bool save(const simulation *sim, problem *p) {
  return run_plan_save(&sim->plan, sim->options, sim->scene, sim->frame, sim->wall_seconds, p);
}

/* The other files first: a checkpoint must not be ahead of the files that it continues. */
static bool save_all(simulation *sim, problem *p) {
  return run_outputs_flush(&sim->outputs, p) && save(sim, p);
}

static bool is_asked_to_stop(void *context) {
  const simulation *sim = context;
  return sim->may_stop && interrupt_signal() != 0;
}

/* A run cannot be resumed within a frame. */
static bool give_up_frame(simulation *sim, int64_t steps, problem *p) {
  msd_world *world = sim->scene->world;
  sim->interrupted = true;
  if (msd_world_get_steps(world) == steps)
    return true;
  const msd_result result = frame_undo_restore(&sim->start, world);
  return result == MSD_OK || problem_set(p, "frame %" PRId64 ": its beginning cannot be restored: %s",
                                         sim->frame + 1, msd_result_string(result));
}

static void count_frame(simulation *sim, int taken) {
  sim->substeps_least = sim->substeps_most == 0 || taken < sim->substeps_least ? taken : sim->substeps_least;
  sim->substeps_most = taken > sim->substeps_most ? taken : sim->substeps_most;
  sim->frame++;
  run_warnings_look(&sim->watch, &sim->plan, sim->frame);
  energy_ledger_look(&sim->ledger, sim->scene->world, sim->frame);
}

/* One frame. False when no other follows: *ok is false after a failure, with *p filled, and true after the
   instability or the signal that `sim` has. */
static bool advance(simulation *sim, bool *ok, problem *p) {
  msd_world *world = sim->scene->world;
  const int64_t steps = msd_world_get_steps(world);
  sim->may_stop = !processes_any(!frame_undo_keep(&sim->start, sim->scene, sim->frame_seconds));
  const double before = progress_clock();
  const msd_result result = scene_step(sim->scene, sim->plan.frame_time, sim->plan.substeps);
  sim->frame_seconds = processes_largest(progress_clock() - before);
  switch (result) {
  case MSD_OK:
    sim->wall_seconds += sim->frame_seconds;
    count_frame(sim, (int)(msd_world_get_steps(world) - steps));
    return true;
  case MSD_DIVERGED:
    sim->wall_seconds += sim->frame_seconds;
    sim->diverged = sim->is_unstable = true;
    return false;
  case MSD_CANCELED:
    *ok = give_up_frame(sim, steps, p);
    return false;
  case MSD_NO_STABLE_STEP:
    sim->is_unstable = true;
    *ok = run_warnings_refuse(&sim->watch, &sim->plan, sim->frame, p);
    return false;
  default:
    sim->is_refused = result != MSD_OUT_OF_MEMORY;
    *ok = problem_set(p, "%s: frame %" PRId64 ": %s", sim->scene->name, sim->frame + 1,
                      msd_world_message(world));
    return false;
  }
}

static void show_progress(const simulation *sim, progress *bar, double began) {
  const msd_world *world = sim->scene->world;
  const bool collides = msd_world_get_collider_count(world) + msd_world_get_collision_mesh_count(world) > 0;
  const double work =
      collides ? 0 : (double)msd_world_get_spring_count(world) * (double)msd_world_get_steps(world);
  const progress_state state = {.frame = sim->frame,
                                .frames = sim->plan.frames,
                                .first_frame = sim->plan.first_frame,
                                .seconds = progress_clock() - began,
                                .springs_per_second = sim->wall_seconds > 0 ? work / sim->wall_seconds : 0};
  progress_update(bar, &state);
}

bool simulation_run(simulation *sim, problem *p) {
  sim->frame = sim->plan.first_frame;
  sim->wall_seconds = sim->plan.wall_seconds;
  const certificate *c = &sim->watch.certificate;
  if (sim->frame < sim->plan.frames)
    sim->frame_seconds = frame_cost_expect(sim->scene, &sim->plan, c->substeps, sim->options->threads);
  sim->frame_seconds = processes_any(sim->frame_seconds < 0) ? -1 : processes_largest(sim->frame_seconds);
  if (sim->frame_seconds < 0)
    return problem_set(p, "out of memory to measure how long a frame takes");
  frame_cost_warn(sim->scene, &sim->plan, c, sim->frame_seconds, sim->options->scene, &sim->warnings);
  sim->ledger = energy_ledger_begin(sim->scene->world, sim->plan.frames);
  msd_world_set_callbacks(sim->scene->world, &(msd_callbacks){.stop = is_asked_to_stop, .context = sim});
  const double began = progress_clock();
  double last_saved = began;
  progress bar = progress_begin(sim->scene->name);
  bool ok = processes_all_succeed(sim->options->resume != NULL || finish_frame(sim, p), p);
  while (ok && sim->frame < sim->plan.frames) {
    sim->interrupted = processes_any(interrupt_signal() != 0);
    if (sim->interrupted)
      break;
    const bool goes_on = advance(sim, &ok, p);
    ok = processes_all_succeed(ok, p);
    if (!goes_on || !ok)
      break;
    ok = finish_frame(sim, p);
    if (ok && run_plan_save_is_due(&sim->plan, sim->options, sim->frame, progress_clock() - last_saved)) {
      ok = save_all(sim, p);
      last_saved = progress_clock();
    }
    ok = processes_all_succeed(ok, p);
    show_progress(sim, &bar, began);
  }
  progress_clear(&bar);
  msd_world_set_callbacks(sim->scene->world, NULL);
  frame_undo_free(&sim->start);
  return ok;
}

bool simulation_close(simulation *sim, bool ok, problem *p) {
  problem later;
  ok = ok && run_outputs_flush(&sim->outputs, p);
  /* After a divergence the checkpoint before it is kept. Where a file could not be written the state is as good
     as any. */
  if (sim->options->save != NULL && !sim->diverged)
    ok = save(sim, ok ? p : &later) && ok;
  return run_outputs_close(&sim->outputs, ok, ok ? p : &later) && ok;
}
