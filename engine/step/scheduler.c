/* Substep scheduler: chooses the fastest method for a batch of substeps. stepper_advance calls it for each
   batch of a frame. Choices are diagonal blocks or rows, SoA or AoS states, temporal blocking or single
   substeps, one thread or all. `take` tries the methods in order: distributed substeps, mesh contact, temporal
   blocking, halos, single substeps. All methods give bitwise identical results. If an optional buffer cannot be
   allocated, a slower method is used. */

#include "engine/base/min_max.h"
#include "engine/kernel/records.h"
#include "engine/kernel/widths.h"
#include "engine/step/balance_changes.h"
#include "engine/step/contact_step.h"
#include "engine/step/distributed_step.h"
#include "engine/step/drag.h"
#include "engine/step/halos.h"
#include "engine/step/integrator.h"
#include "engine/step/rank_step.h"
#include "engine/step/stepper.h"
#include "engine/step/temporal_blocking.h"

#include <string.h>

/* Thresholds, measured with cloths, ropes, soft boxes and irregular meshes.

   A network smaller than CACHE_BYTES stays in the caches between substeps. There, diagonal blocks, which
   evaluate each spring once, are faster if there are at least RUNS_CHUNKS_MIN chunks and a fraction
   RUNS_SHARE_MIN of the springs is contiguous. A larger network uses temporal blocking. Constraints, soft
   pins, hard limits and colliders prevent that; then rows are faster than diagonal blocks, which read more
   streams. Prefetching makes rows another 50 % faster. With scaled masses diagonal blocks write no state and
   are always the faster choice.

   Halos pay from HALO_SUBSTEPS_MIN substeps on. They need states of their own, at most HALO_BYTES_MAX; a
   larger network runs well in parallel without them.

   AoS records pay if more than RECORDS_SHARE_MIN of the springs are indexed; along the borders of a cloth
   fewer are. An additional SoA state then costs more than it saves if most springs are indexed, and always in
   a network larger than the caches. Constraints whose corners the kernel gathers
   (kernel/constraint_force.h) read them from records too, if there are at least GATHERED_CORNERS_MIN such
   corners per particle.
   Records cost less than a nanosecond a particle and save two or more in each constraint. */
enum {
  QUIET_SUBSTEPS_MIN = 2,
  CACHE_BYTES = 10 << 20,
  RUNS_CHUNKS_MIN = 2,
  HALO_SUBSTEPS_MIN = 3,
  HALO_BYTES_MAX = 1 << 20
};
static const double RUNS_SHARE_MIN = 0.5, RECORDS_SHARE_MIN = 0.1, GATHERED_CORNERS_MIN = 1.5;

typedef struct schedule {
  /* Symplectic Euler with springs, linear damping and applied forces only. */
  bool is_plain;
  /* As is_plain, but with colliders and mesh contact allowed. */
  bool blocks;
  bool is_cached;
  /* Layouts of the intermediate states. */
  bool slabs, records;
  /* Contiguous springs can be evaluated once each, by diagonal blocks. */
  bool runs;
} schedule;

/* If memory runs out, the old buffer stays valid. */
static bool reserve_down(stepper *s, size_t needed) {
  if (needed <= s->down_size)
    return true;
  msd_real *larger = memory_replace(&s->model->memory, s->down, needed * sizeof *larger);
  if (!larger)
    return false;
  s->down = larger;
  s->down_size = needed;
  return true;
}

static void release_records(stepper *s) {
  for (int n = 0; n < 2; n++) {
    memory_release(&s->model->memory, s->records[n]);
    s->records[n] = NULL;
  }
  s->records_size = 0;
}

static bool reserve_records(stepper *s) {
  const size_t particles = (size_t)s->network.group_count * NETWORK_GROUP;
  const size_t needed = (particles + 2 * PARTICLE_GUARD) * RECORD_SIZE;
  if (needed <= s->records_size)
    return true;
  release_records(s);
  for (int n = 0; n < 2; n++)
    s->records[n] = memory_allocate(&s->model->memory, needed * sizeof(msd_real));
  if (!s->records[0] || !s->records[1]) {
    release_records(s);
    return false;
  }
  s->records_size = needed;
  return true;
}

