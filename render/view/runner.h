/* A thread that steps a world while another draws. The world belongs to that thread from runner_start until
   runner_is_idle is true; then it belongs to the caller again. */
#ifndef MSD_RENDER_VIEW_RUNNER_H
#define MSD_RENDER_VIEW_RUNNER_H

#include "render/view/hand.h"

#include <stddef.h>

typedef struct run_job {
  msd_world *world;
  /* s. */
  double time_step;
  /* 0: automatic. */
  int substeps;
  int steps;
  /* s of real time after which no further step is begun. */
  double patience;
  /* Moved on before each step. */
  hand *hand;
} run_job;

typedef struct run_report {
  /* Of the last step. */
  msd_result result;
  /* Taken. */
  int steps;
  /* s of real time that they took, and how much of it the processor worked on them: when drawing takes the
     processor too, that is less. */
  double seconds, own_seconds;
} run_report;

typedef struct runner runner;

/* NULL with a line in `error`. */
runner *runner_create(char *error, size_t size);

/* Waits for the job under way, if any. NULL is allowed. */
void runner_destroy(runner *r);

/* Only when idle. */
void runner_start(runner *r, const run_job *job);
bool runner_is_idle(runner *r);
void runner_wait(runner *r);

/* Of the last job; only when idle. */
run_report runner_report(const runner *r);

#endif
