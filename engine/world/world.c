#include "engine/world/world.h"

#include "engine/base/vec3.h"

#include <stdatomic.h>
#include <stdio.h>

int32_t world_find_missing(const msd_world *world, msd_particles which) {
  const int32_t count = world_count(world, MSD_ITEM_PARTICLE);
  if (!which.indices) {
    if (which.count == 0 || (which.first >= 0 && which.count <= count - which.first))
      return which.count;
    return which.first < 0 || which.first >= count ? 0 : count - which.first;
  }
  int32_t i = 0;
  while (i < which.count && which.indices[i] >= 0 && which.indices[i] < count)
    i++;
  return i;
}

const char *msd_item_name(msd_item item) {
  static const char *const names[MSD_ITEM_COUNT] = {
      [MSD_ITEM_PARTICLE] = "particle",     [MSD_ITEM_SPRING] = "spring",
      [MSD_ITEM_CONSTRAINT] = "constraint", [MSD_ITEM_ANCHOR] = "anchor",
      [MSD_ITEM_ROTOR] = "rotor",           [MSD_ITEM_ANGULAR_SPRING] = "angular spring",
      [MSD_ITEM_COLLIDER] = "collider",     [MSD_ITEM_SURFACE] = "surface"};
  return (unsigned)item < MSD_ITEM_COUNT ? names[item] : NULL;
}

msd_result world_check(msd_world *world, msd_item item, int32_t index) {
  if (!world)
    return MSD_BAD_INDEX;
  if (!world_is_open(world))
    return world_say_closed(world);
  const msd_result result =
      check_index(&world->model.report, msd_item_name(item), index, world_count(world, item));
  if (result != MSD_OK || world_has(world, item, index))
    return result;
  return world_fail(world, MSD_BAD_INDEX, "%s %d was destroyed", msd_item_name(item), (int)index);
}

msd_result world_check_field(msd_world *world, subject about, const char *field, msd_item item, int32_t index,
                             const char *otherwise) {
  const msd_result result = check_field_index(&world->model.report, about, field, index,
                                              world_count(world, item), msd_item_name(item), otherwise);
  if (result != MSD_OK || index < 0 || world_has(world, item, index))
    return result;
  return world_refuse(world, MSD_BAD_INDEX, about, "%s is %s %d, which was destroyed", field,
                      msd_item_name(item), (int)index);
}

msd_result world_refuse_particle(msd_world *world, subject about, const char *what, int32_t number,
                                 int32_t particle) {
  if (world_had(world, MSD_ITEM_PARTICLE, particle))
    return world_refuse(world, MSD_BAD_INDEX, about, "%s %d has particle %d, which was destroyed", what,
                        (int)number, (int)particle);
  return world_refuse(world, MSD_BAD_INDEX, about, "%s %d has particle %d; the world has %d", what,
                      (int)number, (int)particle, (int)world->model.particles.count);
}

int32_t world_find_gap(const msd_world *world, msd_item item, msd_range range) {
  if (world->model.gaps.of[item].count == 0)
    return -1;
  for (int32_t n = 0; n < range.count; n++)
    if (gaps_have(&world->model.gaps, item, range.first + n))
      return range.first + n;
  return -1;
}

msd_result world_say_closed(msd_world *world) {
  return world ? world_fail(world, MSD_BUSY, "a step of the world is under way; it can only be read")
               : MSD_BAD_VALUE;
}

/* --------------------------------------------------------------------------------------- making a world */

const char *msd_integrator_name(msd_integrator integrator) {
  static const char *const names[MSD_INTEGRATOR_COUNT] = {
      [MSD_SYMPLECTIC_EULER] = "symplectic_euler",     [MSD_EXPLICIT_EULER] = "explicit_euler",
      [MSD_VELOCITY_VERLET] = "velocity_verlet",       [MSD_RK4] = "rk4",
      [MSD_SEQUENTIAL_IMPULSE] = "sequential_impulse",
  };
  return (unsigned)integrator < MSD_INTEGRATOR_COUNT ? names[integrator] : NULL;
}

