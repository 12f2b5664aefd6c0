/* The files that a run writes frame by frame: traces, shapes for other programs, pictures and a film. */
#ifndef MSD_APP_RUN_OUTPUTS_H
#define MSD_APP_RUN_OUTPUTS_H

#include "app/export/pictures.h"
#include "app/export/trace.h"
#include "app/run/plan.h"

/* What was not asked for is NULL. */
typedef struct run_outputs {
  const scene *scene;
  /* Frames from one that is written to the next. */
  int64_t every;
  trace *traces[TRACE_KIND_COUNT];
  exporter *exporter;
  pictures *pictures;
} run_outputs;

/* Everything that can be found wrong with an output is found here, before anything is simulated. On failure
   nothing is left open. `rows`: of an export of a scene in parts, NULL of others. */
bool run_outputs_open(run_outputs *all, const run_options *options, const run_plan *plan, const scene *s,
                      gathered_rows *rows, problem *p);

/* Writes the frame as the world now is, where it is one of those that are written: its traces, and behind them
   all else. In parts other processes give what belongs there, to all traces whatever becomes of one. */
bool run_outputs_trace(run_outputs *all, int64_t frame, double time, problem *p);
bool run_outputs_show(run_outputs *all, int64_t frame, double time, problem *p);

/* Both. */
bool run_outputs_write(run_outputs *all, int64_t frame, double time, problem *p);

/* Hands everything written so far to the system, so that it survives the end of this process. */
bool run_outputs_flush(run_outputs *all, problem *p);

/* Puts the files in their places; with `ok` false, after a failure elsewhere, those that are whole. *p has
   the first problem. */
bool run_outputs_close(run_outputs *all, bool ok, problem *p);

#endif
