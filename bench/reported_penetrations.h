/* Intersections by the exact test, compared with the penetrations that the world reports. */
#ifndef MSD_BENCH_REPORTED_PENETRATIONS_H
#define MSD_BENCH_REPORTED_PENETRATIONS_H

#include <msd/msd.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The triangles and segments to test. */
typedef struct told_pieces {
  /* 3 particles a triangle, 2 a segment; NULL if there are none. */
  const int32_t *triangles, *segments;
  int32_t triangle_count, segment_count;
} told_pieces;

/* Sums over all calls. */
typedef struct told_tally {
  /* Intersecting pairs of triangles or segments. `found`: at least one of the two has a free particle.
     `prescribed`: all particles of both are pinned; such pairs are not reported. */
  int64_t found, prescribed;
  /* Pairs of `found` without a penetration (msd_world_get_penetrations). `folded` counts two segments with a
     common end that overlap: contact ignores such segments, so they are neither separated nor reported
     (docs/theory/contact.md). `untold` counts all other pairs. */
  int64_t untold, folded;
} told_tally;

/* Adds the pairs that intersect in the current configuration. */
msd_result told_look(const msd_world *world, const told_pieces *pieces, told_tally *tally);

/* The same of all collision meshes, without what is cut. */
msd_result told_look_at_meshes(const msd_world *world, told_tally *tally);

#ifdef __cplusplus
}
#endif

#endif
