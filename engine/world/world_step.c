/* msd_world_step: makes ready what is derived from particles and springs, takes the substeps, and says what
   became of them. Nothing is made ready twice: each part is remade only when it has become stale. */

#include "engine/base/float_environment.h"
#include "engine/network/particle_order.h"
#include "engine/stability/steps.h"
#include "engine/step/anchor_step.h"
#include "engine/step/rotor_step.h"
#include "engine/step/schedule.h"
#include "engine/world/world.h"

#include <math.h>
#include <string.h>

static bool compile_network(msd_world *world, double contiguous_min) {
  const spring_store *s = &world->model.springs;
  network_source source = network_source_of(&world->model);
  source.contiguous_min = contiguous_min;
  if (!network_compile(&world->stepper.network, &world->model.memory, &source))
    return false;
  for (int32_t e = 0; e < s->count && s->broken > 0 && !world->stepper.network.is_scattered; e++)
    if (spring_is_broken(s, e))
      network_set_rest(&world->stepper.network, &source, e, -1);
  return true;
}

/* Below this share of contiguous springs the user's order is given up for one in strips; from this
   many particles on, since a small network is in the nearest cache anyway. */
static const double CONTIGUOUS_SHARE_KEPT = 0.5;
enum { REORDERED_PARTICLES_MIN = 256 };

static bool reorder_particles(msd_world *world) {
  particle_store *p = &world->model.particles;
  int32_t *slot = memory_allocate(&world->model.memory, particle_slot_bytes(p));
  if (!slot || !order_in_strips(p, &world->model.springs, &world->model.memory, slot)) {
    memory_release(&world->model.memory, slot);
    return false;
  }
  particle_move_to_slots(p, slot, &world->model.memory);
  return true;
}

static msd_result prepare_network(msd_world *world) {
  if (stepper_has_network(&world->stepper))
    return MSD_OK;
  particle_store *p = &world->model.particles;
  const revision now = revision_of_network(&world->model.revision);
  const bool slots_given = revision_holds(&world->stepper.slots_given_for, now);
  substeps_release(&world->stepper);
  world->stepper.network_made_for = (revision){0};
  if (!slots_given && p->slot)
    particle_move_to_slots(p, NULL, &world->model.memory);
  const bool keeps_order = slots_given || p->count < REORDERED_PARTICLES_MIN;
  bool done = compile_network(world, keeps_order ? 0 : CONTIGUOUS_SHARE_KEPT);
  if (done && world->stepper.network.is_scattered)
    done = reorder_particles(world) && compile_network(world, 0);
  if (!done)
    return world_fail(world, MSD_OUT_OF_MEMORY, "no memory to lay out %d springs",
                      (int)world->model.springs.count);
  world->stepper.network_made_for = now;
  return MSD_OK;
}

static bool plan_impulses(msd_world *world) {
  spring_impulses *plan = &world->stepper.spring_impulses;
  const revision now = revision_of_network(&world->model.revision);
  const network_source source = network_source_of(&world->model);
  if (revision_holds(&plan->made_for, now))
    return true;
  if (!spring_impulses_make(plan, &world->model.memory, &world->stepper.network, &source))
    return false;
  plan->made_for = now;
  return true;
}

static bool plan_constraint_impulses(msd_world *world) {
  constraint_impulses *plan = &world->stepper.constraint_impulses;
  const revision now = revision_of_constraint_layout(&world->model.revision);
  if (revision_holds(&plan->made_for, now))
    return true;
  if (!constraint_impulses_make(plan, &world->model.memory, &world->model.constraints,
                                &world->model.particles))
    return false;
  plan->made_for = now;
  return true;
}

static msd_result prepare_impulses(msd_world *world) {
  const world_model *model = &world->model;
  if (model->integrator != MSD_SEQUENTIAL_IMPULSE)
    return MSD_OK;
  const bool keeps_given = model->impulse_iterations > 1 || model->impulse_warm_start;
  if (plan_impulses(world) && plan_constraint_impulses(world) &&
      (!keeps_given ||
       (given_impulses_reserve(&world->stepper.spring_given, &world->model.memory, model->springs.count) &&
        given_impulses_reserve(&world->stepper.constraint_given, &world->model.memory,
                               model->constraints.count))))
    return MSD_OK;
  return world_fail(world, MSD_OUT_OF_MEMORY, "no memory for the impulses of %d springs",
                    (int)model->springs.count);
}

