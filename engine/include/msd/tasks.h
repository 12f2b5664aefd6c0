/* msd: multithreading, by threads of msd or by the job system of the application; stepping several worlds at
   once.

   Other programs may need the processors too. On a busy machine several threads may be slower than one, as they
   wait for those that do not run. Then the calling thread works alone, also within a frame, and tries the
   others again later. So a frame with several threads takes at most about 1.1 times as long as with one.
   Threads that wait spin for at most 0.1 ms, and then sleep. So do threads of msd that have no work. */
#ifndef MSD_TASKS_H
#define MSD_TASKS_H

#include "msd/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A task that a job system runs with the `task_context` that it was enqueued with. */
typedef void (*msd_task_function)(void *task_context);

/* Enqueues task(task_context) to run once, on any thread, at any time until the `finish` of the returned
   handle has returned. Returns NULL if the task has already run or will never run. */
typedef void *(*msd_enqueue_task_function)(msd_task_function task, void *task_context, void *context);

/* Returns when the task with this handle has finished. A task that has not begun may be run now, or not at
   all. */
typedef void (*msd_finish_task_function)(void *handle, void *context);

/* Callbacks that connect msd to the job system of the application.

   msd_world_step works on the thread that calls it. For each parallel section it enqueues one task per
   additional thread, and finishes all of them after the section. A task that starts in time takes some of the
   work. A task that starts late, or on a thread that is already working on a section, returns at once.

   A job system may therefore run tasks in any order, one after another, on fewer threads, within `enqueue` or
   `finish`, late or (see above) not at all. Results are bitwise identical in all these cases. A section waits
   at most 0.2 ms for tasks that have not begun.

   Functions that process a whole world between frames use the same tasks: msd_world_get_stats,
   msd_world_find_intersections, and the functions of stability.h that compute or estimate.

   The thread that called msd calls both functions, with the default floating-point environment; tasks do not
   call them. They must not use the world. A task that has to wait for another one sleeps until that one
   continues. Tasks call no functions of the application, except as msd_worlds_step describes. Tasks of several
   worlds may run at the same time. */
typedef struct msd_tasks {
  /* Both or neither. Without them msd uses threads of its own, or one thread in a library without OpenMP.
     The number and places of its threads follow OpenMP's variables, such as OMP_NUM_THREADS; they are started
     when needed, and shared by all worlds. */
  msd_enqueue_task_function enqueue;
  msd_finish_task_function finish;
  /* Passed to both functions. */
  void *context;
  /* 1 to 256. Most threads that work on a frame: the calling thread and those that run tasks. Ignored without
     functions. */
  int worker_count;
} msd_tasks;

/* Replaces the tasks of the world definition; NULL: none. A copy of a world has the same tasks; snapshots do
   not contain them. Returns MSD_BAD_VALUE if only one function is set or worker_count is out of its range. */
MSD_API msd_result msd_world_set_tasks(msd_world *world, const msd_tasks *tasks);

/* A frame of one world among several. */
typedef struct msd_step {
  /* The world to step. */
  msd_world *world;
  /* Arguments of msd_world_step. */
  msd_real frame_time;
  int substeps;
  /* Receives the result of msd_world_step; msd_world_message has the details. */
  msd_result result;
} msd_step;

/* Advances each world by one frame, several at the same time, and returns when all are done. The results are
   bitwise identical to those of msd_world_step.
   - Threads: up to `thread_count`, 0 to 256; 0: the worker_count of `tasks`, or all that the machine offers.
     They are provided by `tasks`, or by msd if it is NULL.
   - Each world is stepped by one thread, whatever its own thread_count and tasks. A thread that has finished
     a world takes the next one in the list, so list the largest worlds first.
   - The thread that steps a world calls its allocator and callbacks. Those that several worlds have in common
     must be thread-safe.

   Returns the first result that is not MSD_OK, in the order of `steps`; a failure does not affect the other
   worlds. A world that is listed twice is stepped once, and the second entry gets MSD_LOCKED. Returns
   MSD_BAD_VALUE, without stepping anything, for a thread_count out of its range, invalid tasks, a NULL list,
   or a world that is one of several ranks (ranks.h). */
MSD_API msd_result msd_worlds_step(msd_step *steps, int count, int thread_count, const msd_tasks *tasks);

#ifdef __cplusplus
}
#endif

#endif
