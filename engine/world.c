#include "world.h"

#include "integrator.h"
#include "order.h"
#include "parallel.h"
#include "stability.h"
#include "vec3.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { THREADS_MAX = 256 };

/* -------------------------------------------------------------------------- what other rooms ask a world */

msd_result world_fail(msd_world *world, msd_result result, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int length = vsnprintf(world->message, sizeof world->message, format, arguments);
  va_end(arguments);
  if (result == MSD_OUT_OF_MEMORY && world->memory.over_limit) {
    result = MSD_TOO_LARGE;
    if (length >= 0 && length < WORLD_MESSAGE_MAX)
      snprintf(world->message + length, sizeof world->message - (size_t)length,
               " within the memory_limit of %.3g GB", (double)world->memory.limit / 1e9);
  }
  if (world->log)
    world->log(world->message, world->log_context);
  return result;
}

void *world_allocate(msd_world *world, size_t bytes) {
  return memory_allocate(&world->memory, bytes);
}

void world_release(msd_world *world, void *block) {
  memory_release(&world->memory, block);
}

bool world_has_particle(msd_world *world, int32_t particle) {
  if (world && particle >= 0 && particle < world->particles.count)
    return true;
  if (world)
    world_fail(world, MSD_BAD_INDEX, "there is no particle %d; the world has %d", (int)particle,
               (int)world->particles.count);
  return false;
}

bool world_has_spring(msd_world *world, int32_t spring) {
  if (world && spring >= 0 && spring < world->springs.count)
    return true;
  if (world)
    world_fail(world, MSD_BAD_INDEX, "there is no spring %d; the world has %d", (int)spring,
               (int)world->springs.count);
  return false;
}

void world_touch_network(msd_world *world) {
  world->network_stale = true;
  world->order_kept = false;
  world_touch_tuning(world);
}

void world_touch_tuning(msd_world *world) {
  world->tuning_stale = true;
  world->stable_step_stale = true;
}

/* Bytes that the compiled network takes for each spring, and for each particle, in a cloth; an estimate that
   only keeps hopeless requests from being tried. */
enum { NETWORK_BYTES_PER_SPRING = 32, NETWORK_BYTES_PER_PARTICLE = 8 };

/* Half as much again, so that adding one by one costs little. */
static int64_t grown(int64_t needed, int64_t capacity) {
  const int64_t roomy = capacity + capacity / 2;
  return needed > capacity && roomy > needed ? (roomy < INT32_MAX ? roomy : INT32_MAX) : needed;
}

/* With room to grow when there is memory for it. */
static bool reserve_stores(msd_world *world, int64_t particles, int64_t springs) {
  particle_store *p = &world->particles;
  spring_store *s = &world->springs;
  memory *m = &world->memory;
  return (particle_store_reserve(p, m, grown(particles, p->capacity)) ||
          particle_store_reserve(p, m, particles)) &&
         (spring_store_reserve(s, m, grown(springs, s->capacity)) || spring_store_reserve(s, m, springs));
}

/* Counts above this are too many for every world, and still safe to add to. */
static const int64_t COUNT_MAX = INT64_MAX / 4;

msd_result world_reserve(msd_world *world, int64_t particles, int64_t springs) {
  const particle_store *p = &world->particles;
  const spring_store *s = &world->springs;
  const int64_t all_particles = p->count + (particles < COUNT_MAX ? particles : COUNT_MAX);
  const int64_t all_springs = s->count + (springs < COUNT_MAX ? springs : COUNT_MAX);
  const double estimate = (double)all_particles * (14 * sizeof(msd_real) + 4 + NETWORK_BYTES_PER_PARTICLE) +
                          (double)all_springs * (9 + 3 * sizeof(msd_real) + NETWORK_BYTES_PER_SPRING);
  if (all_particles > INT32_MAX - NETWORK_GROUP || all_springs > INT32_MAX ||
      estimate > (double)world->memory.limit)
    return world_fail(world, MSD_TOO_LARGE,
                      "%lld particles and %lld springs would take about %.3g GB; memory_limit is %.3g GB and "
                      "indices end at 2^31-1",
                      (long long)all_particles, (long long)all_springs, estimate / 1e9,
                      (double)world->memory.limit / 1e9);
  if (!reserve_stores(world, all_particles, all_springs))
    return world_fail(world, MSD_OUT_OF_MEMORY,
                      "no memory for %lld particles and %lld springs (about %.3g GB)",
                      (long long)all_particles, (long long)all_springs, estimate / 1e9);
  return MSD_OK;
}

