#include "engine/step/schedule.h"

#include "engine/step/integrator.h"
#include "engine/step/temporal_blocking.h"

static msd_result prepare_scratch(stepper *s) {
  const particle_store *p = &s->model->particles;
  const int components = integrator_scratch_components(s->model->integrator);
  const size_t needed = p->stride * (size_t)components;
  if (needed <= s->scratch_size)
    return MSD_OK;
  memory_release(&s->model->memory, s->scratch_block);
  s->scratch_size = 0;
  s->scratch = particle_allocate_slab(p, &s->model->memory, components, &s->scratch_block);
  if (!s->scratch)
    return report_fail(&s->model->report, MSD_OUT_OF_MEMORY, "no memory for the stages of %s",
                       msd_integrator_name(s->model->integrator));
  s->scratch_size = needed;
  return MSD_OK;
}

static bool has_acting_anchors(const stepper *s) {
  return s->model->anchors.count > 0 && !anchor_is_exact(s->model->integrator);
}

bool substeps_have_forces(const stepper *s) {
  return (s->model->integrator != MSD_SEQUENTIAL_IMPULSE && s->model->constraints.count > 0) ||
         has_acting_anchors(s);
}

/* Evaluating each spring once pays, as measured with cloths and meshes, from two chunks up, where most springs are
   contiguous, and while the state and the springs fit in a cache. Beyond it the rows are faster, which read fewer
   streams, and more so when they ask for memory ahead; in a cache that costs a tenth. Below RECORDS_SHARE of indexed
   springs, as along the borders of a cloth, records cost more than they save. Where most springs are indexed, reading
   the others from the records too costs less than keeping the slabs up to date. */
enum { RUNS_CHUNKS_MIN = 2, CACHED_PARTICLES_MAX = 400000 };
static const double RUNS_SHARE_MIN = 0.5, RECORDS_SHARE = 0.1;

typedef struct way {
  bool plain;         /* symplectic Euler, where nothing but springs, drag and given forces acts */
  bool cached;        /* the network fits in a cache */
  bool runs;          /* each contiguous spring can be evaluated once */
  bool records;       /* there are records */
  bool records_alone; /* the state is nowhere else between the first and the last substep */
} way;

static way way_of(const stepper *s) {
  const network *net = &s->network;
  const double contiguous = network_contiguous_share(net);
  const bool is_euler = s->model->integrator == MSD_SYMPLECTIC_EULER;
  way w = {.cached = s->model->particles.count <= CACHED_PARTICLES_MAX};
  w.plain = is_euler && !substeps_have_forces(s) && s->model->anchors.count == 0;
  w.runs = is_euler && step_choose(s->simd).advance_runs && net->run_count > 0 &&
           net->chunk_count >= RUNS_CHUNKS_MIN && contiguous >= RUNS_SHARE_MIN;
  w.records = is_euler && step_width(s->simd) != MSD_SIMD_SCALAR && contiguous < 1 - RECORDS_SHARE;
  w.records_alone = w.records && w.plain && contiguous < RUNS_SHARE_MIN;
  return w;
}

/* What there is stays when there is no memory for more. */
static bool reserve_down(stepper *s, size_t needed) {
  if (needed <= s->down_size)
    return true;
  msd_real *larger = memory_allocate(&s->model->memory, needed * sizeof *larger);
  if (!larger)
    return false;
  memory_release(&s->model->memory, s->down);
  s->down = larger;
  s->down_size = needed;
  return true;
}

static msd_result prepare_down(stepper *s, const way *w) {
  if (!w->runs || !w->cached)
    return MSD_OK;
  const size_t alone = integrator_down_size(&s->network, 1);
  const size_t shared = integrator_down_size(&s->network, stepper_threads(s));
  if (reserve_down(s, alone > shared ? alone : shared))
    return MSD_OK;
  return report_fail(&s->model->report, MSD_OUT_OF_MEMORY, "no memory for the sums of %d springs",
                     (int)s->model->springs.count);
}

/* Rows are read past the first and the last particle. */
static msd_real *records_of(const stepper *s, int state) {
  return s->records[state] + PARTICLE_GUARD * STEP_RECORD;
}

static msd_result prepare_records(stepper *s, const way *w) {
  const size_t particles = (size_t)s->network.group_count * NETWORK_GROUP;
  const size_t needed = (particles + 2 * PARTICLE_GUARD) * STEP_RECORD;
  if (!w->records || needed <= s->records_size)
    return MSD_OK;
  s->records_size = 0;
  for (int n = 0; n < 2; n++) {
    memory_release(&s->model->memory, s->records[n]);
    s->records[n] = memory_allocate(&s->model->memory, needed * sizeof(msd_real));
    if (!s->records[n])
      return report_fail(&s->model->report, MSD_OUT_OF_MEMORY, "no memory for the records of %d particles",
                         (int)s->model->particles.count);
  }
  s->records_size = needed;
  return MSD_OK;
}

static msd_result prepare_forces(stepper *s) {
  if (!substeps_have_forces(s))
    return MSD_OK;
  constraint_forces *f = &s->constraint_forces;
  memory *m = &s->model->memory;
  const particle_store *p = &s->model->particles;
  const revision now = revision_of_constraint_layout(&s->model->revision);
  bool done = revision_holds(&f->made_for, now);
  if (!done && constraint_forces_make(f, m, &s->model->constraints, p)) {
    f->made_for = now;
    done = true;
  }
  if (done && constraint_forces_apply(f, m, p, p->forced ? p->force : NULL, has_acting_anchors(s)))
    return MSD_OK;
  return report_fail(&s->model->report, MSD_OUT_OF_MEMORY, "no memory for the forces of %d constraints",
                     (int)s->model->constraints.count);
}

