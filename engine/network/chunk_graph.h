/* Which chunks of a network springs join, and whatever else does: who shares a network among processes cuts it
   between chunks, and sees here how far a substep reaches. */
#ifndef MSD_ENGINE_NETWORK_CHUNK_GRAPH_H
#define MSD_ENGINE_NETWORK_CHUNK_GRAPH_H

#include "engine/network/network.h"

typedef struct chunk_graph {
  int32_t count;
  /* count + 1 of them: where the neighbours of a chunk begin. */
  int32_t *first;
  /* Of each chunk the others that something joins it to, as seen from either end; held rows are left out. A row
     counts with all its lanes, so that there may be some more. In no order. */
  int32_t *neighbour;
  /* What a substep of it goes through, in lanes: 1 or more. */
  int32_t *cost;
} chunk_graph;

/* The slots of particles that depend on each other: each of them is joined to all. */
typedef void chunk_join(void *to, const int32_t *slots, int32_t count);

/* Whatever joins particles beside springs. `walk` gives its items to `join` one by one, twice the same.
   Pins, which follow nobody, are left out. */
typedef struct chunk_joint {
  void (*walk)(const void *of, chunk_join *join, void *to);
  const void *of;
} chunk_joint;

/* False, with the graph empty, when there is no memory. */
bool chunk_graph_make(chunk_graph *g, memory *m, const network *net, const chunk_joint *joints,
                      int joint_count);

void chunk_graph_free(chunk_graph *g, memory *m);

#endif