/* --------------------------------------------------------------------------------------- making a world */

msd_world_def msd_default_world_def(void) {
  return (msd_world_def){
      .gravity = {0, (msd_real)-9.81, 0},
      .integrator = MSD_SYMPLECTIC_EULER,
      .limit = MSD_LIMIT_NONE,
      .simd = MSD_SIMD_WIDEST,
      .memory_limit = (uint64_t)8 << 30 < SIZE_MAX ? (size_t)((uint64_t)8 << 30) : SIZE_MAX / 2,
      .cookie = MSD_WORLD_COOKIE,
  };
}

static bool is_good_drag(msd_real air_drag) {
  return isfinite(air_drag) && air_drag >= 0;
}

/* What is wrong with a definition, and what would be right; NULL when nothing is. */
static const char *bad_field(const msd_world_def *def) {
  if (!vec3_is_finite(def->gravity))
    return "gravity must be finite";
  if (!is_good_drag(def->air_drag))
    return "air_drag must be finite and 0 or more";
  if ((unsigned)def->integrator >= MSD_INTEGRATOR_COUNT)
    return "integrator must be one of msd_integrator";
  if ((unsigned)def->limit >= MSD_LIMIT_COUNT)
    return "limit must be one of msd_limit";
  if ((unsigned)def->simd >= MSD_SIMD_COUNT)
    return "simd must be one of msd_simd";
  if (def->thread_count < 0 || def->thread_count > THREADS_MAX)
    return "thread_count must be 0 to 256";
  if (!def->allocator.allocate != !def->allocator.release)
    return "allocator must have both allocate and release, or neither";
  return NULL;
}

/* Before there is a world to keep the message. */
static msd_result refuse_world(const msd_world_def *def, msd_result result, const char *what) {
  char message[WORLD_MESSAGE_MAX];
  snprintf(message, sizeof message, "world definition: %s", what);
  if (def->log)
    def->log(message, def->log_context);
  return result;
}

msd_result msd_create_world(const msd_world_def *def, msd_world **world) {
  if (!world)
    return MSD_BAD_VALUE;
  *world = NULL;
  if (!def || def->cookie != MSD_WORLD_COOKIE)
    return MSD_BAD_DEF;
  const char *bad = bad_field(def);
  if (bad)
    return refuse_world(def, MSD_BAD_VALUE, bad);
  const msd_allocator allocator = def->allocator.allocate ? def->allocator : core_default_allocator();
  memory start = {.allocator = allocator, .limit = SIZE_MAX};
  msd_world *made = memory_allocate(&start, sizeof *made);
  if (!made)
    return refuse_world(def, MSD_OUT_OF_MEMORY, "the allocator returned no memory for a world");
  *made = (msd_world){
      .memory = {.allocator = allocator, .limit = def->memory_limit},
      .gravity = def->gravity,
      .air_drag = def->air_drag,
      .integrator = def->integrator,
      .limit = def->limit,
      .thread_count = def->thread_count,
      .simd = def->simd,
      .log = def->log,
      .log_context = def->log_context,
      .network_stale = true,
      .tuning_stale = true,
      .stable_step_stale = true,
  };
  *world = made;
  return MSD_OK;
}

void msd_destroy_world(msd_world *world) {
  if (!world)
    return;
  network_free(&world->network, &world->memory);
  particle_store_free(&world->particles, &world->memory);
  spring_store_free(&world->springs, &world->memory);
  memory_release(&world->memory, world->scratch_block);
  memory_release(&world->memory, world->down);
  memory_release(&world->memory, world->records[0]);
  memory_release(&world->memory, world->records[1]);
  memory end = {.allocator = world->memory.allocator};
  memory_release(&end, world);
}

const char *msd_world_message(const msd_world *world) {
  return world ? world->message : "";
}

/* --------------------------------------------------------------------------------------------- stepping */

