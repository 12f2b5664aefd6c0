/* Distributed meshes of triangles or tetrahedra (world/subdomain.h).

   A rank gets the vertices of its subdomain and, on both sides of them, as many vertices as the largest index
   span of a cell (a triangle or tetrahedron), with all cells among these. So it knows all cells at its stored
   vertices, and their mass. It adds an edge if the lower end is stored and at least a span before the end of
   the stored vertices; and a bend spring over an edge if the edge is also a span after their beginning. Then
   its springs are a contiguous range of the global springs, which are in the order of the lower ends of the
   edges. */
#ifndef MSD_ENGINE_BUILDER_MESH_SUBDOMAIN_H
#define MSD_ENGINE_BUILDER_MESH_SUBDOMAIN_H

#include "engine/world/world.h"

/* The number of springs of edges, and across edges. */
typedef struct mesh_springs {
  int64_t edges, bends;
} mesh_springs;

/* The given vertices and cells of a mesh. */
typedef struct mesh_cells {
  /* "mesh", "triangle"; "tetmesh", "tetrahedron". */
  const char *body, *cell;
  int32_t vertex_count;
  /* `each` vertices of every cell. */
  const int32_t *corners;
  int each;
  int32_t count;
} mesh_cells;

typedef struct mesh_part {
  bool is_part;
  /* Ranges of the given vertices: those that become particles, those that this rank owns, and the lower ends
     of the edges that get springs and bend springs. */
  msd_range kept, own, edges, bends;
  /* Of the global mesh: the number of vertices, the index of the first given one, and the largest index span
     of a cell. */
  int32_t vertex_count, first, span;
  /* Set by mesh_part_count: the number of all global springs, and of those before the ones that this rank
     adds. Among the added springs: the number of owned ones, and of those before the owned ones. */
  mesh_springs all, before, own_springs, ahead;
} mesh_part;

/* The description of a complete mesh. */
mesh_part mesh_part_whole(int32_t vertex_count);

/* Computes the subdomain of a mesh in a distributed world. Error: MSD_BAD_VALUE. */
msd_result mesh_part_make(msd_world *world, const mesh_cells *of, const msd_mesh_subdomain *given,
                          mesh_part *part);

/* Returns whether an edge, or a bend spring over an edge, with that lower end is in a range. */
static inline bool mesh_part_has(msd_range ends, int32_t lower) {
  return lower >= ends.first && lower < ends.first + ends.count;
}

/* The range of lower ends before the vertices that this rank owns. */
msd_range mesh_part_ahead(const mesh_part *part, msd_range ends);

/* Counts the springs of all ranks, from own_springs and ahead, and checks the limits. All ranks must call it,
   each with its result so far, unless they only measure. They all return the same result. Errors:
   MSD_TOO_LARGE, MSD_OUT_OF_MEMORY. */
msd_result mesh_part_count(msd_world *world, mesh_part *part, msd_result result);

/* Registers the springs added; NULL: none. */
void mesh_part_add(msd_world *world, const mesh_part *part, const msd_range *edges, const msd_range *bends);

#endif