static msd_result choose_substeps(msd_world *world, double time_step, int *substeps) {
  if (*substeps > 0)
    return MSD_OK;
  if (stability_limit_certifies(&world->model, world->model.integrator)) {
    *substeps = 1;
    return MSD_OK;
  }
  double stable_step;
  const msd_result result = stability_stable_step(&world->model, &world->limits, &stable_step);
  if (result != MSD_OK)
    return result;
  *substeps = stability_substeps(stable_step, time_step);
  if (*substeps > 0)
    return MSD_OK;
  return world_fail(
      world, MSD_NO_STABLE_STEP,
      "a step of %g s needs more than %d substeps of %s to be certified (the largest certified is %g s)",
      time_step, STABILITY_SUBSTEPS_MAX, msd_integrator_name(world->model.integrator), stable_step);
}

/* Writes stiffness and damping at this substep into the network. Physical springs without a limit keep
   theirs at any step. */
static msd_result tune_springs(msd_world *world, double substep) {
  const revision now = revision_of_tuning(&world->model.revision, substep);
  if (revision_holds(&world->stepper.tuned_for, now))
    return MSD_OK;
  const spring_store *s = &world->model.springs;
  const network_source source = network_source_of(&world->model);
  bool follows_step = world->model.limit != MSD_LIMIT_NONE;
  network_begin_tuning(&world->stepper.network);
  world->stepper.tuned_for = (revision){0};
  for (int32_t e = 0; e < s->count; e++) {
    const law_terms terms = spring_split(s, &world->model.particles, e);
    if (terms.share == 0) /* broken, or between two pins */
      continue;
    const law_tuning tuning = law_tune(&terms, substep, world->model.limit);
    if (!network_set_tuning(&world->stepper.network, &world->model.memory, &source, e,
                            (msd_real)tuning.stiffness, (msd_real)tuning.damping))
      return world_fail(world, MSD_OUT_OF_MEMORY, "no memory for the stiffness and damping of %d springs",
                        (int)s->count);
    if (terms.mass_ck > 0 || terms.mass_cd > 0)
      follows_step = true;
  }
  for (int32_t i = 0; i < world->model.particles.count; i++)
    world->stepper.network.inverse_mass[particle_slot(&world->model.particles, i)] =
        world->model.particles.inverse_mass[i];
  world->stepper.tuned_for = follows_step ? now : revision_of_tuning(&world->model.revision, 0);
  return MSD_OK;
}

static void tune_impulses(msd_world *world, double substep) {
  spring_impulses *plan = &world->stepper.spring_impulses;
  const revision now = revision_of_tuning(&world->model.revision, substep);
  const network_source source = network_source_of(&world->model);
  if (world->model.integrator != MSD_SEQUENTIAL_IMPULSE)
    return;
  if (!revision_holds(&plan->tuned_for, now))
    spring_impulses_tune(plan, &world->stepper.network, &source);
  plan->tuned_for = world->stepper.tuned_for;
  constraint_impulses_tune(&world->stepper.constraint_impulses, &world->model.constraints,
                           &world->model.particles, substep, world->model.limit);
}

static void tune_constraint_forces(msd_world *world, double substep) {
  constraint_forces *f = &world->stepper.constraint_forces;
  const revision now = revision_of_constraint_tuning(&world->model.revision, substep);
  if (!substeps_have_forces(&world->stepper) || revision_holds(&f->tuned_for, now))
    return;
  constraint_forces_tune(f, &world->model.constraints, &world->model.particles, substep, world->model.limit);
  f->tuned_for = now;
}

/* The substep that failed is in the slab that was written last. */
static msd_result diverged(msd_world *world, msd_real substep, int done, int substeps) {
  const particle_store *p = &world->model.particles;
  const msd_real *failed = p->slab[!p->current];
  int32_t particle = 0;
  for (int32_t i = p->count - 1; i >= 0; i--)
    for (int c = 0; c < COMPONENTS; c++)
      if (!isfinite(failed[(size_t)c * p->stride + particle_slot(p, i)]))
        particle = i;
  return world_fail(
      world, MSD_DIVERGED,
      "particle %d would no longer be finite after %.9g s, in substep %d of %d (%g s each); the "
      "state before it is kept",
      (int)particle, world->time, done + 1, substeps, (double)substep);
}

