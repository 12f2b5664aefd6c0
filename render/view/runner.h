/* A thread that steps a scene while another one draws. From runner_start on the scene belongs to that thread,
   and from when runner_is_idle is true to the caller again. */
#ifndef MSD_RENDER_VIEW_RUNNER_H
#define MSD_RENDER_VIEW_RUNNER_H

#include "render/view/hand.h"
#include "scenes/loader/scene.h"

#include <stddef.h>

typedef struct run_job {
  const scene *scene;
  /* s. */
  double time_step;
  /* 0: automatic. */
  int substeps;
  int steps;
  /* s of real time after which no further step is started. */
  double patience;
  /* hand_step is called before each step. */
  hand *hand;
} run_job;

typedef struct run_report {
  /* The result of the last step. */
  msd_result result;
  /* The number of steps taken. */
  int steps;
  /* s: the real time that they took, and the processor time of the thread, which is less when drawing competes
     for the processor. */
  double seconds, own_seconds;
} run_report;

typedef struct runner runner;

/* NULL, with a line in `error`, on failure. */
runner *runner_create(char *error, size_t size);

/* Waits for the job in progress, if any. NULL is allowed. */
void runner_destroy(runner *r);

/* Starts a job; only when idle. */
void runner_start(runner *r, const run_job *job);
bool runner_is_idle(runner *r);
/* Waits until the runner is idle. */
void runner_wait(runner *r);

/* The report of the last job; only when idle. */
run_report runner_report(const runner *r);

#endif
