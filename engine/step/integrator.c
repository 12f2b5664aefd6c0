#include "engine/step/integrator.h"

#include "engine/base/min_max.h"
#include "engine/base/parallel.h"
#include "engine/kernel/records.h"
#include "engine/step/acting.h"
#include "engine/step/explicit_step.h"
#include "engine/step/scaled_work.h"
#include "engine/step/worker.h"
#include "engine/store/particle.h"

#include <math.h>
#include <string.h>

bool integrator_predicts(msd_integrator integrator) {
  return integrator == MSD_SYMPLECTIC_EULER || integrator == MSD_SEQUENTIAL_IMPULSE;
}

/* What a guarded substep knows of particles that are moved behind the kick. */
static anchor_watch watch_of(const spring_input *in) {
  return (anchor_watch){in->tallies,
                        in->net->inverse_mass,
                        in->force,
                        {(double)in->gravity[0], (double)in->gravity[1], (double)in->gravity[2]}};
}

/* What a kernel has kicked and let drift goes where its anchor takes it instead. */
static bool move_anchored(const worker *w, const spring_input *in, size_t first, size_t last) {
  if (w->run->anchors.count == 0)
    return true;
  const anchor_slice anchors = acting_anchors(w, first, last, w->elapsed);
  const anchor_watch watch = watch_of(in);
  if (in->tallies)
    anchor_watch_kick(&anchors, &watch, w->read, w->write);
  const bool finite = anchor_move(&anchors, w->read, w->write, w->run->records[!w->from], !w->from);
  if (in->tallies)
    anchor_watch_move(&anchors, &watch, w->write);
  return finite;
}

/* To the springs a particle whose velocity is changed behind the kick is a pin that moves, too: their work is
   that at the velocity it is left with. Anchors see to theirs. */
static void watch_change(const worker *w, const anchor_slice *anchors, const anchor_watch *watch, size_t slot,
                         const double change[3]) {
  for (int c = 0; c < 3 && anchors->decay > 0 && !anchor_holds(anchors, slot); c++) {
    const size_t v = (size_t)(c + 3) * anchors->stride + slot;
    const double kicked = ((double)w->write[v] - change[c]) / anchors->decay - (double)w->read[v];
    if (change[c] != 0)
      watch->tallies[slot / NETWORK_CHUNK].work +=
          anchor_watch_force(anchors, watch, slot, c, kicked) * change[c];
  }
}

/* What has been changed behind the kick in a group of particles, in m/s. */
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

/* By catches and colliders. */
static group_change change_of_group(const worker *w, int32_t group) {
  group_change change = {.some = false};
  const integrator_run *run = w->run;
  if (run->catches) {
    const catch_list *list = run->catches;
    const int32_t k = catch_list_within(list, (parallel_range){group, group + 1}).first;
    if (k < list->group_count && list->groups[k] == group && list->moves[k])
      add_change(&change, list->moved + (size_t)k * 3 * CATCH_LANES, CATCH_LANES,
                 1 / (double)run->input.time_step);
  }
  if (run->contact && run->contact->work->is_pushed[group])
    add_change(&change, run->contact->work->given + (size_t)group * CONTACT_GROUP, run->contact->work->stride,
               1);
  return change;
}

static void watch_changes(const worker *w, const anchor_slice *anchors, const anchor_watch *watch) {
  for (int32_t group = w->groups.first; group < w->groups.last; group++) {
    const group_change change = change_of_group(w, group);
    for (size_t lane = 0; lane < NETWORK_GROUP && change.some; lane++)
      watch_change(w, anchors, watch, (size_t)group * NETWORK_GROUP + lane, change.of[lane]);
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
                                 .time_step = (double)in->time_step,
                                 .time = wind->step_time + w->elapsed,
                                 .faces = wind->faces,
                                 .chunks = wind->chunks,
                                 .groups = w->groups,
                                 .barrier = w->barrier,
                                 .thread = w->thread,
                                 .threads = w->threads,
                                 .simd = wind->simd});
}

static bool act_catches(const worker *w, const spring_input *in) {
  const integrator_run *run = w->run;
  return catch_list_act(
      &(catch_thread){.list = run->catches,
                      .kernel = run->kernels->catches,
                      .state = {w->read, w->write, in->stride, in->net->inverse_mass, in->time_step},
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
                                       .time_step = in->time_step,
                                       .share_before = w->taken / all,
                                       .share_behind = (w->taken + 1) / all});
}

/* Catches take back what has gone too far, and colliders hold particles. */
static bool hold(const worker *w, const spring_input *in) {
  const integrator_run *run = w->run;
  const bool finite = !run->catches || act_catches(w, in);
  if (!run->catches && run->down && !run->wind && !run->scaling)
    parallel_wait(w->barrier, w->threads); /* the chunks of a thread are not its groups */
  return run->contact ? act_contacts(w, in) && finite : finite;
}

