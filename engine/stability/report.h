/* Implements msd_world_analyze_stability, msd_world_explain_stability and
   msd_world_estimate_current_limit. */
#ifndef MSD_ENGINE_STABILITY_REPORT_H
#define MSD_ENGINE_STABILITY_REPORT_H

#include "engine/store/model.h"

/* For a positive time step. Error: MSD_OUT_OF_MEMORY. */
msd_result stability_report(const world_model *model, double substep, msd_stability *out);
msd_result stability_explain(const world_model *model, double substep, msd_stability_explanation *out);
msd_result stability_estimate_linearized_limit(const world_model *model, double substep, double *limit);

#endif
