/* Meshes of triangles or tetrahedra of which each rank has a part (world/part.h).

   What a rank is given of a mesh are the vertices that it keeps and as many around them as a cell, which is a
   triangle or a tetrahedron, spans in their order, with all cells among these; so it knows all cells at what
   it keeps, and their mass. It adds an edge where the lower end is kept and a span away from the upper end of
   what is kept, and bends over edges that are a span away from its lower end too: then the springs that it has
   are a stretch of those of the whole, which are in the order of the lower ends of the edges. */
#ifndef MSD_ENGINE_BUILDER_MESH_PART_H
#define MSD_ENGINE_BUILDER_MESH_PART_H

#include "engine/world/world.h"

/* Springs of edges, and across them. */
typedef struct mesh_springs {
  int64_t edges, bends;
} mesh_springs;

/* What is given of a mesh. */
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
  /* Of the vertices that are given: those that become particles, this rank's own, and the lower ends of the
     edges that get springs and bend springs. */
  msd_range kept, own, edges, bends;
  /* Of the whole: its vertices, the number of the first that is given, and the most that two corners of a cell
     are apart. */
  int32_t vertex_count, first, span;
  /* Of the whole, by mesh_part_count: all springs, and those that come before what this rank adds. Of these
     springs: its own, and those before its own. */
  mesh_springs all, before, own_springs, ahead;
} mesh_part;

/* All of a mesh of so many vertices. */
mesh_part mesh_part_whole(int32_t vertex_count);

/* What a world in parts gets of a mesh. MSD_BAD_VALUE. */
msd_result mesh_part_make(msd_world *world, const mesh_cells *of, const msd_mesh_part *given,
                          mesh_part *part);

/* Whether an edge or a bend whose edge has that lower end is among those. */
static inline bool mesh_part_has(msd_range ends, int32_t lower) {
  return lower >= ends.first && lower < ends.first + ends.count;
}

/* The part of some lower ends that comes before what is this rank's own. */
msd_range mesh_part_ahead(const mesh_part *part, msd_range ends);

/* Counts the springs of all ranks, from own_springs and ahead, and makes sure that the whole can be counted; to
   be called by all ranks, each with its result so far, where they are not only measuring. The result is that of
   all. MSD_TOO_LARGE, MSD_OUT_OF_MEMORY. */
msd_result mesh_part_count(msd_world *world, mesh_part *part, msd_result result);

/* Tells the world of what has been added; NULL: there are none of them. */
void mesh_part_add(msd_world *world, const mesh_part *part, const msd_range *edges, const msd_range *bends);

#endif
