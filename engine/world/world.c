#include "engine/world/world.h"

#include "engine/base/parallel.h"
#include "engine/base/vec3.h"

#include <stdarg.h>
#include <stdio.h>

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

void world_touch_constraints(msd_world *world) {
  world->constraint_forces.is_stale = true;
  world_touch_tuning(world);
}

void world_touch_tuning(msd_world *world) {
  world->tuning_stale = true;
  world->constraint_forces.is_untuned = true;
  world->stable_step_stale = true;
  world->constraints.fold_room.step = 0;
  world->anchors.is_stale = true;
}

/* Bytes that the compiled network takes for each spring, and for each particle, in a cloth; an estimate that
   only keeps hopeless requests from being tried. */
enum { NETWORK_BYTES_PER_SPRING = 8, NETWORK_BYTES_PER_PARTICLE = 8 };

/* Half as much again, so that adding one by one costs little. */
static int64_t grown(int64_t needed, int64_t capacity) {
  const int64_t roomy = capacity + capacity / 2;
  return needed > capacity && roomy > needed ? (roomy < INT32_MAX ? roomy : INT32_MAX) : needed;
}

/* With room to grow, or without it where that would pass the limit. */
static bool reserve_stores(msd_world *world, int64_t particles, int64_t springs) {
  particle_store *p = &world->particles;
  spring_store *s = &world->springs;
  memory *m = &world->memory;
  m->over_limit = false;
  return (particle_store_reserve(p, m, grown(particles, p->capacity)) ||
          (m->over_limit && particle_store_reserve(p, m, particles))) &&
         (spring_store_reserve(s, m, grown(springs, s->capacity)) ||
          (m->over_limit && spring_store_reserve(s, m, springs)));
}

/* Counts above this are too many for every world, and still safe to add to. */
static const int64_t COUNT_MAX = INT64_MAX / 4;

msd_result world_reserve(msd_world *world, int64_t particles, int64_t springs) {
  const particle_store *p = &world->particles;
  const spring_store *s = &world->springs;
  const int64_t all_particles = p->count + (particles < COUNT_MAX ? particles : COUNT_MAX);
  const int64_t all_springs = s->count + (springs < COUNT_MAX ? springs : COUNT_MAX);
  const double estimate = (double)all_particles * (14 * sizeof(msd_real) + 4 + NETWORK_BYTES_PER_PARTICLE) +
                          (double)all_springs * (10 + sizeof(msd_real) + NETWORK_BYTES_PER_SPRING);
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

msd_result world_reserve_materials(msd_world *world) {
  spring_store *s = &world->springs;
  return spring_materials_reserve(&s->materials, &world->memory, s->count, s->capacity)
             ? MSD_OK
             : world_fail(world, MSD_OUT_OF_MEMORY, "no memory for the materials of %d springs",
                          (int)s->capacity);
}

network_source world_network_source(const msd_world *world) {
  const spring_store *s = &world->springs;
  return (network_source){.particle_count = world->particles.count,
                          .spring_count = s->count,
                          .a = s->a,
                          .b = s->b,
                          .rest = s->rest,
                          .side = s->one_sided > 0 ? s->side : NULL,
                          .inverse_mass = world->particles.inverse_mass,
                          .slot = world->particles.slot};
}

/* A stale network is not touched: it was made of other springs or pins, and will be made anew. */
void world_set_network_rest(msd_world *world, int32_t spring, msd_real rest) {
  const network_source source = world_network_source(world);
  if (!world->network_stale)
    network_set_rest(&world->network, &source, spring, rest);
}

void world_forget_impulses(msd_world *world) {
  for (int n = 0; n < 2; n++) {
    memory_release(&world->memory, world->impulses[n]);
    world->impulses[n] = NULL;
  }
  world->impulses_size = 0;
}

/* --------------------------------------------------------------------------------------- making a world */

msd_world_def msd_default_world_def(void) {
  return (msd_world_def){
      .gravity = {0, (msd_real)-9.81, 0},
      .integrator = MSD_SYMPLECTIC_EULER,
      .limit = MSD_LIMIT_NONE,
      .impulse_iterations = 1,
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
  if (def->impulse_iterations < 1 || def->impulse_iterations > IMPULSE_ITERATIONS_MAX)
    return "impulse_iterations must be 1 to 1000";
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
      .impulse_iterations = def->impulse_iterations,
      .impulse_warm_start = def->impulse_warm_start,
      .thread_count = def->thread_count,
      .simd = def->simd,
      .log = def->log,
      .log_context = def->log_context,
      .network_stale = true,
      .tuning_stale = true,
      .stable_step_stale = true,
      .rotor_step_stale = true,
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
  constraint_store_free(&world->constraints, &world->memory);
  constraint_forces_free(&world->constraint_forces, &world->memory);
  rotor_store_free(&world->rotors, &world->memory);
  angular_spring_store_free(&world->angular_springs, &world->memory);
  anchor_store_free(&world->anchors, &world->memory);
  impulse_plan_free(&world->impulse_plan, &world->memory);
  world_forget_impulses(world);
  constraint_impulses_free(&world->constraint_impulses, &world->memory);
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
  if (world->integrator != integrator) {
    world->integrator = integrator;
    anchor_forget_works(world); /* their softening and weight are those of an integrator */
    world_forget_impulses(world);
    angular_spring_forget_impulses(&world->angular_springs);
    constraint_impulses_forget_given(&world->constraint_impulses, &world->memory);
  }
  return MSD_OK;
}

msd_result msd_world_set_impulse_iterations(msd_world *world, int iterations) {
  if (!world || iterations < 1 || iterations > IMPULSE_ITERATIONS_MAX)
    return refuse(world, "impulse_iterations", iterations, "1 to 1000");
  world->impulse_iterations = iterations;
  world->stable_step_stale = true;
  world->rotor_step_stale = true;
  return MSD_OK;
}

msd_result msd_world_set_impulse_warm_start(msd_world *world, bool warm_start) {
  if (!world)
    return MSD_BAD_VALUE;
  if (world->impulse_warm_start != warm_start) {
    world->impulse_warm_start = warm_start;
    world->stable_step_stale = true;
    world->rotor_step_stale = true;
    world_forget_impulses(world);
    angular_spring_forget_impulses(&world->angular_springs);
    constraint_impulses_forget_given(&world->constraint_impulses, &world->memory);
  }
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

int msd_world_get_impulse_iterations(const msd_world *world) {
  return world ? world->impulse_iterations : 0;
}

bool msd_world_get_impulse_warm_start(const msd_world *world) {
  return world && world->impulse_warm_start;
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