/* Behind a substep air pushes, and then they; all threads come. */
static bool correct(const worker *w, const spring_input *in, bool finite) {
  const integrator_run *run = w->run;
  if (!run->catches && !run->contact && !run->wind)
    return finite;
  const anchor_slice anchors = acting_anchors(w, first_particle(w), last_particle(w), w->elapsed);
  const anchor_watch watch = watch_of(in);
  if (run->wind)
    finite = act_wind(w, in) && finite;
  finite = hold(w, in) && finite;
  if (in->tallies)
    watch_changes(w, &anchors, &watch);
  anchor_follow(&anchors, in->tallies ? &watch : NULL, w->write, !w->from);
  return finite;
}

/* The most that one of `threads` ranges of whole chunks has. */
static int32_t range_particles(const network *net, int threads) {
  return (net->chunk_count / threads + 1) * NETWORK_CHUNK;
}

size_t integrator_down_size(const network *net, int threads) {
  return spring_down_size(net, range_particles(net, threads), threads);
}

/* Groups that a thread goes through by runs, and their down sums. */
typedef struct run_part {
  int32_t first, last;
  spring_down down;
} run_part;

typedef bool run_part_visit(const worker *w, const spring_input *in, const run_part *part);

/* One range of chunks for each thread that was asked for, also when fewer have come. Returns whether all visits
   did. */
static bool visit_runs(const worker *w, const spring_input *in, run_part_visit *visit) {
  const integrator_run *run = w->run;
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
         move_anchored(w, in, (size_t)part->first * NETWORK_GROUP, (size_t)part->last * NETWORK_GROUP);
}

static bool advance_runs(const worker *w, const spring_input *in) {
  return visit_runs(w, in, advance_part);
}

/* The sums of all threads behind a pass. */
static spring_tally sum_tallies(const worker *w, const spring_input *in) {
  parallel_wait(w->barrier, w->threads);
  return spring_tally_sum(in->tallies, in->net->chunk_count);
}

/* For the next pass, which writes to other tallies than the one before, as some thread may still read those. */
static void change_tallies(const worker *w, spring_input *in) {
  in->tallies = w->run->guard.tallies + w->guard->passes++ % 2 * in->net->chunk_count;
}

/* Behind a measuring pass, with its sums: what is to be done with the substep. */
static guard_order ask_guard(const worker *w, spring_input *in, const spring_tally *sum) {
  guard_state *state = w->guard;
  const guard_order order = energy_guard_measure(&state->guard, sum, state->is_continued);
  state->is_continued = true;
  if (order.answer != GUARD_ASK_RESERVE)
    return order;
  change_tallies(w, in);
  w->run->kernels->springs.watch(in, &(spring_watch){.pass = SPRING_PASS_RESERVE}, w->groups.first,
                                 w->groups.last);
  const spring_tally reserve = sum_tallies(w, in);
  return energy_guard_reserve(&state->guard, &reserve);
}

/* Into other tallies than the pass before, as it was ordered. */
static bool scale_springs(const worker *w, const spring_input *in, const guard_order *order, msd_real *out) {
  const spring_watch scale = {SPRING_PASS_SCALE, (msd_real)order->kept, (msd_real)order->turned, out};
  return w->run->kernels->springs.watch(in, &scale, w->groups.first, w->groups.last);
}

/* Takes the substep again where it would make more energy than it may. */
static bool guard_substep(const worker *w, spring_input *in, bool finite) {
  spring_tally sum = sum_tallies(w, in);
  const guard_order order = ask_guard(w, in, &sum);
  if (order.answer == GUARD_SCALE) {
    change_tallies(w, in);
    finite = scale_springs(w, in, &order, NULL);
    finite = move_anchored(w, in, first_particle(w), last_particle(w)) && finite;
    sum = sum_tallies(w, in);
  }
  if (w->run->catches || w->run->contact) {
    finite = correct(w, in, finite);
    sum = sum_tallies(w, in);
  }
  energy_guard_commit(&w->guard->guard, &order, sum.work, (double)in->time_step);
  return finite;
}

static bool advance_rows(const worker *w, const spring_input *in) {
  bool finite = true;
  for (parallel_range groups = no_part(w); next_part(w, &groups);)
    finite =
        w->run->kernels->springs.advance_rows(in, groups.first, groups.last) &&
        move_anchored(w, in, (size_t)groups.first * NETWORK_GROUP, (size_t)groups.last * NETWORK_GROUP) &&
        finite;
  return finite;
}

static bool store_part(const worker *w, const spring_input *in, const run_part *part) {
  w->run->kernels->springs.run_accelerations(in, &part->down, scaled_start(w->run->scaling), part->first,
                                             part->last);
  return true;
}