static bool compile_network(msd_world *world) {
  const spring_store *s = &world->springs;
  if (!network_compile(&world->network, &world->memory, world->particles.count, s->count, s->a, s->b, s->rest,
                       world->particles.slot))
    return false;
  for (int32_t e = 0; e < s->count; e++)
    if (spring_is_broken(s, e))
      network_set_rest(&world->network, e, -1);
  return true;
}

/* Below this share of contiguous springs the user's order is given up for the one along a curve; from this
   many particles on, since a small network is in the nearest cache anyway. */
static const double CONTIGUOUS_SHARE_KEPT = 0.5;
enum { REORDERED_PARTICLES_MIN = 256 };

static bool reorder_particles(msd_world *world) {
  particle_store *p = &world->particles;
  int32_t *slot = memory_allocate(&world->memory, particle_slot_bytes(p));
  if (!slot || !order_along_curve(p, &world->springs, &world->memory, slot)) {
    memory_release(&world->memory, slot);
    return false;
  }
  particle_move_to_slots(p, slot, &world->memory);
  return true;
}

static msd_result prepare_network(msd_world *world) {
  if (!world->network_stale)
    return MSD_OK;
  particle_store *p = &world->particles;
  if (!world->order_kept && p->slot)
    particle_move_to_slots(p, NULL, &world->memory);
  bool done = compile_network(world);
  if (done && !world->order_kept && p->count >= REORDERED_PARTICLES_MIN &&
      network_contiguous_share(&world->network) < CONTIGUOUS_SHARE_KEPT)
    done = reorder_particles(world) && compile_network(world);
  if (!done)
    return world_fail(world, MSD_OUT_OF_MEMORY, "no memory to lay out %d springs", (int)world->springs.count);
  world->network_stale = false;
  world->tuning_stale = true;
  return MSD_OK;
}

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

/* Where evaluating each spring once pays, as measured with cloths: from two chunks up, and while the state
   and the springs fit in a cache. Beyond it the rows, which read ahead in fewer streams, are faster. */
enum { RUNS_CHUNKS_MIN = 2, RUNS_PARTICLES_MAX = 400000 };

static bool goes_through_runs(const msd_world *world) {
  return world->integrator == MSD_SYMPLECTIC_EULER && step_choose(world->simd).advance_runs &&
         world->network.chunk_count >= RUNS_CHUNKS_MIN && world->particles.count <= RUNS_PARTICLES_MAX &&
         world->network.run_count > 0;
}

static msd_result prepare_down(msd_world *world) {
  if (!goes_through_runs(world))
    return MSD_OK;
  const size_t alone = integrator_down_size(&world->network, 1);
  const size_t shared = integrator_down_size(&world->network, msd_world_get_thread_count(world));
  const size_t needed = alone > shared ? alone : shared;
  if (needed <= world->down_size)
    return MSD_OK;
  memory_release(&world->memory, world->down);
  world->down_size = 0;
  world->down = memory_allocate(&world->memory, needed * sizeof *world->down);
  if (!world->down)
    return world_fail(world, MSD_OUT_OF_MEMORY, "no memory for the sums of %d springs",
                      (int)world->springs.count);
  world->down_size = needed;
  return MSD_OK;
}

/* Below this share of indexed springs, as along the borders of a cloth, records cost more than they save. */
static const double RECORDS_SHARE = 0.1;

static bool keeps_records(const msd_world *world) {
  return world->integrator == MSD_SYMPLECTIC_EULER && world->simd != MSD_SIMD_SCALAR &&
         network_contiguous_share(&world->network) < 1 - RECORDS_SHARE;
}

