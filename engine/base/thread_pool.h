/* The engine's own threads, as a task system like those of hosts (msd/tasks.h). They are started when needed,
   and shared by all worlds. OpenMP determines their number and places; builds without it have none.

   OpenMP's parallel regions are not used: their ends wait for threads that a busy machine does not run, and
   spin meanwhile. */
#ifndef MSD_ENGINE_BASE_THREAD_POOL_H
#define MSD_ENGINE_BASE_THREAD_POOL_H

#include <msd/tasks.h>

/* Numbers of threads, with the calling one. */
typedef struct thread_offer {
  /* The maximum, and the default number. */
  int limit, usual;
} thread_offer;

/* 1 and 1 without OpenMP, inside a parallel region of the host, and in a forked child of a process whose pool
   has started threads: the child has none of them. */
thread_offer thread_pool_offer(void);

/* The tasks for a run with `threads` threads, the calling one included. A task that has not begun is canceled
   by `finish`. `enqueue` returns NULL if no thread is free and none can be started. */
msd_tasks thread_pool_tasks(int threads);

#endif
