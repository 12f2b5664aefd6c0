/* The limit of the time step for the network in its present shape, linearised. */
#ifndef MSD_ENGINE_STABILITY_THIS_SHAPE_H
#define MSD_ENGINE_STABILITY_THIS_SHAPE_H

#include "engine/stability/bound.h"

/* An estimate of the largest stable dt at the present positions alone, searched from `start` > 0 on;
   INFINITY when every dt is stable. It promises nothing: other shapes have other limits, down to the
   certified one. Constraints but fibres count with their Gauss-Newton part only (constraint_bound.h). False
   when there is no memory. */
bool shape_stable_step(analysis *a, double start, double *step);

#endif
