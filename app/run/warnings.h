/* Whether a run is stable: proven before it starts, checked again where the limit changes with the
   configuration, and judged by the energy at its end. */
#ifndef MSD_APP_RUN_WARNINGS_H
#define MSD_APP_RUN_WARNINGS_H

#include "app/report/certificate.h"
#include "app/report/warnings.h"
#include "app/run/energy_input.h"
#include "app/run/plan.h"

typedef struct run_warnings {
  const scene *scene;
  /* At the start. */
  certificate certificate;
  /* Frames from one check to the next; 0: none is needed. */
  int64_t every;
  /* The frame that needed most substeps, and how many; 0: no number was stable. */
  int64_t frame;
  int needed;
  energy_input input;
} run_warnings;

/* Before the first frame. A run with automatic substeps of which no number is stable is a problem. */
bool run_warnings_begin(run_warnings *w, const run_plan *plan, const scene *s, problem *p);

/* After each frame. */
void run_warnings_look(run_warnings *w, const run_plan *plan, int64_t frame);

/* No number of substeps is stable in the configuration that this frame begins with. Always false. */
bool run_warnings_refuse(const run_warnings *w, const run_plan *plan, int64_t frame, problem *p);

/* Warnings before the run, and after one that was stable. */
void run_warnings_before(const run_warnings *w, const run_plan *plan, warning_list *warnings);
void run_warnings_after(const run_warnings *w, const run_plan *plan, warning_list *warnings);

/* Whether a run that ends with these statistics was unstable, though all of its numbers are finite: it has over
   a million times the kinetic and elastic energy that its start and gravity can give. */
bool run_watch_has_blown_up(const run_warnings *w, const msd_stats *stats);

#endif
