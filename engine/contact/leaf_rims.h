/* What the triangles of each leaf of a surface_mesh are, whatever plane they are seen in: how high, and how
   those beside each other are turned. Of a leaf as a whole this says what else each of its triangles would be
   asked for. */
#ifndef MSD_ENGINE_CONTACT_LEAF_RIMS_H
#define MSD_ENGINE_CONTACT_LEAF_RIMS_H

#include "engine/contact/leaf_planes.h"

/* A half-edge (triangle_joins.h) of a leaf with no triangle of the same leaf beyond. */
typedef struct rim_edge {
  int32_t half_edge;
  /* That of the triangle beyond; -1: the surface ends here. */
  int32_t leaf_beyond;
  /* Whether the two triangles are turned over against each other where both leaves are seen from the sides that
     their normals point to. */
  bool is_turned;
} rim_edge;

typedef struct leaf_rim {
  /* m: no triangle is less high. */
  double least_height;
  int32_t triangle_count;
  /* In the order of the half-edges. */
  const rim_edge *edges;
  int32_t edge_count;
  /* Its vertices and the places of its edges that are in no triangle of its own; the vertices first. */
  const int32_t *bare;
  int32_t bare_vertex_count, bare_count;
  /* Whether some of its triangles are turned over against each other. */
  bool is_folded;
} leaf_rim;

typedef struct leaf_rims {
  /* Of each leaf. */
  leaf_rim *of;
  rim_edge *edges;
  int32_t *bare;
  /* Of each triangle, whether it turns the other way around its leaf's normal. */
  bool *is_over;
} leaf_rims;

/* Begin with all zeros. False without memory; what there is is to be freed all the same. */
bool leaf_rims_allocate(leaf_rims *r, memory *m, const surface_mesh *mesh);
void leaf_rims_free(leaf_rims *r, memory *m);

/* Sees how the triangles of a smooth leaf are turned; then, once this is known of all leaves, finds its rim. */
void leaf_rims_turn(leaf_rims *r, const surface_mesh *mesh, const leaf_plane *planes, int32_t leaf);
void leaf_rims_find(leaf_rims *r, const surface_mesh *mesh, const triangle_joins *joins, int32_t leaf);

#endif
