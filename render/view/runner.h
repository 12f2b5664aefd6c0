/* A thread that steps a scene while another one draws. From runner_start on the scene belongs to that thread,
   and from when runner_is_idle is true to the caller again. Where there are no threads, as in a browser,
   runner_start does the job before it returns (runner_at_once.c). */
#ifndef MSD_RENDER_VIEW_RUNNER_H
#define MSD_RENDER_VIEW_RUNNER_H

#include "render/view/run_job.h"

#include <stddef.h>

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
