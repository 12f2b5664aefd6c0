/* Threads where things touch and sleep: what the number of threads may not change, even where it changes from
   step to step, as it does on a machine that has more to do. Sheets fall onto each other, onto a ball and onto
   the floor in turbulence, tied to their pins; blocks fall asleep and are woken; cloths go by Gauss-Seidel and
   by scaled masses; to a world something is added, and something of it is destroyed. Each has the hash of one
   thread, frame by frame, on OpenMP's threads, on those of a pool, and on a pool that takes a task only now
   and then, or late.

   No test framework: this runs under ThreadSanitizer too, which reports any race in the engine. */
#define _POSIX_C_SOURCE 200809L /* nanosleep */
#include "examples/host_pool.h"
#include "tests/support/share.h"

#include <msd/msd.h>

#include <inttypes.h>
#include <stdio.h>
#include <time.h>

enum { SIDE = 18, FRAMES = 16, SUBSTEPS = 8, SHEETS = 3, TRIANGLES = 2 * (SIDE - 1) * (SIDE - 1) };

/* ---------------------------------------------------------------------------------------------- the worlds */

static bool add_sheet(msd_world *world, msd_vec3 origin, msd_vec3 u, msd_vec3 v, msd_body *body) {
  msd_cloth_def cloth = msd_default_cloth_def();
  cloth.columns = cloth.rows = SIDE;
  cloth.mass = (msd_real)0.05;
  cloth.origin = origin;
  cloth.u = u;
  cloth.v = v;
  cloth.stretch.stiffness = 200;
  cloth.stretch.damping = (msd_real)0.02;
  cloth.shear = cloth.stretch;
  cloth.bend.stiffness = 5;
  return msd_add_cloth(world, &cloth, body) == MSD_OK;
}

static bool add_surface(msd_world *world, int32_t first) {
  msd_cloth_def cloth = msd_default_cloth_def();
  cloth.columns = cloth.rows = SIDE;
  int32_t triangles[3 * TRIANGLES], count;
  msd_collision_mesh_def surface = msd_default_collision_mesh_def();
  surface.triangles = triangles;
  surface.triangle_count = TRIANGLES;
  return msd_cloth_get_triangles(&cloth, first, triangles, TRIANGLES, &count) == MSD_OK &&
         msd_add_collision_meshes(world, &surface, 1, NULL) == MSD_OK;
}

static bool add_ball_and_floor(msd_world *world) {
  msd_collider_def colliders[2] = {msd_default_collider_def(), msd_default_collider_def()};
  colliders[0].kind = MSD_COLLIDER_SPHERE;
  colliders[0].radius = (msd_real)0.06;
  colliders[0].position = (msd_vec3){(msd_real)0.1, (msd_real)-0.09, (msd_real)0.1};
  colliders[1].kind = MSD_COLLIDER_PLANE;
  colliders[1].position = (msd_vec3){0, (msd_real)-0.15, 0};
  return msd_add_colliders(world, colliders, 2, NULL) == MSD_OK;
}

/* A sheet that is turned a little against the one below it, and lies nearly on it. */
static bool add_turned_sheet(msd_world *world, int n, msd_body *body) {
  const msd_real turn = (msd_real)0.06 * (msd_real)n, height = (msd_real)0.012 * (msd_real)n;
  return add_sheet(world, (msd_vec3){0, height, turn / 10},
                   (msd_vec3){(msd_real)0.18, 0, (msd_real)0.18 * turn},
                   (msd_vec3){(msd_real)-0.18 * turn, 0, (msd_real)0.18}, body) &&
         add_surface(world, body->particles.first);
}

static bool build_pile(msd_world *world) {
  msd_body body;
  bool ok = true;
  for (int n = 0; n < SHEETS && ok; n++)
    ok = add_turned_sheet(world, n, &body);
  msd_wind_def wind = msd_default_wind_def();
  wind.velocity = (msd_vec3){2, 0, 1};
  wind.turbulence = (msd_real)0.7;
  msd_tethers_def tethers = msd_default_tethers_def();
  tethers.particles = body.particles;
  tethers.spring.law = MSD_SPRING_HARD_LIMIT;
  return ok && msd_particle_pin(world, body.particles.first) == MSD_OK &&
         msd_add_tethers(world, &tethers, NULL) == MSD_OK && add_ball_and_floor(world) &&
         msd_world_set_wind(world, &wind) == MSD_OK;
}