static msd_result prepare_records(msd_world *world) {
  const size_t needed = (size_t)world->network.group_count * NETWORK_GROUP * STEP_RECORD;
  if (!keeps_records(world) || needed <= world->records_size)
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

static msd_result choose_substeps(msd_world *world, double time_step, int *substeps) {
  if (*substeps > 0)
    return MSD_OK;
  if (world->limit == MSD_LIMIT_COEFFICIENTS) {
    *substeps = 1;
    return MSD_OK;
  }
  double stable_step;
  const msd_result result = stability_stable_step(world, &stable_step);
  if (result != MSD_OK)
    return result;
  *substeps = stability_substeps(stable_step, time_step);
  if (*substeps > 0)
    return MSD_OK;
  return world_fail(
      world, MSD_NO_STABLE_STEP,
      "a step of %g s needs more than %d substeps of %s to be certified (the largest certified is %g s)",
      time_step, STABILITY_SUBSTEPS_MAX, msd_integrator_name(world->integrator), stable_step);
}

/* Writes stiffness and damping at this substep into the network. Physical springs without a limit keep
   theirs at any step. */
static void tune_springs(msd_world *world, double substep) {
  if (!world->tuning_stale && (world->tuned_step == substep || !world->tuning_follows_step))
    return;
  const spring_store *s = &world->springs;
  world->tuning_follows_step = world->limit != MSD_LIMIT_NONE;
  for (int32_t e = 0; e < s->count; e++) {
    const spring_terms terms = spring_split(s, &world->particles, e);
    const spring_tuning tuning = spring_tune(&terms, substep, world->limit);
    network_set_tuning(&world->network, e, (msd_real)tuning.stiffness, (msd_real)tuning.damping);
    if (terms.mass_ck > 0 || terms.mass_cd > 0)
      world->tuning_follows_step = true;
  }
  network_find_materials(&world->network);
  for (int32_t i = 0; i < world->particles.count; i++)
    world->network.inverse_mass[particle_slot(&world->particles, i)] = world->particles.inverse_mass[i];
  world->tuning_stale = false;
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
    run.down = NULL;
    run.current = (start->current + done) % 2;
    run.substeps = 1;
    if (integrator_advance(&run) == 0)
      break;
    done++;
    run = *start;
    run.current = (start->current + done) % 2;
    run.substeps = start->substeps - done;
    if (run.substeps > 0)
      done += integrator_advance(&run);
  }
  return done;
}

static int advance_with(msd_world *world, msd_real substep, int substeps, int threads) {
  const particle_store *p = &world->particles;
  const integrator_run run = {
      .integrator = world->integrator,
      .kernel = step_choose(world->simd),
      .input = {.net = &world->network,
                .stride = p->stride,
                .inverse_mass = world->network.inverse_mass,
                .force = p->forced ? p->force : NULL,
                .gravity = {world->gravity.x, world->gravity.y, world->gravity.z},
                .time_step = substep,
                .decay = (msd_real)integrator_drag_decay((double)world->air_drag, (double)substep)},
      .slab = {p->slab[0], p->slab[1]},
      .current = p->current,
      .scratch = world->scratch,
      .records = {keeps_records(world) ? world->records[0] : NULL,
                  keeps_records(world) ? world->records[1] : NULL},
      .down = goes_through_runs(world) ? world->down : NULL,
      .threads = threads,
      .substeps = substeps,
  };
  return advance_surely(&run);
}

/* With the threads that were asked for, or with as many as turn out to pay. */
static int advance(msd_world *world, msd_real substep, int substeps) {
  if (world->particles.count == 0)
    return substeps;
  /* A thread without a group would only wait. */
  const int asked = msd_world_get_thread_count(world), groups = world->network.group_count;
  const int most = asked < groups ? asked : groups;
  if (world->thread_count > 0 || most == 1)
    return advance_with(world, substep, substeps, most);
  const int threads = parallel_trial_begin(&world->thread_trial, most);
  const int done = advance_with(world, substep, substeps, threads);
  parallel_trial_end(&world->thread_trial, substeps);
  return done;
}

