/* Which springs and constraints a substep softens, and from which substep on. */
#ifndef MSD_ENGINE_STABILITY_SOFTENING_H
#define MSD_ENGINE_STABILITY_SOFTENING_H

#include "engine/store/model.h"

/* What msd_world_find_softening says, for a time step that is a number above 0. MSD_OUT_OF_MEMORY. */
msd_result softening_find(const world_model *model, double time_step, msd_limit limit, msd_softening *out);

/* What msd_world_find_softening_steps says. */
void softening_find_steps(const world_model *model, double *springs, double *constraints);

#endif
