/* msd: spatial queries: what a ray hits, what is nearest to a point, what a sphere overlaps.

   Queries test collision meshes and colliders at their current positions, and change nothing. Particles and
   springs without a collision mesh are not found, nor are cut elements (msd_collision_mesh_find_cut). Results
   do not depend on the number of threads. Of equally near objects the collider comes first, then the lower
   index. They are computed in double precision, and a ray does not slip through between triangles that share
   an edge. */
#ifndef MSD_QUERY_H
#define MSD_QUERY_H

#include "msd/removal.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Value of `segment_radius` that selects half of the thickness of each collision mesh. */
#define MSD_QUERY_HALF_THICKNESS (-1)

/* Returns whether a query tests an object: MSD_OBJECT_COLLISION_MESH or MSD_OBJECT_COLLIDER and its index. It
   is called once for each object, by the calling thread, and must not change the world. */
typedef bool msd_query_filter(void *context, msd_object type, int32_t index);

typedef struct msd_query_def {
  /* Default true. Whether collision meshes and colliders are tested. */
  bool collision_meshes, colliders;
  /* m, >= 0; default MSD_QUERY_HALF_THICKNESS. Segments (ropes) are capsules with this radius. */
  msd_real segment_radius;
  /* Default NULL: all objects are tested. */
  msd_query_filter *filter;
  void *context;
  /* Internal mark of an initialized definition. Set by msd_default_query_def. */
  uint32_t cookie;
} msd_query_def;

MSD_API msd_query_def msd_default_query_def(void);

typedef struct msd_ray {
  /* m. */
  msd_vec3 origin;
  /* Any length except 0. */
  msd_vec3 direction;
  /* m, > 0; INFINITY is allowed. The ray ends at this distance. */
  msd_real length;
} msd_ray;

typedef struct msd_hit {
  /* False: nothing was found, and all other fields are 0 or -1. */
  bool is_hit;
  /* MSD_OBJECT_COLLISION_MESH or MSD_OBJECT_COLLIDER, and its index. */
  msd_object type;
  int32_t index;
  /* Of a collision mesh: the triangle or segment, in the order of its definition; its particles, and the
     weights of the hit point, which sum to 1. Unused particles are -1; the element of a collider is -1. */
  int32_t element;
  bool is_triangle;
  int32_t particles[3];
  msd_real weights[3];
  /* m: the point on the surface. On a segment with a radius it is on the capsule, and the weights are those of
     the nearest point of the axis. */
  msd_vec3 point;
  /* Unit normal. For a triangle the one of both that faces the ray or the point, otherwise the outward one. */
  msd_vec3 normal;
  /* m: along the ray; or from the point to the surface, negative inside a collider or a segment. */
  msd_real distance;
} msd_hit;

/* Stores the first hit of each of `count` rays in hits[]. A ray hits a triangle from both sides, but not
   edge-on. A ray that starts inside a collider or a segment hits it at distance 0. `def` may be NULL: the
   defaults. O(count (colliders + elements)); from 16 rays on O((count + elements) log elements), and several
   threads from 64 rays on. Returns, with nothing stored:
   - MSD_BAD_VALUE for a negative count, NULL where an array is needed, a direction without length, a length
     that is not positive, or a number that is not finite;
   - MSD_UNINITIALIZED_DEF, MSD_OUT_OF_MEMORY or MSD_TOO_LARGE. */
MSD_API msd_result msd_world_cast_rays(const msd_world *world, const msd_ray *rays, int count,
                                       const msd_query_def *def, msd_hit *hits);

/* Stores the surface point nearest to each of `count` points in hits[], if it is within `reach` (m, > 0;
   INFINITY is allowed). Errors and cost are those of msd_world_cast_rays. */
MSD_API msd_result msd_world_find_nearest(const msd_world *world, const msd_vec3 *points, int count,
                                          msd_real reach, const msd_query_def *def, msd_hit *hits);

/* Finds all colliders and all triangles and segments that a sphere with `radius` (m, >= 0) around `center`
   overlaps or touches, ordered by colliders, then collision meshes, each by index; triangles of a mesh precede
   its segments. Writes the first `capacity` of them, each with its point nearest to the center, and their
   number to *found. `hits` may be NULL if capacity is 0. Errors are those of msd_world_cast_rays. */
MSD_API msd_result msd_world_find_overlaps(const msd_world *world, msd_vec3 center, msd_real radius,
                                           const msd_query_def *def, msd_hit *hits, int capacity, int *found);

#ifdef __cplusplus
}
#endif

#endif
