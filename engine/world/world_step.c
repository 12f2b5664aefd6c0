/* msd_world_step: advances one frame. Derived structures are rebuilt only if their inputs have changed.

   One frame (run_frame):
   1. checks, compiled structures, number of substeps (choose_substeps), coefficients (tune), agreement of all
      ranks. Only up to here a frame can be refused;
   2. start of the inputs that act over the frame: kinematic pins, rest lengths, soft pins, colliders, contact
      lists;
   3. substeps in batches (`advance`; integrator.h has the passes of one substep). Before each batch rest
      lengths change. After it the record adds its impulses, denormal numbers are flushed, ghosts are exchanged,
      and springs tear and yield. A batch ends where the next of these is due. A recorded frame, or one with
      substep callbacks, has batches of a single substep;
   4. end of the record, search for contact events, end of the inputs of 2, sleep (end_inputs);
   5. splits of particles (end_step), then events.

   The stop callback is called once per batch. Within a substep, mesh contact calls it (base/stop_poll.h). */

#include "engine/base/float_environment.h"
#include "engine/base/min_max.h"
#include "engine/base/parallel.h"
#include "engine/base/rank_agreement.h"
#include "engine/stability/softening_weights.h"
#include "engine/stability/steps.h"
#include "engine/step/balance_changes.h"
#include "engine/step/contact_step.h"
#include "engine/step/denormal_flush.h"
#include "engine/step/rank_step.h"
#include "engine/step/rest_length_track.h"
#include "engine/step/rotor_step.h"
#include "engine/step/soft_pin_step.h"
#include "engine/world/world.h"

#include <math.h>

typedef struct frame_plan {
  /* Frame time in s. */
  double frame_time;
  /* 0 until chosen. */
  int substeps;
  /* Substep in s. */
  msd_real substep;
  /* True if the stable limit determined the number of substeps; and if the caller did. */
  bool is_chosen, is_given;
} frame_plan;

/* Why a frame ends. END_DONE: all substeps are complete. END_PARTICLE: the next substep fails for a particle,
   or for lack of memory. END_ROTOR: it fails for a rotor. END_STOPPED: the stop callback ended the frame.
   END_ELSEWHERE: another rank failed. */
typedef enum step_end { END_DONE, END_PARTICLE, END_ROTOR, END_STOPPED, END_ELSEWHERE } step_end;

typedef struct frame_progress {
  step_end end;
  /* Completed substeps. */
  int done;
  /* With END_ROTOR: the rotor that the next substep would leave in a non-finite state. */
  int32_t rotor;
  /* With END_PARTICLE in a distributed world: the global particle. */
  int32_t particle;
} frame_progress;

static msd_result check_frame_time(msd_world *world, const frame_plan *plan) {
  if (isfinite(plan->frame_time) && plan->frame_time > 0 && plan->substeps >= 0)
    return MSD_OK;
  return world_fail(world, MSD_BAD_FRAME_TIME,
                    "frame time %g s in %d substeps; it must be finite and above 0", plan->frame_time,
                    plan->substeps);
}

/* Sets the smallest number of substeps that is proven stable. */
static msd_result find_substeps(msd_world *world, frame_plan *plan) {
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
  plan->substeps = stability_substeps(stable_step, plan->frame_time);
  plan->is_chosen = true;
  if (plan->substeps > 0)
    return MSD_OK;
  return world_fail(
      world, MSD_NO_STABLE_STEP,
      "a frame of %g s needs more than %d substeps of %s to be stable (the longest stable substep is %g s)",
      plan->frame_time, STABILITY_SUBSTEPS_MAX, msd_integrator_name(world->model.integrator), stable_step);
}

static const double PI = 3.14159265358979323846;

/* The largest angles in rad by which colliders, and pins and soft pins, turn in the frame. */
typedef struct frame_turns {
  double colliders, pins;
} frame_turns;

static frame_turns find_turns(const msd_world *world) {
  const world_model *model = &world->model;
  double most[2] = {collider_moves_turn(&model->colliders),
                    fmax(particle_moves_turn(&model->particles), soft_pin_turn(&model->soft_pins))};
  if (world->part.is_open && world->part.ranks.count > 1)
    msd_world_all_reduce_max(world, most, 2);
  return (frame_turns){most[0], most[1]};
}

