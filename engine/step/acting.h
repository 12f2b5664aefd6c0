/* Forces beside the springs of the network, as one thread needs them in a substep. */
#ifndef MSD_ENGINE_STEP_ACTING_H
#define MSD_ENGINE_STEP_ACTING_H

#include "engine/step/worker.h"

/* The anchored particles among some slots, `elapsed` seconds after the beginning of the step. */
anchor_slice acting_anchors(const worker *w, size_t first, size_t last, double elapsed);

/* Sums up the forces of constraints and anchors on the thread's own particles at a state, `elapsed` seconds
   after the beginning of the step. All threads come. */
void acting_sum(const worker *w, const msd_real *state, double elapsed);

#endif
