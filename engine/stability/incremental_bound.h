/* A radius bound that is updated incrementally with single changes of the network.

   Two of the bounds of bound.h are maxima of local values,

       radius <= max over springs    (w_a S_a + w_b S_b)      S the sum of kappa at an end,
       radius <= max over particles  (A x)_i                  x = 1, and 0 for a pin,

   so each proves the minimum of many limits, one for each spring or particle. Pinning a particle or changing
   its mass changes at most kappa of the springs there, so the sums at their other ends, and so the limits of
   the springs at these. All limits are stored, and the minimum of each block of them. So the cost of a change
   is the size of that neighborhood, plus the minimum over the blocks. The same holds for an added spring. It
   counts as a change from none, and changes the mass fractions of other springs at its ends.

   The stored values depend on the model alone, not on the order of its changes: each affected sum is
   recomputed in the order of the springs. */
#ifndef MSD_ENGINE_STABILITY_INCREMENTAL_BOUND_H
#define MSD_ENGINE_STABILITY_INCREMENTAL_BOUND_H

#include "engine/stability/bound.h"

typedef struct incremental_bounds {
  /* Per particle: w S; the limit of its row; the smallest limit of the springs whose end a it is. */
  step_load *sums;
  double *rows, *ends;
  /* The minima of blocks of both. */
  double *least_rows, *least_ends;
  /* Per particle, true if `sums` has just changed. */
  uint8_t *marks;
  /* The number of particles, blocks and springs included, and capacities. */
  int32_t particles, particle_room, blocks, block_room, springs;
  revision made_for;
} incremental_bounds;

/* Returns whether the bounds cover all objects of a model. */
static inline bool incremental_bounds_apply(const world_model *model) {
  return model->constraints.count == 0 && model->soft_pins.count == 0 && !model->springs.damage;
}

/* The largest substep that they prove stable in s; INFINITY: any. `at` has the springs at each particle.
   Returns false if memory runs out. */
bool incremental_bounds_find(incremental_bounds *b, memory *m, const world_model *model, const incidence *at,
                             double *step);

void incremental_bounds_free(incremental_bounds *b, memory *m);

#endif