/* Substeps cut turns into chords: with at most an eighth of a turn of a collider in a substep that is chosen
   here, a 64th of a pin, whose springs follow it, and half a turn in a substep that is given. */
static msd_result fit_turns(msd_world *world, frame_plan *plan, frame_turns turns) {
  const double turn = fmax(turns.colliders, turns.pins), least = ceil(turn / PI - 1e-6);
  const double fewest = ceil(fmax(turns.colliders / (PI / 4), turns.pins / (PI / 32)) - 1e-6);
  if (plan->is_given && plan->substeps < least)
    return world_fail(
        world, MSD_BAD_VALUE,
        "a collider, pin or soft pin turns by %.3g turns in a frame of %d substeps; it needs %.0f, "
        "so that none has more than half a turn",
        turn / (2 * PI), plan->substeps, least);
  if (fewest > STABILITY_SUBSTEPS_MAX)
    return world_fail(world, MSD_BAD_VALUE,
                      "a collider, pin or soft pin turns by %.3g turns in a frame, which are too many",
                      turn / (2 * PI));
  if (!plan->is_given && plan->substeps < fewest)
    plan->substeps = (int)fewest;
  return MSD_OK;
}

static msd_result choose_substeps(msd_world *world, frame_plan *plan) {
  const frame_turns turns = find_turns(world);
  plan->is_given = plan->substeps > 0;
  msd_result result = plan->is_given ? MSD_OK : find_substeps(world, plan);
  if (result == MSD_OK)
    result = fit_turns(world, plan, turns);
  if (result != MSD_OK)
    return result;
  plan->substep = (msd_real)(plan->frame_time / plan->substeps);
  if (plan->substep > 0)
    return MSD_OK;
  return world_fail(world, MSD_BAD_FRAME_TIME, "frame time %g s in %d substeps: a substep would be 0",
                    plan->frame_time, plan->substeps);
}

/* A substep of this share of the tuned one keeps it, if it differs from the last substep. s: for how long it is
   kept, and the time constant of its decay after that, which ends at this multiple of the substep. */
static const double TUNED_NEAR = 0.95, TUNED_HOLD = 2, TUNED_DECAY = 1, TUNED_END = 1.005;

/* Sets the substep that coefficient laws are tuned for. If the stiffness followed each substep, frames of
   changing length would pump energy into stretched springs: between frames of 1/240 s and 1/20 s it changes
   144 times. So the longest substep of the last two seconds counts, and is forgotten slowly. A longer one
   lowers the stiffness at once, which only takes energy from springs. A shorter one is stable with it. A number
   of substeps that the caller changes at the same frame time counts at once. Solvers that are stable with any
   substep follow each. */
static void choose_tuned_step(world_model *model, const frame_plan *plan) {
  const double substep = (double)plan->substep, last = model->tuned_step;
  const bool is_given_anew =
      plan->is_given && plan->frame_time == model->frame_time && substep != model->substep;
  const bool follows = model->integrator == MSD_SEQUENTIAL_IMPULSE || model->solver != MSD_SOLVER_EXPLICIT;
  const bool is_near = substep >= last || (substep >= TUNED_NEAR * last && substep != model->substep);
  if (follows || is_given_anew || is_near)
    model->tuned_left = TUNED_HOLD;
  else
    model->tuned_left = fmax(model->tuned_left - plan->frame_time, 0);
  const double decay = model->tuned_left > 0 ? 0 : fmin(plan->frame_time / TUNED_DECAY, 1);
  const double slow = last - (last - substep) * decay;
  const bool is_over = decay > 0 && slow <= TUNED_END * substep;
  model->tuned_step = follows || is_given_anew || is_over ? substep : fmax(substep, slow);
}

/* Computes all coefficients for the substep. Clamping changes the stored weights of constraints, which is
   visible in the energy of the world. So nothing may fail afterwards. */
