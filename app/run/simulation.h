/* A run from its first frame to its last: steps, writes what is to be written, keeps checkpoints, stops when
   it is asked to. */
#ifndef MSD_APP_RUN_SIMULATION_H
#define MSD_APP_RUN_SIMULATION_H

#include "app/report/energy_ledger.h"
#include "app/report/intersection_tally.h"
#include "app/run/frame_start.h"
#include "app/run/outputs.h"
#include "app/run/watch.h"

typedef struct simulation {
  const run_options *options;
  scene *scene;
  run_plan plan;
  run_watch watch;
  run_outputs outputs;
  energy_ledger ledger;
  intersection_tally intersections;
  /* Frames done, those before a resume included. */
  int64_t frame;
  /* s spent stepping, those before a resume included. */
  double wall_seconds;
  /* The fewest and the most substeps that a frame of this part took; 0 before the first. */
  int substeps_least, substeps_most;
  bool diverged, interrupted;
  /* s of computing that the next frame is expected to take. */
  double frame_seconds;
  frame_start start;
  /* Whether the frame at hand can be given up. */
  bool may_stop;
} simulation;

/* Simulates to the end, or until a signal, a divergence or a problem ends it. False: a problem. */
bool simulation_run(simulation *sim, problem *p);

/* Puts the files in their places after simulation_run, whatever it returned as `ok`. *p has the first
   problem. */
bool simulation_close(simulation *sim, bool ok, problem *p);

#endif
