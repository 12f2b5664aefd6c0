/* The springs and constraints that a substep softens, and the substep from which each is softened. */
#ifndef MSD_ENGINE_STABILITY_SOFTENING_H
#define MSD_ENGINE_STABILITY_SOFTENING_H

#include "engine/store/model.h"

/* Implements msd_world_find_softening for a positive time step. Error: MSD_OUT_OF_MEMORY. */
msd_result softening_find(const world_model *model, double substep, bool limit, msd_softening *out);

/* Implements msd_world_find_softening_steps. */
void softening_find_steps(const world_model *model, double *springs, double *constraints);

#endif
