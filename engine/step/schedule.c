/* How the substeps of one call are taken: through runs or rows, from slabs or records, several in one pass
   through memory or one by one, with one thread or with all. The bits are the same whatever is chosen; this
   is where the fastest is. Memory that only speed needs is done without where there is none. */

#include "engine/base/min_max.h"
#include "engine/kernel/records.h"
#include "engine/kernel/widths.h"
#include "engine/step/coupled_step.h"
#include "engine/step/drag.h"
#include "engine/step/halos.h"
#include "engine/step/integrator.h"
#include "engine/step/rank_step.h"
#include "engine/step/stepper.h"
#include "engine/step/temporal_blocking.h"
#include "engine/step/touching.h"

/* As measured with cloths, ropes, blocks and irregular meshes.

   A network of less than CACHE_BYTES stays in the caches from one substep to the next. There it pays to
   evaluate each spring once, from RUNS_CHUNKS_MIN chunks on and where RUNS_SHARE_MIN of the springs are
   contiguous. A larger one takes several substeps in one pass through memory; where it cannot, since
   constraints, anchors, catches or colliders act, rows are faster than runs, which read more streams, and are
   half as fast again when they ask for memory ahead. Under scaled masses runs write no state, and are the
   faster ones in any network.

   Halos pay from HALO_SUBSTEPS_MIN substeps on. They have states of their own, which may take HALO_BYTES_MAX: a
   network so large is shared well without.

   Records pay where more than RECORDS_SHARE_MIN of the springs are indexed, as along the borders of a cloth
   they are not. Then the slabs beside them cost more than they save where most springs are indexed, and
   always in a network that does not fit in the caches. The corners of constraints are read from records too,
   where they are no runs (kernel/constraint_force.h), GATHERED_CORNERS_MIN of each particle or more: records
   cost less than a nanosecond a particle, and save two or more in each constraint. */
enum {
  QUIET_SUBSTEPS_MIN = 2,
  CACHE_BYTES = 10 << 20,
  RUNS_CHUNKS_MIN = 2,
  HALO_SUBSTEPS_MIN = 3,
  HALO_BYTES_MAX = 1 << 20
};
static const double RUNS_SHARE_MIN = 0.5, RECORDS_SHARE_MIN = 0.1, GATHERED_CORNERS_MIN = 1.5;

typedef struct schedule {
  /* Symplectic Euler, where nothing but the springs of the network, drag and given forces acts. */
  bool is_plain;
  /* That, but for colliders and for surfaces that touch. */
  bool blocks;
  bool is_cached;
  /* What the state stands in between the first and the last substep. */
  bool slabs, records;
  /* Each contiguous spring can be evaluated once. */
  bool runs;
} schedule;

/* On failure the old buffer is kept. */
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

/* Behind the guard. */
static msd_real *records_of(const stepper *s, int state) {
  return s->records[state] + PARTICLE_GUARD * RECORD_SIZE;
}

static bool is_watched(const stepper *s) {
  return s->model->energy != MSD_ENERGY_PLAIN;
}

static schedule schedule_of(stepper *s) {
  const network *net = &s->network;
  const double contiguous = network_contiguous_share(net);
  const bool is_euler = s->model->integrator == MSD_SYMPLECTIC_EULER && !stepper_projects(s);
  schedule c = {.is_cached = spring_bytes(net) < CACHE_BYTES};
  c.is_plain = stepper_is_plain(s);
  c.blocks = stepper_is_plain_but_for_touch(s);
  const bool gathers = !s->sleep.some_sleep && s->model->constraints.count > 0 &&
                       s->constraint_forces.gathered > GATHERED_CORNERS_MIN * s->model->particles.count;
  c.records = is_euler && (1 - contiguous > RECORDS_SHARE_MIN || gathers) && reserve_records(s);
  c.slabs = !c.records || !c.is_plain || (c.is_cached && contiguous >= RUNS_SHARE_MIN);
  c.runs = is_euler && c.slabs && net->run_count > 0 && net->chunk_count >= RUNS_CHUNKS_MIN &&
           contiguous >= RUNS_SHARE_MIN;
  return c;
}

/* Whether all of a step is in records, so that it can end in the slab that it began with: halos begin again
   from there where a position is not finite, and what sleeps must be in both slabs. */
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

/* --------------------------------------------------------------------------------------- substeps one by
   one */

/* Those of the last substep go with the present state. */
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
                             .anchors = stepper_has_acting_anchors(s)};
}

