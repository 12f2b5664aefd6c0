/* What makes patches, and which leaves join one. */
#ifndef MSD_ENGINE_CONTACT_PATCH_MAKER_H
#define MSD_ENGINE_CONTACT_PATCH_MAKER_H

#include "engine/contact/leaf_rims.h"
#include "engine/contact/patch_reach.h"

/* Triangles of a patch, places of all that its leaves own, and vertices met around one leaf, at most. */
enum { PATCH_TRIANGLES = 4096, PATCH_POINTS = 8192, PATCH_VERTICES = 4096 };

/* An edge of a patch with no triangle of it beyond, and the third corner of that before it. */
typedef struct patch_border {
  double2 at[SURFACE_CORNERS];
  /* That of the triangle beyond; -1: the surface ends here. */
  int32_t leaf_beyond;
} patch_border;

/* One of them, and how far it reaches. */
typedef struct near_border {
  int32_t border;
  reach reach;
} near_border;

/* What makes patches, and its buffers: each thread has its own, but for what is about the whole mesh. */
typedef struct patch_maker {
  const surface_mesh *mesh;
  surface_patches *patches;
  /* Of each leaf. */
  leaf_plane *planes;
  const leaf_rim *rims;
  /* Where what leaves reach (surface_mesh.h) is at rest. */
  msd_real *const *reached;
  const triangle_joins *joins;
  /* Of each vertex the last leaf around which it was met, and whether all vertices around it were then; the
     vertices so met. */
  int32_t *met, *ring;
  /* Of each leaf, which of the patch at hand it is; -1: none. */
  int32_t *member;
  /* The patch at hand. By vertex its place in the plane; of each member the places of all that it owns, and how
     far they reach. */
  double2 *place;
  double *points[2];
  int32_t first_point[PATCH_LEAVES + 1];
  reach reaches[PATCH_LEAVES];
  /* Of each member: no triangle of it is less high, as far as is known without looking at each. Bit n: it is
     seen from behind. How far from the first vertex something of the patch may be. */
  double least[PATCH_LEAVES];
  uint32_t behind;
  double farthest;
  patch_border *borders;
  int32_t border_count;
  /* Those that can pass between the leaf in the middle and one near it. */
  near_border *near;
  int32_t near_count;
  /* How many members have been laid out; the triangles of these, and how many of them have the middle of the
     first. Bit n: all that the n-th owns is in them. */
  int laid;
  int32_t triangle_count, covering;
  uint32_t covered;
} patch_maker;

static inline int32_t patch_corner(const patch_maker *k, int32_t triangle, int corner) {
  return surface_mesh_triangle_corner(k->mesh, triangle, corner);
}

static inline int32_t patch_leaf_of(const patch_maker *k, int32_t triangle) {
  return surface_mesh_leaf_of(patch_corner(k, triangle, 0));
}

static inline double3 patch_rest(const patch_maker *k, int32_t vertex) {
  return surface_mesh_rest(k->mesh, vertex);
}

/* tan t, of the angle between two planes and the steepest slope against the second. */
static inline double patch_off_plane(const leaf_plane *a, const leaf_plane *c) {
  const double sine = sqrt(double2_square(leaf_plane_see(a, c->normal)));
  return sine / fabs(double3_dot(a->normal, c->normal)) * c->steepest;
}

static inline void corners_in(const patch_maker *k, int32_t triangle, double2 at[SURFACE_CORNERS]) {
  for (int corner = 0; corner < SURFACE_CORNERS; corner++)
    at[corner] = k->place[patch_corner(k, triangle, corner)];
}

/* The leaf comes first, then those of the triangles at what it owns, and as many whole rings more as there is
   room for. False where there is none for the first. */
bool patch_take_members(patch_maker *k, surface_patch *patch, int32_t leaf);

/* A leaf joins the patch, if it may. False where there are too many. */
bool patch_take_member(patch_maker *k, surface_patch *patch, int32_t leaf);

/* All but the first so many leave it. */
void patch_leave(patch_maker *k, surface_patch *patch, int count);

/* Whether each vertex and edge of a leaf in the patch is in a triangle of it. */
bool patch_covers(const patch_maker *k, int32_t leaf);

#endif
