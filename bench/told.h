/* What intersects, by the exact check, and whether the world says so. */
#ifndef MSD_BENCH_TOLD_H
#define MSD_BENCH_TOLD_H

#include <msd/msd.h>

#ifdef __cplusplus
extern "C" {
#endif

/* All that is to be looked at. */
typedef struct told_pieces {
  /* 3 particles each, and 2 each; NULL where there are none. */
  const int32_t *triangles, *segments;
  int32_t triangle_count, segment_count;
} told_pieces;

/* Of looks, summed. */
typedef struct told_tally {
  /* Pairs of triangles or segments that intersect: those of which one can move, and those that are led or stand
     as a whole, which nothing tells of. */
  int64_t found, prescribed;
  /* Of those that are found: between which there is no tangle (msd_world_get_tangles); but for segments with a
     common end, of which one lies on the other. Nothing keeps these apart or could tell of them
     (docs/contact.md). */
  int64_t untold, folded;
} told_tally;

/* Adds what there is now. */
msd_result told_look(const msd_world *world, const told_pieces *pieces, told_tally *tally);

#ifdef __cplusplus
}
#endif

#endif
