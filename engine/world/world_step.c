/* msd_world_step: the algorithm of a step. What each part needs is made ready only when something that it
   follows from has changed. */

#include "engine/base/float_environment.h"
#include "engine/base/min_max.h"
#include "engine/base/parallel.h"
#include "engine/stability/softening_weights.h"
#include "engine/stability/steps.h"
#include "engine/step/anchor_step.h"
#include "engine/step/rank_step.h"
#include "engine/step/rest_motion.h"
#include "engine/step/rotor_step.h"
#include "engine/step/settling.h"
#include "engine/step/touching.h"
#include "engine/world/world.h"

#include <math.h>

typedef struct step_plan {
  /* s: the whole step. */
  double time_step;
  /* 0 until they are chosen. */
  int substeps;
  /* s: one of them. */
  msd_real substep;
  /* Whether the limits have chosen them. */
  bool is_chosen;
} step_plan;

/* Why a step ends. */
typedef enum step_end { END_DONE, END_PARTICLE, END_ROTOR, END_STOPPED, END_ELSEWHERE } step_end;

typedef struct step_progress {
  step_end end;
  /* Substeps. */
  int done;
  /* The one that the next substep would leave without a finite state, with END_ROTOR. */
  int32_t rotor;
  /* In parts: the particle of the whole, with END_PARTICLE. */
  int32_t particle;
} step_progress;

static msd_result check_time_step(msd_world *world, const step_plan *plan) {
  if (isfinite(plan->time_step) && plan->time_step > 0 && plan->substeps >= 0)
    return MSD_OK;
  return world_fail(world, MSD_BAD_TIME_STEP, "time step %g s in %d substeps; it must be finite and above 0",
                    plan->time_step, plan->substeps);
}

/* The fewest that are certified. */
static msd_result find_substeps(msd_world *world, step_plan *plan) {
  if (stability_limit_certifies(&world->model, world->model.integrator)) {
    plan->substeps = 1;
    return MSD_OK;
  }
  double stable_step;
  const analysis_whole whole = part_whole(world);
  const msd_result result = stability_stable_step(&world->model, &world->limits, &world->bounds,
                                                  world->part.is_open ? &whole : NULL, &stable_step);
  if (result != MSD_OK)
    return result;
  plan->substeps = stability_substeps(stable_step, plan->time_step);
  plan->is_chosen = true;
  if (plan->substeps > 0)
    return MSD_OK;
  return world_fail(
      world, MSD_NO_STABLE_STEP,
      "a step of %g s needs more than %d substeps of %s to be certified (the largest certified is %g s)",
      plan->time_step, STABILITY_SUBSTEPS_MAX, msd_integrator_name(world->model.integrator), stable_step);
}

static msd_result choose_substeps(msd_world *world, step_plan *plan) {
  const msd_result result = plan->substeps > 0 ? MSD_OK : find_substeps(world, plan);
  if (result != MSD_OK)
    return result;
  plan->substep = (msd_real)(plan->time_step / plan->substeps);
  if (plan->substep > 0)
    return MSD_OK;
  return world_fail(world, MSD_BAD_TIME_STEP, "time step %g s in %d substeps: a substep would be 0",
                    plan->time_step, plan->substeps);
}

/* What softens constraints goes into their numbers. It is seen in the energy of the world, so that nothing may
   fail behind it. */
static msd_result tune(msd_world *world, const step_plan *plan) {
  const double substep = (double)plan->substep;
  const double last_substep = world->model.tuned_step;
  msd_result result = stepper_tune_springs(&world->stepper, substep);
  if (result == MSD_OK)
    result = softening_weights_make(&world->model, substep);
  if (result != MSD_OK)
    return result;
  stepper_tune_constraints(&world->stepper, substep);
  world->model.tuned_step = substep;
  sleep_begin_step(&world->stepper, last_substep);
  return MSD_OK;
}

/* What must be alike in the worlds of all ranks, as far as it is seen here, with the result of each so far. */
enum { ALIKE = 6 };

