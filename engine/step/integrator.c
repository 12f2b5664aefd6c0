#include "engine/step/integrator.h"

#include "engine/base/min_max.h"
#include "engine/base/parallel.h"
#include "engine/kernel/records.h"
#include "engine/step/explicit_step.h"
#include "engine/step/extra_forces.h"
#include "engine/step/scaled_energy.h"
#include "engine/step/worker.h"
#include "engine/store/particle.h"

#include <math.h>
#include <string.h>

bool integrator_predicts(msd_integrator integrator) {
  return integrator == MSD_SYMPLECTIC_EULER || integrator == MSD_SEQUENTIAL_IMPULSE;
}

/* Arguments of the energy accounting for particles that are moved after the kick. */
static soft_pin_watch watch_of(const spring_input *in) {
  return (soft_pin_watch){in->tallies,
                          in->net->inverse_mass,
                          in->force,
                          {(double)in->gravity[0], (double)in->gravity[1], (double)in->gravity[2]}};
}

/* Soft pins replace the drift of the kernel by their own exact motion. */
static bool move_soft_pins(const worker *w, const spring_input *in, size_t first, size_t last) {
  if (w->run->soft_pins.count == 0)
    return true;
  const soft_pin_slice soft_pins = soft_pin_forces(w, first, last, w->elapsed);
  const soft_pin_watch watch = watch_of(in);
  if (in->tallies)
    soft_pin_watch_kick(&soft_pins, &watch, w->read, w->write);
  const bool finite = soft_pin_move(&soft_pins, w->read, w->write, w->run->records[!w->from], !w->from);
  if (in->tallies)
    soft_pin_watch_move(&soft_pins, &watch, w->write);
  return finite;
}

/* Energy accounting treats a particle whose velocity changes after the kick like a kinematic pin: the spring
   work on it uses its final velocity. Soft-pinned particles are handled by soft_pin_correct. */
static void watch_change(const worker *w, const soft_pin_slice *soft_pins, const soft_pin_watch *watch,
                         size_t slot, const double change[3]) {
  for (int c = 0; c < 3 && soft_pins->decay > 0 && !soft_pin_holds(soft_pins, slot); c++) {
    const size_t v = (size_t)(c + 3) * soft_pins->stride + slot;
    const double kicked = ((double)w->write[v] - change[c]) / soft_pins->decay - (double)w->read[v];
    if (change[c] != 0)
      watch->tallies[slot / NETWORK_CHUNK].work +=
          soft_pin_watch_force(soft_pins, watch, slot, c, kicked) * change[c];
  }
}

/* Sum of f . (v' - v*) over the slots first..last-1, as integrator_work_of_changes. */
static double work_of_changes(const soft_pin_slice *soft_pins, const soft_pin_watch *watch,
                              const msd_real *read, const msd_real *kicked, const msd_real *written,
                              size_t first, size_t last, bool skips_soft_pins) {
  double sum = 0;
  for (size_t slot = first; slot < last && soft_pins->decay > 0; slot++)
    for (size_t c = 0; c < 3 && watch->inverse_mass[slot] > 0; c++) {
      const size_t at = c * soft_pins->stride + slot, v = at + 3 * soft_pins->stride;
      const double change = (double)written[v] - (double)kicked[at];
      if (change == 0)
        continue;
      const double kick = (double)kicked[at] / soft_pins->decay - (double)read[v];
      if (!soft_pin_holds(soft_pins, slot))
        sum += change * soft_pin_watch_force(soft_pins, watch, slot, (int)c, kick);
      else if (!skips_soft_pins)
        sum += change * soft_pin_kept_force(soft_pins, slot, (int)c);
    }
  return sum;
}