msd_result substeps_prepare(stepper *s) {
  const way w = way_of(s);
  msd_result result = prepare_scratch(s);
  if (result == MSD_OK)
    result = prepare_down(s, &w);
  if (result == MSD_OK)
    result = prepare_records(s, &w);
  if (result == MSD_OK)
    result = prepare_forces(s);
  return result;
}

void substeps_release(stepper *s) {
  particle_release_spare(&s->model->particles, &s->model->memory);
  memory_release(&s->model->memory, s->down);
  s->down = NULL;
  s->down_size = 0;
}

/* A vector kernel also fails where a lane without a spring meets a neighbour too far off for a difference that
   is finite: 0 times infinity is no number. The scalar kernel looks at springs alone, and has the last word
   about a substep. Returns how many were done. */
static int advance_surely(const integrator_run *start) {
  integrator_run run = *start;
  int done = integrator_advance(&run);
  while (done < start->substeps) {
    run.kernel = step_choose(MSD_SIMD_SCALAR);
    run.records[0] = run.records[1] = NULL;
    run.records_alone = false;
    run.down = NULL;
    run.current = (start->current + done) % 2;
    run.anchors.before = start->anchors.before + done;
    run.substeps = 1;
    if (integrator_advance(&run) == 0)
      break;
    done++;
    run = *start;
    run.current = (start->current + done) % 2;
    run.anchors.before = start->anchors.before + done;
    run.substeps = start->substeps - done;
    if (run.substeps > 0)
      done += integrator_advance(&run);
  }
  return done;
}

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
  const particle_store *p = &s->model->particles;
  if (!substeps_have_forces(s))
    return (integrator_acting){0};
  return (integrator_acting){.forces = &s->constraint_forces,
                             .kernel = constraint_kernel_choose(s->simd),
                             .applied = p->forced ? p->force : NULL,
                             .anchors = has_acting_anchors(s)};
}

static step_input input_of(const stepper *s, msd_real substep) {
  const particle_store *p = &s->model->particles;
  return (step_input){.net = &s->network,
                      .stride = p->stride,
                      .inverse_mass = s->network.inverse_mass,
                      .force = p->forced ? p->force : NULL,
                      .gravity = {s->model->gravity.x, s->model->gravity.y, s->model->gravity.z},
                      .time_step = substep,
                      .decay = (msd_real)integrator_drag_decay((double)s->model->air_drag, (double)substep)};
}

/* All substeps in few passes through memory, where that is faster. False, and nothing done, where it is not, or there
   is no memory for it, or some position would not be finite. */
static bool take_waves(stepper *s, const way *w, msd_real substep, int substeps, int threads) {
  particle_store *p = &s->model->particles;
  if (!w->plain || w->records != w->records_alone)
    return false;
  wave_run run = {
      .shape = wave_choose(&s->network, threads, substeps),
      .kernel = step_choose(s->simd),
      .input = input_of(s, substep),
      .threads = threads,
      .substeps = substeps,
  };
  if (run.shape.depth < WAVE_DEPTH_MIN || !wave_pins_stand(&run.input, p->slab[p->current]) ||
      (w->runs && !reserve_down(s, wave_down_size(&s->network, &run.shape, threads))) ||
      (!w->records && !particle_reserve_spare(p, &s->model->memory)))
    return false;
  run.down = w->runs ? s->down : NULL;
  run.slab[0] = p->slab[p->current];
  run.slab[1] = p->slab[!p->current];
  run.slab[2] = p->spare_slab;
  for (int state = 0; state < 2 && w->records; state++)
    run.records[state] = records_of(s, state);
  if (!wave_advance(&run))
    return false;
  if (wave_slab(&run, substeps) == 1)
    p->current = !p->current;
  else
    particle_swap_spare(p);
  return true;
}

static int take_one_by_one(stepper *s, const way *w, msd_real substep, int before, int substeps,
                           int threads) {
  particle_store *p = &s->model->particles;
  const integrator_acting acting = acting_on(s);
  integrator_run run = {
      .integrator = s->model->integrator,
      .kernel = step_choose(s->simd),
      .input = input_of(s, substep),
      .slab = {p->slab[0], p->slab[1]},
      .current = p->current,
      .scratch = s->scratch,
      .records_alone = w->records_alone,
      .down = w->runs && w->cached ? s->down : NULL,
      .impulses = impulses_of(s),
      .anchors = {s->model->anchors.works, s->model->anchors.work_count, before},
      .acting = acting,
      .threads = threads,
      .substeps = substeps,
  };
  for (int state = 0; state < 2 && w->records; state++)
    run.records[state] = records_of(s, state);
  run.input.read_ahead = !w->cached && !w->records_alone;
  if (acting.forces)
    run.input.force = acting.forces->force;
  const int done = advance_surely(&run);
  p->current = (p->current + done) % 2;
  return done;
}

static int take(stepper *s, msd_real substep, int before, int substeps, int threads) {
  const way w = way_of(s);
  return take_waves(s, &w, substep, substeps, threads)
             ? substeps
             : take_one_by_one(s, &w, substep, before, substeps, threads);
}

int substeps_take(stepper *s, msd_real substep, int before, int substeps) {
  if (s->model->particles.count == 0)
    return substeps;
  /* A thread without a group would only wait. */
  const int asked = stepper_threads(s), groups = s->network.group_count;
  const int most = asked < groups ? asked : groups;
  if (s->thread_count > 0 || most == 1)
    return take(s, substep, before, substeps, most);
  const int threads = parallel_trial_begin(&s->thread_trial, most);
  const double start = parallel_clock();
  const int done = take(s, substep, before, substeps, threads);
  parallel_trial_end(&s->thread_trial, (parallel_clock() - start) / substeps);
  return done;
}
