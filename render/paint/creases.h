/* Where the surfaces of a scene are sharp, as at the edges of a block. The smooth parts that meet at a crease
   have normals of their own there. */
#ifndef MSD_RENDER_PAINT_CREASES_H
#define MSD_RENDER_PAINT_CREASES_H

#include "scenes/loader/edges.h"

#include "scenes/loader/scene.h"

typedef struct creases {
  /* The point of each vertex (render_points.h). Vertex i is at point i; after one vertex for each point follow
     further ones for points at which several smooth parts meet. */
  int32_t *points;
  int32_t vertex_count;
  /* The vertex at each triangle corner, for all triangles of one body after the other. */
  int32_t *corners;
  int32_t corner_count;
  /* For each body, whether its surface has a border. If so it is a sheet, and light shines through it. */
  bool *is_sheet;
  /* Sharp edges and borders. */
  edge_set edges;
} creases;

/* Finds the creases of the scene in its present shape, or where they were, of particles that have been split
   since. `before` may be NULL. False, with *c empty, when memory is short. */
bool creases_find(const scene *s, const creases *before, creases *c);
void creases_free(creases *c);

#endif
