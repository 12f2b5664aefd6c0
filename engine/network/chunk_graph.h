/* Which chunks of a network what springs of which others join: who shares a network among processes cuts it
   between chunks, and sees here how far a substep reaches. */
#ifndef MSD_ENGINE_NETWORK_CHUNK_GRAPH_H
#define MSD_ENGINE_NETWORK_CHUNK_GRAPH_H

#include "engine/network/network.h"

typedef struct chunk_graph {
  int32_t count;
  /* count + 1 of them: where the neighbours of a chunk begin. */
  int32_t *first;
  /* Of each chunk the others that it has springs with, as seen from either end; held rows are left out. A row
     counts with all its lanes, so that there may be some more. In no order. */
  int32_t *neighbour;
  /* What a substep of it goes through, in lanes: 1 or more. */
  int32_t *cost;
} chunk_graph;

/* False, with the graph empty, when there is no memory. */
bool chunk_graph_make(chunk_graph *g, memory *m, const network *net);

void chunk_graph_free(chunk_graph *g, memory *m);

#endif
