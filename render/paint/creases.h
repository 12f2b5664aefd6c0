/* Where the surfaces of a scene are sharp: at the edges of a block two smooth parts of a surface meet, and
   each has normals of its own. */
#ifndef MSD_RENDER_PAINT_CREASES_H
#define MSD_RENDER_PAINT_CREASES_H

#include "render/paint/edges.h"

#include "scenes/loader/scene.h"

typedef struct creases {
  /* The particle of each vertex: vertex i is particle i, and behind those of all particles are further ones
     of those at which smooth parts meet. */
  int32_t *particles;
  int32_t vertex_count;
  /* The vertex at each corner of the triangles of all bodies, one body after the other. */
  int32_t *corners;
  int32_t corner_count;
  /* Whether a body has a surface with a border, one body after the other: a sheet, which light shines
     through. */
  bool *is_sheet;
  /* Sharp edges and borders. */
  edge_set edges;
} creases;

/* Of the shapes that bodies now have. False, with *c empty, when memory is short. */
bool creases_find(const scene *s, creases *c);
void creases_free(creases *c);

#endif
