#include "engine/world/world.h"

#include "engine/base/float_environment.h"
#include "engine/base/vec3.h"
#include "engine/step/settings.h"

#include <stdatomic.h>
#include <stdio.h>

int32_t world_find_missing(const msd_world *world, msd_particle_set which) {
  const int32_t count = world_count(world, MSD_OBJECT_PARTICLE);
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

const char *msd_object_name(msd_object item) {
  static const char *const names[MSD_OBJECT_COUNT] = {
      [MSD_OBJECT_PARTICLE] = "particle",     [MSD_OBJECT_SPRING] = "spring",
      [MSD_OBJECT_CONSTRAINT] = "constraint", [MSD_OBJECT_SOFT_PIN] = "soft_pin",
      [MSD_OBJECT_ROTOR] = "rotor",           [MSD_OBJECT_TORSION_SPRING] = "torsion spring",
      [MSD_OBJECT_COLLIDER] = "collider",     [MSD_OBJECT_COLLISION_MESH] = "collision mesh"};
  return (unsigned)item < MSD_OBJECT_COUNT ? names[item] : NULL;
}

msd_result world_check(msd_world *world, msd_object item, int32_t index) {
  if (!world)
    return MSD_BAD_INDEX;
  if (!world_is_open(world))
    return fail_locked(world);
  const msd_result result =
      check_index(&world->model.report, msd_object_name(item), index, world_count(world, item));
  if (result != MSD_OK || world_has(world, item, index))
    return result;
  return world_fail(world, MSD_BAD_INDEX, "%s %d was destroyed", msd_object_name(item), (int)index);
}

msd_result world_check_field(msd_world *world, subject about, const char *field, msd_object item,
                             int32_t index, const char *otherwise) {
  const msd_result result = check_field_index(&world->model.report, about, field, index,
                                              world_count(world, item), msd_object_name(item), otherwise);
  if (result != MSD_OK || index < 0 || world_has(world, item, index))
    return result;
  return fail_field(world, MSD_BAD_INDEX, about, "%s is %s %d, which was destroyed", field,
                    msd_object_name(item), (int)index);
}

msd_result world_refuse_particle(msd_world *world, subject about, const char *what, int32_t number,
                                 int32_t particle) {
  if (index_was_valid(world, MSD_OBJECT_PARTICLE, particle))
    return fail_field(world, MSD_BAD_INDEX, about, "%s %d has particle %d, which was destroyed", what,
                      (int)number, (int)particle);
  return fail_field(world, MSD_BAD_INDEX, about, "%s %d has particle %d; the world has %d", what, (int)number,
                    (int)particle, (int)world->model.particles.count);
}

int32_t world_find_gap(const msd_world *world, msd_object item, msd_range range) {
  if (world->model.tombstones.of[item].count == 0)
    return -1;
  for (int32_t n = 0; n < range.count; n++)
    if (tombstones_have(&world->model.tombstones, item, range.first + n))
      return range.first + n;
  return -1;
}

msd_result fail_locked(msd_world *world) {
  return world
             ? world_fail(world, MSD_LOCKED, "a step of the world is in progress; the world can only be read")
             : MSD_BAD_VALUE;
}

/* ------------------------------------------------------------------------------------- creating a world */

const char *msd_integrator_name(msd_integrator integrator) {
  static const char *const names[MSD_INTEGRATOR_COUNT] = {
      [MSD_SYMPLECTIC_EULER] = "symplectic_euler",     [MSD_EXPLICIT_EULER] = "explicit_euler",
      [MSD_VELOCITY_VERLET] = "velocity_verlet",       [MSD_RK4] = "rk4",
      [MSD_SEQUENTIAL_IMPULSE] = "sequential_impulse",
  };
  return (unsigned)integrator < MSD_INTEGRATOR_COUNT ? names[integrator] : NULL;
}

const char *msd_mass_scaling_name(msd_mass_scaling scaling) {
  static const char *const names[MSD_MASS_SCALING_COUNT] = {"none", "selective"};
  return (unsigned)scaling < MSD_MASS_SCALING_COUNT ? names[scaling] : NULL;
}

const char *msd_solver_name(msd_solver solver) {
  static const char *const names[MSD_SOLVER_COUNT] = {"explicit", "gauss_seidel"};
  return (unsigned)solver < MSD_SOLVER_COUNT ? names[solver] : NULL;
}

msd_world_def msd_default_world_def(void) {
  return (msd_world_def){
      .gravity = {0, (msd_real)-9.81, 0},
      .integrator = MSD_SYMPLECTIC_EULER,
      .clamp_stiffness = false,
      .impulse_iterations = 1,
      .simd = MSD_SIMD_WIDEST,
      .memory_limit = (uint64_t)8 << 30 < SIZE_MAX ? (size_t)((uint64_t)8 << 30) : SIZE_MAX / 2,
      .cookie = MSD_WORLD_COOKIE,
  };
}

static bool is_good_drag(msd_real linear_damping) {
  return isfinite(linear_damping) && linear_damping >= 0;
}

const char *world_bad_tasks(const msd_tasks *tasks) {
  if (!tasks->enqueue != !tasks->finish)
    return "tasks must have both enqueue and finish, or neither";
  if (tasks->enqueue && (tasks->worker_count < 1 || tasks->worker_count > PARALLEL_THREADS_MAX))
    return "tasks.worker_count must be 1 to 256";
  return NULL;
}

/* Describes what is wrong with a definition; NULL: it is valid. */
static const char *bad_field(const msd_world_def *def) {
  if (!vec3_is_finite(def->gravity))
    return "gravity must be finite";
  if (!is_good_drag(def->linear_damping))
    return "linear_damping must be finite and 0 or more";
  if ((unsigned)def->integrator >= MSD_INTEGRATOR_COUNT)
    return "integrator must be one of msd_integrator";
  if ((unsigned)def->energy_mode >= MSD_ENERGY_MODE_COUNT)
    return "energy_mode must be one of msd_energy_mode";
  if ((unsigned)def->mass_scaling >= MSD_MASS_SCALING_COUNT)
    return "mass_scaling must be one of msd_mass_scaling";
  if ((unsigned)def->solver >= MSD_SOLVER_COUNT)
    return "solver must be one of msd_solver";
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

/* Reports an error before there is a world to store the message. */
static msd_result refuse_world(const msd_world_def *def, msd_result result, const char *what) {
  char message[REPORT_MESSAGE_MAX + sizeof "world definition: "];
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
    return MSD_UNINITIALIZED_DEF;
  const char *bad = bad_field(def);
  char conflict[REPORT_MESSAGE_MAX];
  if (!bad &&
      settings_conflict(&(settings_choice){def->integrator, def->energy_mode, def->mass_scaling, def->solver},
                        conflict))
    bad = conflict;
  if (bad)
    return refuse_world(def, MSD_BAD_VALUE, bad);
  const msd_allocator allocator = def->allocator.allocate ? def->allocator : memory_default_allocator();
  memory start = {.allocator = allocator, .limit = SIZE_MAX};
  msd_world *made = memory_allocate(&start, sizeof *made);
  if (!made)
    return refuse_world(def, MSD_OUT_OF_MEMORY, "the allocator returned no memory for a world");
  const msd_contact_settings contact = msd_default_contact_settings();
  *made = (msd_world){
      .model =
          {
              .memory = {.allocator = allocator, .limit = def->memory_limit},
              .report = {.log = def->log, .log_context = def->log_context, .memory = &made->model.memory},
              .gravity = def->gravity,
              .linear_damping = def->linear_damping,
              .integrator = def->integrator,
              .clamp_stiffness = def->clamp_stiffness,
              .energy = def->energy_mode,
              .mass_scaling = def->mass_scaling,
              .solver = def->solver,
              .thread_count = def->thread_count,
              .tasks = def->tasks,
              .impulse_iterations = def->impulse_iterations,
              .impulse_warm_start = def->impulse_warm_start,
              .contact = {contact.thickness, contact.friction, contact.relaxation,
                          contact.error_on_intersection},
              .wind = wind_none(),
              .sleep = {.time = msd_default_sleep_def().delay},
          },
      .stepper = {.model = &made->model,
                  .simd = def->simd,
                  .limiter = energy_limiter_begin(),
                  .account = {.limiter = energy_limiter_begin()},
                  .stop = stop_poll_new()},
  };
  static atomic_ulong made_before;
  made->number = (uint64_t)atomic_fetch_add(&made_before, 1) + 1;
  revision_advance(&made->model.revision); /* 0 means "never made" */
  *world = made;
  return MSD_OK;
}

/* Settings that a snapshot does not contain. */
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
    fail_locked(world);
    return;
  }
  callback_work_free(&world->callbacks, &world->model.memory);
  stepper_free(&world->stepper);
  incremental_bounds_free(&world->bounds, &world->model.memory);
  subdomain_free(&world->part, &world->model.memory);
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
             : fail_locked(world);
}

