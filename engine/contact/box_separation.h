/* The direction that separates a triangle or segment from a box best, in the frame of the box.

   Both are convex. If they are apart, the direction between their closest points separates them by their whole
   distance. Candidates for the closest points are each corner of the element and the box, each edge of the
   element and of the box, and each corner of the box and the triangle. If they intersect, or if rounding has
   spoilt that direction, the best of the axes of the separating axis test is taken (Gottschalk, Lin and
   Manocha, 1996): the normals of the faces, and the products of the edges. Its distance is then minus the
   depth by which they overlap. */
#ifndef MSD_ENGINE_CONTACT_BOX_SEPARATION_H
#define MSD_ENGINE_CONTACT_BOX_SEPARATION_H

#include "engine/base/vec3.h"

/* Corners of an element; and space for its edges in whole vectors. */
enum { BOX_CORNERS = 3, BOX_EDGES = 8 };

typedef struct box_separation {
  /* A unit vector from the box to the element. */
  double3 normal;
  /* m: of the element from the box along it, negative if they overlap. */
  double distance;
  /* Of the corners in the point of the element that is nearest to the box; their sum is 1. */
  double weight[BOX_CORNERS];
} box_separation;

/* The closest points of each edge of an element, from its corner of the same index to the next, and another
   edge: the share of the way to the next corner, the vector to the other edge and its square. */
typedef struct box_edge_pairs {
  double share[BOX_EDGES], between[3][BOX_EDGES], square[BOX_EDGES];
} box_edge_pairs;

/* Finds them for the edge between two corners of the box; box_kernel.h, for one vector width. */
typedef void box_edges_find(const double3 x[BOX_CORNERS], const double3 *from, const double3 *to,
                            box_edge_pairs *pairs);

/* A triangle, or a segment whose third corner repeats the second. `half` has half of the sides of the box. */
box_separation box_separation_find(box_edges_find *edges, double3 half, const double3 x[BOX_CORNERS],
                                   bool is_segment);

/* The coordinate along a direction of the corner of the box that is farthest along it. */
static inline double box_separation_extent(double3 half, double3 normal) {
  return half.x * fabs(normal.x) + half.y * fabs(normal.y) + half.z * fabs(normal.z);
}

/* m: the distance of an element from the box along a unit vector; negative if they overlap along it. */
static inline double box_separation_along(double3 half, double3 normal, const double3 x[BOX_CORNERS]) {
  double least = double3_dot(normal, x[0]);
  for (int corner = 1; corner < BOX_CORNERS; corner++) {
    const double along = double3_dot(normal, x[corner]);
    least = along < least ? along : least;
  }
  return least - box_separation_extent(half, normal);
}

#endif