/* Skips the padding in front of the records. */
static msd_real *records_of(const stepper *s, int state) {
  return s->records[state] + PARTICLE_GUARD * RECORD_SIZE;
}

static schedule schedule_of(stepper *s) {
  const network *net = &s->network;
  const double contiguous = network_contiguous_share(net);
  const bool is_euler = s->model->integrator == MSD_SYMPLECTIC_EULER && !stepper_projects(s);
  schedule c = {.is_cached = spring_bytes(net) < CACHE_BYTES};
  c.is_plain = stepper_is_plain(s);
  c.blocks = stepper_is_plain_except_contact(s);
  const bool gathers =
      !s->sleep.some_sleep && s->model->constraints.count > 0 &&
      constraint_forces_gathered(&s->constraint_forces, &kernels_choose(s->simd)->constraints) >
          GATHERED_CORNERS_MIN * s->model->particles.count;
  c.records = is_euler && (1 - contiguous > RECORDS_SHARE_MIN || gathers) && reserve_records(s);
  c.slabs = !c.records || !c.is_plain || (c.is_cached && contiguous >= RUNS_SHARE_MIN);
  c.runs = is_euler && c.slabs && net->run_count > 0 && net->chunk_count >= RUNS_CHUNKS_MIN &&
           contiguous >= RUNS_SHARE_MIN;
  return c;
}

/* True if all intermediate states are records, so that the result can overwrite the initial slab. Excluded:
   halos, which restart from the initial slab after a failure, and sleep, which needs two identical slabs. */
static bool ends_in_place(stepper *s) {
  const schedule c = schedule_of(s);
  return c.records && !c.slabs && (!c.is_cached || stepper_threads(s) == 1) && s->ranks.count < 2 &&
         !s->sleep.some_sleep && !sleep_is_on(&s->model->sleep);
}

bool stepper_make_states(stepper *s) {
  particle_store *p = &s->model->particles;
  if (!ends_in_place(s))
    return particle_reserve_other(p, &s->model->memory);
  particle_release_other(p, &s->model->memory);
  return true;
}

/* ---------------------------------------------------------------------------------- one substep at a time */

/* Assigns the two impulse arrays to the two state slabs: the impulses of the last substep to the current
   one. */
static void match_states(msd_real *given[2], const given_impulses *g, int state) {
  given[state] = g->of[g->current];
  given[!state] = g->of[!g->current];
}

static integrator_impulses impulses_of(stepper *s) {
  integrator_impulses impulses = {
      .springs = &s->spring_impulses,
      .side = network_source_of(s->model).side,
      .iterations = s->model->impulse_iterations,
      .warm_start = s->model->impulse_warm_start,
  };
  const int state = s->model->particles.current;
  match_states(impulses.given, &s->spring_given, state);
  if (s->model->constraints.count > 0) {
    impulses.constraints = &s->constraint_impulses;
    impulses.constraint_store = &s->model->constraints;
    match_states(impulses.constraint_given, &s->constraint_given, state);
  }
  return impulses;
}

static integrator_acting acting_on(const stepper *s) {
  if (!stepper_has_forces(s))
    return (integrator_acting){0};
  return (integrator_acting){.forces = &s->constraint_forces,
                             .applied = stepper_acting_applied(s),
                             .groups = s->sleep.some_sleep ? s->sleep.constraint_groups : (span_list){0},
                             .mesh_chunks = s->sleep.some_sleep ? s->sleep.mesh_chunks : (span_list){0},
                             .soft_pins = stepper_has_soft_pin_forces(s)};
}

