/* msd_worlds_step: advances several worlds, each with one thread. */

#include "engine/base/float_environment.h"
#include "engine/base/min_max.h"
#include "engine/base/parallel.h"
#include "engine/world/world.h"

typedef struct shared {
  msd_step *steps;
  int count;
  /* First world that no thread has started. */
  atomic_int next;
} shared;

static void take_steps(void *context, int thread, int threads) {
  (void)thread, (void)threads;
  shared *s = context;
  for (int n = atomic_fetch_add(&s->next, 1); n < s->count; n = atomic_fetch_add(&s->next, 1)) {
    msd_step *step = &s->steps[n];
    if (step->result == MSD_OK)
      step->result = world_take_step(step->world, (double)step->frame_time, step->substeps);
  }
}

msd_result msd_worlds_step(msd_step *steps, int count, int thread_count, const msd_tasks *tasks) {
  DEFAULT_FLOAT_ENVIRONMENT;
  if (count < 0 || (count > 0 && !steps) || thread_count < 0 || thread_count > PARALLEL_THREADS_MAX ||
      (tasks && world_bad_tasks(tasks)))
    return MSD_BAD_VALUE;
  for (int n = 0; n < count; n++)
    if (steps[n].world && steps[n].world->stepper.ranks.count > 1)
      return MSD_BAD_VALUE;
  /* A world that is listed twice is locked the second time. */
  for (int n = 0; n < count; n++)
    steps[n].result = world_begin_step(steps[n].world);
  shared s = {.steps = steps, .count = count};
  parallel_run_loose(tasks, int_min(count, parallel_threads(tasks, thread_count, INT32_MAX)), take_steps, &s);
  for (int n = 0; n < count; n++)
    if (steps[n].result != MSD_OK)
      return steps[n].result;
  return MSD_OK;
}
