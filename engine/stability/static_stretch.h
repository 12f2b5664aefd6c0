/* How far a network stretches under its own weight. */
#ifndef MSD_ENGINE_STABILITY_STATIC_STRETCH_H
#define MSD_ENGINE_STABILITY_STATIC_STRETCH_H

#include "engine/stability/bound.h"

/* Stretch, length / rest_length - 1; 0 where nothing hangs, INFINITY where no stiffness of a spring holds
   it. */
typedef struct hang {
  double present;  /* with the springs as they are at a substep of dt */
  double stiffest; /* with each at its stiffest certified coefficient, Ck = 1/n */
} hang;

/* An estimate, as if everything hung straight down from the pins: particles are sorted into levels by how
   many springs they are from the nearest pin, those of a level move as one, and the chain of levels is
   solved. Exact for a hanging chain.

   - Struts do not pull: they hold nothing and lead nowhere.
   - A tether is the way to a particle only where no other spring is. Beside other ways one from a pin holds its
     particle, unless it is slack as things now lie, and other tethers count when they join neighbouring levels.
   - A spring of rest length 0 carries and has no stretch of its own.

   It sees no constraint and no anchor carry, no tension but that of weight, and the springs of a level carry
   alike: spans between pins, corners, and springs that are stretched as placed go further. */
typedef struct hang_levels hang_levels;

/* NULL when there is no memory. */
hang_levels *hang_open(const analysis *a);
void hang_close(const analysis *a, hang_levels *levels);

/* `limit` softens springs as in a step; stiffness in N/m counts `factor` times. */
hang hang_at(const analysis *a, hang_levels *levels, double dt, msd_limit limit, double factor);

/* What msd_world_estimate_stretch says, for a time step that is a number above 0. MSD_OUT_OF_MEMORY. */
msd_result stretch_estimate(const world_model *model, double time_step, msd_static_stretch *out);

#endif