static spring_input input_of(const stepper *s, msd_real substep) {
  const particle_store *p = &s->model->particles;
  return (spring_input){.net = &s->network,
                        .stride = p->stride,
                        .force = p->forced ? p->force : NULL,
                        .gravity = {s->model->gravity.x, s->model->gravity.y, s->model->gravity.z},
                        .dt = substep,
                        .decay = (msd_real)drag_decay((double)s->model->linear_damping, (double)substep),
                        .loose = stepper_has_colliders(s) ? NULL : stepper_loose(s)};
}

static size_t down_size(const stepper *s, int threads) {
  return integrator_down_size(&s->network, threads);
}

/* Arguments of the energy limiter. */
static limiter_run limiter_of(stepper *s) {
  if (!stepper_is_watched(s))
    return (limiter_run){0};
  const revision now = balance_revision_of_springs(s);
  const bool is_continued = revision_holds(&s->limiter.made_for, now);
  s->limiter.energy = s->model->energy;
  s->limiter.made_for = now;
  return (limiter_run){&s->limiter, is_continued, s->tallies};
}

/* The energy account of constraints. */
static account_run account_of(stepper *s, msd_real substep, bool stays_open) {
  constraint_account *a = &s->account;
  s->constraint_forces.step = substep;
  if (!stepper_has_account(s)) {
    a->limiter.made_for = (revision){0};
    return (account_run){0};
  }
  const revision now = balance_revision_of_constraints(s);
  const bool is_continued = a->is_active && revision_holds(&a->limiter.made_for, now);
  a->limiter.energy = s->model->energy;
  a->limiter.made_for = now;
  a->limiter.is_damped = s->constraint_forces.is_damped;
  a->is_active = a->is_active || s->model->energy >= MSD_ENERGY_BOUNDED;
  return (account_run){a, is_continued, stays_open};
}

/* Tethers to pins are a subset of the hard limits. */
static projected_run projected_of(const stepper *s) {
  if (!stepper_projects(s))
    return (projected_run){.springs = NULL};
  return (projected_run){.springs = &s->projections,
                         .kernels = kernels_choose(s->simd),
                         .tethers = s->hard_limits.count > 0 ? &s->tethers : NULL,
                         .hard_limits = &s->hard_limits};
}

/* A job for the integrator, with the structures that it points to. */
typedef struct substep_job {
  integrator_contact contact;
  integrator_wind wind;
  substep_inputs run;
} substep_job;

static void setup_substeps(substep_job *full, stepper *s, const schedule *c, const limiter_run *limiter,
                           msd_real substep, int before, int substeps, int threads) {
  particle_store *p = &s->model->particles;
  const bool runs =
      c->runs && (c->is_cached || stepper_scales_masses(s)) && reserve_down(s, down_size(s, threads));
  full->contact = contact_step_colliders(s);
  full->wind = (integrator_wind){.work = &s->wind,
                                 .wind = &s->model->wind,
                                 .faces = sleep_awake_faces(s),
                                 .step_time = s->model->step_time,
                                 .simd = s->simd};
  full->run = (substep_inputs){
      .integrator = s->model->integrator,
      .kernels = kernels_choose(s->simd),
      .input = input_of(s, substep),
      .current = p->current,
      .scratch = s->scratch,
      .records_alone = !c->slabs,
      .down = runs ? s->down : NULL,
      .impulses = impulses_of(s),
      .soft_pins = {s->model->soft_pins.works, s->model->soft_pins.work_count},
      .acting = acting_on(s),
      .hard_limits = s->hard_limits.count > 0 ? &s->hard_limits : NULL,
      .contact = stepper_has_colliders(s) ? &full->contact : NULL,
      .wind = stepper_has_wind(s) ? &full->wind : NULL,
      .limiter = *limiter,
      .account = account_of(s, substep, false),
      .scaling = stepper_scales_masses(s) ? &s->scaling : NULL,
      .projected = projected_of(s),
      .awake = sleep_awake_chunks(s),
      .tasks = &s->model->tasks,
      .threads = threads,
      .before = before,
      .substeps = substeps,
  };
  full->run.slab[p->current] = p->slab[p->current];
  full->run.slab[!p->current] = particle_next_slab(p);
  for (int state = 0; state < 2 && c->records; state++)
    full->run.records[state] = records_of(s, state);
  full->run.input.spring_force = stepper_keeps_spring_forces(s) ? s->scratch : NULL;
  full->run.input.read_ahead = c->slabs && !c->is_cached;
  if (full->run.acting.forces && !full->run.scaling)
    full->run.input.force = full->run.acting.forces->force;
}

