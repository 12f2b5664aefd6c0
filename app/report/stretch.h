/* The stretch target of a run: the substeps and the stiffness for a largest stretch, within a time per frame.
   */
#ifndef MSD_APP_REPORT_STRETCH_H
#define MSD_APP_REPORT_STRETCH_H

#include "app/base/message.h"

#include <msd/msd.h>

/* The result of a target. `wanted` 0: there was none. */
typedef struct stretch_outcome {
  /* Largest stretch wanted, length/rest_length - 1. */
  double wanted;
  /* s of stepping in a frame; 0: any. */
  double budget;
  /* s that a substep took when it was tried; 0: not tried. */
  double substep_cost;
  /* In force. */
  msd_stretch_plan plan;
  /* Stretch_unseen of the scene as placed. */
  char unseen[160];
} stretch_outcome;

/* Finds the substeps and the stiffness for frames of `frame_time` seconds and gives the world that stiffness.
   A target that no substeps reach, and a budget in which springs would have to become softer without reaching
   it, are problems. With a budget a copy of the world is stepped for a moment first, with `threads` as the run
   will be, to see what a substep costs. */
bool stretch_apply(msd_world *world, double frame_time, int threads, stretch_outcome *outcome, problem *p);

/* What the estimate leaves out: "48 constraints, 3 prestretched springs"; empty: nothing of these. */
void stretch_unseen(const msd_static_stretch *stretch, char *text, size_t size);

/* One sentence: the stretch to expect and, when the target is missed, what it would need. */
void stretch_describe(const stretch_outcome *outcome, char *text, size_t size);

#endif
