/* How far the numbers of springs can go at a substep. */
#ifndef MSD_ENGINE_STABILITY_LAW_LIMITS_H
#define MSD_ENGINE_STABILITY_LAW_LIMITS_H

#include "engine/store/model.h"

/* What msd_world_find_law_limits says, for springs that there are and a time step that is a number above 0.
   MSD_OUT_OF_MEMORY. */
msd_result law_limits_find(const world_model *model, const msd_range *springs, int count, double time_step,
                           msd_law_limits *limits);

#endif
