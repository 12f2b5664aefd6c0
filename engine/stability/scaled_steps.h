/* How long a substep is that leaves scaled masses in proportion (scaling/mass_scaling.h). Every one is
   stable; how heavy neighbours become against each other goes with the square of how far a wave runs
   through the springs in a substep. So this is a choice and no limit: a wave takes 32 substeps or so
   through the longest chain of springs, however finely that is divided.

   By Gauss-Seidel (kernel/spring_projection.h) every substep is stable too; what is chosen is one in which
   gravity stretches that chain by 1 or 2 %. */
#ifndef MSD_ENGINE_STABILITY_SCALED_STEPS_H
#define MSD_ENGINE_STABILITY_SCALED_STEPS_H

#include "engine/store/model.h"

/* Where masses are scaled *step, which is certified without, becomes that one if it is longer; where springs go
   by Gauss-Seidel and something falls, in any case. False where there is no memory in `m`. */
bool scaled_raise_step(const world_model *model, memory *m, double *step);

/* Of `radius`, what is left of it in the same cases. */
double scaled_radius(const world_model *model, double radius);

#endif
