/* Closed points, segments and triangles in space, and whether two of them share a point. Exact, however
   degenerate they are. */
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

/* A fast test: if true, the triangles are apart; if false, they may still be. */
bool triangles_are_apart(const hull *a, const hull *b);

bool hulls_meet(const hull *a, const hull *b);

#endif
