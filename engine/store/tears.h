/* Surfaces where springs have torn: a triangle or segment with a torn edge is no part of them any more. */
#ifndef MSD_ENGINE_STORE_TEARS_H
#define MSD_ENGINE_STORE_TEARS_H

#include "engine/base/sort.h"
#include "engine/store/spring.h"
#include "engine/store/surface.h"

/* Between the ends of torn springs, by ascending keys. */
typedef struct torn_edges {
  sort_item *items, *spare, *sorted;
  int32_t count;
} torn_edges;

/* Room for so many edges, which are then added in any order, and sorted. False, with none, when there is no
   memory. */
bool torn_edges_open(torn_edges *torn, memory *m, int32_t most);
void torn_edges_add(torn_edges *torn, int32_t a, int32_t b);
void torn_edges_sort(torn_edges *torn);

/* Those of all that are torn. False, with none, when there is no memory. */
bool torn_edges_find(torn_edges *torn, memory *m, const spring_store *springs);
void torn_edges_free(torn_edges *torn, memory *m);

/* Whether one is an edge of a triangle of three corners or a segment of two. */
bool torn_edges_cut(const torn_edges *torn, const int32_t *corners, int count);

/* What of some surfaces has not torn, with the same numbers of surfaces. It shares the rest with them, and all
   where nothing has torn. False when there is no memory. */
bool tears_leave(surface_store *left, memory *m, const surface_store *all, const spring_store *springs);
void tears_free(surface_store *left, memory *m, const surface_store *all);

#endif
