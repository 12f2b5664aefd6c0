/* How far a network stretches under its own weight. */
#ifndef MSD_STABILITY_HANG_H
#define MSD_STABILITY_HANG_H

#include "stability_bound.h"

/* Stretch, length / rest_length - 1; 0 where nothing hangs, INFINITY where nothing holds it. */
typedef struct hang {
  double present;  /* with the springs as they are at a substep of dt */
  double stiffest; /* with each at its stiffest certified coefficient, Ck = 1/n */
} hang;

/* An estimate, as if everything hung straight down from the pins: particles are sorted by how many springs
   they are from the nearest pin, and the springs between two such levels carry the weight of all beyond.
   Exact for a hanging chain. `limit` softens springs as in a step; stiffness in N/m counts `factor` times.
   False when there is no memory. */
bool hang_estimate(const analysis *a, double dt, msd_limit limit, double factor, hang *out);

#endif