/* Selects the impulses that belong to the new current state. */
static int pass(stepper *s, int substeps) {
  s->spring_given.current = (s->spring_given.current + substeps) % 2;
  s->constraint_given.current = (s->constraint_given.current + substeps) % 2;
  return substeps;
}

static int take_one_by_one(stepper *s, const schedule *c, const limiter_run *limiter, msd_real substep,
                           int before, int substeps, int threads) {
  particle_store *p = &s->model->particles;
  substep_job full;
  setup_substeps(&full, s, c, limiter, substep, before, substeps, threads);
  if (full.run.contact)
    contact_work_begin(full.contact.work);
  const int done = integrator_advance(&full.run);
  s->failed_records = p->slab[!p->current] ? NULL : full.run.records[(p->current + done + 1) % 2];
  particle_pass(p, done);
  return pass(s, done);
}

/* Ends the energy balances of a substep after mesh contact, at the velocities that it has left. `kicked` are
   the velocities before it. */
static void end_balances(stepper *s, const substep_inputs *run, const msd_real *kicked, int before) {
  const msd_real *read = run->slab[run->current], *written = run->slab[!run->current];
  if (kicked)
    s->limiter.balance -=
        (double)run->input.dt / 2 *
        integrator_work_of_changes(run, read, kicked, written, before * (double)run->input.dt);
  if (run->account.account)
    constraint_account_close(&s->account, run->acting.forces, &run->input, written);
}

/* One substep, followed by mesh contact. */
static bool step_with_contact(stepper *s, const schedule *c, msd_real substep, int before, int threads) {
  particle_store *p = &s->model->particles;
  substep_job full;
  limiter_run limiter = limiter_of(s);
  limiter.tallies = s->tallies;
  const energy_limiter limited = s->limiter;
  const constraint_account account = s->account;
  setup_substeps(&full, s, c, &limiter, substep, before, 1, threads);
  full.run.contact = NULL;
  full.run.account.stays_open = true;
  msd_real *kicked = limiter.limiter ? s->scratch : NULL;
  bool done = integrator_advance(&full.run) == 1;
  if (done && kicked)
    memcpy(kicked, full.run.slab[!p->current] + VELOCITY_X * p->stride, 3 * p->stride * sizeof *kicked);
  done = done && contact_step_act(s, &full.run.input, before, threads);
  if (!done) {
    s->limiter = limited;
    s->account = account;
    return false;
  }
  end_balances(s, &full.run, kicked, before);
  p->current = !p->current;
  pass(s, 1);
  return true;
}

/* -------------------------------------------------------------------------------------- temporal blocking */

/* True if the limiter may soon repeat a substep, which temporal blocking does not support. */
static bool may_act(const limiter_run *run) {
  return run->limiter && run->limiter->energy >= MSD_ENERGY_BOUNDED &&
         run->limiter->made > run->limiter->credit / 2;
}

/* True if temporal blocking supports everything that acts besides springs. */
static bool can_block(const stepper *s, const schedule *c, const limiter_run *limiter) {
  if (c->is_cached || c->slabs == c->records)
    return false;
  if (c->is_plain)
    return !sleep_leaves_out(s) && !may_act(limiter);
  return c->blocks && !s->sleep.some_sleep && !limiter->limiter;
}

/* Returns false, with nothing changed, if temporal blocking does not pay, memory runs out, a position would
   not be finite or the energy limiter would act. With collision meshes it also returns false if a particle
   violates its skin, as these substeps assume that there is no mesh contact. */
