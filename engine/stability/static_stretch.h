/* How far a network stretches under its own weight. */
#ifndef MSD_ENGINE_STABILITY_STATIC_STRETCH_H
#define MSD_ENGINE_STABILITY_STATIC_STRETCH_H

#include "engine/stability/bound.h"

/* Stretch, length / rest_length - 1; 0 where nothing hangs, INFINITY where no stiffness of a spring holds
   it. */
typedef struct stretch_pair {
  /* With the present springs at a substep of dt. */
  double present;
  /* With each at its stiffest certified coefficient, Ck = 1/n. */
  double stiffest;
} stretch_pair;

/* An estimate, as if everything hung straight down from the pins: particles are sorted into levels by how
   many springs they are from the nearest pin, those of a level move as one, and the chain of levels is
   solved. Exact for a hanging chain.

   - Struts do not pull: they hold nothing and are no path.
   - A tether is a path to a particle only where there is no other. Beside other paths one from a pin holds its
     particle, unless it is slack at present, and other tethers count when they join neighbouring levels.
   - Catches count where they are such tethers from a pin, and nowhere else.
   - A spring of rest length 0 carries and has no stretch of its own.
   - Fibres in N m or Hz join their corners, and carry along the way from one level to the next; a sheet or
     solid of them counts as one that keeps its width.

   It ignores other constraints, anchors and all tension but that of weight, and takes the springs of a level to
   carry alike: spans between pins, corners, and springs that are stretched as placed stretch further. */
typedef struct level_chain level_chain;

/* NULL when there is no memory. */
level_chain *level_chain_open(analysis *a);
void level_chain_close(const analysis *a, level_chain *levels);

/* `limit` softens springs as in a step; stiffness in N/m counts `factor` times. */
stretch_pair level_chain_solve(const analysis *a, level_chain *levels, double dt, msd_limit limit,
                               double factor);

/* For msd_world_estimate_stretch with a valid time step. MSD_OUT_OF_MEMORY. */
msd_result stretch_estimate(const world_model *model, double time_step, msd_static_stretch *out);

#endif