static void list_alike(const msd_world *world, const step_plan *plan, msd_result result, double values[]) {
  const world_part *part = &world->part;
  const double alike[ALIKE] = {plan->time_step,
                               plan->substeps,
                               world->time,
                               (double)world->steps,
                               part->is_open ? part->is.particles : world->model.particles.count,
                               part->is_open ? part->is.springs : world->model.springs.count};
  for (int n = 0; n < ALIKE; n++) {
    values[n] = result == MSD_OK ? alike[n] : 0;
    values[ALIKE + n] = -values[n];
  }
  values[2 * ALIKE] = result;
}

/* The answer of a rank to a step: none begins that cannot on all of them. */
static msd_result agree(msd_world *world, const step_plan *plan, msd_result result) {
  const msd_ranks *ranks = &world->stepper.ranks;
  if (ranks->count < 2)
    return result;
  double values[2 * ALIKE + 1];
  list_alike(world, plan, result, values);
  ranks->largest(values, 2 * ALIKE + 1, ranks->context);
  if (values[2 * ALIKE] > 0)
    return world_share_failure(world, result, result != MSD_OK);
  for (int n = 0; n < ALIKE; n++)
    if (values[n] != -values[ALIKE + n])
      return world_fail(
          world, MSD_BAD_VALUE,
          "the ranks are in different worlds or steps; each must make and step its world by the "
          "same calls");
  return MSD_OK;
}

/* Parts have to be ready for each other before they choose substeps together. */
static msd_result begin_part(msd_world *world, const step_plan *plan, msd_result result) {
  if (!world->part.is_open)
    return result;
  result = agree(world, plan, result);
  return result == MSD_OK ? part_begin_step(world) : result;
}

/* Pins, rest lengths, anchors and colliders that were told to move begin to; air goes on. */
static void begin_inputs(msd_world *world, const step_plan *plan) {
  touching_begin_step(&world->stepper);
  world->model.revision.state += world->model.particles.move_count > 0;
  particle_moves_begin(&world->model.particles, plan->time_step);
  rest_motion_begin(&world->stepper);
  anchor_begin_step(&world->model, (double)plan->substep, plan->substeps);
  world->model.colliders.substeps = plan->substeps;
  world->model.step_time = world->time;
}

/* Particles and rotors end after the same substep: the last that leaves both finite. */
static void advance_piece(msd_world *world, msd_real substep, int substeps, step_progress *p) {
  const rotor_progress turned = rotor_advance(&world->model, (double)substep, substeps);
  const int done = turned.done > 0 ? stepper_advance(&world->stepper, substep, p->done, turned.done) : 0;
  if (done < turned.done)
    rotor_repeat(&world->model, (double)substep, done);
  p->end = done < turned.done ? END_PARTICLE : done < substeps ? END_ROTOR : END_DONE;
  p->rotor = turned.failed;
  p->done += done;
}

/* A step that may be stopped is taken in pieces of about this time, but not in smaller ones than leave several
   substeps to a pass through memory. */
static const double PIECE_SECONDS = 0.1;
enum { PIECE_MIN = 32 };

static msd_moment moment_of(const msd_world *world, const step_plan *plan, int done) {
  return (msd_moment){.time = world->time + plan->time_step * done / plan->substeps,
                      .done = done,
                      .substeps = plan->substeps};
}

static bool has_substep_callbacks(const msd_callbacks *call) {
  return call->before_substep || call->after_substep;
}

static int first_piece(const msd_callbacks *call, const step_plan *plan) {
  return has_substep_callbacks(call) ? 1 : call->stop ? PIECE_MIN : plan->substeps;
}

/* What the clock or a callback of one rank says holds for all, which take the same pieces. */
static bool is_stopped(const msd_world *world) {
  const msd_callbacks *call = &world->callbacks.given;
  return call->stop && rank_on_any(&world->stepper.ranks, call->stop(call->context));
}

static bool is_short(const msd_world *world, double seconds) {
  const bool is_long = seconds >= PIECE_SECONDS / 2;
  return !(world->callbacks.given.stop ? rank_on_any(&world->stepper.ranks, is_long) : is_long);
}