double integrator_work_of_changes(const substep_inputs *run, const msd_real *read, const msd_real *kicked,
                                  const msd_real *written, double elapsed) {
  const size_t particles = (size_t)run->input.net->group_count * NETWORK_GROUP;
  const worker w = {.run = run};
  const soft_pin_slice soft_pins = soft_pin_forces(&w, 0, particles, elapsed);
  const soft_pin_watch watch = watch_of(&run->input);
  return work_of_changes(&soft_pins, &watch, read, kicked, written, 0, particles, false);
}

/* Copies the velocities of the slots of a thread, so that changes by wind are seen. */
static void keep_velocities(const worker *w) {
  const size_t stride = w->run->input.stride, first = first_particle(w);
  for (size_t c = 0; c < 3; c++)
    memcpy(w->run->scratch + c * stride + first, w->write + (c + 3) * stride + first,
           (last_particle(w) - first) * sizeof *w->write);
}

static void watch_kept(const worker *w, const soft_pin_slice *soft_pins, const soft_pin_watch *watch) {
  for (int32_t group = w->groups.first; group < w->groups.last; group++) {
    const size_t first = (size_t)group * NETWORK_GROUP;
    watch->tallies[first / NETWORK_CHUNK].work += work_of_changes(
        soft_pins, watch, w->read, w->run->scratch, w->write, first, first + NETWORK_GROUP, true);
  }
}

/* Velocity changes after the kick in a group of particles, in m/s. */
typedef struct group_change {
  double of[NETWORK_GROUP][3];
  bool some;
} group_change;

static void add_change(group_change *to, const msd_real *from, size_t stride, double factor) {
  for (size_t lane = 0; lane < NETWORK_GROUP; lane++)
    for (size_t c = 0; c < 3; c++)
      to->of[lane][c] += (double)from[c * stride + lane] * factor;
  to->some = true;
}

/* Velocity changes by hard limits and colliders. */
static group_change change_of_group(const worker *w, int32_t group) {
  group_change change = {.some = false};
  const substep_inputs *run = w->run;
  if (run->hard_limits) {
    const hard_limit_list *list = run->hard_limits;
    const int32_t k = hard_limit_list_within(list, (parallel_range){group, group + 1}).first;
    if (k < list->group_count && list->groups[k] == group && list->moves[k])
      add_change(&change, list->moved + (size_t)k * 3 * HARD_LIMIT_LANES, HARD_LIMIT_LANES,
                 1 / (double)run->input.dt);
  }
  if (run->contact && run->contact->work->is_pushed[group])
    add_change(&change, run->contact->work->given + (size_t)group * CONTACT_GROUP, run->contact->work->stride,
               1);
  return change;
}

static void watch_changes(const worker *w, const soft_pin_slice *soft_pins, const soft_pin_watch *watch) {
  for (int32_t group = w->groups.first; group < w->groups.last; group++) {
    const group_change change = change_of_group(w, group);
    for (size_t lane = 0; lane < NETWORK_GROUP && change.some; lane++)
      watch_change(w, soft_pins, watch, (size_t)group * NETWORK_GROUP + lane, change.of[lane]);
  }
}

static bool act_wind(const worker *w, const spring_input *in) {
  const integrator_wind *wind = w->run->wind;
  return wind_act(&(wind_thread){.work = wind->work,
                                 .wind = wind->wind,
                                 .before = w->read,
                                 .behind = w->write,
                                 .stride = in->stride,
                                 .records = w->run->records[!w->from],
                                 .inverse_mass = in->net->inverse_mass,
                                 .dt = (double)in->dt,
                                 .time = wind->step_time + w->elapsed,
                                 .faces = wind->faces,
                                 .chunks = wind->chunks,
                                 .groups = w->groups,
                                 .barrier = w->barrier,
                                 .thread = w->thread,
                                 .threads = w->threads,
                                 .simd = wind->simd});
}