msd_result msd_world_set_gravity(msd_world *world, msd_vec3 gravity) {
  if (!world_is_open(world) || !vec3_is_finite(gravity))
    return refuse(world, "gravity", (double)(gravity.x + gravity.y + gravity.z), "finite");
  world->model.gravity = gravity;
  world->model.revision.definitions += world->model.solver != MSD_SOLVER_EXPLICIT; /* limits its substeps */
  sleep_wake_all(&world->model.sleep);
  return MSD_OK;
}

msd_result msd_world_set_linear_damping(msd_world *world, msd_real linear_damping) {
  if (!world_is_open(world) || !is_good_drag(linear_damping))
    return refuse(world, "linear_damping", (double)linear_damping, "finite and 0 or more");
  world->model.linear_damping = linear_damping;
  sleep_wake_all(&world->model.sleep);
  return MSD_OK;
}

/* Checks the settings of the world with one of them replaced. */
static msd_result check_choice(msd_world *world, const settings_choice *c) {
  char conflict[REPORT_MESSAGE_MAX];
  return settings_conflict(c, conflict) ? world_fail(world, MSD_BAD_VALUE, "%s", conflict) : MSD_OK;
}

static settings_choice choice_of(const msd_world *world) {
  const world_model *model = &world->model;
  return (settings_choice){model->integrator, model->energy, model->mass_scaling, model->solver};
}

