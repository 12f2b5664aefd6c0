/* A thread that steps a world while another draws. The world belongs to that thread from runner_start until
   runner_is_idle says true; then it belongs to the caller again. */
#ifndef MSD_RENDER_VIEW_RUNNER_H
#define MSD_RENDER_VIEW_RUNNER_H

#include "render/view/hand.h"

#include <stddef.h>

typedef struct run_job {
  msd_world *world;
  double time_step; /* s */
  int substeps;     /* 0: automatic */
  int steps;
  double patience; /* s of real time after which no further step is begun */
  hand *hand;      /* moved on before each step */
} run_job;

typedef struct run_report {
  msd_result result; /* of the last step */
  int steps;         /* taken */
  double seconds;    /* of real time that they took */
} run_report;

typedef struct runner runner;

runner *runner_create(char *error, size_t size); /* NULL with a line in `error` */

/* Waits for the job under way, if any. NULL is allowed. */
void runner_destroy(runner *r);

void runner_start(runner *r, const run_job *job); /* only when idle */
bool runner_is_idle(runner *r);
void runner_wait(runner *r);

/* Of the last job; only when idle. */
run_report runner_report(const runner *r);

#endif
