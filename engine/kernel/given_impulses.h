/* What sequential impulses gave in the substep before, and give in the present one. */
#ifndef MSD_ENGINE_KERNEL_GIVEN_IMPULSES_H
#define MSD_ENGINE_KERNEL_GIVEN_IMPULSES_H

#include "engine/base/memory.h"

/* One number for each of the first `count` springs, or constraints, by index. Substeps write of[0] and of[1] by
   turns; those of the last one are of[current]. */
typedef struct given_impulses {
  msd_real *of[2];
  int32_t count;
  int current;
} given_impulses;

/* Room for that many at least; new ones are 0. False, and nothing changed, when there is no memory. */
bool given_impulses_reserve(given_impulses *g, memory *m, int32_t count);

/* Impulse i becomes number to[i], which is no more than i and ascends; -1: it goes. NULL: all stay. */
void given_impulses_close_gaps(given_impulses *g, const int32_t *to);

void given_impulses_free(given_impulses *g, memory *m);

/* An impulse as it is kept. One that is not finite starts anew: between pins, where it moves nothing, or across
   masses so large that the velocities stay finite, the state does not tell of it. */
static inline double given_impulse(double impulse) {
  return impulse - impulse == 0 ? impulse : 0;
}

#endif