const char *msd_limit_name(msd_limit limit) {
  static const char *const names[MSD_LIMIT_COUNT] = {"none", "coefficients"};
  return (unsigned)limit < MSD_LIMIT_COUNT ? names[limit] : NULL;
}

const char *msd_mass_scaling_name(msd_mass_scaling scaling) {
  static const char *const names[MSD_MASS_SCALING_COUNT] = {"none", "selective"};
  return (unsigned)scaling < MSD_MASS_SCALING_COUNT ? names[scaling] : NULL;
}

const char *msd_solver_name(msd_solver solver) {
  static const char *const names[MSD_SOLVER_COUNT] = {"forces", "gauss_seidel"};
  return (unsigned)solver < MSD_SOLVER_COUNT ? names[solver] : NULL;
}

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

const char *world_bad_tasks(const msd_tasks *tasks) {
  if (!tasks->enqueue != !tasks->finish)
    return "tasks must have both enqueue and finish, or neither";
  if (tasks->enqueue && (tasks->worker_count < 1 || tasks->worker_count > PARALLEL_THREADS_MAX))
    return "tasks.worker_count must be 1 to 256";
  return NULL;
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
  if ((unsigned)def->energy >= MSD_ENERGY_COUNT)
    return "energy must be one of msd_energy";
  if (def->energy != MSD_ENERGY_PLAIN && def->integrator != MSD_SYMPLECTIC_EULER)
    return "energy must be MSD_ENERGY_PLAIN with other integrators than MSD_SYMPLECTIC_EULER";
  if ((unsigned)def->mass_scaling >= MSD_MASS_SCALING_COUNT)
    return "mass_scaling must be one of msd_mass_scaling";
  if (def->mass_scaling != MSD_MASS_SCALING_NONE && def->integrator != MSD_SYMPLECTIC_EULER)
    return "mass_scaling must be MSD_MASS_SCALING_NONE with other integrators than MSD_SYMPLECTIC_EULER";
  if ((unsigned)def->solver >= MSD_SOLVER_COUNT)
    return "solver must be one of msd_solver";
  if (def->solver != MSD_SOLVER_FORCES &&
      (def->integrator != MSD_SYMPLECTIC_EULER || def->energy != MSD_ENERGY_PLAIN ||
       def->mass_scaling != MSD_MASS_SCALING_NONE))
    return "solver must be MSD_SOLVER_FORCES with other integrators than MSD_SYMPLECTIC_EULER, other "
           "energies "
           "than MSD_ENERGY_PLAIN and with scaled masses";
  if (def->impulse_iterations < 1 || def->impulse_iterations > IMPULSE_ITERATIONS_MAX)
    return "impulse_iterations must be 1 to 1000";
  if ((unsigned)def->simd >= MSD_SIMD_COUNT)
    return "simd must be one of msd_simd";
  if (def->thread_count < 0 || def->thread_count > PARALLEL_THREADS_MAX)
    return "thread_count must be 0 to 256";
  if (!def->allocator.allocate != !def->allocator.release)
    return "allocator must have both allocate and release, or neither";
  return world_bad_tasks(&def->tasks);
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
  const msd_allocator allocator = def->allocator.allocate ? def->allocator : memory_default_allocator();
  memory start = {.allocator = allocator, .limit = SIZE_MAX};
  msd_world *made = memory_allocate(&start, sizeof *made);
  if (!made)
    return refuse_world(def, MSD_OUT_OF_MEMORY, "the allocator returned no memory for a world");
  const msd_contact_def contact = msd_default_contact_def();
  *made = (msd_world){
      .model =
          {
              .memory = {.allocator = allocator, .limit = def->memory_limit},
              .report = {.log = def->log, .log_context = def->log_context, .memory = &made->model.memory},
              .gravity = def->gravity,
              .air_drag = def->air_drag,
              .integrator = def->integrator,
              .limit = def->limit,
              .energy = def->energy,
              .mass_scaling = def->mass_scaling,
              .solver = def->solver,
              .thread_count = def->thread_count,
              .tasks = def->tasks,
              .impulse_iterations = def->impulse_iterations,
              .impulse_warm_start = def->impulse_warm_start,
              .contact = {contact.thickness, contact.friction, contact.softness, contact.strict},
              .wind = wind_none(),
              .sleep = {.time = msd_default_sleep_def().time},
          },
      .stepper = {.model = &made->model, .simd = def->simd, .guard = energy_guard_begin()},
  };
  static atomic_ulong made_before;
  made->number = (uint64_t)atomic_fetch_add(&made_before, 1) + 1;
  revision_advance(&made->model.revision); /* from 0, which means "was never made" */
  *world = made;
  return MSD_OK;
}

