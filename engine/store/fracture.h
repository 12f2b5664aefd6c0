/* Collision meshes without torn elements: a triangle or segment with a torn edge no longer collides. */
#ifndef MSD_ENGINE_STORE_FRACTURE_H
#define MSD_ENGINE_STORE_FRACTURE_H

#include "engine/base/sort.h"
#include "engine/store/spring.h"
#include "engine/store/surface.h"

/* The edges between the ends of torn springs, by ascending keys. */
typedef struct torn_edges {
  sort_item *items, *spare, *sorted;
  int32_t count;
} torn_edges;

/* Reserve capacity for `most` edges, add edges in any order, and sort them. torn_edges_open returns false,
   and leaves the set empty, if memory runs out. */
bool torn_edges_open(torn_edges *torn, memory *m, int32_t most);
void torn_edges_add(torn_edges *torn, int32_t a, int32_t b);
void torn_edges_sort(torn_edges *torn);

/* Finds all torn edges. Returns false, and leaves the set empty, if memory runs out. */
bool torn_edges_find(torn_edges *torn, memory *m, const spring_store *springs);
void torn_edges_free(torn_edges *torn, memory *m);

/* Returns whether one of them is an edge of a triangle of three corners or a segment of two. */
bool torn_edges_cut(const torn_edges *torn, const int32_t *corners, int count);

/* Stores for each triangle and segment of a mesh whether it is cut. Either array may be NULL. */
void tears_mark(const torn_edges *torn, const surface_store *all, int32_t surface, bool *triangles,
                bool *segments);

/* Copies the meshes without their torn elements. The indices of the meshes stay the same. Other arrays are
   borrowed from `all`, and so is everything if nothing has torn. Returns false if memory runs out. */
bool tears_leave(surface_store *left, memory *m, const surface_store *all, const spring_store *springs);
void tears_free(surface_store *left, memory *m, const surface_store *all);

#endif
