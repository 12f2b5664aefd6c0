/* Meshes in the order in which a step has their vertices in memory, for several processes that each read a part
   (msd/ranks.h), and files of these: OBJ of triangles, a pair as TetGen writes them of tetrahedra. */
#ifndef MSD_APP_EXPORT_MESH_ORDER_H
#define MSD_APP_EXPORT_MESH_ORDER_H

#include "app/base/message.h"

#include <msd/msd.h>

/* A mesh of triangles or tetrahedra. */
typedef struct ordered_mesh {
  msd_vec3 *vertices;
  int32_t vertex_count;
  /* 3 or 4 vertices of each cell. */
  int32_t *cells;
  int corners;
  int32_t cell_count;
  /* The most that two corners of a cell are apart in the order of the vertices. */
  int32_t span;
  /* Whether one process keeps this order. */
  bool is_kept;
} ordered_mesh;

/* Puts vertices and cells into that order, which follows from the places and edges, and fills in `span` and
   `is_kept`; cells go by their first corner in it. False, with the mesh as it was or with other numbers, when
   there can be no such body or no memory. */
bool ordered_mesh_make(ordered_mesh *mesh, problem *p);

/* Writes it at `path`, which ends in .obj, or .node or .ele, with as many digits as tell numbers apart: the
   file, or both of a pair, are there as a whole, or as they were. */
bool ordered_mesh_write(const ordered_mesh *mesh, const char *path, problem *p);

#endif
