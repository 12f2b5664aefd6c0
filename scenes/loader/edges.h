/* Undirected edges between two particles, and sets of them. */
#ifndef MSD_SCENES_LOADER_EDGES_H
#define MSD_SCENES_LOADER_EDGES_H

#include <msd/msd.h>

typedef struct edge {
  int32_t low, high;
} edge;

/* The owner allocates and frees the memory of the edges. */
typedef struct edge_set {
  edge *edges;
  int32_t count;
} edge_set;

/* The memory must have room for one more. */
void edge_set_add(edge_set *set, int32_t a, int32_t b);

/* Must be called between adding and looking up. */
void edge_set_sort(edge_set *set);
bool edge_set_has(const edge_set *set, int32_t a, int32_t b);

/* Whether it has an edge of a triangle. */
bool edge_set_cuts(const edge_set *set, const int32_t corners[3]);

/* Those of the springs of a world that are something: msd_spring_is_broken, msd_spring_is_torn. NULL edges
   without memory; the caller frees them. */
edge_set edge_set_of_springs(const msd_world *world, bool (*is)(const msd_world *world, int32_t spring));

#endif