static spring_input forces_of_scaled(const worker *w, const spring_input *in, network *net) {
  const integrator_run *run = w->run;
  return scaled_forces(run->scaling, in, run->acting.forces ? run->acting.forces->force : NULL, net);
}

/* What a kick by scaled masses begins with. */
static void begin_scaled(const worker *w, const spring_input *in) {
  const integrator_run *run = w->run;
  network net;
  const spring_input forces = forces_of_scaled(w, in, &net);
  acting_sum(w, w->read, w->elapsed);
  if (!run->down) {
    run->kernels->springs.accelerations(&forces, scaled_start(run->scaling), w->groups.first, w->groups.last);
    return;
  }
  if (forces.force)
    parallel_wait(w->barrier, w->threads); /* the chunks of a thread are not its groups */
  visit_runs(w, &forces, store_part);
  if (run->scaling->levels[0].start.quads || in->tallies) /* each thread fills and sums those of its groups */
    parallel_wait(w->barrier, w->threads);
}

/* The same, where it would make more energy than it may with forces that make less. */
static guard_order begin_guarded(const worker *w, spring_input *in) {
  change_tallies(w, in);
  begin_scaled(w, in);
  scaled_work_begin(in, w->read, w->groups);
  const spring_tally sum = sum_tallies(w, in);
  const guard_order order = ask_guard(w, in, &sum);
  if (order.answer == GUARD_SCALE) {
    network net;
    change_tallies(w, in);
    const spring_input forces = forces_of_scaled(w, in, &net);
    scale_springs(w, &forces, &order, scaled_start(w->run->scaling));
  }
  return order;
}

/* Air pushes once; what holds is asked until nothing is left. */
static bool change_scaled(const worker *w, const spring_input *in, const scaled_thread *scaled, bool finite) {
  const integrator_run *run = w->run;
  bool changed = run->catches || run->contact || run->wind;
  for (int turn = run->wind ? -1 : 0; turn < SCALED_TURNS && changed; turn++) {
    scaled_begin_change(scaled, in);
    const bool acted = turn < 0 ? act_wind(w, in) : hold(w, in);
    finite = scaled_end_change(scaled, in, &changed) && acted && finite;
    if (run->contact && changed) /* and took along what touches nothing */
      contact_work_forget_own(run->contact->work, first_particle(w), last_particle(w));
    changed = turn < 0 ? run->catches || run->contact : changed;
  }
  return finite;
}

/* Under scaled masses. */
static bool advance_scaled(const worker *w, spring_input *in) {
  const integrator_run *run = w->run;
  const scaled_thread scaled = {run->scaling, run->kernels, w->barrier, w->thread, w->threads, w->groups};
  if (!run->guard.guard) {
    begin_scaled(w, in);
    const bool finite = scaled_step(&scaled, in);
    return change_scaled(w, in, &scaled, finite);
  }
  const guard_order order = begin_guarded(w, in);
  bool finite = scaled_step(&scaled, in);
  scaled_work_of_kick(in, w->read, w->write, w->groups);
  if (run->catches || run->contact || run->wind) {
    scaled_work_of_change(in, w->write, -1, w->groups);
    finite = change_scaled(w, in, &scaled, finite);
    scaled_work_of_change(in, w->write, 1, w->groups);
  }
  const spring_tally sum = sum_tallies(w, in);
  energy_guard_commit(&w->guard->guard, &order, sum.work, (double)in->time_step);
  return finite;
}

/* v' = v + dt (f/m + g), x' = x + dt v'; the kernel does all of it. */
static bool symplectic_euler(const worker *w) {
  const integrator_run *run = w->run;
  spring_input in = run->input;
  const bool alone = run->records_alone;
  in.read = in.pins = (spring_source){alone ? NULL : w->read, run->records[w->from]};
  in.write = (spring_target){alone ? NULL : w->write, run->records[!w->from]};
  if (run->scaling)
    return advance_scaled(w, &in);
  acting_sum(w, w->read, w->elapsed);
  if (run->projected.springs)
    return correct(w, &in, projected_step(&run->projected, &in, w->barrier, w->thread, w->threads));
  if (run->guard.guard)
    change_tallies(w, &in);
  if (run->down && run->acting.forces)
    parallel_wait(w->barrier, w->threads); /* the chunks of a thread are not its groups */
  const bool finite = run->down ? advance_runs(w, &in) : advance_rows(w, &in);
  return run->guard.guard ? guard_substep(w, &in, finite) : correct(w, &in, finite);
}

static void copy_velocities(const worker *w) {
  const size_t first = first_particle(w), bytes = (last_particle(w) - first) * sizeof *w->write;
  for (size_t c = VELOCITY_X; c < COMPONENTS; c++)
    memcpy(w->write + c * w->run->input.stride + first, w->read + c * w->run->input.stride + first, bytes);
}

