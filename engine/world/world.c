#include "engine/world/world.h"
#include "engine/step/anchor_step.h"

#include "engine/base/parallel.h"
#include "engine/base/vec3.h"

#include <stdarg.h>
#include <stdio.h>

enum { THREADS_MAX = 256 };

/* -------------------------------------------------------------------------- what other rooms ask a world */

msd_result world_fail(msd_world *world, msd_result result, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  result = report_fail_list(&world->model.report, result, format, arguments);
  va_end(arguments);
  return result;
}

void *world_allocate(msd_world *world, size_t bytes) {
  return memory_allocate(&world->model.memory, bytes);
}

void world_release(msd_world *world, void *block) {
  memory_release(&world->model.memory, block);
}

bool world_has_particle(msd_world *world, int32_t particle) {
  if (world && particle >= 0 && particle < world->model.particles.count)
    return true;
  if (world)
    world_fail(world, MSD_BAD_INDEX, "there is no particle %d; the world has %d", (int)particle,
               (int)world->model.particles.count);
  return false;
}

bool world_has_spring(msd_world *world, int32_t spring) {
  if (world && spring >= 0 && spring < world->model.springs.count)
    return true;
  if (world)
    world_fail(world, MSD_BAD_INDEX, "there is no spring %d; the world has %d", (int)spring,
               (int)world->model.springs.count);
  return false;
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
  particle_store *p = &world->model.particles;
  spring_store *s = &world->model.springs;
  memory *m = &world->model.memory;
  m->over_limit = false;
  return (particle_store_reserve(p, m, grown(particles, p->capacity)) ||
          (m->over_limit && particle_store_reserve(p, m, particles))) &&
         (spring_store_reserve(s, m, grown(springs, s->capacity)) ||
          (m->over_limit && spring_store_reserve(s, m, springs)));
}

/* Counts above this are too many for every world, and still safe to add to. */
static const int64_t COUNT_MAX = INT64_MAX / 4;

msd_result world_reserve(msd_world *world, int64_t particles, int64_t springs) {
  const particle_store *p = &world->model.particles;
  const spring_store *s = &world->model.springs;
  const int64_t all_particles = p->count + (particles < COUNT_MAX ? particles : COUNT_MAX);
  const int64_t all_springs = s->count + (springs < COUNT_MAX ? springs : COUNT_MAX);
  const double estimate = (double)all_particles * (14 * sizeof(msd_real) + 4 + NETWORK_BYTES_PER_PARTICLE) +
                          (double)all_springs * (10 + sizeof(msd_real) + NETWORK_BYTES_PER_SPRING);
  if (all_particles > INT32_MAX - NETWORK_GROUP || all_springs > INT32_MAX ||
      estimate > (double)world->model.memory.limit)
    return world_fail(world, MSD_TOO_LARGE,
                      "%lld particles and %lld springs would take about %.3g GB; memory_limit is %.3g GB and "
                      "indices end at 2^31-1",
                      (long long)all_particles, (long long)all_springs, estimate / 1e9,
                      (double)world->model.memory.limit / 1e9);
  if (!reserve_stores(world, all_particles, all_springs))
    return world_fail(world, MSD_OUT_OF_MEMORY,
                      "no memory for %lld particles and %lld springs (about %.3g GB)",
                      (long long)all_particles, (long long)all_springs, estimate / 1e9);
  return MSD_OK;
}

msd_result world_reserve_laws(msd_world *world) {
  spring_store *s = &world->model.springs;
  return law_table_reserve(&s->laws, &world->model.memory, s->count, s->capacity)
             ? MSD_OK
             : world_fail(world, MSD_OUT_OF_MEMORY, "no memory for the laws of %d springs", (int)s->capacity);
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
  char message[REPORT_MESSAGE_MAX];
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
      .model =
          {
              .memory = {.allocator = allocator, .limit = def->memory_limit},
              .report = {.log = def->log, .log_context = def->log_context, .memory = &made->model.memory},
              .revision = {1, 1, 1, 1, 1, 1, 1, 1, 0},
              .gravity = def->gravity,
              .air_drag = def->air_drag,
              .integrator = def->integrator,
              .limit = def->limit,
              .impulse_iterations = def->impulse_iterations,
              .impulse_warm_start = def->impulse_warm_start,
          },
      .stepper = {.model = &made->model, .thread_count = def->thread_count, .simd = def->simd},
  };
  *world = made;
  return MSD_OK;
}

void msd_destroy_world(msd_world *world) {
  if (!world)
    return;
  memory *m = &world->model.memory;
  stepper_free(&world->stepper);
  particle_store_free(&world->model.particles, m);
  spring_store_free(&world->model.springs, m);
  constraint_store_free(&world->model.constraints, m);
  rotor_store_free(&world->model.rotors, m);
  angular_spring_store_free(&world->model.angular_springs, m);
  anchor_store_free(&world->model.anchors, m);
  memory end = {.allocator = world->model.memory.allocator};
  memory_release(&end, world);
}

