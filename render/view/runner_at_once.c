/* A runner for hosts without threads: a job is done when runner_start returns. */
#include "render/view/runner.h"

#include <stdio.h>
#include <stdlib.h>

struct runner {
  run_report report;
};

runner *runner_create(char *error, size_t size) {
  runner *r = calloc(1, sizeof *r);
  if (r == NULL)
    snprintf(error, size, "out of memory to step in");
  return r;
}

void runner_destroy(runner *r) {
  free(r);
}

void runner_start(runner *r, const run_job *job) {
  r->report = run_job_do(job);
}

bool runner_is_idle(runner *r) {
  (void)r;
  return true;
}

void runner_wait(runner *r) {
  (void)r;
}

run_report runner_report(const runner *r) {
  return r->report;
}
