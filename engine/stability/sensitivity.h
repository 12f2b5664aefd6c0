/* The largest stable parameters of springs at a given substep. */
#ifndef MSD_ENGINE_STABILITY_SENSITIVITY_H
#define MSD_ENGINE_STABILITY_SENSITIVITY_H

#include "engine/store/model.h"

/* Implements msd_world_find_stiffness_limits for existing springs and a positive time step. Error:
   MSD_OUT_OF_MEMORY. */
msd_result stiffness_limits_find(const world_model *model, const msd_range *springs, int count,
                                 double substep, msd_stiffness_limits *limits);

#endif
