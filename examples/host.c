/* A host with threads of its own: a curtain in a program whose work is all done by one pool. Steps run on the
   pool, and the curtain hangs, to the bit, as it does on one thread. */
#include "examples/host_pool.h"

#include <msd/msd.h>

#include <inttypes.h>
#include <stdio.h>

enum { COLUMNS = 100, ROWS = 80, FRAMES = 60, THREADS = 4 };

static int fail(msd_world *world) {
  fprintf(stderr, "host: %s\n", msd_world_message(world));
  msd_destroy_world(world);
  return 0;
}

/* A curtain after a second; tasks NULL: on the thread of the caller. Returns whether all went well. */
static int hang_curtain(const msd_tasks *tasks, uint64_t *hash) {
  msd_world_def def = msd_default_world_def();
  def.thread_count = tasks ? tasks->worker_count : 1;
  if (tasks)
    def.tasks = *tasks;
  msd_cloth_def curtain = msd_default_cloth_def();
  curtain.columns = COLUMNS;
  curtain.rows = ROWS;
  msd_world *world;
  msd_body body;
  if (msd_create_world(&def, &world) != MSD_OK)
    return 0;
  if (msd_add_cloth(world, &curtain, &body) != MSD_OK || msd_particle_pin(world, 0) != MSD_OK ||
      msd_particle_pin(world, COLUMNS - 1) != MSD_OK)
    return fail(world);
  for (int frame = 0; frame < FRAMES; frame++)
    if (msd_world_step(world, (msd_real)1 / 60, 8) != MSD_OK)
      return fail(world);
  *hash = msd_world_hash(world);
  msd_destroy_world(world);
  return 1;
}

int main(void) {
  host_pool pool;
  host_pool_open(&pool, THREADS);
  const msd_tasks tasks = host_pool_tasks(&pool);
  uint64_t alone, on_pool;
  const int done = hang_curtain(NULL, &alone) && hang_curtain(&tasks, &on_pool);
  const long begun = pool.begun;
  host_pool_close(&pool);
  if (!done)
    return 1;
  printf("on one thread:              %016" PRIx64 "\n", alone);
  printf("on a pool of %d threads:     %016" PRIx64 ", which took up %ld tasks\n", THREADS, on_pool, begun);
  return alone == on_pool ? 0 : 1;
}