static bool act_hard_limits(const worker *w, const spring_input *in) {
  const substep_inputs *run = w->run;
  return hard_limit_list_act(
      &(hard_limit_thread){.list = run->hard_limits,
                           .kernel = run->kernels->hard_limits,
                           .state = {w->read, w->write, in->stride, in->net->inverse_mass, in->dt},
                           .records = run->records[!w->from],
                           .groups = w->groups,
                           .chunks = run->caught,
                           .barrier = w->barrier,
                           .threads = w->threads});
}

static bool act_contacts(const worker *w, const spring_input *in) {
  const integrator_contact *contact = w->run->contact;
  const double all = contact->colliders->substeps;
  return contact_act(&(contact_thread){.work = contact->work,
                                       .kernel = w->run->kernels->contacts,
                                       .colliders = contact->colliders,
                                       .settings = contact->settings,
                                       .thread = w->thread,
                                       .groups = w->groups,
                                       .awake = contact->chunks,
                                       .before = w->read,
                                       .behind = w->write,
                                       .stride = in->stride,
                                       .records = w->run->records[!w->from],
                                       .inverse_mass = in->net->inverse_mass,
                                       .dt = in->dt,
                                       .loose = contact->loose,
                                       .force = in->force,
                                       .gravity = {in->gravity[0], in->gravity[1], in->gravity[2]},
                                       .share_before = w->taken / all,
                                       .share_behind = (w->taken + 1) / all});
}

/* Applies hard length limits, then collider contact. */
static bool hold(const worker *w, const spring_input *in) {
  const substep_inputs *run = w->run;
  const bool finite = !run->hard_limits || act_hard_limits(w, in);
  if (!run->hard_limits && run->down && !run->wind && !run->scaling)
    parallel_wait(w->barrier, w->threads); /* the chunks of a thread differ from its groups */
  return run->contact ? act_contacts(w, in) && finite : finite;
}

/* Applies wind, hard limits and contact to the predicted state, in this order. All threads call it. */
static bool correct(const worker *w, const spring_input *in, bool finite) {
  const substep_inputs *run = w->run;
  if (!run->hard_limits && !run->contact && !run->wind)
    return finite;
  const soft_pin_slice soft_pins = soft_pin_forces(w, first_particle(w), last_particle(w), w->elapsed);
  const soft_pin_watch watch = watch_of(in);
  const bool keeps = in->tallies && run->wind;
  if (keeps)
    keep_velocities(w);
  if (run->wind)
    finite = act_wind(w, in) && finite;
  finite = hold(w, in) && finite;
  if (keeps)
    watch_kept(w, &soft_pins, &watch);
  else if (in->tallies)
    watch_changes(w, &soft_pins, &watch);
  soft_pin_correct(&soft_pins, in->tallies ? &watch : NULL, w->write, !w->from);
  return finite;
}

/* Particles of the largest of `threads` ranges of complete chunks. */
static int32_t range_particles(const network *net, int threads) {
  return (net->chunk_count / threads + 1) * NETWORK_CHUNK;
}

size_t integrator_down_size(const network *net, int threads) {
  return spring_down_size(net, range_particles(net, threads), threads);
}

/* Range of groups that one thread processes by diagonal blocks, with its buffer of carried sums. */
typedef struct run_part {
  int32_t first, last;
  spring_down down;
} run_part;

typedef bool run_part_visit(const worker *w, const spring_input *in, const run_part *part);

/* Visits one range of chunks for each requested thread, even if fewer threads run. Returns true if all visits
   do. */
static bool visit_runs(const worker *w, const spring_input *in, run_part_visit *visit) {
  const substep_inputs *run = w->run;
  const network *net = in->net;
  const int32_t particles = range_particles(net, run->threads);
  bool finite = true;
  for (int range = w->thread; range < run->threads; range += w->threads) {
    const parallel_range own = span_share(&run->awake, net->chunk_count, range, run->threads);
    for (parallel_range chunks = {own.first, own.first}; span_next(&run->awake, 1, own, &chunks);) {
      const int32_t last = chunks.last * NETWORK_CHUNK_GROUPS;
      const run_part part = {
          chunks.first * NETWORK_CHUNK_GROUPS, int_min(last, net->group_count),
          spring_down_place(run->down, net, particles, range, run->slab[0], chunks.first * NETWORK_CHUNK)};
      finite = visit(w, in, &part) && finite;
    }
  }
  return finite;
}