static msd_result tune(msd_world *world, const frame_plan *plan) {
  const double last_substep = world->model.tuned_step, last_left = world->model.tuned_left;
  choose_tuned_step(&world->model, plan);
  const double substep = world->model.tuned_step;
  msd_result result = stepper_tune_springs(&world->stepper, substep);
  if (result == MSD_OK)
    result = softening_weights_make(&world->model, substep);
  if (result != MSD_OK) {
    world->model.tuned_step = last_substep;
    world->model.tuned_left = last_left;
    return result;
  }
  stepper_tune_constraints(&world->stepper, substep);
  const double last = world->model.substep;
  world->model.substep = (double)plan->substep;
  world->model.frame_time = plan->frame_time;
  balance_note_substep(&world->stepper, last);
  sleep_begin_step(&world->stepper, last_substep);
  return MSD_OK;
}

/* Number of values that must be equal on all ranks. list_alike gives each with both signs, so that the maximum
   over the ranks shows a difference. The result of the rank follows them. */
enum { ALIKE = 6 };

static void list_alike(const msd_world *world, const frame_plan *plan, msd_result result, double values[]) {
  const world_part *part = &world->part;
  const double alike[ALIKE] = {plan->frame_time,
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

/* A frame starts only if all ranks can advance it. Returns the common result. */
static msd_result agree(msd_world *world, const frame_plan *plan, msd_result result) {
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

/* Subdomains must be ready for communication before the ranks choose substeps together. */
static msd_result begin_part(msd_world *world, const frame_plan *plan, msd_result result) {
  if (!world->part.is_open)
    return result;
  result = agree(world, plan, result);
  return result == MSD_OK ? subdomain_begin_step(world) : result;
}

/* Starts the motion of kinematic pins, rest lengths, soft pins and colliders towards their targets. */
static void begin_inputs(msd_world *world, const frame_plan *plan) {
  contact_step_begin(&world->stepper);
  const pin_balance pins = balance_before_pins(&world->stepper);
  world->model.revision.state += world->model.particles.move_count > 0;
  particle_moves_begin(&world->model.particles, plan->frame_time);
  balance_after_pins(&world->stepper, &pins);
  rest_length_track_begin(&world->stepper);
  soft_pin_begin_step(&world->model, (double)plan->substep, plan->substeps);
  collider_begin_step(&world->model.colliders, plan->substeps);
  world->model.step_time = world->time;
  damage_start(&world->stepper, (double)plan->substep, plan->substeps);
}

/* Advances rotors and particles by a batch of substeps. Both end after the same substep, the last one that
   leaves both finite. */
static void advance_piece(msd_world *world, msd_real substep, int substeps, frame_progress *p) {
  const rotor_progress turned = rotor_advance(&world->model, (double)substep, substeps);
  const int done = turned.done > 0 ? stepper_advance(&world->stepper, substep, p->done, turned.done) : 0;
  if (done < turned.done)
    rotor_repeat(&world->model, (double)substep, done);
  const bool is_stopped = world->stepper.is_stopped || world->stepper.is_abandoned;
  p->end = done < turned.done ? is_stopped ? END_STOPPED : END_PARTICLE
           : done < substeps  ? END_ROTOR
                              : END_DONE;
  p->rotor = turned.failed;
  p->done += done;
}

/* With a stop callback, batches start with BATCH_MIN substeps and double until they take about PIECE_SECONDS s.
   BATCH_MIN keeps temporal blocking efficient. */
static const double PIECE_SECONDS = 0.1;
enum { BATCH_MIN = 32 };

static msd_substep_info moment_of(const msd_world *world, const frame_plan *plan, int done) {
  return (msd_substep_info){.time = world->time + plan->frame_time * done / plan->substeps,
                            .done = done,
                            .substeps = plan->substeps};
}

/* True if every batch is a single substep. Pins and soft pins that turn get a new velocity in each; in a
   distributed world those of all ranks count, as all have the same batches. */
static bool takes_single_substeps(const msd_world *world) {
  const msd_callbacks *call = &world->callbacks.given;
  const bool some_turn = world->model.particles.some_turn || world->model.soft_pins.some_turn;
  return rank_on_any(&world->stepper.ranks, call->before_substep || call->after_substep ||
                                                world->stepper.record.is_open || some_turn);
}

static int first_piece(const msd_world *world, const frame_plan *plan, bool is_single) {
  return is_single ? 1 : world->callbacks.given.stop ? BATCH_MIN : plan->substeps;
}

/* True if the stop callback ends the frame before the next batch. Clocks and callbacks may differ between
   ranks, so the ranks agree on stopping and on the size of batches. */
static bool is_stopped(msd_world *world) {
  const msd_callbacks *call = &world->callbacks.given;
  if (world->stepper.stop.is_asked_to_stop)
    return true;
  const bool stops = call->stop && rank_on_any(&world->stepper.ranks, call->stop(call->context));
  stop_poll_note_asked(&world->stepper.stop);
  return stops;
}

static bool is_short(const msd_world *world, double seconds) {
  const bool is_long = seconds >= PIECE_SECONDS / 2;
  return !(world->callbacks.given.stop ? rank_on_any(&world->stepper.ranks, is_long) : is_long);
}

/* Ends the frame on all ranks if it ends on one. Subdomains also agree on the substep and the particle. */
static void end_together(msd_world *world, frame_progress *p) {
  if (!rank_on_any(&world->stepper.ranks, p->end != END_DONE))
    return;
  if (world->part.is_open) {
    p->particle = p->end == END_PARTICLE ? stepper_find_failed(&world->stepper) : -1;
    p->end = END_PARTICLE;
    subdomain_find_failed(world, &p->done, &p->particle);
  } else if (p->end == END_DONE)
    p->end = END_ELSEWHERE;
}

/* Before substep `number`, counted from 1. */
static void turn_pins(msd_world *world, const frame_plan *plan, int number) {
  if (!world->model.particles.some_turn)
    return;
  const pin_balance pins = balance_before_pins(&world->stepper);
  particle_moves_go(&world->model.particles, number, plan->substeps, (double)plan->substep);
  balance_after_pins(&world->stepper, &pins);
}

static frame_progress advance(msd_world *world, const frame_plan *plan) {
  const msd_callbacks *call = &world->callbacks.given;
  frame_progress p = {.end = END_DONE};
  stop_poll_begin(&world->stepper.stop, world->stepper.ranks.count < 2 ? call->stop : NULL, call->context);
  const bool is_single = takes_single_substeps(world);
  int piece = first_piece(world, plan, is_single);
  while (p.end == END_DONE && p.done < plan->substeps) {
    if (is_stopped(world)) {
      subdomain_go_on(world, 0, true);
      p.end = END_STOPPED;
      break;
    }
    events_emit(world, call->before_substep, moment_of(world, plan, p.done));
    const int left = plan->substeps - p.done,
              before_denormal_flush = substeps_until_flush(world->steps + p.done);
    const int before_damage = substeps_until_damage(&world->stepper, p.done);
    const int before_rests = int_min(before_damage, substeps_until_rest_lengths(&world->stepper));
    const int before_exchange = int_min(before_denormal_flush, substeps_until_subdomain(&world->part));
    const int count = int_min(int_min(piece, left), int_min(before_exchange, before_rests));
    const double start = parallel_clock();
    rest_length_track_go(&world->stepper, p.done + 1, plan->substeps);
    turn_pins(world, plan, p.done + 1);
    soft_pin_go(&world->model, p.done + 1, plan->substeps);
    frame_record_before(&world->stepper, p.done);
    advance_piece(world, plan->substep, count, &p);
    end_together(world, &p);
    if (p.end == END_DONE)
      frame_record_after(&world->stepper, p.done - 1);
    if (p.end == END_DONE)
      denormal_flush_apply(&world->stepper, world->steps + p.done);
    if (p.end == END_DONE)
      subdomain_go_on(world, count, p.done == plan->substeps);
    if (p.end == END_DONE)
      damage_after_substep(&world->stepper, p.done);
    if (p.end == END_DONE)
      events_emit(world, call->after_substep, moment_of(world, plan, p.done));
    if (!is_single && is_short(world, parallel_clock() - start))
      piece = piece < plan->substeps / 2 ? 2 * piece : plan->substeps;
  }
  return p;
}

/* True if the contacts of the last completed substep are known. A failed or undone substep overwrites them. */
static bool has_touches(const msd_world *world, const frame_progress *p) {
  return p->end == END_DONE || (p->end == END_STOPPED && !world->stepper.is_abandoned);
}

static void end_inputs(msd_world *world, const frame_plan *plan, const frame_progress *p) {
  balance_close(&world->stepper);
  const pin_balance pins = balance_before_pins(&world->stepper);
  world->model.revision.state += world->model.particles.move_count > 0;
  particle_moves_arrive(&world->model.particles, p->end == END_DONE);
  balance_after_pins(&world->stepper, &pins);
  particle_moves_end(&world->model.particles);
  rest_length_track_end(&world->stepper, p->done, plan->substeps);
  soft_pin_end_step(&world->model, p->done, plan->substeps);
  collider_end_step(&world->model.colliders, p->done);
  sleep_end_step(&world->stepper, plan->frame_time * p->done / plan->substeps);
  particle_clear_forces(&world->model.particles);
  rotor_clear_torques(&world->model);
  world->time += plan->frame_time * p->done / plan->substeps;
  world->steps += p->done;
  /* Sets reference configurations of constraints whose particles coincided so far. */
  if (constraint_place_late(&world->model.constraints, &world->model.particles))
    model_note_placements(&world->model);
  stability_watch(&world->limits, stepper_take_softened(&world->stepper), plan->is_chosen ? p->done : 0);
  if (has_touches(world, p))
    contact_step_end(&world->stepper);
  else if (p->done == 0)
    contact_step_end_failed(&world->stepper);
}

static msd_result diverged(msd_world *world, const frame_plan *plan, int done, const char *what,
                           int32_t which) {
  return world_fail(
      world, MSD_DIVERGED,
      "the simulation became unstable at %.6g s: %s %d would no longer be finite after substep %d of "
      "%d; the state before it is kept",
      world->time, what, (int)which, done + 1, plan->substeps);
}

/* Longest finite displacement of a particle in the failed substep, in m. */
static double longest_move(const msd_world *world) {
  const particle_store *p = &world->model.particles;
  const msd_real *before = p->slab[p->current], *behind = p->slab[!p->current];
  double most = 0;
  for (int32_t i = 0; behind && i < p->count; i++) {
    double square = 0;
    for (size_t c = 0; c < 3; c++) {
      const size_t at = c * p->stride + particle_slot(p, i);
      const double move = (double)behind[at] - (double)before[at];
      square += move * move;
    }
    most = isfinite(square) && square > most ? square : most;
  }
  return sqrt(most);
}

/* Reports that particles move too far in a substep for contact: nearly all come near each other, or kinematic
   ones spend too long on carrying others. The message gives the stable number of substeps if the frame has
   fewer. Otherwise pins or colliders move too fast. */
static msd_result crowded(msd_world *world, const frame_plan *plan, int done) {
  double stable_step = 0;
  const bool is_known = world->stepper.ranks.count < 2 && !world->part.is_open &&
                        !stability_limit_certifies(&world->model, world->model.integrator) &&
                        stability_find_stable_substep(&world->model, &world->limits, &stable_step) == MSD_OK;
  const int needed = is_known ? stability_substeps(stable_step, plan->frame_time) : 0;
  const double move = longest_move(world);
  if (needed > plan->substeps)
    return world_fail(
        world, MSD_DIVERGED,
        "the simulation became unstable at %.6g s: in substep %d of %d particles move so far "
        "(up to %.3g m) that contact cannot follow; %d substeps are too few for a frame of %g s, %d are "
        "stable; the state before it is kept",
        world->time, done + 1, plan->substeps, move, plan->substeps, plan->frame_time, needed);
  return world_fail(
      world, MSD_DIVERGED,
      "particles move too far in a substep for contact at %.6g s: in substep %d of %d up to %.3g m; use more "
      "than %d substeps for a frame of %g s, or move pins and colliders more slowly; the state before it is "
      "kept",
      world->time, done + 1, plan->substeps, move, plan->substeps, plan->frame_time);
}

static msd_result result_of(msd_world *world, const frame_plan *plan, const frame_progress *p) {
  switch (p->end) {
  case END_PARTICLE:
    if (world->stepper.is_crowded)
      return crowded(world, plan, p->done);
    if (world->stepper.lacks_memory)
      return world_fail(world, MSD_OUT_OF_MEMORY,
                        "no memory for the contacts of substep %d of %d; the state before it is kept",
                        p->done + 1, plan->substeps);
    return diverged(world, plan, p->done, "particle",
                    world->part.is_open ? p->particle : stepper_find_failed(&world->stepper));
  case END_ROTOR:
    return diverged(world, plan, p->done, "rotor", p->rotor);
  case END_ELSEWHERE:
    return world_fail(world, MSD_OUT_OF_MEMORY, "another rank is out of memory in substep %d of %d",
                      p->done + 1, plan->substeps);
  case END_STOPPED:
    return world_fail(world, MSD_CANCELED, "the step was stopped after %d of %d substeps", p->done,
                      plan->substeps);
  default:
    return MSD_OK;
  }
}

/* Reports how the frame ended. Splits particles if it is complete. */
static msd_result end_step(msd_world *world, const frame_plan *plan, const frame_progress *p) {
  const msd_result result = result_of(world, plan, p);
  if (result != MSD_OK)
    damage_end_step(&world->stepper, 0);
  if (result != MSD_OK)
    return p->end == END_STOPPED ? result : world_share_failure(world, result, p->end != END_ELSEWHERE);
  const double known = stability_known_step(&world->model, &world->limits);
  return damage_end_step(&world->stepper, fmax((double)plan->substep, known));
}

/* Undoes the preparation of a refused frame: restores the stable limit, and discards a layout that no frame
   has fixed. */
static void give_back(msd_world *world, const stability_cache *limits) {
  world->limits = *limits;
  if (!world->model.layout_is_fixed)
    model_lay_out_anew(&world->model);
}

static msd_result begin_record(msd_world *world) {
  const int wanted =
      world->stepper.record.wanted | (callbacks_need_contacts(world) ? MSD_RECORD_CONTACTS : 0);
  return frame_record_begin(&world->stepper, world->part.is_open ? 0 : wanted)
             ? MSD_OK
             : world_fail(world, MSD_OUT_OF_MEMORY, "no memory for the record of the frame");
}

static msd_result end_record(msd_world *world) {
  return frame_record_end(&world->stepper)
             ? MSD_OK
             : world_fail(world, MSD_OUT_OF_MEMORY,
                          "no memory for the contacts and the contact events; the step is complete");
}

static msd_result run_frame(msd_world *world, frame_plan plan) {
  const stability_cache limits = world->limits;
  msd_result result = check_frame_time(world, &plan);
  if (result == MSD_OK)
    result = subdomain_check(world);
  if (result == MSD_OK)
    result = stepper_prepare(&world->stepper);
  if (result == MSD_OK)
    result = damage_begin_step(&world->stepper);
  if (result == MSD_OK)
    result = callbacks_begin_step(world);
  result = begin_part(world, &plan, result);
  if (result == MSD_OK)
    result = choose_substeps(world, &plan);
  if (result == MSD_OK)
    result = stepper_find_penetrations(&world->stepper);
  if (result == MSD_OK)
    result = tune(world, &plan);
  if (result == MSD_OK)
    result = begin_record(world);
  result = agree(world, &plan, result);
  if (result != MSD_OK) {
    give_back(world, &limits);
    return result;
  }
  world->model.layout_is_fixed = true;
  stability_keep(&world->model, &world->limits);
  events_emit(world, world->callbacks.given.before_step, moment_of(world, &plan, 0));
  begin_inputs(world, &plan);
  if (!world->part.is_open)
    stepper_distribute(&world->stepper);
  const frame_progress progress = advance(world, &plan);
  const msd_substep_info end = moment_of(world, &plan, progress.done);
  msd_result found = end_record(world);
  if (found == MSD_OK && has_touches(world, &progress))
    found = callbacks_find_touches(world);
  end_inputs(world, &plan, &progress);
  result = end_step(world, &plan, &progress);
  if (result == MSD_OK)
    result = found;
  callbacks_end_step(world, (msd_substep_info){end.time, end.done, end.substeps, result});
  return result;
}

msd_result world_begin_step(msd_world *world) {
  if (!world_is_open(world))
    return fail_locked(world);
  world->is_stepping = true;
  return MSD_OK;
}

msd_result world_take_step(msd_world *world, double frame_time, int substeps) {
  const msd_result result = run_frame(world, (frame_plan){.frame_time = frame_time, .substeps = substeps});
  world->is_stepping = false;
  return result;
}

msd_result msd_world_step(msd_world *world, msd_real frame_time, int substeps) {
  DEFAULT_FLOAT_ENVIRONMENT;
  const msd_result result = world_begin_step(world);
  return result == MSD_OK ? world_take_step(world, (double)frame_time, substeps) : result;
}