/* What a snapshot does not tell. */
static msd_world_def def_of(const msd_world *world) {
  msd_world_def def = msd_default_world_def();
  def.thread_count = world->model.thread_count;
  def.tasks = world->model.tasks;
  def.simd = world->stepper.simd;
  def.memory_limit = world->model.memory.limit;
  def.allocator = world->model.memory.allocator;
  def.log = world->model.report.log;
  def.log_context = world->model.report.log_context;
  return def;
}

limits_origin world_limits_origin(const msd_world *world) {
  const revision now = revision_of_pinned_steps(&world->model.revision);
  const bool is_as_copied = world->copied.world > 0 && revision_holds(&world->copied_at, now);
  return is_as_copied ? world->copied : (limits_origin){world->number, now};
}

msd_result msd_copy_world(const msd_world *world, msd_world **copy) {
  if (!copy)
    return MSD_BAD_VALUE;
  *copy = NULL;
  size_t size;
  msd_result result = msd_world_save(world, NULL, 0, &size);
  if (result != MSD_OK)
    return result;
  memory scratch = {.allocator = world->model.memory.allocator, .limit = SIZE_MAX};
  void *bytes = memory_allocate(&scratch, size);
  if (!bytes)
    return MSD_OUT_OF_MEMORY;
  const msd_world_def def = def_of(world);
  result = msd_world_save(world, bytes, size, &size);
  if (result == MSD_OK)
    result = msd_create_world(&def, copy);
  if (result == MSD_OK)
    result = msd_world_restore(*copy, bytes, size);
  if (result == MSD_OK) {
    (*copy)->copied = world_limits_origin(world);
    (*copy)->copied_at = revision_of_pinned_steps(&(*copy)->model.revision);
  }
  memory_release(&scratch, bytes);
  if (result != MSD_OK) {
    msd_destroy_world(*copy);
    *copy = NULL;
  }
  return result;
}

void msd_destroy_world(msd_world *world) {
  if (!world_is_open(world)) {
    world_say_closed(world);
    return;
  }
  callback_work_free(&world->callbacks, &world->model.memory);
  stepper_free(&world->stepper);
  step_bounds_free(&world->bounds, &world->model.memory);
  part_free(&world->part, &world->model.memory);
  model_free(&world->model);
  memory end = {.allocator = world->model.memory.allocator};
  memory_release(&end, world);
}

const char *msd_world_message(const msd_world *world) {
  return world ? world->model.report.message : "";
}

/* --------------------------------------------------------------------------------------------- settings */

static msd_result refuse(msd_world *world, const char *setting, double value, const char *range) {
  return world_is_open(world)
             ? world_fail(world, MSD_BAD_VALUE, "%s %g; it must be %s", setting, value, range)
             : world_say_closed(world);
}

msd_result msd_world_set_gravity(msd_world *world, msd_vec3 gravity) {
  if (!world_is_open(world) || !vec3_is_finite(gravity))
    return refuse(world, "gravity", (double)(gravity.x + gravity.y + gravity.z), "finite");
  world->model.gravity = gravity;
  world->model.revision.definitions += world->model.solver != MSD_SOLVER_FORCES; /* its substeps follow it */
  sleep_wake_all(&world->model.sleep);
  return MSD_OK;
}