/* What has failed on one rank has on all, and parts agree on where it was. */
static void end_together(msd_world *world, step_progress *p) {
  if (!rank_on_any(&world->stepper.ranks, p->end != END_DONE))
    return;
  if (world->part.is_open) {
    p->particle = p->end == END_PARTICLE ? stepper_find_failed(&world->stepper) : -1;
    p->end = END_PARTICLE;
    part_find_failed(world, &p->done, &p->particle);
  } else if (p->end == END_DONE)
    p->end = END_ELSEWHERE;
}

static step_progress advance(msd_world *world, const step_plan *plan) {
  const msd_callbacks *call = &world->callbacks.given;
  step_progress p = {.end = END_DONE};
  int piece = first_piece(call, plan);
  while (p.end == END_DONE && p.done < plan->substeps) {
    if (is_stopped(world)) {
      part_go_on(world, 0, true);
      p.end = END_STOPPED;
      break;
    }
    callbacks_tell(world, call->before_substep, moment_of(world, plan, p.done));
    const int left = plan->substeps - p.done, before_settling = settling_distance(world->steps + p.done);
    const int before_sample = wear_distance(&world->stepper, p.done, plan->substeps);
    const int before_rests = int_min(before_sample, rest_motion_distance(&world->stepper));
    const int before_exchange = int_min(before_settling, part_distance(&world->part));
    const int count = int_min(int_min(piece, left), int_min(before_exchange, before_rests));
    const double start = parallel_clock();
    rest_motion_go(&world->stepper, p.done + 1, plan->substeps);
    advance_piece(world, plan->substep, count, &p);
    end_together(world, &p);
    if (p.end == END_DONE)
      settling_apply(&world->stepper, world->steps + p.done);
    if (p.end == END_DONE)
      part_go_on(world, count, p.done == plan->substeps);
    if (p.end == END_DONE && wear_is_sampled(&world->stepper, p.done, plan->substeps))
      wear_sample(&world->stepper);
    if (p.end == END_DONE)
      callbacks_tell(world, call->after_substep, moment_of(world, plan, p.done));
    if (!has_substep_callbacks(call) && is_short(world, parallel_clock() - start))
      piece = piece < plan->substeps / 2 ? 2 * piece : plan->substeps;
  }
  return p;
}

/* Where the last substep has failed it is not known what touched in the one before. */
static bool has_touches(const step_progress *p) {
  return p->end == END_DONE || p->end == END_STOPPED;
}

static void end_inputs(msd_world *world, const step_plan *plan, const step_progress *p) {
  world->model.revision.state += world->model.particles.move_count > 0;
  particle_moves_end(&world->model.particles, p->end == END_DONE);
  rest_motion_end(&world->stepper, p->done, plan->substeps);
  anchor_end_step(&world->model, p->done, plan->substeps);
  collider_end_step(&world->model.colliders, p->done);
  sleep_end_step(&world->stepper, plan->time_step * p->done / plan->substeps);
  particle_clear_forces(&world->model.particles);
  rotor_clear_torques(&world->model);
  world->time += plan->time_step * p->done / plan->substeps;
  world->steps += p->done;
  /* Constraints whose particles were in one place. */
  if (constraint_place_late(&world->model.constraints, &world->model.particles))
    model_note_placements(&world->model);
  stability_watch(&world->limits, stepper_take_softened(&world->stepper), plan->is_chosen ? p->done : 0);
  if (has_touches(p))
    touching_end_step(&world->stepper);
  else if (p->done == 0)
    touching_end_failed(&world->stepper);
}

static msd_result diverged(msd_world *world, const step_plan *plan, int done, const char *what,
                           int32_t which) {
  return world_fail(world, MSD_DIVERGED,
                    "%s %d would no longer be finite after %.9g s, in substep %d of %d (%g s each); the "
                    "state before it is kept",
                    what, (int)which, world->time, done + 1, plan->substeps, (double)plan->substep);
}