msd_result msd_world_set_integrator(msd_world *world, msd_integrator integrator) {
  if (!world_is_open(world) || (unsigned)integrator >= MSD_INTEGRATOR_COUNT)
    return refuse(world, "integrator", integrator, "one of msd_integrator");
  settings_choice choice = choice_of(world);
  choice.integrator = integrator;
  const msd_result result = check_choice(world, &choice);
  if (result != MSD_OK)
    return result;
  if (world->model.integrator != integrator) {
    world->model.integrator = integrator;
    world->model.revision.integrator++;
    if (world->model.soft_pins.count > 0) /* their loads change */
      world->model.revision.soft_pin_weights++;
    stepper_forget_impulses(&world->stepper);
    torsion_spring_forget_impulses(&world->model.torsion_springs);
  }
  return MSD_OK;
}

msd_result msd_world_set_energy_mode(msd_world *world, msd_energy_mode energy) {
  if (!world_is_open(world) || (unsigned)energy >= MSD_ENERGY_MODE_COUNT)
    return refuse(world, "energy", energy, "one of msd_energy_mode");
  settings_choice choice = choice_of(world);
  choice.energy = energy;
  const msd_result result = check_choice(world, &choice);
  if (result != MSD_OK)
    return result;
  if (energy == MSD_ENERGY_OFF)
    world->stepper.limiter.made_for = (revision){0};
  world->model.energy = energy;
  return MSD_OK;
}

msd_result msd_world_set_mass_scaling(msd_world *world, msd_mass_scaling scaling) {
  if (!world_is_open(world) || (unsigned)scaling >= MSD_MASS_SCALING_COUNT)
    return refuse(world, "mass_scaling", scaling, "one of msd_mass_scaling");
  settings_choice choice = choice_of(world);
  choice.mass_scaling = scaling;
  const msd_result result = check_choice(world, &choice);
  if (result != MSD_OK)
    return result;
  if (world->model.mass_scaling != scaling) {
    world->model.mass_scaling = scaling;
    world->model.revision.definitions++; /* changes the stable limit */
  }
  return MSD_OK;
}

