/* Particles around which the triangles of a mesh lie as an open fan: seen along some axis they go around it
   once, one behind the other, and cover no place twice. Two of them then share the corner there, and the edge
   that both have if they are neighbours in the fan, and no other point: exactly, since it is asked for
   exactly what side of each edge the next one is on. */
#ifndef MSD_ENGINE_INTERSECTION_FANS_H
#define MSD_ENGINE_INTERSECTION_FANS_H

#include "engine/base/memory.h"
#include "engine/intersection/orientation.h"

typedef struct fans {
  /* Of each particle, its triangles: at[first[p]] and so on up to first[p + 1]. */
  int32_t *first, *at;
  bool *is_open;
} fans;

/* Room for so many. False without memory; what there is is to be freed all the same. */
bool fans_allocate(fans *f, memory *m, int32_t particles, int32_t triangles);
void fans_free(fans *f, memory *m);

/* Lists the triangles, of three particles each, by their corners. Then which of some particles have an open
   fan. */
void fans_list(const fans *f, const int32_t *triangles, int32_t count, int32_t particles);
void fans_find(const fans *f, const int32_t *triangles, const point *points, int32_t first, int32_t end);

#endif
