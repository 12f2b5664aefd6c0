/* A run of several processes of which each has a part of the scene, and none has all: it takes steps, writes
   checkpoints, exports and the traces of particles and energies, and prints the summary, which are those of one
   process. */
#ifndef MSD_APP_RUN_PARTS_H
#define MSD_APP_RUN_PARTS_H

#include "app/run/outputs.h"
#include "app/run/plan.h"

typedef struct parts_run {
  const run_options *options;
  scene *scene;
  run_plan plan;
  /* NULL: nothing is exported. */
  gathered_rows *rows;
  /* Of the first process alone. */
  run_outputs outputs;
  /* The most and the fewest substeps that a frame took. */
  int substeps_most, substeps_least;
  /* Frames done, and s spent in them. */
  int64_t frame;
  double wall_seconds;
  bool interrupted, diverged;
} parts_run;

/* Loads the part of the scene that the options name; false when that cannot be, which has been said then. */
bool parts_run_prepare(parts_run *run);

/* Behind that, on all processes: whether its substeps can be found in parts; false on all, which has been said
   then, when they cannot. */
bool parts_run_check(const parts_run *run);

/* Behind that, on all processes: takes all frames, or those until a signal, and prints the summary. False when
   a step, a checkpoint or the summary has failed, which has been said then. All processes end in the same
   frame. */
bool parts_run_simulate(parts_run *run);

#endif