static spring_input input_of(const stepper *s, msd_real substep) {
  const particle_store *p = &s->model->particles;
  return (spring_input){.net = &s->network,
                        .stride = p->stride,
                        .force = p->forced ? p->force : NULL,
                        .gravity = {s->model->gravity.x, s->model->gravity.y, s->model->gravity.z},
                        .time_step = substep,
                        .decay = (msd_real)drag_decay((double)s->model->air_drag, (double)substep)};
}

static size_t down_size(const stepper *s, int threads) {
  return integrator_down_size(&s->network, threads);
}

/* The account goes on, with what has come from outside. */
static guard_run guard_of(stepper *s, msd_real substep) {
  if (!is_watched(s))
    return (guard_run){0};
  const revision now = revision_of_energy(&s->model->revision, (double)substep);
  const bool is_continued = revision_holds(&s->guard.made_for, now);
  s->guard.energy = s->model->energy;
  s->guard.made_for = now;
  return (guard_run){&s->guard, is_continued, s->tallies};
}

/* Tethers are among catches. */
static projected_run projected_of(const stepper *s) {
  if (!stepper_projects(s))
    return (projected_run){.springs = NULL};
  return (projected_run){.springs = &s->projections,
                         .kernels = kernels_choose(s->simd),
                         .tethers = s->catches.count > 0 ? &s->tethers : NULL,
                         .catches = &s->catches};
}

/* A run, and what it points at. */
typedef struct full_run {
  integrator_contact contact;
  integrator_wind wind;
  integrator_run run;
} full_run;