static bool run_blocked(stepper *s, const schedule *c, const limiter_run *limiter, msd_real substep,
                        int substeps, int threads, blocked_contact *touching) {
  particle_store *p = &s->model->particles;
  if (!can_block(s, c, limiter))
    return false;
  blocking_run run = {
      .shape = blocking_choose(&s->network, threads, substeps),
      .kernel = kernels_choose(s->simd)->springs,
      .input = input_of(s, substep),
      .tasks = &s->model->tasks,
      .threads = threads,
      .substeps = substeps,
  };
  const int least = touching->surfaces ? QUIET_SUBSTEPS_MIN : BLOCKING_DEPTH_MIN;
  if (run.shape.depth < least || !blocking_pins_stand(&run.input, p->slab[p->current]) ||
      (c->runs && !reserve_down(s, blocking_down_size(&s->network, &run.shape, threads))) ||
      (c->slabs && !particle_reserve_spare(p, &s->model->memory)) ||
      (limiter->limiter && !stepper_reserve_tallies(s, blocking_tally_count(&s->network, &run.shape))))
    return false;
  run.limiter = *limiter;
  run.limiter.tallies = s->tallies;
  run.down = c->runs ? s->down : NULL;
  run.slab[0] = p->slab[p->current];
  run.slab[1] = particle_next_slab(p);
  run.slab[2] = p->spare_slab;
  for (int state = 0; state < 2 && c->records; state++)
    run.records[state] = records_of(s, state);
  run.act = blocked_contact_acts(touching) ? blocked_contact_act : NULL;
  run.acting = touching;
  if (run.act)
    blocked_contact_begin(touching);
  if (!blocking_advance(&run)) {
    if (run.act)
      blocked_contact_drop(touching);
    return false;
  }
  if (blocking_slab(&run, substeps) == 1)
    particle_pass(p, 1);
  else
    particle_swap_spare(p);
  return true;
}

/* -------------------------------------------------------------------------------------------------- halos */

/* Returns false, with nothing changed, if halos do not pay, memory runs out or a position would not be
   finite. The second slab may be missing: a callback can raise the number of OpenMP threads after
   stepper_make_states. */
static bool run_halo(stepper *s, const schedule *c, const limiter_run *limiter, msd_real substep,
                     int substeps, int threads) {
  particle_store *p = &s->model->particles;
  if (sleep_leaves_out(s) || !c->is_cached || !c->is_plain || threads == 1 || substeps < HALO_SUBSTEPS_MIN ||
      limiter->limiter || !p->slab[!p->current])
    return false;
  halo_run run = {
      .shape = halo_choose(&s->network, threads, substeps),
      .kernel = kernels_choose(s->simd)->springs,
      .input = input_of(s, substep),
      .from = p->slab[p->current],
      .to = p->slab[!p->current],
      .slabs = c->slabs,
      .records = c->records,
      .memory = &s->halos,
      .tasks = &s->model->tasks,
      .threads = threads,
      .substeps = substeps,
  };
  if (run.shape.depth == 0 || halo_bytes(&run) > HALO_BYTES_MAX ||
      !blocking_pins_stand(&run.input, run.from) ||
      (c->runs && !reserve_down(s, halo_down_size(&s->network, &run.shape, threads))) ||
      !halo_reserve(&run, &s->model->memory))
    return false;
  run.down = c->runs ? s->down : NULL;
  if (!halo_advance(&run))
    return false;
  p->current = !p->current;
  return true;
}

/* -------------------------------------------------------------------------------------------- distributed */

/* Advances distributed substeps of springs only. A choice that a rank makes alone, such as the use of an
   optional buffer, must not affect its messages. */