const char *msd_world_message(const msd_world *world) {
  return world ? world->model.report.message : "";
}

/* --------------------------------------------------------------------------------------------- settings */

static msd_result refuse(msd_world *world, const char *setting, double value, const char *range) {
  return world ? world_fail(world, MSD_BAD_VALUE, "%s %g; it must be %s", setting, value, range)
               : MSD_BAD_VALUE;
}

msd_result msd_world_set_gravity(msd_world *world, msd_vec3 gravity) {
  if (!world || !vec3_is_finite(gravity))
    return refuse(world, "gravity", (double)(gravity.x + gravity.y + gravity.z), "finite");
  world->model.gravity = gravity;
  return MSD_OK;
}

msd_result msd_world_set_air_drag(msd_world *world, msd_real air_drag) {
  if (!world || !is_good_drag(air_drag))
    return refuse(world, "air_drag", (double)air_drag, "finite and 0 or more");
  world->model.air_drag = air_drag;
  return MSD_OK;
}

msd_result msd_world_set_integrator(msd_world *world, msd_integrator integrator) {
  if (!world || (unsigned)integrator >= MSD_INTEGRATOR_COUNT)
    return refuse(world, "integrator", integrator, "one of msd_integrator");
  if (world->model.integrator != integrator) {
    world->model.integrator = integrator;
    world->model.revision.integrator++;
    if (world->model.anchors.count > 0) /* what they weigh is different */
      world->model.revision.anchor_weights++;
    stepper_forget_impulses(&world->stepper);
    angular_spring_forget_impulses(&world->model.angular_springs);
  }
  return MSD_OK;
}

msd_result msd_world_set_impulse_iterations(msd_world *world, int iterations) {
  if (!world || iterations < 1 || iterations > IMPULSE_ITERATIONS_MAX)
    return refuse(world, "impulse_iterations", iterations, "1 to 1000");
  world->model.impulse_iterations = iterations;
  world->model.revision.impulses++;
  return MSD_OK;
}

msd_result msd_world_set_impulse_warm_start(msd_world *world, bool warm_start) {
  if (!world)
    return MSD_BAD_VALUE;
  if (world->model.impulse_warm_start != warm_start) {
    world->model.impulse_warm_start = warm_start;
    world->model.revision.impulses++;
    stepper_forget_impulses(&world->stepper);
    angular_spring_forget_impulses(&world->model.angular_springs);
  }
  return MSD_OK;
}

msd_result msd_world_set_limit(msd_world *world, msd_limit limit) {
  if (!world || (unsigned)limit >= MSD_LIMIT_COUNT)
    return refuse(world, "limit", limit, "one of msd_limit");
  world->model.limit = limit;
  world->model.revision.definitions++;
  return MSD_OK;
}

msd_result msd_world_set_stop(msd_world *world, msd_stop_function stop, void *context) {
  if (!world)
    return MSD_BAD_VALUE;
  world->stop = stop;
  world->stop_context = context;
  return MSD_OK;
}

msd_result msd_world_set_thread_count(msd_world *world, int thread_count) {
  if (!world || thread_count < 0 || thread_count > THREADS_MAX)
    return refuse(world, "thread_count", thread_count, "0 to 256");
  world->stepper.thread_count = thread_count;
  world->stepper.thread_trial = (parallel_trial){0};
  return MSD_OK;
}

msd_result msd_world_set_simd(msd_world *world, msd_simd simd) {
  if (!world || (unsigned)simd >= MSD_SIMD_COUNT)
    return refuse(world, "simd", simd, "one of msd_simd");
  world->stepper.simd = simd;
  return MSD_OK;
}

msd_vec3 msd_world_get_gravity(const msd_world *world) {
  return world ? world->model.gravity : (msd_vec3){0, 0, 0};
}

msd_real msd_world_get_air_drag(const msd_world *world) {
  return world ? world->model.air_drag : 0;
}

msd_integrator msd_world_get_integrator(const msd_world *world) {
  return world ? world->model.integrator : MSD_SYMPLECTIC_EULER;
}

msd_limit msd_world_get_limit(const msd_world *world) {
  return world ? world->model.limit : MSD_LIMIT_NONE;
}

int msd_world_get_impulse_iterations(const msd_world *world) {
  return world ? world->model.impulse_iterations : 0;
}

bool msd_world_get_impulse_warm_start(const msd_world *world) {
  return world && world->model.impulse_warm_start;
}

int msd_world_get_thread_count(const msd_world *world) {
  return world ? stepper_threads(&world->stepper) : 0;
}

int32_t msd_world_get_particle_count(const msd_world *world) {
  return world ? world->model.particles.count : 0;
}

int32_t msd_world_get_spring_count(const msd_world *world) {
  return world ? world->model.springs.count : 0;
}

double msd_world_get_time(const msd_world *world) {
  return world ? world->time : 0;
}

int64_t msd_world_get_steps(const msd_world *world) {
  return world ? world->steps : 0;
}
