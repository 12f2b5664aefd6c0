/* How the substeps of one call are taken: through runs or rows, slabs or records, in waves or one by one, with one
   thread or with all. All ways lead to the same bits; this is where the fastest is chosen. */
#ifndef MSD_ENGINE_STEP_SCHEDULE_H
#define MSD_ENGINE_STEP_SCHEDULE_H

#include "engine/step/stepper.h"

/* Whether something beside the springs between two particles is a force that depends on the state. */
bool substeps_have_forces(const stepper *s);

/* Makes sure of the memory that the integrator and its ways need. MSD_OUT_OF_MEMORY. */
msd_result substeps_prepare(stepper *s);

/* Gives back what can be had again when it is needed: another network may need it for something else. */
void substeps_release(stepper *s);

/* Takes substeps of that many seconds, after the `before` first ones of the step, with the threads that were asked for,
   or with as many as turn out to pay; the current slab is then the one behind them. Returns how many were done: fewer than asked when the next one gave a
   position that is not finite. The slab that is not current has that one then. */
int substeps_take(stepper *s, msd_real substep, int before, int substeps);

#endif
