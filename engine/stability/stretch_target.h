/* How stiff a network must be so that it stretches little, and the substeps that it then takes. */
#ifndef MSD_ENGINE_STABILITY_STRETCH_TARGET_H
#define MSD_ENGINE_STABILITY_STRETCH_TARGET_H

#include "engine/store/model.h"

/* What msd_world_plan_stretch says, for a target that was checked. MSD_NO_STABLE_STEP, MSD_OUT_OF_MEMORY. */
msd_result stretch_plan(const world_model *model, const msd_stretch_target *target, msd_stretch_plan *plan);

#endif
