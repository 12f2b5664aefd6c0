/* Points, segments and triangles in space, with all that is between their corners and with the corners
   themselves, and whether two of them share a point: exactly, however degenerate they are. */
#ifndef MSD_ENGINE_INTERSECTION_HULL_H
#define MSD_ENGINE_INTERSECTION_HULL_H

#include "engine/intersection/orientation.h"

#include <stdbool.h>

enum { HULL_CORNERS_MAX = 3 };

typedef struct hull {
  const point *corner[HULL_CORNERS_MAX];
  /* 1 to 3. */
  int count;
} hull;

/* Whether two triangles are clearly apart: not all are that are. */
bool triangles_are_apart(const hull *a, const hull *b);

bool hulls_meet(const hull *a, const hull *b);

#endif
