/* The stable substep of the network in its current configuration, linearized. */
#ifndef MSD_ENGINE_STABILITY_LINEARIZED_LIMIT_H
#define MSD_ENGINE_STABILITY_LINEARIZED_LIMIT_H

#include "engine/stability/bound.h"

/* An estimate of the largest stable dt at the current positions alone; the search begins at `start` > 0.
   INFINITY if every dt is stable. It is not a guarantee: other configurations have other limits, down to the
   proven one. Constraints except fibers count with their Gauss-Newton term only (constraint_bound.h). Returns
   false if memory runs out. */
bool shape_stable_step(analysis *a, double start, double *step);

#endif
