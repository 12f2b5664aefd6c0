/* Warm start: the impulses of the previous substep, and of the current one. */
#ifndef MSD_ENGINE_KERNEL_WARM_START_H
#define MSD_ENGINE_KERNEL_WARM_START_H

#include "engine/base/memory.h"

/* One number for each of the first `count` springs or constraints, by index. Substeps alternate between of[0]
   and of[1]; of[current] has the last results. */
typedef struct given_impulses {
  msd_real *of[2];
  int32_t count;
  int current;
} given_impulses;

/* Guarantees the capacity; new impulses are 0. Returns false, without a change, if memory runs out. */
bool given_impulses_reserve(given_impulses *g, memory *m, int32_t count);

/* Moves impulse i to index to[i], which ascends and is at most i; -1: removed. NULL: no change. */
void given_impulses_close_gaps(given_impulses *g, const int32_t *to);

void given_impulses_free(given_impulses *g, memory *m);

/* The impulse to store. An infinite or NaN impulse is reset to 0. It can occur while all velocities are
   finite: between pins, where it moves nothing, or with huge masses. */
static inline double given_impulse(double impulse) {
  return impulse - impulse == 0 ? impulse : 0;
}

#endif
