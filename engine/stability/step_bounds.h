/* A bound of the radius that follows single changes of the network.

   Two of the bounds of bound.h are made of what is at single particles and springs,

       radius <= max over springs    (w_a S_a + w_b S_b)      S the sum of kappa at an end,
       radius <= max over particles  (A x)_i                  x = 1, and 0 for a pin,

   so each certifies the least of many steps, one for each spring or particle. Who pins a particle or changes
   its mass changes kappa of the springs there at most, and so the sums at their other ends, and so the steps of
   the springs at these. All of them are kept, and the least of each block of them: a change costs what is that
   near to it, and the least of the blocks. So does a spring that is added, which is a change from none, and
   counts in the shares of what else is at its ends.

   What is kept follows from the model alone, whatever the order of its changes: each sum is made anew, in the
   order of the springs. */
#ifndef MSD_ENGINE_STABILITY_STEP_BOUNDS_H
#define MSD_ENGINE_STABILITY_STEP_BOUNDS_H

#include "engine/stability/bound.h"

typedef struct step_bounds {
  /* Of each particle: w S; the step of its row; the least step of the springs whose end a it is. */
  step_load *sums;
  double *rows, *ends;
  /* The least of blocks of both. */
  double *least_rows, *least_ends;
  /* Of each particle whether `sums` has just changed. */
  uint8_t *marks;
  /* Particles, blocks and springs that are counted, and rooms. */
  int32_t particles, particle_room, blocks, block_room, springs;
  revision made_for;
} step_bounds;

/* Whether a model is made of what the bounds count. */
static inline bool step_bounds_apply(const world_model *model) {
  return model->constraints.count == 0 && model->anchors.count == 0 && !model->springs.wear;
}

/* The largest step that they certify in s; INFINITY: all are. `at` has the springs at each particle. False when
   there is no memory. */
bool step_bounds_find(step_bounds *b, memory *m, const world_model *model, const incidence *at, double *step);

void step_bounds_free(step_bounds *b, memory *m);

#endif
