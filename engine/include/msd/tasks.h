/* msd: the threads that steps run on: OpenMP's, or those of the program's own scheduler. */
#ifndef MSD_TASKS_H
#define MSD_TASKS_H

#include "msd/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a scheduler is given to call, with the `task_context` that came with it. */
typedef void (*msd_task_function)(void *task_context);

/* Has task(task_context) called once, on any thread and at any time until the `finish` of what is returned has
   returned. NULL: that is over already, or will never be. */
typedef void *(*msd_enqueue_task_function)(msd_task_function task, void *task_context, void *context);

/* Returns when the task that `enqueue` returned `handle` for is over. One that has not begun may be called now,
   or not at all. */
typedef void (*msd_finish_task_function)(void *handle, void *context);

/* A scheduler of the program, that runs what is shared among threads.

   A step works on the thread that calls it, and for each part of it that is shared it enqueues a task for each
   further thread; behind that part it finishes each. A task works on that part beside the others, if it is
   called soon enough; else, and on a thread that works on some part already, it returns at once. So a scheduler
   may call tasks in any order, one after the other, on fewer threads, within `enqueue` or `finish`, late or (as
   said above) not at all: steps have the same bits, and wait for no task that has not begun. What they wait for
   such tasks is less than an eighth of the time that they work, and at most a millisecond at once.

   Both functions are called by the thread that has called msd, never by tasks, and with the default
   floating-point environment. They must not use the world. A task calls nothing of the program and takes no
   locks. Where it has to wait for another that has begun it spins, and then yields its processor, so threads
   that share one should have one priority. Tasks of several worlds may be under way at once. */
typedef struct msd_tasks {
  /* Both, or neither: OpenMP, or one thread in a library without it. */
  msd_enqueue_task_function enqueue;
  msd_finish_task_function finish;
  void *context;
  /* How many threads may work on a step, 1 to 256: that which calls it, and those that call tasks. Without
     functions it means nothing. */
  int worker_count;
} msd_tasks;

/* Changes what the definition of a world set. NULL: none. A copy of the world has the same ones; they are
   neither saved nor restored. MSD_BAD_VALUE: one function without the other, or a worker_count outside its
   range. */
MSD_API msd_result msd_world_set_tasks(msd_world *world, const msd_tasks *tasks);

#ifdef __cplusplus
}
#endif

#endif
