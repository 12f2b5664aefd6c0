/* The static stretch of a network under its own weight. */
#ifndef MSD_ENGINE_STABILITY_HANGING_STRAIN_H
#define MSD_ENGINE_STABILITY_HANGING_STRAIN_H

#include "engine/stability/bound.h"

/* Strain, length / rest_length - 1; 0 if nothing hangs, INFINITY if no spring stiffness supports a
   particle. */
typedef struct stretch_pair {
  /* With the current springs at a substep of dt. */
  double present;
  /* With each spring at its largest proven stable coefficient, Ck = 1/n. */
  double max_stable;
} stretch_pair;

/* An estimate, as if everything hung straight down from the pins. Particles are sorted into levels by their
   number of springs to the nearest pin, those of a level move together, and the chain of levels is solved. It
   is exact for a hanging chain.

   - Compression-only springs do not pull, so they neither carry nor connect.
   - A tension-only spring connects a particle only if there is no other path. With other paths, one from a
     pin supports its particle unless it is currently slack; others count if they join neighboring levels.
   - Hard length limits count only if they are tension-only and from a pin.
   - A spring of rest length 0 carries load and has no strain.
   - Fibers in N m or Hz connect their corners, and carry load from one level to the next; a sheet or solid of
     them counts as one that keeps its width.

   It ignores other constraints, soft pins and all tension except weight, and assumes that the springs of a
   level carry equal loads. Spans between pins, corners, and springs with initial stretch are stretched
   further. */
typedef struct level_chain level_chain;

/* NULL if memory runs out. */
level_chain *level_chain_open(analysis *a);
void level_chain_close(const analysis *a, level_chain *levels);

/* `limit` softens springs as in a substep; stiffness in N/m is multiplied by `factor`. */
stretch_pair level_chain_solve(const analysis *a, level_chain *levels, double dt, bool limit, double factor);

/* Implements msd_world_estimate_stretch for a valid time step. Error: MSD_OUT_OF_MEMORY. */
msd_result stretch_estimate(const world_model *model, double substep, msd_static_stretch *out);

#endif