static bool advance_part(const worker *w, const spring_input *in, const run_part *part) {
  return w->run->kernels->springs.advance_runs(in, &part->down, part->first, part->last) &&
         move_soft_pins(w, in, (size_t)part->first * NETWORK_GROUP, (size_t)part->last * NETWORK_GROUP);
}

static bool advance_runs(const worker *w, const spring_input *in) {
  return visit_runs(w, in, advance_part);
}

/* Waits for all threads at the end of a pass, and sums their tallies. */
static spring_tally sum_tallies(const worker *w, const spring_input *in) {
  parallel_wait(w->barrier, w->threads);
  return spring_tally_sum(in->tallies, in->net->chunk_count);
}

/* Selects the tallies for the next pass. They alternate, because a slower thread may still read the previous
   ones. */
static void change_tallies(const worker *w, spring_input *in) {
  in->tallies = w->run->limiter.tallies + w->limiter->passes++ % 2 * in->net->chunk_count;
}

/* Decides about the substep from the sums of a measuring pass. */
static limiter_decision decide_limit(const worker *w, spring_input *in, const spring_tally *sum) {
  limiter_state *state = w->limiter;
  const limiter_decision order = energy_limiter_measure(&state->limiter, sum, state->is_continued);
  state->is_continued = true;
  if (order.answer != LIMITER_NEEDS_SECOND_PASS)
    return order;
  change_tallies(w, in);
  w->run->kernels->springs.watch(in, &(energy_meter){.pass = SPRING_PASS_RESERVE}, w->groups.first,
                                 w->groups.last);
  const spring_tally reserve = sum_tallies(w, in);
  return energy_limiter_reserve(&state->limiter, &reserve);
}

/* Runs the scaling pass that the limiter decided. */
static bool scale_springs(const worker *w, const spring_input *in, const limiter_decision *order,
                          msd_real *out) {
  const energy_meter scale = {SPRING_PASS_SCALE, (msd_real)order->kept, (msd_real)order->turned, out};
  return w->run->kernels->springs.watch(in, &scale, w->groups.first, w->groups.last);
}

/* Repeats the substep with scaled spring forces if its energy gain exceeds the allowance. */
static bool limit_substep(const worker *w, spring_input *in, bool finite) {
  spring_tally sum = sum_tallies(w, in);
  const limiter_decision order = decide_limit(w, in, &sum);
  if (order.answer == LIMITER_SCALE) {
    change_tallies(w, in);
    finite = scale_springs(w, in, &order, NULL);
    finite = move_soft_pins(w, in, first_particle(w), last_particle(w)) && finite;
    sum = sum_tallies(w, in);
  }
  if (w->run->hard_limits || w->run->contact || w->run->wind) {
    finite = correct(w, in, finite);
    sum = sum_tallies(w, in);
  }
  energy_limiter_commit(&w->limiter->limiter, &order, sum.work, (double)in->dt);
  return finite;
}

static bool advance_rows(const worker *w, const spring_input *in) {
  bool finite = true;
  for (parallel_range groups = no_part(w); next_part(w, &groups);)
    finite =
        w->run->kernels->springs.advance_rows(in, groups.first, groups.last) &&
        move_soft_pins(w, in, (size_t)groups.first * NETWORK_GROUP, (size_t)groups.last * NETWORK_GROUP) &&
        finite;
  return finite;
}

static bool store_part(const worker *w, const spring_input *in, const run_part *part) {
  w->run->kernels->springs.run_accelerations(in, &part->down, scaled_start(w->run->scaling), part->first,
                                             part->last);
  return true;
}