msd_result msd_world_set_solver(msd_world *world, msd_solver solver) {
  if (!world_is_open(world) || (unsigned)solver >= MSD_SOLVER_COUNT)
    return refuse(world, "solver", solver, "one of msd_solver");
  settings_choice choice = choice_of(world);
  choice.solver = solver;
  const msd_result result = check_choice(world, &choice);
  if (result != MSD_OK)
    return result;
  if (world->model.solver != solver) {
    world->model.solver = solver;
    world->model.revision.definitions++; /* changes the stable limit */
  }
  return MSD_OK;
}

msd_result msd_world_check(msd_world *world) {
  DEFAULT_FLOAT_ENVIRONMENT;
  if (!world_is_open(world))
    return fail_locked(world);
  const msd_result result = stepper_check_settings(&world->stepper);
  return result == MSD_OK ? stepper_find_penetrations(&world->stepper) : result;
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
    return fail_locked(world);
  if (world->model.impulse_warm_start != warm_start) {
    world->model.impulse_warm_start = warm_start;
    world->model.revision.impulses++;
    stepper_forget_impulses(&world->stepper);
    torsion_spring_forget_impulses(&world->model.torsion_springs);
  }
  return MSD_OK;
}

msd_result msd_world_set_clamp_stiffness(msd_world *world, bool clamp) {
  if (!world_is_open(world))
    return fail_locked(world);
  world->model.clamp_stiffness = clamp;
  sleep_wake_all(&world->model.sleep);
  world->model.revision.definitions++;
  return MSD_OK;
}

msd_result msd_world_set_thread_count(msd_world *world, int thread_count) {
  if (!world_is_open(world) || thread_count < 0 || thread_count > PARALLEL_THREADS_MAX)
    return refuse(world, "thread_count", thread_count, "0 to 256");
  world->model.thread_count = thread_count;
  world->stepper.thread_trial = (thread_count_tuner){0};
  return MSD_OK;
}

msd_result msd_world_set_tasks(msd_world *world, const msd_tasks *tasks) {
  if (!world_is_open(world))
    return fail_locked(world);
  const msd_tasks set = tasks ? *tasks : (msd_tasks){0};
  const char *bad = world_bad_tasks(&set);
  if (bad)
    return world_fail(world, MSD_BAD_VALUE, "%s", bad);
  world->model.tasks = set;
  world->stepper.thread_trial = (thread_count_tuner){0};
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

msd_real msd_world_get_linear_damping(const msd_world *world) {
  return world ? world->model.linear_damping : 0;
}

msd_integrator msd_world_get_integrator(const msd_world *world) {
  return world ? world->model.integrator : MSD_SYMPLECTIC_EULER;
}

bool msd_world_get_clamp_stiffness(const msd_world *world) {
  return world ? world->model.clamp_stiffness : false;
}

msd_energy_mode msd_world_get_energy_mode(const msd_world *world) {
  return world ? world->model.energy : MSD_ENERGY_OFF;
}

msd_solver msd_world_get_solver(const msd_world *world) {
  return world ? world->model.solver : MSD_SOLVER_EXPLICIT;
}

msd_mass_scaling msd_world_get_mass_scaling(const msd_world *world) {
  return world ? world->model.mass_scaling : MSD_MASS_SCALING_NONE;
}

msd_energy_account msd_world_get_energy_account(const msd_world *world) {
  if (!world)
    return (msd_energy_account){.least_factor = 1};
  const energy_limiter *g = &world->stepper.limiter, *of_constraints = &world->stepper.account.limiter;
  return (msd_energy_account){.constraint_gain = of_constraints->made,
                              .constraint_allowance = of_constraints->credit,
                              .constraint_bounded_substeps = of_constraints->scaled,
                              .constraint_turned_substeps = of_constraints->turned,
                              .gain = g->made,
                              .allowance = g->credit,
                              .bounded_substeps = g->scaled,
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
  return world_count(world, MSD_OBJECT_PARTICLE);
}

int32_t msd_world_get_spring_count(const msd_world *world) {
  return world_count(world, MSD_OBJECT_SPRING);
}

double msd_world_get_time(const msd_world *world) {
  return world ? world->time : 0;
}

int64_t msd_world_get_steps(const msd_world *world) {
  return world ? world->steps : 0;
}
