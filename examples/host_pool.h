/* A typical thread pool of an application: idle threads run queued tasks. msd uses it through msd_tasks. */
#ifndef HOST_POOL_H
#define HOST_POOL_H

#include <msd/tasks.h>

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { HOST_POOL_THREADS = 16, HOST_POOL_TASKS = 256 };

typedef enum host_task_state {
  HOST_TASK_FREE,
  HOST_TASK_WAITS,
  HOST_TASK_RUNS,
  HOST_TASK_ENDED
} host_task_state;

typedef struct host_task {
  msd_task_function call;
  void *context;
  host_task_state state;
} host_task;

typedef struct host_pool {
  pthread_mutex_t lock;
  pthread_cond_t has_work, has_finished;
  host_task tasks[HOST_POOL_TASKS];
  pthread_t threads[HOST_POOL_THREADS];
  int thread_count;
  /* Number of tasks that threads have begun. */
  long begun;
  int is_closing;
} host_pool;

static inline host_task *host_pool_next(host_pool *pool) {
  for (int n = 0; n < HOST_POOL_TASKS; n++)
    if (pool->tasks[n].state == HOST_TASK_WAITS)
      return &pool->tasks[n];
  return NULL;
}

static inline void *host_pool_work(void *argument) {
  host_pool *pool = argument;
  pthread_mutex_lock(&pool->lock);
  while (!pool->is_closing) {
    host_task *task = host_pool_next(pool);
    if (!task) {
      pthread_cond_wait(&pool->has_work, &pool->lock);
      continue;
    }
    task->state = HOST_TASK_RUNS;
    pool->begun++;
    pthread_mutex_unlock(&pool->lock);
    task->call(task->context);
    pthread_mutex_lock(&pool->lock);
    task->state = HOST_TASK_ENDED;
    pthread_cond_broadcast(&pool->has_finished);
  }
  pthread_mutex_unlock(&pool->lock);
  return NULL;
}

/* If the queue is full, the task is not run at all, which msd allows. */
static inline void *host_pool_enqueue(msd_task_function call, void *task_context, void *context) {
  host_pool *pool = context;
  host_task *place = NULL;
  pthread_mutex_lock(&pool->lock);
  for (int n = 0; n < HOST_POOL_TASKS && !place; n++)
    if (pool->tasks[n].state == HOST_TASK_FREE)
      place = &pool->tasks[n];
  if (place) {
    *place = (host_task){call, task_context, HOST_TASK_WAITS};
    pthread_cond_signal(&pool->has_work);
  }
  pthread_mutex_unlock(&pool->lock);
  return place;
}

/* A task that has not begun is removed from the queue, because it would find no work. */
static inline void host_pool_finish(void *handle, void *context) {
  host_pool *pool = context;
  host_task *task = handle;
  pthread_mutex_lock(&pool->lock);
  while (task->state == HOST_TASK_RUNS)
    pthread_cond_wait(&pool->has_finished, &pool->lock);
  task->state = HOST_TASK_FREE;
  pthread_mutex_unlock(&pool->lock);
}

/* Starts threads in addition to that of the caller, at most HOST_POOL_THREADS. */
static inline void host_pool_open(host_pool *pool, int threads) {
  memset(pool, 0, sizeof *pool);
  pthread_mutex_init(&pool->lock, NULL);
  pthread_cond_init(&pool->has_work, NULL);
  pthread_cond_init(&pool->has_finished, NULL);
  while (pool->thread_count < threads && pool->thread_count < HOST_POOL_THREADS &&
         pthread_create(&pool->threads[pool->thread_count], NULL, host_pool_work, pool) == 0)
    pool->thread_count++;
}

static inline msd_tasks host_pool_tasks(host_pool *pool) {
  msd_tasks tasks;
  tasks.enqueue = host_pool_enqueue;
  tasks.finish = host_pool_finish;
  tasks.context = pool;
  tasks.worker_count = pool->thread_count + 1;
  return tasks;
}

static inline void host_pool_close(host_pool *pool) {
  pthread_mutex_lock(&pool->lock);
  pool->is_closing = 1;
  pthread_cond_broadcast(&pool->has_work);
  pthread_mutex_unlock(&pool->lock);
  for (int n = 0; n < pool->thread_count; n++)
    pthread_join(pool->threads[n], NULL);
  pthread_cond_destroy(&pool->has_finished);
  pthread_cond_destroy(&pool->has_work);
  pthread_mutex_destroy(&pool->lock);
}

#endif