static msd_result rotor_diverged(msd_world *world, int32_t rotor, msd_real substep, int done, int substeps) {
  return world_fail(world, MSD_DIVERGED,
                    "rotor %d would no longer be finite after %.9g s, in substep %d of %d (%g s each); the "
                    "state before it is kept",
                    (int)rotor, world->time, done + 1, substeps, (double)substep);
}

/* Why a step ends, and after how many substeps. */
typedef enum step_end { END_DONE, END_PARTICLE, END_ROTOR, END_STOPPED } step_end;

typedef struct progress {
  step_end end;
  int done;
  /* The one that failed. */
  int32_t rotor;
} progress;

/* Both networks end after the same substep: the last that leaves both finite. */
static void advance_both(msd_world *world, msd_real substep, int substeps, progress *p) {
  const rotor_progress turned = rotor_advance(&world->model, (double)substep, substeps);
  const int done = turned.done > 0 ? substeps_take(&world->stepper, substep, p->done, turned.done) : 0;
  if (done < turned.done)
    rotor_repeat(&world->model, (double)substep, done);
  world->stepper.spring_given.current = (world->stepper.spring_given.current + done) % 2;
  world->stepper.constraint_given.current = (world->stepper.constraint_given.current + done) % 2;
  p->end = done < turned.done ? END_PARTICLE : done < substeps ? END_ROTOR : END_DONE;
  p->rotor = turned.failed;
  p->done += done;
}

/* A step that may be stopped is taken in pieces of about this time, but not in smaller ones than leave several substeps
   to a pass through memory. */
static const double PIECE_SECONDS = 0.1;
enum { PIECE_MIN = 32 };

static progress advance(msd_world *world, msd_real substep, int substeps) {
  progress p = {.end = END_DONE};
  int piece = world->stop ? PIECE_MIN : substeps;
  while (p.end == END_DONE && p.done < substeps) {
    if (world->stop && world->stop(world->stop_context)) {
      p.end = END_STOPPED;
      break;
    }
    const int left = substeps - p.done, count = piece < left ? piece : left;
    const double start = parallel_clock();
    advance_both(world, substep, count, &p);
    if (parallel_clock() - start < PIECE_SECONDS / 2)
      piece = piece < substeps / 2 ? 2 * piece : substeps;
  }
  return p;
}

msd_result msd_world_step(msd_world *world, msd_real time_step, int substeps) {
  DEFAULT_FLOAT_ENVIRONMENT;
  if (!world)
    return MSD_BAD_VALUE;
  if (!(isfinite(time_step) && time_step > 0) || substeps < 0)
    return world_fail(world, MSD_BAD_TIME_STEP,
                      "time step %g s in %d substeps; it must be finite and above 0", (double)time_step,
                      substeps);
  msd_result result = prepare_network(world);
  if (result == MSD_OK)
    result = substeps_prepare(&world->stepper);
  if (result == MSD_OK)
    result = prepare_impulses(world);
  if (result == MSD_OK)
    result = choose_substeps(world, (double)time_step, &substeps);
  if (result != MSD_OK)
    return result;
  const msd_real substep = (msd_real)((double)time_step / substeps);
  if (!(substep > 0))
    return world_fail(world, MSD_BAD_TIME_STEP, "time step %g s in %d substeps: a substep would be 0",
                      (double)time_step, substeps);

  result = stability_find_fold_room(&world->model, (double)substep);
  if (result != MSD_OK)
    return result;
  result = tune_springs(world, (double)substep);
  if (result != MSD_OK)
    return result;
  tune_constraint_forces(world, (double)substep);
  tune_impulses(world, (double)substep);
  world->model.tuned_step = (double)substep;
  particle_moves_begin(&world->model.particles, (double)time_step);
  anchor_begin_step(&world->model, (double)substep, substeps);
  const progress p = advance(world, substep, substeps);
  particle_moves_end(&world->model.particles, p.end == END_DONE);
  anchor_end_step(&world->model, p.done, substeps);
  particle_clear_forces(&world->model.particles);
  rotor_clear_torques(&world->model);
  world->time += (double)time_step * p.done / substeps;
  world->steps += p.done;
  switch (p.end) {
  case END_PARTICLE:
    return diverged(world, substep, p.done, substeps);
  case END_ROTOR:
    return rotor_diverged(world, p.rotor, substep, p.done, substeps);
  case END_STOPPED:
    return world_fail(world, MSD_STOPPED, "the step was stopped after %d of %d substeps", p.done, substeps);
  default:
    return MSD_OK;
  }
}