msd_result msd_world_set_air_drag(msd_world *world, msd_real air_drag) {
  if (!world_is_open(world) || !is_good_drag(air_drag))
    return refuse(world, "air_drag", (double)air_drag, "finite and 0 or more");
  world->model.air_drag = air_drag;
  sleep_wake_all(&world->model.sleep);
  return MSD_OK;
}

static msd_result refuse_beside_solver(msd_world *world, const char *setting, const char *value) {
  return world_fail(world, MSD_BAD_VALUE, "%s %s needs solver forces; the world has %s", setting, value,
                    msd_solver_name(world->model.solver));
}

msd_result msd_world_set_integrator(msd_world *world, msd_integrator integrator) {
  if (!world_is_open(world) || (unsigned)integrator >= MSD_INTEGRATOR_COUNT)
    return refuse(world, "integrator", integrator, "one of msd_integrator");
  if (integrator != MSD_SYMPLECTIC_EULER && world->model.energy != MSD_ENERGY_PLAIN)
    return world_fail(world, MSD_BAD_VALUE, "%s can take energy plain alone; the world has %s",
                      msd_integrator_name(integrator), msd_energy_name(world->model.energy));
  if (integrator != MSD_SYMPLECTIC_EULER && world->model.mass_scaling != MSD_MASS_SCALING_NONE)
    return world_fail(world, MSD_BAD_VALUE, "%s can take mass_scaling none alone; the world has %s",
                      msd_integrator_name(integrator), msd_mass_scaling_name(world->model.mass_scaling));
  if (integrator != MSD_SYMPLECTIC_EULER && world->model.solver != MSD_SOLVER_FORCES)
    return refuse_beside_solver(world, "integrator", msd_integrator_name(integrator));
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

msd_result msd_world_set_energy(msd_world *world, msd_energy energy) {
  if (!world_is_open(world) || (unsigned)energy >= MSD_ENERGY_COUNT)
    return refuse(world, "energy", energy, "one of msd_energy");
  if (energy != MSD_ENERGY_PLAIN && world->model.integrator != MSD_SYMPLECTIC_EULER)
    return world_fail(world, MSD_BAD_VALUE, "energy %s needs symplectic_euler; the world has %s",
                      msd_energy_name(energy), msd_integrator_name(world->model.integrator));
  if (energy != MSD_ENERGY_PLAIN && world->model.solver != MSD_SOLVER_FORCES)
    return refuse_beside_solver(world, "energy", msd_energy_name(energy));
  if (energy == MSD_ENERGY_PLAIN)
    world->stepper.guard.made_for = (revision){0};
  world->model.energy = energy;
  return MSD_OK;
}

msd_result msd_world_set_mass_scaling(msd_world *world, msd_mass_scaling scaling) {
  if (!world_is_open(world) || (unsigned)scaling >= MSD_MASS_SCALING_COUNT)
    return refuse(world, "mass_scaling", scaling, "one of msd_mass_scaling");
  const world_model *model = &world->model;
  if (scaling != MSD_MASS_SCALING_NONE && model->integrator != MSD_SYMPLECTIC_EULER)
    return world_fail(world, MSD_BAD_VALUE, "mass_scaling %s needs symplectic_euler; the world has %s",
                      msd_mass_scaling_name(scaling), msd_integrator_name(model->integrator));
  if (scaling != MSD_MASS_SCALING_NONE && model->solver != MSD_SOLVER_FORCES)
    return refuse_beside_solver(world, "mass_scaling", msd_mass_scaling_name(scaling));
  if (model->mass_scaling != scaling) {
    world->model.mass_scaling = scaling;
    world->model.revision.definitions++; /* the limits are other ones */
  }
  return MSD_OK;
}

msd_result msd_world_set_solver(msd_world *world, msd_solver solver) {
  if (!world_is_open(world) || (unsigned)solver >= MSD_SOLVER_COUNT)
    return refuse(world, "solver", solver, "one of msd_solver");
  const world_model *model = &world->model;
  if (solver != MSD_SOLVER_FORCES &&
      (model->integrator != MSD_SYMPLECTIC_EULER || model->energy != MSD_ENERGY_PLAIN ||
       model->mass_scaling != MSD_MASS_SCALING_NONE))
    return world_fail(
        world, MSD_BAD_VALUE,
        "solver %s needs symplectic_euler, energy plain and mass_scaling none; the world has %s, "
        "%s and %s",
        msd_solver_name(solver), msd_integrator_name(model->integrator), msd_energy_name(model->energy),
        msd_mass_scaling_name(model->mass_scaling));
  if (model->solver != solver) {
    world->model.solver = solver;
    world->model.revision.definitions++; /* the limits are other ones */
  }
  return MSD_OK;
}

msd_result msd_world_set_impulse_iterations(msd_world *world, int iterations) {
  if (!world_is_open(world) || iterations < 1 || iterations > IMPULSE_ITERATIONS_MAX)
    return refuse(world, "impulse_iterations", iterations, "1 to 1000");
  world->model.impulse_iterations = iterations;
  world->model.revision.impulses++;
  return MSD_OK;
}

msd_result msd_world_set_impulse_warm_start(msd_world *world, bool warm_start) {
  if (!world_is_open(world))
    return world_say_closed(world);
  if (world->model.impulse_warm_start != warm_start) {
    world->model.impulse_warm_start = warm_start;
    world->model.revision.impulses++;
    stepper_forget_impulses(&world->stepper);
    angular_spring_forget_impulses(&world->model.angular_springs);
  }
  return MSD_OK;
}

msd_result msd_world_set_limit(msd_world *world, msd_limit limit) {
  if (!world_is_open(world) || (unsigned)limit >= MSD_LIMIT_COUNT)
    return refuse(world, "limit", limit, "one of msd_limit");
  world->model.limit = limit;
  sleep_wake_all(&world->model.sleep);
  world->model.revision.definitions++;
  return MSD_OK;
}

msd_result msd_world_set_thread_count(msd_world *world, int thread_count) {
  if (!world_is_open(world) || thread_count < 0 || thread_count > PARALLEL_THREADS_MAX)
    return refuse(world, "thread_count", thread_count, "0 to 256");
  world->model.thread_count = thread_count;
  world->stepper.thread_trial = (parallel_trial){0};
  return MSD_OK;
}

msd_result msd_world_set_tasks(msd_world *world, const msd_tasks *tasks) {
  if (!world_is_open(world))
    return world_say_closed(world);
  const msd_tasks set = tasks ? *tasks : (msd_tasks){0};
  const char *bad = world_bad_tasks(&set);
  if (bad)
    return world_fail(world, MSD_BAD_VALUE, "%s", bad);
  world->model.tasks = set;
  world->stepper.thread_trial = (parallel_trial){0};
  return MSD_OK;
}

msd_result msd_world_set_simd(msd_world *world, msd_simd simd) {
  if (!world_is_open(world) || (unsigned)simd >= MSD_SIMD_COUNT)
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

msd_energy msd_world_get_energy(const msd_world *world) {
  return world ? world->model.energy : MSD_ENERGY_PLAIN;
}

msd_solver msd_world_get_solver(const msd_world *world) {
  return world ? world->model.solver : MSD_SOLVER_FORCES;
}

msd_mass_scaling msd_world_get_mass_scaling(const msd_world *world) {
  return world ? world->model.mass_scaling : MSD_MASS_SCALING_NONE;
}

msd_energy_account msd_world_get_energy_account(const msd_world *world) {
  if (!world)
    return (msd_energy_account){.least_factor = 1};
  const energy_guard *g = &world->stepper.guard;
  return (msd_energy_account){.made = g->made,
                              .credit = g->credit,
                              .guarded_substeps = g->scaled,
                              .turned_substeps = g->turned,
                              .least_factor = g->least_kept};
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
  return world_count(world, MSD_ITEM_PARTICLE);
}

int32_t msd_world_get_spring_count(const msd_world *world) {
  return world_count(world, MSD_ITEM_SPRING);
}

double msd_world_get_time(const msd_world *world) {
  return world ? world->time : 0;
}

int64_t msd_world_get_steps(const msd_world *world) {
  return world ? world->steps : 0;
}
