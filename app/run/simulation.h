/* A run from its first frame to its last: steps the world, writes the outputs, keeps checkpoints, stops at a
   signal. */
#ifndef MSD_APP_RUN_SIMULATION_H
#define MSD_APP_RUN_SIMULATION_H

#include "app/report/energy_ledger.h"
#include "app/report/intersection_tally.h"
#include "app/run/frame_undo.h"
#include "app/run/outputs.h"
#include "app/run/warnings.h"

typedef struct simulation {
  const run_options *options;
  scene *scene;
  run_plan plan;
  run_warnings watch;
  run_outputs outputs;
  energy_ledger ledger;
  intersection_tally intersections;
  /* Frames done, those before a resume included. */
  int64_t frame;
  /* s spent stepping, the time before a resume included. */
  double wall_seconds;
  /* The fewest and the most substeps that a frame since the start or the resume took; 0 before the first. */
  int substeps_least, substeps_most;
  /* `diverged`: a number was no longer finite. `is_unstable`: that, or all numbers are finite but far too
     large, or no number of substeps was stable. */
  bool diverged, is_unstable, interrupted;
  /* Whether the world refused a step: its settings do not fit the scene. */
  bool is_refused;
  warning_list warnings;
  /* s of computing that the next frame is expected to take. */
  double frame_seconds;
  frame_undo start;
  /* Whether the current frame can be canceled. */
  bool may_stop;
} simulation;

/* Simulates to the end, or until a signal, an instability or a problem ends it. False: a problem. */
bool simulation_run(simulation *sim, problem *p);

/* Puts the files in their places after simulation_run, whatever it returned as `ok`. *p has the first
   problem. */
bool simulation_close(simulation *sim, bool ok, problem *p);

#endif
