/* The recommended substep with selective mass scaling (scaling/mass_scaling.h). Every substep is stable. The
   added inertia of neighbors grows with the square of the distance that a wave travels through the springs in
   a substep. So this is a choice and not a limit: a wave needs about 32 substeps to pass the longest chain of
   springs, at any resolution.

   With the Gauss-Seidel solver (kernel/spring_projection.h) every substep is stable too. The chosen one lets
   gravity stretch that chain by 1 or 2 %. */
#ifndef MSD_ENGINE_STABILITY_SCALED_STEPS_H
#define MSD_ENGINE_STABILITY_SCALED_STEPS_H

#include "engine/store/model.h"

/* *step is the proven stable substep without scaling. With scaled masses it is raised to the recommended one.
   With the Gauss-Seidel solver and gravity it is replaced. Returns false if memory runs out in `m`. */
bool scaled_raise_step(const world_model *model, memory *m, double *step);

/* `radius` adjusted for the same cases. */
double scaled_radius(const world_model *model, double radius);

#endif