static spring_input forces_of_scaled(const worker *w, const spring_input *in, network *net) {
  const substep_inputs *run = w->run;
  return scaled_forces(run->scaling, in, run->acting.forces ? run->acting.forces->force : NULL, net);
}

/* Computes the spring accelerations for a kick with scaled masses. */
static void begin_scaled(const worker *w, const spring_input *in) {
  const substep_inputs *run = w->run;
  network net;
  const spring_input forces = forces_of_scaled(w, in, &net);
  sum_forces(w, w->read, w->elapsed);
  if (!run->down) {
    run->kernels->springs.accelerations(&forces, scaled_start(run->scaling), w->groups.first, w->groups.last);
    return;
  }
  if (forces.force)
    parallel_wait(w->barrier, w->threads); /* the chunks of a thread differ from its groups */
  visit_runs(w, &forces, store_part);
  if (run->scaling->levels[0].start.quads || in->tallies) /* each uses its own groups */
    parallel_wait(w->barrier, w->threads);
}

/* begin_scaled with the energy limiter: uses scaled spring forces if the energy gain exceeds the
   allowance. */
static limiter_decision begin_guarded(const worker *w, spring_input *in) {
  change_tallies(w, in);
  begin_scaled(w, in);
  scaled_energy_begin(in, w->read, w->groups);
  const spring_tally sum = sum_tallies(w, in);
  const limiter_decision order = decide_limit(w, in, &sum);
  if (order.answer == LIMITER_SCALE) {
    network net;
    change_tallies(w, in);
    const spring_input forces = forces_of_scaled(w, in, &net);
    scale_springs(w, &forces, &order, scaled_start(w->run->scaling));
  }
  return order;
}

/* Applies wind once. Then applies hard limits and contact until they change no velocity, at most
   SCALED_PASSES_MAX times. Each change passes through the operator C of mass scaling. */
static bool change_scaled(const worker *w, const spring_input *in, const scaled_thread *scaled, bool finite) {
  const substep_inputs *run = w->run;
  bool changed = run->hard_limits || run->contact || run->wind;
  for (int turn = run->wind ? -1 : 0; turn < SCALED_PASSES_MAX && changed; turn++) {
    scaled_begin_change(scaled, in);
    const bool acted = turn < 0 ? act_wind(w, in) : hold(w, in);
    finite = scaled_end_change(scaled, in, &changed) && acted && finite;
    if (run->contact && changed) /* C also moves particles without contact */
      contact_work_forget_own(run->contact->work, first_particle(w), last_particle(w));
    changed = turn < 0 ? run->hard_limits || run->contact : changed;
  }
  return finite;
}

/* Substep with selective mass scaling. */
static bool advance_scaled(const worker *w, spring_input *in) {
  const substep_inputs *run = w->run;
  const scaled_thread scaled = {run->scaling, run->kernels, w->barrier, w->thread, w->threads, w->groups};
  if (!run->limiter.limiter) {
    begin_scaled(w, in);
    const bool finite = scaled_step(&scaled, in);
    return change_scaled(w, in, &scaled, finite);
  }
  const limiter_decision order = begin_guarded(w, in);
  bool finite = scaled_step(&scaled, in);
  scaled_energy_of_kick(in, w->read, w->write, w->groups);
  if (run->hard_limits || run->contact || run->wind) {
    scaled_energy_of_change(in, w->write, -1, w->groups);
    finite = change_scaled(w, in, &scaled, finite);
    scaled_energy_of_change(in, w->write, 1, w->groups);
  }
  const spring_tally sum = sum_tallies(w, in);
  energy_limiter_commit(&w->limiter->limiter, &order, sum.work, (double)in->dt);
  return finite;
}