static void begin_run(full_run *full, stepper *s, const schedule *c, const guard_run *guard, msd_real substep,
                      int before, int substeps, int threads) {
  particle_store *p = &s->model->particles;
  const bool runs =
      c->runs && (c->is_cached || stepper_scales_masses(s)) && reserve_down(s, down_size(s, threads));
  full->contact = touching_colliders(s);
  full->wind = (integrator_wind){.work = &s->wind,
                                 .wind = &s->model->wind,
                                 .faces = sleep_awake_faces(s),
                                 .step_time = s->model->step_time,
                                 .simd = s->simd};
  full->run = (integrator_run){
      .integrator = s->model->integrator,
      .kernels = kernels_choose(s->simd),
      .input = input_of(s, substep),
      .current = p->current,
      .scratch = s->scratch,
      .records_alone = !c->slabs,
      .down = runs ? s->down : NULL,
      .impulses = impulses_of(s),
      .anchors = {s->model->anchors.works, s->model->anchors.work_count},
      .acting = acting_on(s),
      .catches = s->catches.count > 0 ? &s->catches : NULL,
      .contact = stepper_has_colliders(s) ? &full->contact : NULL,
      .wind = stepper_has_wind(s) ? &full->wind : NULL,
      .guard = *guard,
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

/* What was given in the last substep goes with the state behind it. */
static int pass(stepper *s, int substeps) {
  s->spring_given.current = (s->spring_given.current + substeps) % 2;
  s->constraint_given.current = (s->constraint_given.current + substeps) % 2;
  return substeps;
}

static int take_one_by_one(stepper *s, const schedule *c, const guard_run *guard, msd_real substep,
                           int before, int substeps, int threads) {
  particle_store *p = &s->model->particles;
  full_run full;
  begin_run(&full, s, c, guard, substep, before, substeps, threads);
  if (full.run.contact)
    contact_work_begin(full.contact.work);
  const int done = integrator_advance(&full.run);
  s->failed_records = p->slab[!p->current] ? NULL : full.run.records[(p->current + done + 1) % 2];
  particle_pass(p, done);
  return pass(s, done);
}

/* One substep, behind which surfaces touch. */
static bool take_apart(stepper *s, const schedule *c, msd_real substep, int before, int threads) {
  particle_store *p = &s->model->particles;
  full_run full;
  begin_run(&full, s, c, &(guard_run){0}, substep, before, 1, threads);
  full.run.contact = NULL;
  if (integrator_advance(&full.run) < 1 || !touching_act(s, &full.run.input, before, threads))
    return false;
  p->current = !p->current;
  pass(s, 1);
  return true;
}

/* -------------------------------------------------------------------------------------- several in one pass */

/* Whether the guard is near to taking some substep again, which blocks cannot do. */
static bool may_act(const guard_run *run) {
  return run->guard && run->guard->energy >= MSD_ENERGY_GUARDED && run->guard->made > run->guard->credit / 2;
}

/* Whether what acts beside springs, and what is asked about them, leaves substeps to blocks. */
static bool leaves_to_blocks(const stepper *s, const schedule *c, const guard_run *guard) {
  if (c->is_cached || c->slabs == c->records)
    return false;
  if (c->is_plain)
    return !sleep_leaves_out(s) && !may_act(guard);
  return c->blocks && !s->sleep.some_sleep && !guard->guard;
}

/* False, and nothing done, where it would not pay, there is no memory for it, some position would not be
   finite, or the guard of the energy would act; with surfaces that touch, of which nothing may act while all
   keep to their skins, also where some do not. */
static bool take_in_blocks(stepper *s, const schedule *c, const guard_run *guard, msd_real substep,
                           int substeps, int threads, wave_touching *touching) {
  particle_store *p = &s->model->particles;
  if (!leaves_to_blocks(s, c, guard))
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
      (guard->guard && !stepper_reserve_tallies(s, blocking_tally_count(&s->network, &run.shape))))
    return false;
  run.guard = *guard;
  run.guard.tallies = s->tallies;
  run.down = c->runs ? s->down : NULL;
  run.slab[0] = p->slab[p->current];
  run.slab[1] = particle_next_slab(p);
  run.slab[2] = p->spare_slab;
  for (int state = 0; state < 2 && c->records; state++)
    run.records[state] = records_of(s, state);
  run.act = wave_touching_acts(touching) ? wave_touching_act : NULL;
  run.acting = touching;
  if (run.act)
    wave_touching_begin(touching);
  if (!blocking_advance(&run)) {
    if (run.act)
      wave_touching_drop(touching);
    return false;
  }
  if (blocking_slab(&run, substeps) == 1)
    particle_pass(p, 1);
  else
    particle_swap_spare(p);
  return true;
}

/* ---------------------------------------------------------------------------------------------- with halos */

/* False, and nothing done, where it would not pay, there is no memory for it, or some position would not be
   finite. A callback may have let OpenMP have more threads than when there was one slab to be. */
static bool take_with_halos(stepper *s, const schedule *c, const guard_run *guard, msd_real substep,
                            int substeps, int threads) {
  particle_store *p = &s->model->particles;
  if (sleep_leaves_out(s) || !c->is_cached || !c->is_plain || threads == 1 || substeps < HALO_SUBSTEPS_MIN ||
      guard->guard || !p->slab[!p->current])
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

/* ------------------------------------------------------------------------------------- with other processes */

/* Where nothing but springs acts. What one rank may decide alone, such as memory that only speed needs, is
   no part of what it exchanges. */
static bool share_springs(stepper *s, const schedule *c, const spring_input *input, int substeps,
                          int threads) {
  particle_store *p = &s->model->particles;
  rank_run run = {
      .shares = &s->shares,
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
    run.blocking = rank_blocking(&s->shares, &s->network, threads);
  if (c->runs && reserve_down(s, rank_down_size(&s->shares, &s->network, &run.blocking, threads)))
    run.down = s->down;
  return rank_advance(&run);
}

static bool share_all(stepper *s, const schedule *c, msd_real substep, int before, int substeps,
                      int threads) {
  particle_store *p = &s->model->particles;
  const schedule in_slabs = {.is_cached = c->is_cached, .slabs = true, .runs = c->runs};
  full_run full;
  begin_run(&full, s, &in_slabs, &(guard_run){0}, substep, before, substeps, threads);
  if (s->model->constraints.count > 0)
    stepper_keep_softened(s);
  const bool done =
      coupled_advance(&(coupled_run){.shares = &s->shares,
                                     .lists = &s->couplings,
                                     .run = full.run,
                                     .slab = {p->slab[p->current], p->slab[!p->current], p->spare_slab}});
  if (s->model->constraints.count > 0 && done)
    couplings_forget_excess(s, &s->shares);
  else if (s->model->constraints.count > 0)
    constraint_forces_take_softened(&s->constraint_forces, &s->model->constraints);
  return done;
}

/* False, on all ranks, and nothing done, where substeps are not shared, or some position would not be
   finite. */
static bool take_shared(stepper *s, const schedule *c, msd_real substep, int before, int substeps,
                        int threads) {
  particle_store *p = &s->model->particles;
  const spring_input input = input_of(s, substep);
  if (s->ranks.count < 2 || !s->shares.are_made || stepper_why_unshared(s))
    return false;
  if (s->model->integrator != MSD_SYMPLECTIC_EULER && !blocking_all_pins_stand(&input, p->slab[p->current]))
    return false;
  if (!(c->is_plain && blocking_pins_stand(&input, p->slab[p->current])
            ? share_springs(s, c, &input, substeps, threads)
            : share_all(s, c, substep, before, substeps, threads)))
    return false;
  if (substeps % 2 == 1)
    p->current = !p->current;
  else
    particle_swap_spare(p);
  return true;
}

/* Whether substeps in which nothing of surfaces acts may go several at a time. Pins stand where they were sent
   behind the last one of a step. */
static bool may_be_quiet(const stepper *s, const schedule *c) {
  return leaves_to_blocks(s, c, &(guard_run){0}) && s->model->particles.move_count == 0;
}

/* Substeps in which nothing of surfaces acts, if there are some to begin with; < 0: what is near is not known
   for lack of memory. */
static int take_quiet(stepper *s, const schedule *c, msd_real substep, int before, int substeps,
                      int threads) {
  const spring_input in = input_of(s, substep);
  if (!may_be_quiet(s, c))
    return 0;
  int count = touching_quiet(s, &in, before, substeps, threads);
  while (count >= QUIET_SUBSTEPS_MIN) {
    wave_touching touching = touching_wave(s, &in, before, count);
    if (take_in_blocks(s, c, &(guard_run){0}, substep, count, threads, &touching)) {
      self_contact_pass(&s->self, (double)substep, count);
      return pass(s, count);
    }
    self_contact_drop(&s->self);
    count = wave_touching_kept(&touching);
  }
  return int_min(count, 0);
}

/* Substeps behind which surfaces touch. What lists are like changes with those that are made: before a substep
   that fails, and while it is only looked ahead to, it is what it was behind the last one. */
static int take_touching(stepper *s, const schedule *c, msd_real substep, int before, int substeps,
                         int threads) {
  const spring_input first = input_of(s, substep);
  if (before == 0 && !touching_relist(s, &first, threads))
    return 0;
  int done = 0;
  while (done < substeps) {
    const surface_habit habit = s->model->surfaces.habit;
    const int quiet = take_quiet(s, c, substep, before + done, substeps - done, threads);
    if (quiet < 0 || (quiet == 0 && !take_apart(s, c, substep, before + done, threads))) {
      s->model->surfaces.habit = habit;
      break;
    }
    done += int_max(quiet, 1);
  }
  const particle_store *p = &s->model->particles;
  if (before + done == s->model->colliders.substeps)
    self_contact_note_bend(&s->self, &s->model->surfaces.habit, p->slab[p->current], (double)substep);
  return done;
}

static int take(stepper *s, msd_real substep, int before, int substeps, int threads) {
  const schedule c = schedule_of(s);
  guard_run guard = guard_of(s, substep);
  if (take_shared(s, &c, substep, before, substeps, threads))
    return pass(s, substeps);
  if (touching_surfaces_act(s))
    return take_touching(s, &c, substep, before, substeps, threads);
  const spring_input in = input_of(s, substep);
  wave_touching touching = touching_wave(s, &in, before, substeps);
  if (take_in_blocks(s, &c, &guard, substep, substeps, threads, &touching))
    return pass(s, substeps);
  if (take_with_halos(s, &c, &guard, substep, substeps, threads))
    return pass(s, substeps);
  guard.tallies = s->tallies;
  return take_one_by_one(s, &c, &guard, substep, before, substeps, threads);
}

/* A thread without a group would only wait. */
static int most_threads(const stepper *s) {
  return int_min(stepper_threads(s), s->network.group_count);
}

/* With all threads that may be used, or one, as turns out to be faster. */
static int take_with_threads(stepper *s, msd_real substep, int before, int substeps, int most) {
  if (most == 1)
    return take(s, substep, before, substeps, 1);
  const int threads = parallel_trial_begin(&s->thread_trial, most);
  const double start = parallel_clock();
  const int done = take(s, substep, before, substeps, threads);
  parallel_trial_end(&s->thread_trial, (parallel_clock() - start) / substeps);
  return done;
}

/* How many of the substeps that are left to take at once: all, unless the number of threads is being tried, by
   which ranks, who take them together, do not go. */
static int substeps_at_once(const stepper *s, int most, int left) {
  return s->ranks.count < 2 ? parallel_trial_units(&s->thread_trial, most, left) : left;
}

int stepper_advance(stepper *s, msd_real substep, int before, int substeps) {
  if (s->model->particles.count == 0 || (s->sleep.some_sleep && s->sleep.chunks.total == 0))
    return substeps;
  s->lacks_memory = false;
  const int most = most_threads(s);
  int done = 0, asked = 0, taken = 0;
  while (done < substeps && taken == asked) {
    asked = substeps_at_once(s, most, substeps - done);
    taken = take_with_threads(s, substep, before + done, asked, most);
    done += taken;
  }
  return done;
}
