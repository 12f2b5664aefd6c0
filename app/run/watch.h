/* Whether the steps of a run are stable: certified before it starts, looked at on the way where that changes
   with the shape, and judged by the energy at its end. */
#ifndef MSD_APP_RUN_WATCH_H
#define MSD_APP_RUN_WATCH_H

#include "app/report/certificate.h"
#include "app/run/energy_input.h"
#include "app/run/plan.h"

typedef struct run_watch {
  const scene *scene;
  /* At the start. */
  certificate certificate;
  /* Frames from one look to the next; 0: none is needed. */
  int64_t every;
  /* Where most substeps were needed, and how many; 0: no number was certified. */
  int64_t frame;
  int needed;
  energy_input input;
} run_watch;

/* Before the first frame. A run whose substeps are automatic and cannot be certified is a problem. */
bool run_watch_begin(run_watch *w, const run_plan *plan, const scene *s, problem *p);

/* After each frame. */
void run_watch_look(run_watch *w, const run_plan *plan, int64_t frame);

/* The shape that this frame begins with is one at which no number of substeps is certified. Always false. */
bool run_watch_refuse(const run_watch *w, const run_plan *plan, int64_t frame, problem *p);

/* What is to be said before the run, and after it, on stderr. `stats` are those of the end. */
void run_watch_warn_before(const run_watch *w, const run_plan *plan);
void run_watch_warn_after(const run_watch *w, const run_plan *plan, const msd_stats *stats);

#endif
