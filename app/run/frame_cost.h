/* What the frames of a run are going to cost, found before the first, and what would make them cheaper. */
#ifndef MSD_APP_RUN_FRAME_COST_H
#define MSD_APP_RUN_FRAME_COST_H

#include "app/report/certificate.h"
#include "app/run/plan.h"

/* Its particles, springs and constraints, which a substep goes through once. */
double frame_cost_items(const msd_world *world);

/* s of computing that a frame is likely to take; 0 when that is a moment, or cannot be tried; below 0 when
   there was no memory to take the world back behind the trial. */
double frame_cost_expect(const scene *s, const run_plan *plan, int substeps, int threads);

/* Says on stderr that frames of `seconds` s take long, or many substeps that nobody asked for: what asks for
   them, and what fewer would soften, unless the run is so short that to find it would take much of it. `name`
   is the scene as it was given. */
void frame_cost_warn(const scene *s, const run_plan *plan, const certificate *c, double seconds,
                     const char *name);

#endif