/* v' = v + the impulses of the springs and constraints in their order + dt (f/m + g) of the other forces, x'
   = x + dt v'. */
static bool sequential_impulse(const worker *w) {
  const spring_input *in = &w->run->input;
  const integrator_impulses *impulses = &w->run->impulses;
  const msd_real dt = in->time_step;
  const constraint_impulse_thread constraints = {
      .impulses = impulses->constraints,
      .store = impulses->constraint_store,
      .position = w->read,
      .velocity = w->write + VELOCITY_X * in->stride,
      .stride = in->stride,
      .time_step = dt,
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
                               .time_step = dt,
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
      if (inverse > 0)
        v[i] = (v[i] + dt * ((force ? force[i] * inverse : 0) + in->gravity[c])) * in->decay;
      next_x[i] = x[i] + dt * v[i];
      finite = finite && isfinite(next_x[i]) && isfinite(v[i]);
    }
  }
  finite = move_anchored(w, in, first_particle(w), last_particle(w)) && finite;
  return correct(w, in, finite);
}

typedef bool substep_method(const worker *w);

static substep_method *const methods[MSD_INTEGRATOR_COUNT] = {
    [MSD_SYMPLECTIC_EULER] = symplectic_euler,     [MSD_EXPLICIT_EULER] = explicit_euler_step,
    [MSD_VELOCITY_VERLET] = velocity_verlet_step,  [MSD_RK4] = rk4_step,
    [MSD_SEQUENTIAL_IMPULSE] = sequential_impulse,
};

typedef struct shared {
  const integrator_run *run;
  /* After each substep. */
  parallel_meeting meeting;
  /* What the first thread knows in the end. */
  energy_guard guard;
} shared;

/* The slots of a thread, from the slab of a state to its records, or back. */
static void begin_records(const worker *w, int state) {
  const integrator_run *run = w->run;
  for (parallel_range groups = no_part(w); next_part(w, &groups);)
    records_from_slab(run->slab[state], run->input.stride, run->records[state],
                      (size_t)groups.first * NETWORK_GROUP, (size_t)groups.last * NETWORK_GROUP);
}

static void end_records(const worker *w, int state) {
  const integrator_run *run = w->run;
  for (parallel_range groups = no_part(w); next_part(w, &groups);)
    records_to_slab(run->records[state], run->slab[state], run->input.stride,
                    (size_t)groups.first * NETWORK_GROUP, (size_t)groups.last * NETWORK_GROUP);
}

/* The tallies of a guarded run are of whole chunks. */
static parallel_range groups_of(const integrator_run *run, int thread, int threads) {
  const network *net = run->input.net;
  if (!run->guard.guard && !run->awake.spans)
    return parallel_split(net->group_count, thread, threads);
  const parallel_range chunks = span_share(&run->awake, net->chunk_count, thread, threads);
  const int32_t last = chunks.last * NETWORK_CHUNK_GROUPS;
  return (parallel_range){chunks.first * NETWORK_CHUNK_GROUPS,
                          last < net->group_count ? last : net->group_count};
}

static void work(void *context, int thread, int threads) {
  shared *s = context;
  const integrator_run *run = s->run;
  guard_state guard = {.is_continued = run->guard.is_continued};
  if (run->guard.guard)
    guard.guard = *run->guard.guard;
  worker w = {
      .run = run,
      .barrier = &s->meeting.barrier,
      .thread = thread,
      .threads = threads,
      .groups = groups_of(run, thread, threads),
      .guard = &guard,
  };
  if (run->records[0]) {
    begin_records(&w, run->current);
    parallel_wait(w.barrier, threads);
  }
  bool well = true;
  for (int substep = 0; substep < run->substeps && well; substep++) {
    w.from = (run->current + substep) % 2;
    w.taken = run->before + substep;
    w.elapsed = w.taken * (double)run->input.time_step;
    w.read = run->slab[w.from];
    w.write = run->slab[!w.from];
    well = parallel_meet(&s->meeting, threads, substep, methods[run->integrator](&w));
  }
  if (run->guard.guard && thread == 0)
    s->guard = guard.guard;
  if (run->records_alone) {
    end_records(&w, !w.from);
    if (!well)
      end_records(&w, w.from);
  }
}

int integrator_advance(const integrator_run *run) {
  shared s = {.run = run};
  parallel_meeting_begin(&s.meeting);
  parallel_run(run->tasks, run->threads, work, &s);
  if (run->guard.guard)
    *run->guard.guard = s.guard;
  const int failed = parallel_meeting_failed(&s.meeting);
  return failed < run->substeps ? failed : run->substeps;
}
