/* The planes that leaves of a surface_mesh have at rest. */
#ifndef MSD_ENGINE_CONTACT_LEAF_PLANES_H
#define MSD_ENGINE_CONTACT_LEAF_PLANES_H

#include "engine/contact/surface_mesh.h"
#include "engine/contact/triangle_joins.h"

typedef struct double2 {
  double x, y;
} double2;

static inline double2 double2_subtract(double2 a, double2 b) {
  return (double2){a.x - b.x, a.y - b.y};
}

static inline double double2_cross(double2 a, double2 b) {
  return a.x * b.y - a.y * b.x;
}

static inline double double2_square(double2 a) {
  return a.x * a.x + a.y * a.y;
}

typedef struct leaf_plane {
  /* Of unit length and across each other, but for a leaf without triangles. */
  double3 normal, axis[2];
  /* The steepest slope of a triangle against it. */
  double steepest;
  bool has_triangles;
  /* No triangle is steep or flattened, and each edge is in one triangle or two. */
  bool is_smooth;
} leaf_plane;

/* A way in space as the plane sees it. */
static inline double2 leaf_plane_see(const leaf_plane *plane, double3 way) {
  return (double2){double3_dot(plane->axis[0], way), double3_dot(plane->axis[1], way)};
}

/* The plane of a leaf, which is all zeros before; lays its triangles out in it, and finds the weights of its
   vertices. */
void leaf_plane_find(leaf_plane *plane, surface_patches *patches, const surface_mesh *mesh,
                     const triangle_joins *joins, int32_t leaf);

#endif