static bool advance_springs(const worker *w) {
  const substep_inputs *run = w->run;
  spring_input in = run->input;
  const bool alone = run->records_alone;
  in.read = in.pins = (spring_source){alone ? NULL : w->read, run->records[w->from]};
  in.write = (spring_target){alone ? NULL : w->write, run->records[!w->from]};
  if (run->scaling)
    return advance_scaled(w, &in);
  sum_forces(w, w->read, w->elapsed);
  if (run->projected.springs)
    return correct(w, &in, projected_step(&run->projected, &in, w->barrier, w->thread, w->threads));
  if (run->limiter.limiter)
    change_tallies(w, &in);
  if (run->down && run->acting.forces)
    parallel_wait(w->barrier, w->threads); /* the chunks of a thread differ from its groups */
  const bool finite = run->down ? advance_runs(w, &in) : advance_rows(w, &in);
  return run->limiter.limiter ? limit_substep(w, &in, finite) : correct(w, &in, finite);
}

/* v' = v + dt (f/m + g), x' = x + dt v'. The kernel computes all of it in one pass. */
static bool symplectic_euler(const worker *w) {
  const bool finite = advance_springs(w);
  constraint_account_end(w);
  return finite;
}

static void copy_velocities(const worker *w) {
  const size_t first = first_particle(w), bytes = (last_particle(w) - first) * sizeof *w->write;
  for (size_t c = VELOCITY_X; c < COMPONENTS; c++)
    memcpy(w->write + c * w->run->input.stride + first, w->read + c * w->run->input.stride + first, bytes);
}

/* v' = v + (impulses of springs and constraints, in order) + dt (f/m + g) of the other forces, x' = x + dt
   v'. */
static bool sequential_impulse(const worker *w) {
  const spring_input *in = &w->run->input;
  const integrator_impulses *impulses = &w->run->impulses;
  const msd_real dt = in->dt;
  const constraint_impulse_thread constraints = {
      .impulses = impulses->constraints,
      .store = impulses->constraint_store,
      .position = w->read,
      .velocity = w->write + VELOCITY_X * in->stride,
      .stride = in->stride,
      .dt = dt,
      .begin = impulses->warm_start ? impulses->constraint_given[w->from] : NULL,
      .given = impulses->constraint_given[!w->from],
      .barrier = w->barrier,
      .thread = w->thread,
      .threads = w->threads};
  copy_velocities(w);
  parallel_wait(w->barrier, w->threads);
  spring_impulses_solve(
      &(spring_impulse_thread){.springs = impulses->springs,
                               .net = in->net,
                               .side = impulses->side,
                               .position = w->read,
                               .velocity = w->write + VELOCITY_X * in->stride,
                               .stride = in->stride,
                               .dt = dt,
                               .iterations = impulses->iterations,
                               .begin = impulses->warm_start ? impulses->given[w->from] : NULL,
                               .given = impulses->given[!w->from],
                               .constraints = impulses->constraints ? &constraints : NULL,
                               .barrier = w->barrier,
                               .thread = w->thread,
                               .threads = w->threads});
  bool finite = true;
  for (size_t c = 0; c < 3; c++) {
    const msd_real *x = w->read + c * in->stride, *force = in->force ? in->force + c * in->stride : NULL;
    msd_real *next_x = w->write + c * in->stride, *v = next_x + 3 * in->stride;
    for (size_t i = first_particle(w); i < last_particle(w); i++) {
      const msd_real inverse = in->net->inverse_mass[i];
      const msd_real a = (force ? force[i] * inverse : 0) + in->gravity[c];
      if (inverse > 0)
        v[i] = (v[i] + dt * a) * in->decay;
      next_x[i] = x[i] + dt * v[i];
      if (in->loose && in->loose[i] > 0)
        next_x[i] -= dt * dt / 2 * a;
      finite = finite && isfinite(next_x[i]) && isfinite(v[i]);
    }
  }
  finite = move_soft_pins(w, in, first_particle(w), last_particle(w)) && finite;
  return correct(w, in, finite);
}

typedef bool substep_method(const worker *w);

