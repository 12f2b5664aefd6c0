/* An application with a thread pool of its own that does all its work. A curtain is stepped by all threads
   together; each of many capes is stepped by one thread. Results are bitwise identical to those of one
   thread. */
#include "examples/host_pool.h"

#include <msd/msd.h>

#include <inttypes.h>
#include <stdio.h>

enum { THREADS = 4, COLUMNS = 100, ROWS = 80, FRAMES = 30, CAPES = 40, SIDE = 20 };

/* A cloth on two pins, 1 m wide, over a ball. */
static msd_world *new_cloth(const msd_tasks *tasks, int32_t columns, int32_t rows) {
  msd_world_def def = msd_default_world_def();
  def.thread_count = tasks ? tasks->worker_count : 1;
  if (tasks)
    def.tasks = *tasks;
  msd_cloth_def cloth = msd_default_cloth_def();
  cloth.columns = columns;
  cloth.rows = rows;
  cloth.v = (msd_vec3){0, 0, 1};
  msd_collider_def ball = msd_default_collider_def();
  ball.kind = MSD_COLLIDER_SPHERE;
  ball.position = (msd_vec3){(msd_real)0.5, (msd_real)-0.3, (msd_real)0.5};
  ball.radius = (msd_real)0.25;
  msd_world *world = NULL;
  if (msd_create_world(&def, &world) == MSD_OK && msd_add_cloth(world, &cloth, NULL) == MSD_OK &&
      msd_particle_pin(world, 0) == MSD_OK && msd_particle_pin(world, columns - 1) == MSD_OK &&
      msd_add_colliders(world, &ball, 1, NULL) == MSD_OK)
    return world;
  fprintf(stderr, "host: %s\n", msd_world_message(world));
  msd_destroy_world(world);
  return NULL;
}

/* A callback. It may read the world and store what it sees; changes must wait until msd_world_step has
   returned. */
static void count_touch(const msd_world *world, const msd_contact_event *touch, void *touches) {
  (void)world, (void)touch;
  ++*(int *)touches;
}

/* Hash of a curtain after some frames, 0 on failure. tasks NULL: on the calling thread. */
static uint64_t hang_curtain(const msd_tasks *tasks, int *touches) {
  msd_world *world = new_cloth(tasks, COLUMNS, ROWS);
  const msd_callbacks callbacks = {.contact_begin = count_touch, .context = touches};
  msd_result result = msd_world_set_callbacks(world, &callbacks);
  for (int frame = 0; frame < FRAMES && result == MSD_OK; frame++)
    result = msd_world_step(world, (msd_real)1 / 60, 8);
  if (result != MSD_OK)
    fprintf(stderr, "host: %s\n", msd_world_message(world));
  const uint64_t hash = result == MSD_OK ? msd_world_hash(world) : 0;
  msd_destroy_world(world);
  return hash;
}

/* Hash of the capes of a crowd, stepped by one call per frame. */
static uint64_t hang_capes(int threads, const msd_tasks *tasks) {
  msd_step steps[CAPES];
  for (int n = 0; n < CAPES; n++)
    steps[n] = (msd_step){new_cloth(NULL, SIDE, SIDE), (msd_real)1 / 60, 4 + n % 5, MSD_OK};
  msd_result result = MSD_OK;
  for (int frame = 0; frame < FRAMES && result == MSD_OK; frame++)
    result = msd_worlds_step(steps, CAPES, threads, tasks);
  uint64_t hash = result == MSD_OK;
  for (int n = 0; n < CAPES; n++) {
    if (steps[n].result != MSD_OK)
      fprintf(stderr, "host: cape %d: %s\n", n, msd_world_message(steps[n].world));
    hash *= msd_world_hash(steps[n].world) | 1;
    msd_destroy_world(steps[n].world);
  }
  return hash;
}

int main(void) {
  host_pool pool;
  host_pool_open(&pool, THREADS);
  const msd_tasks tasks = host_pool_tasks(&pool);
  int touches = 0, touches_on_pool = 0;
  const uint64_t curtain = hang_curtain(NULL, &touches), on_pool = hang_curtain(&tasks, &touches_on_pool);
  const uint64_t capes = hang_capes(1, NULL), capes_on_pool = hang_capes(0, &tasks);
  const long begun = pool.begun;
  host_pool_close(&pool);
  printf("the curtain:   %016" PRIx64 " on one thread, %016" PRIx64 " on the pool\n", curtain, on_pool);
  printf("the capes:     %016" PRIx64 " on one thread, %016" PRIx64 " on the pool\n", capes, capes_on_pool);
  printf("of the curtain %d particles came to touch the ball; the pool took up %ld tasks\n", touches, begun);
  return curtain && capes && curtain == on_pool && capes == capes_on_pool && touches == touches_on_pool ? 0
                                                                                                        : 1;
}
