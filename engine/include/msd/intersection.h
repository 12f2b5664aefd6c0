/* msd: what passes through what, exactly. */
#ifndef MSD_INTERSECTION_H
#define MSD_INTERSECTION_H

#include "msd/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Triangles and segments between particles of a world: surfaces and ropes. */
typedef struct msd_intersection_def {
  /* 3 different particles each; default none. */
  const int32_t *triangles;
  /* 2 different particles each; default none. */
  const int32_t *segments;
  /* >= 0; default 0. Together at most 2^31-1. */
  int32_t triangle_count, segment_count;
  /* Set by msd_default_intersection_def. */
  uint32_t cookie;
} msd_intersection_def;

MSD_API msd_intersection_def msd_default_intersection_def(void);

/* Two of them that intersect, a < b. The triangles come first, then the segments: below triangle_count it is
   the triangle of that number, else the segment of that number less triangle_count. */
typedef struct msd_intersection {
  int32_t a, b;
} msd_intersection;

/* Finds every pair that intersects at the present positions, in the order of a, then of b. The first
   `capacity` of them go to `out`, and how many there are to *found; with capacity 0, `out` may be NULL.

   The faces of a triangle are itself, its edges and its corners, those of a segment itself and its ends. Two
   intersect where a face of the one and a face of the other share a point and no particle: an edge goes
   through or touches a triangle, triangles overlap in one plane, ropes cross in a point. Being joined at a
   corner or an edge is none, but meeting elsewhere is.

   The answer is exact: no rounding, and no tolerance, decides on any pair, whatever the positions are. What
   is wholly inside of a closed surface does not intersect it.

   Takes about 120 bytes (200 in double precision) for each triangle or segment, 4 more for each further thread
   of the world, and 24 for each particle while it runs. The time grows with the pairs whose boxes overlap, so
   with what is near each other. MSD_BAD_DEF, MSD_BAD_INDEX (no such particle), MSD_BAD_VALUE (a particle twice
   in one triangle or segment, a negative count or capacity, or no list or room where one is needed),
   MSD_TOO_LARGE, MSD_OUT_OF_MEMORY; *found is then as it was. */
MSD_API msd_result msd_world_find_intersections(const msd_world *world, const msd_intersection_def *def,
                                                msd_intersection *out, int capacity, int64_t *found);

#ifdef __cplusplus
}
#endif

#endif
