/* Schedulers of hosts: the pool of the examples, and others that do what they may and hosts rarely do. */
#ifndef MSD_TESTS_SCHEDULERS_H
#define MSD_TESTS_SCHEDULERS_H

#include <msd/tasks.h>

#include <stdbool.h>

#ifndef __wasm__
#include "examples/host_pool.h"
#endif

/* A place for a task that is not called where it is queued. */
typedef struct kept_task {
  msd_task_function call;
  void *context;
} kept_task;

enum { KEPT_TASKS = 256 };

typedef struct task_keeper {
  kept_task tasks[KEPT_TASKS];
  int count;
} task_keeper;

static inline void *call_at_once(msd_task_function call, void *task_context, void *context) {
  (void)context;
  call(task_context);
  return NULL;
}

static inline void *call_at_once_and_return_something(msd_task_function call, void *task_context,
                                                      void *context) {
  call(task_context);
  return context;
}

/* The keeper belongs to one world, whose tasks are finished before others are queued. */
static inline void *keep_task(msd_task_function call, void *task_context, void *context) {
  task_keeper *keeper = context;
  kept_task *place = &keeper->tasks[keeper->count++ % KEPT_TASKS];
  *place = (kept_task){call, task_context};
  return place;
}

static inline void call_kept_task(void *handle, void *context) {
  const kept_task *task = handle;
  (void)context;
  task->call(task->context);
}

static inline void forget_task(void *handle, void *context) {
  (void)handle, (void)context;
}

#ifndef __wasm__

/* Whether some thread of a pool has begun a task: on a busy machine that may take many tasks. */
static inline bool host_pool_has_begun(host_pool *pool) {
  pthread_mutex_lock(&pool->lock);
  const bool has_begun = pool->begun > 0;
  pthread_mutex_unlock(&pool->lock);
  return has_begun;
}

enum { POOL_TRIALS = 10000 };

static inline void *call_kept(void *argument) {
  call_kept_task(argument, NULL);
  return NULL;
}

static inline void *call_elsewhere_and_wait(msd_task_function call, void *task_context, void *context) {
  (void)context;
  kept_task task = {call, task_context};
  pthread_t other;
  if (pthread_create(&other, NULL, call_kept, &task) == 0)
    pthread_join(other, NULL);
  return NULL;
}

#endif

typedef struct scheduler {
  const char *name;
  msd_enqueue_task_function enqueue;
  msd_finish_task_function finish;
} scheduler;

static const scheduler SERIAL_SCHEDULERS[] = {
    {"at once", call_at_once, forget_task},
    {"at once, with something to finish", call_at_once_and_return_something, forget_task},
    {"when it is to finish", keep_task, call_kept_task},
    {"never", keep_task, forget_task},
#ifndef __wasm__
    {"elsewhere, which is waited for", call_elsewhere_and_wait, forget_task},
#endif
};
enum { SERIAL_SCHEDULER_COUNT = sizeof SERIAL_SCHEDULERS / sizeof SERIAL_SCHEDULERS[0] };

static inline msd_tasks tasks_of(const scheduler *s, task_keeper *keeper, int worker_count) {
  return (msd_tasks){s->enqueue, s->finish, keeper, worker_count};
}

#endif