static bool distribute_springs(stepper *s, const schedule *c, const spring_input *input, int substeps,
                               int threads) {
  particle_store *p = &s->model->particles;
  rank_run run = {
      .partition = &s->partition,
      .kernel = kernels_choose(s->simd)->springs,
      .input = *input,
      .slab = {p->slab[p->current], p->slab[!p->current], p->spare_slab},
      .tasks = &s->model->tasks,
      .threads = threads,
      .substeps = substeps,
  };
  for (int state = 0; state < 2 && c->records; state++)
    run.records[state] = records_of(s, state);
  if (!c->records)
    run.blocking = rank_blocking(&s->partition, &s->network, threads);
  if (c->runs && reserve_down(s, rank_down_size(&s->partition, &s->network, &run.blocking, threads)))
    run.down = s->down;
  return rank_advance(&run);
}

static bool distribute_all(stepper *s, const schedule *c, msd_real substep, int before, int substeps,
                           int threads) {
  particle_store *p = &s->model->particles;
  const schedule in_slabs = {.is_cached = c->is_cached, .slabs = true, .runs = c->runs};
  substep_job full;
  setup_substeps(&full, s, &in_slabs, &(limiter_run){0}, substep, before, substeps, threads);
  if (s->model->constraints.count > 0)
    stepper_keep_softened(s);
  const bool done =
      coupled_advance(&(coupled_run){.partition = &s->partition,
                                     .lists = &s->adjacency,
                                     .run = full.run,
                                     .slab = {p->slab[p->current], p->slab[!p->current], p->spare_slab}});
  if (s->model->constraints.count > 0 && done)
    adjacency_forget_excess(s, &s->partition);
  else if (s->model->constraints.count > 0)
    constraint_forces_take_softened(&s->constraint_forces, &s->model->constraints);
  return done;
}

/* Returns false on all ranks, with nothing changed, if substeps are not distributed or a position would not
   be finite. */
static bool run_distributed(stepper *s, const schedule *c, msd_real substep, int before, int substeps,
                            int threads) {
  particle_store *p = &s->model->particles;
  const spring_input input = input_of(s, substep);
  if (s->ranks.count < 2 || !s->partition.are_made || stepper_distribution_obstacle(s))
    return false;
  if (s->model->integrator != MSD_SYMPLECTIC_EULER && !blocking_all_pins_stand(&input, p->slab[p->current]))
    return false;
  if (!(c->is_plain && blocking_pins_stand(&input, p->slab[p->current])
            ? distribute_springs(s, c, &input, substeps, threads)
            : distribute_all(s, c, substep, before, substeps, threads)))
    return false;
  if (substeps % 2 == 1)
    p->current = !p->current;
  else
    particle_swap_spare(p);
  return true;
}

/* True if contact-free substeps can be advanced several at a time. Kinematic pins prevent it: they are placed
   exactly at their targets after the last substep of a frame. */
static bool may_be_quiet(const stepper *s, const schedule *c) {
  return can_block(s, c, &(limiter_run){0}) && s->model->particles.move_count == 0 && !stepper_is_watched(s);
}

/* Advances the following substeps together if none of them needs mesh contact. Returns their number, 0 if the
   next substep may need mesh contact, or a negative value if the broad phase fails. */
static int step_contact_free(stepper *s, const schedule *c, msd_real substep, int before, int substeps,
                             int threads) {
  const spring_input in = input_of(s, substep);
  if (!may_be_quiet(s, c))
    return 0;
  int count = contact_step_contact_free(s, &in, before, substeps, threads);
  while (count >= QUIET_SUBSTEPS_MIN) {
    blocked_contact touching = contact_step_blocked(s, &in, before, count);
    if (run_blocked(s, c, &(limiter_run){0}, substep, count, threads, &touching)) {
      self_contact_pass(&s->self, (double)substep, count);
      return pass(s, count);
    }
    self_contact_drop(&s->self);
    count = blocked_contact_kept(&touching);
  }
  return int_min(count, 0);
}

/* Advances substeps of a world with mesh contact. Building a neighbor list adapts the list policy; if a substep
   fails, the policy before it is restored. Once the stop callback has returned true, the run ends after the
   current substep. */