/* A ball drops and is led. */
static bool change_pile(msd_world *world, int frame) {
  const msd_vec3 to = {(msd_real)0.1, (msd_real)(-0.09 + 0.004 * frame), (msd_real)0.1};
  return msd_collider_move_to(world, 0, to, (msd_quaternion){1, 0, 0, 0}) == MSD_OK;
}

enum { BLOCKS = 6 };

/* They lie on the floor, and are still at once. */
static bool build_sleepers(msd_world *world) {
  msd_sleep_def sleep = msd_default_sleep_def();
  sleep.speed = (msd_real)0.3;
  sleep.delay = (msd_real)0.05;
  bool ok = msd_world_set_sleep(world, &sleep) == MSD_OK && add_ball_and_floor(world);
  for (int n = 0; n < BLOCKS && ok; n++) {
    msd_body body;
    ok = add_sheet(world, (msd_vec3){(msd_real)(0.3 * n), (msd_real)-0.143, 0},
                   (msd_vec3){(msd_real)0.18, 0, 0}, (msd_vec3){0, 0, (msd_real)0.18}, &body) &&
         (n % 2 == 0 || add_surface(world, body.particles.first));
  }
  return ok;
}

/* What sleeps is pushed, met by the ball, and left alone. */
static bool change_sleepers(msd_world *world, int frame) {
  const msd_vec3 to = {(msd_real)(0.1 + 0.05 * frame), (msd_real)-0.12, (msd_real)0.1};
  const int32_t pushed = SIDE * SIDE * (frame / 4 % BLOCKS) + SIDE;
  return (frame % 4 != 3 ||
          msd_particle_apply_force(world, pushed, (msd_vec3){0, (msd_real)0.5, 0}) == MSD_OK) &&
         msd_collider_move_to(world, 0, to, (msd_quaternion){1, 0, 0, 0}) == MSD_OK;
}

static bool build_hanging(msd_world *world) {
  msd_body body;
  return add_sheet(world, (msd_vec3){0, 0, 0}, (msd_vec3){(msd_real)0.3, 0, 0},
                   (msd_vec3){0, (msd_real)-0.05, (msd_real)0.3}, &body) &&
         msd_particle_pin(world, 0) == MSD_OK && msd_particle_pin(world, SIDE - 1) == MSD_OK;
}

static bool build_projected(msd_world *world) {
  return msd_world_set_solver(world, MSD_SOLVER_GAUSS_SEIDEL) == MSD_OK && build_hanging(world);
}

static bool build_scaled(msd_world *world) {
  return msd_world_set_mass_scaling(world, MSD_MASS_SCALING_SELECTIVE) == MSD_OK && build_hanging(world);
}

/* A particle on a spring comes, another goes, and now and then the gaps are closed. */
static bool change_parts(msd_world *world, int frame) {
  msd_particle_def particle = msd_default_particle_def();
  msd_spring_def spring = msd_default_spring_def();
  const int32_t gone = 40 + 7 * frame;
  particle.mass = (msd_real)1e-3;
  spring.a = SIDE * SIDE - 1;
  bool ok = msd_add_particles(world, &particle, 1, &spring.b) == MSD_OK &&
            msd_add_springs(world, &spring, 1, NULL) == MSD_OK &&
            msd_destroy_objects(world, MSD_OBJECT_PARTICLE, &gone, 1) == MSD_OK;
  if (frame % 5 == 4)
    ok = ok && msd_world_compact(world, NULL) == MSD_OK;
  return ok;
}

static const struct {
  const char *name;
  bool (*build)(msd_world *world);
  /* Between frames; NULL: nothing. */
  bool (*change)(msd_world *world, int frame);
} worlds[] = {{"pile", build_pile, change_pile},
              {"sleepers", build_sleepers, change_sleepers},
              {"Gauss-Seidel", build_projected, NULL},
              {"scaled masses", build_scaled, NULL},
              {"coming and going", build_hanging, change_parts}};
enum { WORLDS = sizeof worlds / sizeof *worlds };

/* ------------------------------------------------------------------------------------------ the schedulers */

