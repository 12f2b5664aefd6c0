/* Particles around which the triangles of a mesh form an open fan: seen along some axis, they go around the
   particle once, each adjacent to the next, and cover no point twice. Two of them share that corner, and
   their common edge if they are neighbors, and no other point. This is exact, because the side of each edge
   on which the next one lies is determined exactly. */
#ifndef MSD_ENGINE_INTERSECTION_FANS_H
#define MSD_ENGINE_INTERSECTION_FANS_H

#include "engine/base/memory.h"
#include "engine/intersection/orientation.h"

typedef struct fans {
  /* By particle, its triangles: at[first[p]] up to at[first[p + 1] - 1]. */
  int32_t *first, *at;
  bool *is_open;
} fans;

/* False without memory; free it all the same. */
bool fans_allocate(fans *f, memory *m, int32_t particles, int32_t triangles);
void fans_free(fans *f, memory *m);

/* First lists the triangles at each particle; then finds which particles of a range have an open fan. */
void fans_list(const fans *f, const int32_t *triangles, int32_t count, int32_t particles);
void fans_find(const fans *f, const int32_t *triangles, const point *points, int32_t first, int32_t end);

#endif
