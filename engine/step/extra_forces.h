/* Forces of constraints and soft pins, which the spring kernels do not compute, as one thread evaluates them
   in a substep. */
#ifndef MSD_ENGINE_STEP_EXTRA_FORCES_H
#define MSD_ENGINE_STEP_EXTRA_FORCES_H

#include "engine/step/worker.h"

/* Arguments for the soft pins of the slots first..last-1, `elapsed` seconds after the start of the frame. */
soft_pin_slice soft_pin_forces(const worker *w, size_t first, size_t last, double elapsed);

/* Evaluates the constraints at `state` and adds their forces to the applied ones, for the particles of this
   thread. All threads must call it. `meter` may be NULL. */
void evaluate_constraints(const worker *w, const msd_real *state, const constraint_meter *meter);

/* Sums the forces of constraints and soft pins at `state` for the particles of this thread, `elapsed` seconds
   after the start of the frame. All threads must call it. */
void sum_forces(const worker *w, const msd_real *state, double elapsed);

#endif
