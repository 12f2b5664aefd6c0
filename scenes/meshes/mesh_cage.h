/* A coarser mesh instead of another, by merging vertices that need too many substeps.

   An edge shrinks to one point, which weighs what its ends did and lies in the middle of their mass. Topology
   stays: an edge is left alone where its ends share a neighbor that no triangle at the edge has, or an edge
   opposite to both (the link condition), so a closed mesh stays closed and no edge gets a third triangle.
   Borders stay: the end of an edge that lies on one keeps its place, a bridge between two of them is left
   alone, and along one the end at which it turns more keeps its place; neither leaves a corner. No triangle
   turns over. */
#ifndef MSD_SCENES_MESHES_MESH_CAGE_H
#define MSD_SCENES_MESHES_MESH_CAGE_H

#include "scenes/meshes/mesh_data.h"

typedef struct mesh_cage {
  msd_vec3 *vertices;
  /* kg: of each vertex all that was merged into it. */
  double *masses;
  int32_t vertex_count;

  int32_t *triangles;
  int32_t triangle_count;

  /* Of each vertex of the mesh that it is made from the vertex of the cage that it is now part of. */
  int32_t *vertex_of;
  int32_t original_count;
} mesh_cage;

/* A cage that is the mesh itself. False when memory is short; *cage is empty then. */
bool mesh_cage_make(const mesh_data *mesh, mesh_cage *cage);
void mesh_cage_free(mesh_cage *cage);

/* At each vertex whose demand is above 1, the most demanding first, the shortest edge that may be shrinks to a
   point, unless something has changed beside it. Returns how many did. False when memory is short. */
bool mesh_cage_merge(mesh_cage *cage, const double *demands, int32_t *merged);

#endif
