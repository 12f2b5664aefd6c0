/* msd: exact intersection tests between triangles and segments. */
#ifndef MSD_INTERSECTION_H
#define MSD_INTERSECTION_H

#include "msd/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Triangles and segments to test, given by particles of a world: collision meshes and ropes. */
typedef struct msd_intersection_def {
  /* 3 different particles each; default NULL. */
  const int32_t *triangles;
  /* 2 different particles each; default NULL. */
  const int32_t *segments;
  /* >= 0; default 0. At most 2^31-1 together. */
  int32_t triangle_count, segment_count;
  /* Internal mark of an initialized definition. Set by msd_default_intersection_def. */
  uint32_t cookie;
} msd_intersection_def;

MSD_API msd_intersection_def msd_default_intersection_def(void);

/* An intersecting pair, a < b. Indices below triangle_count are triangles; others are segments, with
   triangle_count added to their number. */
typedef struct msd_intersection {
  int32_t a, b;
} msd_intersection;

/* Finds all intersecting pairs at the current positions, ordered by a, then by b. Writes the first `capacity`
   pairs to `out` and their total number to *found. `out` may be NULL if capacity is 0.

   Two elements intersect if a face of one and a face of the other have a common point but no common particle.
   The faces of a triangle are the triangle, its edges and its corners; those of a segment are the segment and
   its ends. So an edge that penetrates or touches a triangle, overlapping coplanar triangles and crossing
   ropes intersect. Elements that are joined at a corner or an edge do not, unless they also meet elsewhere.
   An element that is completely inside a closed surface does not intersect it.

   The result is exact for all positions: it does not depend on rounding or tolerances.

   Temporary memory is about 120 bytes for each triangle or segment (200 in double precision), 4 more for each
   further thread of the world, and 24 for each particle. The time grows with the number of overlapping
   bounding boxes. Returns, with *found unchanged:
   - MSD_UNINITIALIZED_DEF if the definition was not initialized.
   - MSD_BAD_INDEX if a particle does not exist.
   - MSD_BAD_VALUE for a particle that occurs twice in one element, a negative count or capacity, or a NULL
     pointer where an array is needed.
   - MSD_TOO_LARGE or MSD_OUT_OF_MEMORY. */
MSD_API msd_result msd_world_find_intersections(const msd_world *world, const msd_intersection_def *def,
                                                msd_intersection *out, int capacity, int64_t *found);

#ifdef __cplusplus
}
#endif

#endif
