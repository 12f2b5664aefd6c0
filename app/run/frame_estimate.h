/* The cost of the frames of a run, found before the first, and what would make them cheaper. */
#ifndef MSD_APP_RUN_FRAME_ESTIMATE_H
#define MSD_APP_RUN_FRAME_ESTIMATE_H

#include "app/report/certificate.h"
#include "app/report/warnings.h"
#include "app/run/plan.h"

/* Its particles, springs and constraints, which a substep goes through once. */
double frame_cost_items(const msd_world *world);

/* s of computing that a frame is likely to take; 0 when that is a moment, or cannot be measured; below 0 when
   there was no memory to restore the world after the measurement. */
double frame_cost_expect(const scene *s, const run_plan *plan, int substeps, int threads);

/* Warns that frames of `seconds` s take long, or take many substeps that the scene does not set: with the
   springs that set them, and what fewer would clamp, unless finding that would take much of the run. `name` is
   the scene as it was given. */
void frame_cost_warn(const scene *s, const run_plan *plan, const certificate *c, double seconds,
                     const char *name, warning_list *warnings);

#endif
