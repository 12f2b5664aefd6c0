/* The stiffness for a given stretch limit, and the substeps that it needs. */
#ifndef MSD_ENGINE_STABILITY_STRAIN_TARGET_H
#define MSD_ENGINE_STABILITY_STRAIN_TARGET_H

#include "engine/store/model.h"

/* Implements msd_world_plan_stretch for a validated target. Errors: MSD_NO_STABLE_STEP, MSD_OUT_OF_MEMORY. */
msd_result stretch_plan(const world_model *model, const msd_stretch_target *target, msd_stretch_plan *plan);

#endif