static int run_with_contact(stepper *s, const schedule *c, msd_real substep, int before, int substeps,
                            int threads) {
  const spring_input first = input_of(s, substep);
  if (before == 0 && !contact_step_rebuild_lists(s, &first, threads))
    return 0;
  int done = 0;
  while (done < substeps) {
    const list_policy policy = s->model->surfaces.list_policy;
    const int quiet = step_contact_free(s, c, substep, before + done, substeps - done, threads);
    if (quiet < 0 || (quiet == 0 && !step_with_contact(s, c, substep, before + done, threads))) {
      s->model->surfaces.list_policy = policy;
      break;
    }
    done += int_max(quiet, 1);
    s->is_stopped = s->stop.is_asked_to_stop && done < substeps;
    if (s->is_stopped)
      break;
  }
  const particle_store *p = &s->model->particles;
  if (before + done == s->model->colliders.substeps)
    self_contact_note_bend(&s->self, &s->model->surfaces.list_policy, p->slab[p->current], (double)substep);
  return done;
}

static int take_substeps(stepper *s, msd_real substep, int before, int substeps, int threads) {
  const schedule c = schedule_of(s);
  if (run_distributed(s, &c, substep, before, substeps, threads))
    return pass(s, substeps);
  if (contact_step_surfaces_act(s))
    return run_with_contact(s, &c, substep, before, substeps, threads);
  limiter_run limiter = limiter_of(s);
  const spring_input in = input_of(s, substep);
  blocked_contact touching = contact_step_blocked(s, &in, before, substeps);
  if (run_blocked(s, &c, &limiter, substep, substeps, threads, &touching))
    return pass(s, substeps);
  if (run_halo(s, &c, &limiter, substep, substeps, threads))
    return pass(s, substeps);
  limiter.tallies = s->tallies;
  return take_one_by_one(s, &c, &limiter, substep, before, substeps, threads);
}

static int take(stepper *s, msd_real substep, int before, int substeps, int threads) {
  const int done = take_substeps(s, substep, before, substeps, threads);
  s->projections.is_solved = stepper_projects(s) && done == substeps;
  s->projections.solved_for = revision_of_shape(&s->model->revision);
  return done;
}

/* Largest number of threads for a batch; more threads than groups of particles would be idle. */
static int most_threads(const stepper *s) {
  return int_min(stepper_threads(s), s->network.group_count);
}

/* Advances substeps with all allowed threads or with one, whichever is measured to be faster. */
static int take_with_threads(stepper *s, msd_real substep, int before, int substeps, int most) {
  if (most == 1)
    return take(s, substep, before, substeps, 1);
  const double start = parallel_clock();
  if (parallel_is_alone()) {
    const int done = take(s, substep, before, substeps, 1);
    parallel_work_alone(parallel_clock() - start);
    return done;
  }
  const int threads = thread_count_tuner_begin(&s->thread_trial, most);
  const int done = take(s, substep, before, substeps, threads);
  thread_count_tuner_end(&s->thread_trial, (parallel_clock() - start) / substeps);
  return done;
}

/* Number of remaining substeps to advance in one call: all, unless thread counts are being measured.
   Distributed runs do not measure. */
static int substeps_at_once(const stepper *s, int most, int left) {
  return s->ranks.count < 2 ? thread_count_tuner_units(&s->thread_trial, most, left) : left;
}

int stepper_advance(stepper *s, msd_real substep, int before, int substeps) {
  if (s->model->particles.count == 0 || (s->sleep.some_sleep && s->sleep.chunks.total == 0))
    return substeps;
  s->lacks_memory = s->is_crowded = s->is_stopped = s->is_abandoned = false;
  s->is_running = true;
  const int most = most_threads(s);
  int done = 0, asked = 0, taken = 0;
  while (done < substeps && taken == asked) {
    asked = substeps_at_once(s, most, substeps - done);
    taken = take_with_threads(s, substep, before + done, asked, most);
    done += taken;
  }
  s->is_running = false;
  return done;
}
