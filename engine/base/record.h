/* Records: the state of a particle in one cache line, for random access; separate components would need six
   cache lines. A record has two quads: x y z - of the position and x y z - of the velocity. */
#ifndef MSD_ENGINE_BASE_RECORD_H
#define MSD_ENGINE_BASE_RECORD_H

#include "msd/msd.h"

#include <stdint.h>

enum { RECORD_QUAD = 4, RECORD_SIZE = 2 * RECORD_QUAD };

/* The next term of four sums of quads: the offset of each quad, and its factor. */
typedef struct quad_row {
  int32_t index[RECORD_QUAD];
  msd_real weight[RECORD_QUAD];
} quad_row;

#endif
