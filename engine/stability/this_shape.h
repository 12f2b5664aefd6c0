/* The linear limit of the network as it now lies. */
#ifndef MSD_ENGINE_STABILITY_THIS_SHAPE_H
#define MSD_ENGINE_STABILITY_THIS_SHAPE_H

#include "engine/stability/bound.h"

/* An estimate of the largest stable dt at the present positions alone, from `start` > 0 on; INFINITY when
   every dt is. No promise: at another shape it is another, down to the certified one. Of constraints it has the
   Gauss-Newton part (constraint_bound.h). False when there is no memory. */
bool shape_stable_step(const analysis *a, double start, double *step);

#endif