static msd_result result_of(msd_world *world, const step_plan *plan, const step_progress *p) {
  switch (p->end) {
  case END_PARTICLE:
    if (world->stepper.lacks_memory)
      return world_fail(world, MSD_OUT_OF_MEMORY,
                        "no memory for what is near in substep %d of %d; the state before it is kept",
                        p->done + 1, plan->substeps);
    return diverged(world, plan, p->done, "particle",
                    world->part.is_open ? p->particle : stepper_find_failed(&world->stepper));
  case END_ROTOR:
    return diverged(world, plan, p->done, "rotor", p->rotor);
  case END_ELSEWHERE:
    return world_fail(world, MSD_OUT_OF_MEMORY, "another rank has no memory for substep %d of %d", p->done,
                      plan->substeps);
  case END_STOPPED:
    return world_fail(world, MSD_STOPPED, "the step was stopped after %d of %d substeps", p->done,
                      plan->substeps);
  default:
    return MSD_OK;
  }
}

/* Springs wear behind a step that is complete. */
static msd_result end_step(msd_world *world, const step_plan *plan, const step_progress *p) {
  const msd_result result = result_of(world, plan, p);
  if (result != MSD_OK)
    return p->end == END_STOPPED ? result : world_share_failure(world, result, p->end != END_ELSEWHERE);
  const double known = stability_known_step(&world->model, &world->limits);
  return wear_end_step(&world->stepper, fmax((double)plan->substep, known));
}

/* A step that does not begin leaves no limits and no layout behind, which would be those of a later step. */
static void give_back(msd_world *world, const stability_cache *limits) {
  world->limits = *limits;
  if (!world->model.is_laid_out)
    model_lay_out_anew(&world->model);
}

static msd_result take_step(msd_world *world, step_plan plan) {
  const stability_cache limits = world->limits;
  msd_result result = check_time_step(world, &plan);
  if (result == MSD_OK)
    result = part_check(world);
  if (result == MSD_OK)
    result = stepper_prepare(&world->stepper);
  if (result == MSD_OK)
    result = wear_begin_step(&world->stepper);
  if (result == MSD_OK)
    result = callbacks_begin_step(world);
  result = begin_part(world, &plan, result);
  if (result == MSD_OK)
    result = choose_substeps(world, &plan);
  if (result == MSD_OK)
    result = stepper_find_tangles(&world->stepper);
  if (result == MSD_OK)
    result = tune(world, &plan);
  result = agree(world, &plan, result);
  if (result != MSD_OK) {
    give_back(world, &limits);
    return result;
  }
  world->model.is_laid_out = true;
  stability_keep(&world->model, &world->limits);
  callbacks_tell(world, world->callbacks.given.before_step, moment_of(world, &plan, 0));
  begin_inputs(world, &plan);
  if (!world->part.is_open)
    stepper_share(&world->stepper);
  const step_progress progress = advance(world, &plan);
  const msd_moment end = moment_of(world, &plan, progress.done);
  const msd_result found = has_touches(&progress) ? callbacks_find_touches(world) : MSD_OK;
  end_inputs(world, &plan, &progress);
  result = end_step(world, &plan, &progress);
  if (result == MSD_OK)
    result = found;
  callbacks_end_step(world, (msd_moment){end.time, end.done, end.substeps, result});
  return result;
}

msd_result world_begin_step(msd_world *world) {
  if (!world_is_open(world))
    return world_say_closed(world);
  world->is_stepping = true;
  return MSD_OK;
}

msd_result world_take_step(msd_world *world, double time_step, int substeps) {
  const msd_result result = take_step(world, (step_plan){.time_step = time_step, .substeps = substeps});
  world->is_stepping = false;
  return result;
}

msd_result msd_world_step(msd_world *world, msd_real time_step, int substeps) {
  DEFAULT_FLOAT_ENVIRONMENT;
  const msd_result result = world_begin_step(world);
  return result == MSD_OK ? world_take_step(world, (double)time_step, substeps) : result;
}