static substep_method *const methods[MSD_INTEGRATOR_COUNT] = {
    [MSD_SYMPLECTIC_EULER] = symplectic_euler,     [MSD_EXPLICIT_EULER] = explicit_euler_step,
    [MSD_VELOCITY_VERLET] = velocity_verlet_step,  [MSD_RK4] = rk4_step,
    [MSD_SEQUENTIAL_IMPULSE] = sequential_impulse,
};

typedef struct shared {
  const substep_inputs *run;
  /* Synchronizes the threads after each substep. */
  phase_barrier meeting;
  /* Final state of the limiter on thread 0; all threads have the same. */
  energy_limiter limiter;
  constraint_account account;
} shared;

/* Copies the slots of a thread from a SoA state to its AoS records. end_records copies them back. */
static void begin_records(const worker *w, int state) {
  const substep_inputs *run = w->run;
  for (parallel_range groups = no_part(w); next_part(w, &groups);)
    records_from_slab(run->slab[state], run->input.stride, run->records[state],
                      (size_t)groups.first * NETWORK_GROUP, (size_t)groups.last * NETWORK_GROUP);
}

static void end_records(const worker *w, int state) {
  const substep_inputs *run = w->run;
  for (parallel_range groups = no_part(w); next_part(w, &groups);)
    records_to_slab(run->records[state], run->slab[state], run->input.stride,
                    (size_t)groups.first * NETWORK_GROUP, (size_t)groups.last * NETWORK_GROUP);
}

/* Energy tallies are per chunk, so with the limiter a thread gets complete chunks. */
static parallel_range groups_of(const substep_inputs *run, int thread, int threads) {
  const network *net = run->input.net;
  if (!run->limiter.limiter && !run->awake.spans)
    return parallel_split(net->group_count, thread, threads);
  const parallel_range chunks = span_share(&run->awake, net->chunk_count, thread, threads);
  const int32_t last = chunks.last * NETWORK_CHUNK_GROUPS;
  return (parallel_range){chunks.first * NETWORK_CHUNK_GROUPS,
                          last < net->group_count ? last : net->group_count};
}

static void work(void *context, int thread, int threads) {
  shared *s = context;
  const substep_inputs *run = s->run;
  limiter_state limiter = {.is_continued = run->limiter.is_continued,
                           .constraints_continue = run->account.is_continued};
  if (run->limiter.limiter)
    limiter.limiter = *run->limiter.limiter;
  if (run->account.account)
    limiter.constraints = *run->account.account;
  worker w = {
      .run = run,
      .barrier = &s->meeting.barrier,
      .thread = thread,
      .threads = threads,
      .groups = groups_of(run, thread, threads),
      .limiter = &limiter,
  };
  if (run->records[0]) {
    begin_records(&w, run->current);
    parallel_wait(w.barrier, threads);
  }
  bool well = true;
  for (int substep = 0; substep < run->substeps && well; substep++) {
    w.from = (run->current + substep) % 2;
    w.taken = run->before + substep;
    w.elapsed = w.taken * (double)run->input.dt;
    w.read = run->slab[w.from];
    w.write = run->slab[!w.from];
    well = phase_barrier_wait(&s->meeting, threads, substep, methods[run->integrator](&w));
  }
  if (run->limiter.limiter && thread == 0)
    s->limiter = limiter.limiter;
  if (run->account.account && thread == 0)
    s->account = limiter.constraints;
  if (run->records_alone) {
    end_records(&w, !w.from);
    if (!well)
      end_records(&w, w.from);
  }
}

int integrator_advance(const substep_inputs *run) {
  shared s = {.run = run};
  phase_barrier_begin(&s.meeting);
  parallel_run(run->tasks, run->threads, work, &s);
  if (run->limiter.limiter)
    *run->limiter.limiter = s.limiter;
  if (run->account.account)
    *run->account.account = s.account;
  const int failed = phase_barrier_failed(&s.meeting);
  return failed < run->substeps ? failed : run->substeps;
}
