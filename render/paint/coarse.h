/* A simpler surface instead of a fine one, for frames that must not take long: its vertices are some of
   those of the fine one, so that it moves with it.

   Vertices are gathered around seeds, each with all that are nearer than some edges and that no seed before it
   has; triangles whose corners are with three seeds become the triangle between those. That follows how a
   surface hangs together, not where it is: layers that lie on each other stay apart, however it is folded. */
#ifndef MSD_RENDER_PAINT_COARSE_H
#define MSD_RENDER_PAINT_COARSE_H

#include "render/paint/topology.h"

typedef struct coarse {
  /* Vertices of the topology, 3 for each triangle. */
  uint32_t *indices;
  int32_t index_count;
  /* As many surfaces as the topology has, for the same bodies; `first` is among these indices. */
  topology_surface *surfaces;
  /* The vertices whose values are needed: the seeds, among them the points of what has no surface. */
  int32_t *vertices;
  int32_t vertex_count;
} coarse;

/* About `most` seeds, or fewer. Of a topology with no more vertices than that it is the surface itself. False,
   with *c empty, when memory is short. */
bool coarse_make(coarse *c, const topology *t, int32_t most);

void coarse_free(coarse *c);

#endif
