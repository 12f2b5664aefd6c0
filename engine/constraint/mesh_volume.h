/* The volume of a closed mesh, m^3, positive when its triangles go anticlockwise seen from outside.

   With the tetrahedra between each triangle (i, j, k) and any point o

       V = sum of (x_i - o) x (x_j - o) . (x_k - o) / 6

   which is linear in each vertex, so the gradient there, in m^2, is the sum over the triangles that meet in it

       g = sum of (x_j - o) x (x_k - o) / 6        j, k the corners that follow the vertex

   and V = sum of (x_v - o) . g_v / 3 over the vertices. On a closed mesh o drops out of both; close to the mesh it
   keeps the digits of a mesh far from the origin. */
#ifndef MSD_CONSTRAINT_MESH_VOLUME_H
#define MSD_CONSTRAINT_MESH_VOLUME_H

#include "engine/base/lane.h"

/* Where the first (1) or second (2) corner after the vertex stands, in triangle number `fan` of those that meet. */
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
