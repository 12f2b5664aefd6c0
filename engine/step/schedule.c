#include "engine/step/schedule.h"

#include "engine/step/integrator.h"
#include "engine/step/temporal_blocking.h"
#include "engine/world/world.h"

static msd_result prepare_scratch(msd_world *world) {
  const particle_store *p = &world->particles;
  const int components = integrator_scratch_components(world->integrator);
  const size_t needed = p->stride * (size_t)components;
  if (needed <= world->scratch_size)
    return MSD_OK;
  memory_release(&world->memory, world->scratch_block);
  world->scratch_size = 0;
  world->scratch = particle_allocate_slab(p, &world->memory, components, &world->scratch_block);
  if (!world->scratch)
    return world_fail(world, MSD_OUT_OF_MEMORY, "no memory for the stages of %s",
                      msd_integrator_name(world->integrator));
  world->scratch_size = needed;
  return MSD_OK;
}

static bool has_acting_anchors(const msd_world *world) {
  return world->anchors.count > 0 && !anchor_is_exact(world->integrator);
}

bool substeps_have_forces(const msd_world *world) {
  return (world->integrator != MSD_SEQUENTIAL_IMPULSE && world->constraints.count > 0) ||
         has_acting_anchors(world);
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

static way way_of(const msd_world *world) {
  const network *net = &world->network;
  const double contiguous = network_contiguous_share(net);
  const bool is_euler = world->integrator == MSD_SYMPLECTIC_EULER;
  way w = {.cached = world->particles.count <= CACHED_PARTICLES_MAX};
  w.plain = is_euler && !substeps_have_forces(world) && world->anchors.count == 0;
  w.runs = is_euler && step_choose(world->simd).advance_runs && net->run_count > 0 &&
           net->chunk_count >= RUNS_CHUNKS_MIN && contiguous >= RUNS_SHARE_MIN;
  w.records = is_euler && step_width(world->simd) != MSD_SIMD_SCALAR && contiguous < 1 - RECORDS_SHARE;
  w.records_alone = w.records && w.plain && contiguous < RUNS_SHARE_MIN;
  return w;
}

/* What there is stays when there is no memory for more. */
static bool reserve_down(msd_world *world, size_t needed) {
  if (needed <= world->down_size)
    return true;
  msd_real *larger = memory_allocate(&world->memory, needed * sizeof *larger);
  if (!larger)
    return false;
  memory_release(&world->memory, world->down);
  world->down = larger;
  world->down_size = needed;
  return true;
}

static msd_result prepare_down(msd_world *world, const way *w) {
  if (!w->runs || !w->cached)
    return MSD_OK;
  const size_t alone = integrator_down_size(&world->network, 1);
  const size_t shared = integrator_down_size(&world->network, msd_world_get_thread_count(world));
  if (reserve_down(world, alone > shared ? alone : shared))
    return MSD_OK;
  return world_fail(world, MSD_OUT_OF_MEMORY, "no memory for the sums of %d springs",
                    (int)world->springs.count);
}

/* Rows are read past the first and the last particle. */
static msd_real *records_of(const msd_world *world, int state) {
  return world->records[state] + PARTICLE_GUARD * STEP_RECORD;
}

static msd_result prepare_records(msd_world *world, const way *w) {
  const size_t particles = (size_t)world->network.group_count * NETWORK_GROUP;
  const size_t needed = (particles + 2 * PARTICLE_GUARD) * STEP_RECORD;
  if (!w->records || needed <= world->records_size)
    return MSD_OK;
  world->records_size = 0;
  for (int n = 0; n < 2; n++) {
    memory_release(&world->memory, world->records[n]);
    world->records[n] = memory_allocate(&world->memory, needed * sizeof(msd_real));
    if (!world->records[n])
      return world_fail(world, MSD_OUT_OF_MEMORY, "no memory for the records of %d particles",
                        (int)world->particles.count);
  }
  world->records_size = needed;
  return MSD_OK;
}

static msd_result prepare_forces(msd_world *world) {
  if (!substeps_have_forces(world))
    return MSD_OK;
  constraint_forces *f = &world->constraint_forces;
  const particle_store *p = &world->particles;
  if ((!f->is_stale || constraint_forces_make(f, &world->memory, &world->constraints, p)) &&
      constraint_forces_apply(f, &world->memory, p, p->forced ? p->force : NULL, has_acting_anchors(world)))
    return MSD_OK;
  return world_fail(world, MSD_OUT_OF_MEMORY, "no memory for the forces of %d constraints",
                    (int)world->constraints.count);
}

msd_result substeps_prepare(msd_world *world) {
  const way w = way_of(world);
  msd_result result = prepare_scratch(world);
  if (result == MSD_OK)
    result = prepare_down(world, &w);
  if (result == MSD_OK)
    result = prepare_records(world, &w);
  if (result == MSD_OK)
    result = prepare_forces(world);
  return result;
}

void substeps_release(msd_world *world) {
  particle_release_spare(&world->particles, &world->memory);
  memory_release(&world->memory, world->down);
  world->down = NULL;
  world->down_size = 0;
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

static integrator_impulses impulses_of(msd_world *world) {
  integrator_impulses impulses = {
      .plan = &world->impulse_plan,
      .side = world_network_source(world).side,
      .iterations = world->impulse_iterations,
      .warm_start = world->impulse_warm_start,
  };
  const int state = world->particles.current, last = world->impulses_current;
  impulses.given[state] = world->impulses[last];
  impulses.given[!state] = world->impulses[!last];
  constraint_impulses *constraints = &world->constraint_impulses;
  if (world->constraints.count > 0) {
    impulses.constraints = constraints;
    impulses.constraint_store = &world->constraints;
    impulses.constraint_given[state] = constraints->given[constraints->current];
    impulses.constraint_given[!state] = constraints->given[!constraints->current];
  }
  return impulses;
}

static integrator_acting acting_on(const msd_world *world) {
  const particle_store *p = &world->particles;
  if (!substeps_have_forces(world))
    return (integrator_acting){0};
  return (integrator_acting){.forces = &world->constraint_forces,
                             .kernel = constraint_kernel_choose(world->simd),
                             .applied = p->forced ? p->force : NULL,
                             .anchors = has_acting_anchors(world)};
}

static step_input input_of(const msd_world *world, msd_real substep) {
  const particle_store *p = &world->particles;
  return (step_input){.net = &world->network,
                      .stride = p->stride,
                      .inverse_mass = world->network.inverse_mass,
                      .force = p->forced ? p->force : NULL,
                      .gravity = {world->gravity.x, world->gravity.y, world->gravity.z},
                      .time_step = substep,
                      .decay = (msd_real)integrator_drag_decay((double)world->air_drag, (double)substep)};
}

/* All substeps in few passes through memory, where that is faster. False, and nothing done, where it is not, or there
   is no memory for it, or some position would not be finite. */
static bool take_waves(msd_world *world, const way *w, msd_real substep, int substeps, int threads) {
  particle_store *p = &world->particles;
  if (!w->plain || w->records != w->records_alone)
    return false;
  wave_run run = {
      .shape = wave_choose(&world->network, threads, substeps),
      .kernel = step_choose(world->simd),
      .input = input_of(world, substep),
      .threads = threads,
      .substeps = substeps,
  };
  if (run.shape.depth < WAVE_DEPTH_MIN || !wave_pins_stand(&run.input, p->slab[p->current]) ||
      (w->runs && !reserve_down(world, wave_down_size(&world->network, &run.shape, threads))) ||
      (!w->records && !particle_reserve_spare(p, &world->memory)))
    return false;
  run.down = w->runs ? world->down : NULL;
  run.slab[0] = p->slab[p->current];
  run.slab[1] = p->slab[!p->current];
  run.slab[2] = p->spare_slab;
  for (int state = 0; state < 2 && w->records; state++)
    run.records[state] = records_of(world, state);
  if (!wave_advance(&run))
    return false;
  if (wave_slab(&run, substeps) == 1)
    p->current = !p->current;
  else
    particle_swap_spare(p);
  return true;
}

static int take_one_by_one(msd_world *world, const way *w, msd_real substep, int substeps, int threads) {
  particle_store *p = &world->particles;
  const integrator_acting acting = acting_on(world);
  integrator_run run = {
      .integrator = world->integrator,
      .kernel = step_choose(world->simd),
      .input = input_of(world, substep),
      .slab = {p->slab[0], p->slab[1]},
      .current = p->current,
      .scratch = world->scratch,
      .records_alone = w->records_alone,
      .down = w->runs && w->cached ? world->down : NULL,
      .impulses = impulses_of(world),
      .anchors = {world->anchors.works, world->anchors.work_count, 0},
      .acting = acting,
      .threads = threads,
      .substeps = substeps,
  };
  for (int state = 0; state < 2 && w->records; state++)
    run.records[state] = records_of(world, state);
  run.input.read_ahead = !w->cached && !w->records_alone;
  if (acting.forces)
    run.input.force = acting.forces->force;
  const int done = advance_surely(&run);
  p->current = (p->current + done) % 2;
  return done;
}

static int take(msd_world *world, msd_real substep, int substeps, int threads) {
  const way w = way_of(world);
  return take_waves(world, &w, substep, substeps, threads)
             ? substeps
             : take_one_by_one(world, &w, substep, substeps, threads);
}

int substeps_take(msd_world *world, msd_real substep, int substeps) {
  if (world->particles.count == 0)
    return substeps;
  /* A thread without a group would only wait. */
  const int asked = msd_world_get_thread_count(world), groups = world->network.group_count;
  const int most = asked < groups ? asked : groups;
  if (world->thread_count > 0 || most == 1)
    return take(world, substep, substeps, most);
  const int threads = parallel_trial_begin(&world->thread_trial, most);
  const double start = parallel_clock();
  const int done = take(world, substep, substeps, threads);
  parallel_trial_end(&world->thread_trial, (parallel_clock() - start) / substeps);
  return done;
}
