/* msd: the threads that steps run on, OpenMP's or those of the program's own scheduler; several worlds at
   once. */
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
   said above) not at all: steps have the same bits, and for tasks that have not begun they wait less than an
   eighth of the time that they work, and at most a millisecond at once.

   What goes through a whole world between steps is shared in the same way: msd_world_get_stats,
   msd_world_find_intersections, and what stability.h finds and estimates.

   Both functions are called by the thread that has called msd, never by tasks, and with the default
   floating-point environment. They must not use the world. Where a task has to wait for another that has begun
   it spins, and then yields its processor, so threads that share one should have one priority. It takes no
   locks and calls nothing of the program, but for what msd_worlds_step says. Tasks of several worlds may be
   under way at once. */
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

/* A step of one world among several. */
typedef struct msd_step {
  msd_world *world;
  /* As in msd_world_step. */
  msd_real time_step;
  int substeps;
  /* Is set to what msd_world_step answers; msd_world_message has more. */
  msd_result result;
} msd_step;

/* Takes a step of each world, with the same bits as msd_world_step, several at once on up to `thread_count`
   threads (0 to 256; 0: as many as the tasks have workers, or the machine offers) of `tasks` (NULL:
   OpenMP's), and returns when all are done. Each world is stepped by one thread, whatever its own
   thread_count and tasks; a thread that is done with one takes the next, so name the largest first.
   Allocators and functions of the worlds are called by the thread that steps them, so what several share
   must take that. Returns the first result that is not MSD_OK, in the order of the steps; a step that fails
   keeps no other back. MSD_BUSY of a world that is named a second time, which is not stepped again.
   MSD_BAD_VALUE, and nothing is stepped: a thread_count outside its range, tasks as msd_world_set_tasks
   refuses them, a world of several ranks (ranks.h), which would meet the others in no order, or no list. */
MSD_API msd_result msd_worlds_step(msd_step *steps, int count, int thread_count, const msd_tasks *tasks);

#ifdef __cplusplus
}
#endif

#endif