/* The substep that failed is in the slab that was written last. */
static msd_result diverged(msd_world *world, msd_real substep, int done, int substeps) {
  const particle_store *p = &world->particles;
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

msd_result msd_world_step(msd_world *world, msd_real time_step, int substeps) {
  if (!world)
    return MSD_BAD_VALUE;
  if (!(isfinite(time_step) && time_step > 0) || substeps < 0)
    return world_fail(world, MSD_BAD_TIME_STEP,
                      "time step %g s in %d substeps; it must be finite and above 0", (double)time_step,
                      substeps);
  msd_result result = prepare_network(world);
  if (result == MSD_OK)
    result = prepare_scratch(world);
  if (result == MSD_OK)
    result = prepare_down(world);
  if (result == MSD_OK)
    result = prepare_records(world);
  if (result == MSD_OK)
    result = choose_substeps(world, (double)time_step, &substeps);
  if (result != MSD_OK)
    return result;
  const msd_real substep = (msd_real)((double)time_step / substeps);
  if (!(substep > 0))
    return world_fail(world, MSD_BAD_TIME_STEP, "time step %g s in %d substeps: a substep would be 0",
                      (double)time_step, substeps);

  tune_springs(world, (double)substep);
  world->tuned_step = (double)substep;
  particle_moves_begin(&world->particles, (double)time_step);
  const int done = advance(world, substep, substeps);
  world->particles.current = (world->particles.current + done) % 2;
  particle_moves_end(&world->particles, done == substeps);
  particle_clear_forces(&world->particles);
  world->time += (double)time_step * done / substeps;
  world->steps += done;
  return done == substeps ? MSD_OK : diverged(world, substep, done, substeps);
}

/* --------------------------------------------------------------------------------------------- settings */

static msd_result refuse(msd_world *world, const char *setting, double value, const char *range) {
  return world ? world_fail(world, MSD_BAD_VALUE, "%s %g; it must be %s", setting, value, range)
               : MSD_BAD_VALUE;
}

msd_result msd_world_set_gravity(msd_world *world, msd_vec3 gravity) {
  if (!world || !vec3_is_finite(gravity))
    return refuse(world, "gravity", (double)(gravity.x + gravity.y + gravity.z), "finite");
  world->gravity = gravity;
  return MSD_OK;
}

msd_result msd_world_set_air_drag(msd_world *world, msd_real air_drag) {
  if (!world || !is_good_drag(air_drag))
    return refuse(world, "air_drag", (double)air_drag, "finite and 0 or more");
  world->air_drag = air_drag;
  return MSD_OK;
}

msd_result msd_world_set_integrator(msd_world *world, msd_integrator integrator) {
  if (!world || (unsigned)integrator >= MSD_INTEGRATOR_COUNT)
    return refuse(world, "integrator", integrator, "one of msd_integrator");
  world->integrator = integrator;
  return MSD_OK;
}

msd_result msd_world_set_limit(msd_world *world, msd_limit limit) {
  if (!world || (unsigned)limit >= MSD_LIMIT_COUNT)
    return refuse(world, "limit", limit, "one of msd_limit");
  world->limit = limit;
  world_touch_tuning(world);
  return MSD_OK;
}

msd_result msd_world_set_thread_count(msd_world *world, int thread_count) {
  if (!world || thread_count < 0 || thread_count > THREADS_MAX)
    return refuse(world, "thread_count", thread_count, "0 to 256");
  world->thread_count = thread_count;
  world->thread_trial = (parallel_trial){0};
  return MSD_OK;
}

msd_result msd_world_set_simd(msd_world *world, msd_simd simd) {
  if (!world || (unsigned)simd >= MSD_SIMD_COUNT)
    return refuse(world, "simd", simd, "one of msd_simd");
  world->simd = simd;
  return MSD_OK;
}

msd_vec3 msd_world_get_gravity(const msd_world *world) {
  return world ? world->gravity : (msd_vec3){0, 0, 0};
}

msd_real msd_world_get_air_drag(const msd_world *world) {
  return world ? world->air_drag : 0;
}

msd_integrator msd_world_get_integrator(const msd_world *world) {
  return world ? world->integrator : MSD_SYMPLECTIC_EULER;
}

msd_limit msd_world_get_limit(const msd_world *world) {
  return world ? world->limit : MSD_LIMIT_NONE;
}

int msd_world_get_thread_count(const msd_world *world) {
  return world ? parallel_threads(world->thread_count, world->particles.count) : 0;
}

int32_t msd_world_get_particle_count(const msd_world *world) {
  return world ? world->particles.count : 0;
}

int32_t msd_world_get_spring_count(const msd_world *world) {
  return world ? world->springs.count : 0;
}

double msd_world_get_time(const msd_world *world) {
  return world ? world->time : 0;
}

int64_t msd_world_get_steps(const msd_world *world) {
  return world ? world->steps : 0;
}
