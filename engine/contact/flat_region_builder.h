/* Builds patches (flat_regions.h); first, which leaves belong to one. */
#ifndef MSD_ENGINE_CONTACT_FLAT_REGION_BUILDER_H
#define MSD_ENGINE_CONTACT_FLAT_REGION_BUILDER_H

#include "engine/contact/cluster_boundary.h"
#include "engine/contact/flat_region_reach.h"

/* Limits for one patch: triangles; places of the vertices that its leaves use; vertices around one leaf. */
enum { PATCH_TRIANGLES = 4096, PATCH_POINTS = 8192, PATCH_VERTICES = 4096 };

/* An edge at the border of a patch, and the third corner of its triangle, in the plane. */
typedef struct patch_border {
  double2 at[SURFACE_CORNERS];
  /* The leaf of the neighbor; -1: the surface ends here. */
  int32_t leaf_beyond;
} patch_border;

/* A border, and its extent. */
typedef struct near_border {
  int32_t border;
  reach reach;
} near_border;

/* State of one thread that builds patches; the first members belong to the whole mesh. */
typedef struct flat_region_builder {
  const surface_mesh *mesh;
  flat_regions *patches;
  /* By leaf. */
  cluster_frame *planes;
  const cluster_boundary *rims;
  /* By leaf, in rest coordinates: the vertices that it uses (surface_mesh.h). */
  msd_real *const *reached;
  const triangle_joins *joins;
  /* By vertex: the last leaf around which it was visited, and whether all its neighbors were; the list of
     visited vertices. */
  int32_t *met, *ring;
  /* By leaf: its index in the current patch; -1: none. */
  int32_t *member;
  /* The current patch. By vertex: its position in the plane. By member: the positions of all vertices it
     uses, and their extent. */
  double2 *place;
  double *points[2];
  int32_t first_point[PATCH_LEAVES + 1];
  reach reaches[PATCH_LEAVES];
  /* By member: a lower bound of the height of its triangles. Bit n: the n-th is seen from its back. The
     largest possible distance from the first vertex, in m. */
  double least[PATCH_LEAVES];
  uint32_t behind;
  double farthest;
  patch_border *borders;
  int32_t border_count;
  /* The borders that can separate the central leaf from one near it. */
  near_border *near;
  int32_t near_count;
  /* Members laid out so far; their triangles, and how many of these contain the center of the first. Bit n:
     all primitives of the n-th are in these triangles. */
  int laid;
  int32_t triangle_count, covering;
  uint32_t covered;
} flat_region_builder;

static inline int32_t patch_corner(const flat_region_builder *k, int32_t triangle, int corner) {
  return surface_mesh_triangle_corner(k->mesh, triangle, corner);
}

static inline int32_t flat_region_cluster_of(const flat_region_builder *k, int32_t triangle) {
  return surface_mesh_leaf_of(patch_corner(k, triangle, 0));
}

static inline double3 patch_rest(const flat_region_builder *k, int32_t vertex) {
  return surface_mesh_rest(k->mesh, vertex);
}

/* tan t: from the angle between two planes and the steepest slope against the second. */
static inline double patch_off_plane(const cluster_frame *a, const cluster_frame *c) {
  const double sine = sqrt(double2_square(cluster_frame_see(a, c->normal)));
  return sine / fabs(double3_dot(a->normal, c->normal)) * c->steepest;
}

static inline void corners_in(const flat_region_builder *k, int32_t triangle, double2 at[SURFACE_CORNERS]) {
  for (int corner = 0; corner < SURFACE_CORNERS; corner++)
    at[corner] = k->place[patch_corner(k, triangle, corner)];
}

/* Adds the leaf, then the leaves of triangles at its primitives, then as many complete rings as fit. False
   if not even the first ones fit. */
bool flat_region_take_members(flat_region_builder *k, flat_region *patch, int32_t leaf);

/* Adds a leaf if it is suitable. False if the patch is full. */
bool flat_region_take_member(flat_region_builder *k, flat_region *patch, int32_t leaf);

/* Removes all but the first `count` leaves. */
void patch_leave(flat_region_builder *k, flat_region *patch, int count);

/* True if each vertex and edge of a leaf is in a triangle of the patch. */
bool flat_region_covers(const flat_region_builder *k, int32_t leaf);

#endif
