/* What msd_world_stability, msd_world_explain_stability and msd_world_estimate_this_shape say. */
#ifndef MSD_ENGINE_STABILITY_REPORT_H
#define MSD_ENGINE_STABILITY_REPORT_H

#include "engine/store/model.h"

/* For a time step that is a number above 0. MSD_OUT_OF_MEMORY. */
msd_result stability_report(const world_model *model, double time_step, msd_stability *out);
msd_result stability_explain(const world_model *model, double time_step, msd_stability_explanation *out);
msd_result stability_estimate_this_shape(const world_model *model, double time_step, double *limit);

#endif
