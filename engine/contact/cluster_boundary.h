/* Properties of the leaves of a surface_mesh that do not depend on a plane: the least height of their
   triangles, the orientation of neighbors, and the edges to other leaves. They replace tests of each
   triangle where a leaf as a whole suffices. */
#ifndef MSD_ENGINE_CONTACT_CLUSTER_BOUNDARY_H
#define MSD_ENGINE_CONTACT_CLUSTER_BOUNDARY_H

#include "engine/contact/cluster_frames.h"

/* A half-edge (triangle_joins.h) of a leaf whose neighbor is not in the leaf. */
typedef struct rim_edge {
  int32_t half_edge;
  /* The leaf of the neighbor; -1: the surface ends here. */
  int32_t leaf_beyond;
  /* The two triangles are folded over each other if both leaves are seen from the side of their normals. */
  bool is_turned;
} rim_edge;

typedef struct cluster_boundary {
  /* m: lower bound of the heights of its triangles. */
  double least_height;
  int32_t triangle_count;
  /* In the order of the half-edges. */
  const rim_edge *edges;
  int32_t edge_count;
  /* Its vertices, and the places of its edges, that are in no triangle of its own; vertices first. */
  const int32_t *bare;
  int32_t bare_vertex_count, bare_count;
  /* Some of its triangles are folded over each other. */
  bool is_folded;
} cluster_boundary;

typedef struct cluster_boundaries {
  /* By leaf. */
  cluster_boundary *of;
  rim_edge *edges;
  int32_t *bare;
  /* By triangle: its normal points away from that of its leaf. */
  bool *is_over;
} cluster_boundaries;

/* Initialize with zeros. False without memory; free it all the same. */
bool cluster_boundaries_allocate(cluster_boundaries *r, memory *m, const surface_mesh *mesh);
void cluster_boundaries_free(cluster_boundaries *r, memory *m);

/* First call `turn` for all smooth leaves, which finds the orientation of triangles; then `find`, which
   finds the boundary. */
void cluster_boundaries_turn(cluster_boundaries *r, const surface_mesh *mesh, const cluster_frame *planes,
                             int32_t leaf);
void cluster_boundaries_find(cluster_boundaries *r, const surface_mesh *mesh, const triangle_joins *joins,
                             int32_t leaf);

#endif
