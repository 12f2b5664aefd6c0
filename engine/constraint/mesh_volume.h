/* The volume of a closed mesh, m^3, positive if its triangles are counterclockwise seen from outside.

   It is the sum over the triangles (i, j, k) of the tetrahedra that they form with any point o,

       V = sum of ((x_i - o) x (x_j - o)) . (x_k - o) / 6

   and linear in each vertex. The gradient at a vertex, in m^2, is the sum over the triangles that meet there

       g = sum of (x_j - o) x (x_k - o) / 6        j, k the corners that follow the vertex

   and V = sum of (x_v - o) . g_v / 3 over the vertices. On a closed mesh o cancels in both; a point o near
   the mesh preserves the precision of a mesh far from the origin. */
#ifndef MSD_ENGINE_CONSTRAINT_MESH_VOLUME_H
#define MSD_ENGINE_CONSTRAINT_MESH_VOLUME_H

#include "engine/base/lane.h"

/* The position of the first (1) or second (2) corner after the vertex, in triangle `fan` of those that meet
   there. */
typedef LANE3 mesh_volume_corner(const void *context, int32_t fan, int after);

/* 6 times the gradient at a vertex. */
LANE_INLINE LANE3 mesh_volume_slope(int32_t fans, LANE3 origin, mesh_volume_corner *corner,
                                    const void *context) {
  LANE3 sum = {lane_set(0), lane_set(0), lane_set(0)};
  for (int32_t fan = 0; fan < fans; fan++)
    sum = lane_add(sum, lane_cross(lane_subtract(corner(context, fan, 1), origin),
                                   lane_subtract(corner(context, fan, 2), origin)));
  return sum;
}

#endif
