/* The planes of the leaves of a surface_mesh at rest. */
#ifndef MSD_ENGINE_CONTACT_CLUSTER_FRAMES_H
#define MSD_ENGINE_CONTACT_CLUSTER_FRAMES_H

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

typedef struct cluster_frame {
  /* Orthonormal, except for a leaf without triangles. */
  double3 normal, axis[2];
  /* The steepest slope of a triangle against the plane. */
  double steepest;
  bool has_triangles;
  /* No triangle is too steep or degenerate, and each edge is in one or two triangles. */
  bool is_smooth;
} cluster_frame;

/* The projection of a vector to the plane. */
static inline double2 cluster_frame_see(const cluster_frame *plane, double3 way) {
  return (double2){double3_dot(plane->axis[0], way), double3_dot(plane->axis[1], way)};
}

/* Finds the plane of a leaf; it must be zero before. Also writes the inverse edge matrices of its triangles
   and the weights of its vertices to `patches`. */
void cluster_frame_find(cluster_frame *plane, flat_regions *patches, const surface_mesh *mesh,
                        const triangle_joins *joins, int32_t leaf);

#endif
