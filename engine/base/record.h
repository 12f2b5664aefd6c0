/* Records: the state of a particle in one place, for access in random order. A record lies in one cache line,
   where six components would lie in six. It has two quads, x y z - of the position and x y z - of the
   velocity. */
#ifndef MSD_ENGINE_BASE_RECORD_H
#define MSD_ENGINE_BASE_RECORD_H

#include "msd/msd.h"

#include <stdint.h>

enum { RECORD_QUAD = 4, RECORD_SIZE = 2 * RECORD_QUAD };

/* Of four sums of quads the next term each: where the quad begins, and what it is multiplied by. */
typedef struct quad_row {
  int32_t index[RECORD_QUAD];
  msd_real weight[RECORD_QUAD];
} quad_row;

#endif
