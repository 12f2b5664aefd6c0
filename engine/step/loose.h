/* Loose particles: free particles without springs, constraints, hard limits and soft pins that are no corner
   of a collision mesh. Only applied forces, gravity, linear damping and colliders act on them.

   Symplectic Euler moves a particle by dt v' with the velocity at the end of the substep. A particle that
   starts at rest falls g t (t + dt)/2 and not g t^2/2. The force on a loose particle does not depend on its
   position, and

       v' = v + dt a,   x' = x + dt v' - dt^2/2 a,   a = f/m + g,

   is the exact motion under constant forces. With springs it would be unstable. If a collider may be in reach
   in the substep, a loose particle moves by dt v' as all other particles do, because contact
   (kernel/contacts.h) requires that. This depends only on the state before the substep. */
#ifndef MSD_ENGINE_STEP_LOOSE_H
#define MSD_ENGINE_STEP_LOOSE_H

#include "engine/store/model.h"

typedef struct loose_particles {
  /* By slot: 1 or 0. Valid if count > 0. */
  msd_real *is_loose;
  void *block;
  size_t size;
  int32_t count;
  revision made_for;
} loose_particles;

/* Updates the list to the model. Returns false if memory runs out. */
bool loose_particles_make(loose_particles *l, world_model *model);
void loose_particles_free(loose_particles *l, memory *m);

#endif