/* A pool that takes some tasks, refuses some, and takes some late: which, no clock decides. */
typedef struct fickle_pool {
  host_pool pool;
  uint32_t random;
} fickle_pool;

static uint32_t next_random(fickle_pool *f) {
  f->random = f->random * 1664525 + 1013904223;
  return f->random >> 16;
}

static void *enqueue_or_not(msd_task_function call, void *task_context, void *context) {
  fickle_pool *f = context;
  const uint32_t chance = next_random(f) % 8;
  if (chance < 2)
    return NULL;
  if (chance == 2)
    nanosleep(&(struct timespec){.tv_nsec = 20000}, NULL);
  return host_pool_enqueue(call, task_context, &f->pool);
}

static void finish_fickle(void *handle, void *context) {
  fickle_pool *f = context;
  host_pool_finish(handle, &f->pool);
}

/* --------------------------------------------------------------------------------------------------- tests */

typedef struct way {
  const char *name;
  int threads;
  msd_simd simd;
  const msd_tasks *tasks;
} way;

static bool step_world(int which, const way *w, uint64_t hash[FRAMES]) {
  msd_world_def def = msd_default_world_def();
  def.thread_count = w->threads;
  def.simd = w->simd;
  if (w->tasks)
    def.tasks = *w->tasks;
  msd_world *world = NULL;
  bool ok = msd_create_world(&def, &world) == MSD_OK && worlds[which].build(world);
  for (int frame = 0; frame < FRAMES && ok; frame++) {
    ok = (!worlds[which].change || worlds[which].change(world, frame)) &&
         msd_world_step(world, (msd_real)1 / 60, SUBSTEPS) == MSD_OK;
    hash[frame] = msd_world_hash(world);
  }
  if (!ok)
    fprintf(stderr, "threads: %s: %s\n", worlds[which].name, msd_world_message(world));
  /* What is meant to be tried must have been there. */
  const msd_stats stats = msd_world_get_stats(world);
  if (ok && worlds[which].build == build_pile && stats.contacts == 0)
    ok = fputs("threads: nothing touches\n", stderr) < 0;
  if (ok && worlds[which].build == build_sleepers && (stats.asleep == 0 || stats.asleep == stats.particles))
    ok = fputs("threads: all or nothing sleeps\n", stderr) < 0;
  msd_destroy_world(world);
  return ok;
}

/* Returns how many frames are others than with one thread. */
static int count_failures(int which, const way *ways, int count) {
  uint64_t expected[FRAMES], hash[FRAMES];
  int failures = !step_world(which, &(way){.name = "one", .threads = 1}, expected);
  for (int n = 0; n < count; n++) {
    int differ = !step_world(which, &ways[n], hash);
    for (int frame = 0; frame < FRAMES; frame++)
      differ += hash[frame] != expected[frame];
    printf("%s, %s, %d threads, width %d: %016" PRIx64 ", %d differ\n", worlds[which].name, ways[n].name,
           ways[n].threads, (int)ways[n].simd, hash[FRAMES - 1], differ);
    failures += differ;
  }
  return failures;
}

int main(void) {
  static host_pool pool;
  static fickle_pool fickle = {.random = 1};
  host_pool_open(&pool, 3);
  host_pool_open(&fickle.pool, 3);
  const msd_tasks tasks = host_pool_tasks(&pool), fickle_tasks = {enqueue_or_not, finish_fickle, &fickle, 4};
  /* The first of them are what a sanitizer has the time for. */
  const way ways[] = {
      {"OpenMP", 4, MSD_SIMD_WIDEST, NULL},   {"a fickle pool", 4, MSD_SIMD_WIDEST, &fickle_tasks},
      {"a pool", 4, MSD_SIMD_SCALAR, &tasks}, {"OpenMP", 2, MSD_SIMD_128, NULL},
      {"OpenMP", 3, MSD_SIMD_SCALAR, NULL},   {"a fickle pool", 3, MSD_SIMD_SCALAR, &fickle_tasks}};
  int failures = 0;
  for (int which = 0; which < WORLDS; which++)
    failures += count_failures(which, ways, share_of(sizeof ways / sizeof *ways));
  host_pool_close(&fickle.pool);
  host_pool_close(&pool);
  return failures > 0;
}
