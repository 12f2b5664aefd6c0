/* The adjacency of the chunks of a network, by springs and other couplings. Partitioning for several
   processes cuts between chunks and uses the graph to find the reach of a substep. */
#ifndef MSD_ENGINE_NETWORK_CHUNK_GRAPH_H
#define MSD_ENGINE_NETWORK_CHUNK_GRAPH_H

#include "engine/network/network.h"

typedef struct chunk_graph {
  int32_t count;
  /* count + 1 entries: the first neighbor of each chunk. */
  int32_t *first;
  /* For each chunk the other chunks coupled to it, in either direction; pinned rows are excluded. A row
     counts with all its lanes, so there may be a few more. Unordered. */
  int32_t *neighbor;
  /* The cost of a substep of the chunk, in lanes: at least 1. */
  int32_t *cost;
} chunk_graph;

/* Receives the slots of particles that all depend on each other. */
typedef void chunk_join(void *to, const int32_t *slots, int32_t count);

/* Couplings other than springs. `walk` passes its items to `join` one by one; it is called twice and must
   repeat them. Pins do not depend on others and are skipped. */
typedef struct chunk_joint {
  void (*walk)(const void *of, chunk_join *join, void *to);
  const void *of;
} chunk_joint;

/* Returns false, and leaves the graph empty, if memory runs out. */
bool chunk_graph_make(chunk_graph *g, memory *m, const network *net, const chunk_joint *joints,
                      int joint_count);

void chunk_graph_free(chunk_graph *g, memory *m);

#endif
