#define _POSIX_C_SOURCE 200809L
#include "render/view/runner.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct runner {
  pthread_t thread;
  /* Protects everything below. */
  pthread_mutex_t lock;
  pthread_cond_t changed;
  bool is_busy, must_end;
  run_job job;
  run_report report;
};

static void *loop(void *context) {
  runner *r = context;
  pthread_mutex_lock(&r->lock);
  for (;;) {
    while (!r->is_busy && !r->must_end)
      pthread_cond_wait(&r->changed, &r->lock);
    if (r->must_end)
      break;
    run_job job = r->job;
    pthread_mutex_unlock(&r->lock);
    run_report report = run_job_do(&job);
    pthread_mutex_lock(&r->lock);
    r->report = report;
    r->is_busy = false;
    pthread_cond_broadcast(&r->changed);
  }
  pthread_mutex_unlock(&r->lock);
  return NULL;
}

runner *runner_create(char *error, size_t size) {
  runner *r = calloc(1, sizeof *r);
  if (r == NULL) {
    snprintf(error, size, "out of memory for a thread");
    return NULL;
  }
  pthread_mutex_init(&r->lock, NULL);
  pthread_cond_init(&r->changed, NULL);
  if (pthread_create(&r->thread, NULL, loop, r) == 0)
    return r;
  snprintf(error, size, "the system gives no thread to step in");
  pthread_cond_destroy(&r->changed);
  pthread_mutex_destroy(&r->lock);
  free(r);
  return NULL;
}

void runner_wait(runner *r) {
  pthread_mutex_lock(&r->lock);
  while (r->is_busy)
    pthread_cond_wait(&r->changed, &r->lock);
  pthread_mutex_unlock(&r->lock);
}

void runner_destroy(runner *r) {
  if (r == NULL)
    return;
  runner_wait(r);
  pthread_mutex_lock(&r->lock);
  r->must_end = true;
  pthread_cond_broadcast(&r->changed);
  pthread_mutex_unlock(&r->lock);
  pthread_join(r->thread, NULL);
  pthread_cond_destroy(&r->changed);
  pthread_mutex_destroy(&r->lock);
  free(r);
}

void runner_start(runner *r, const run_job *job) {
  pthread_mutex_lock(&r->lock);
  r->job = *job;
  r->is_busy = true;
  pthread_cond_broadcast(&r->changed);
  pthread_mutex_unlock(&r->lock);
}

bool runner_is_idle(runner *r) {
  pthread_mutex_lock(&r->lock);
  bool is_idle = !r->is_busy;
  pthread_mutex_unlock(&r->lock);
  return is_idle;
}

run_report runner_report(const runner *r) {
  return r->report;
}
