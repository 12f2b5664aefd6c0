/* Undirected edges between two particles, and sets of them. */
#ifndef MSD_RENDER_PAINT_EDGES_H
#define MSD_RENDER_PAINT_EDGES_H

#include <stdbool.h>
#include <stdint.h>

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

#endif
