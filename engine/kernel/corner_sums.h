/* Sums at particles of what acts on the corners of constraints, so laid out that none looks for its parts.

   A part is a quad, x, y, z and one number of no use. Who computes it writes it where it is summed. The
   particles that have parts are taken 16 at a time, in slices. A slice has rows of 16 parts, row n with the
   nth of each of its particles: as many rows as the fewest parts that one of them has. What a particle has
   beyond stands behind the rows, one part behind the other. So that this is little, particles are sorted by
   the number of their parts within windows of 16 slices.

   The parts of a particle are added in the order in which they were given their places, so that no bit
   depends on slices, vectors or threads. */
#ifndef MSD_ENGINE_KERNEL_CORNER_SUMS_H
#define MSD_ENGINE_KERNEL_CORNER_SUMS_H

#include "engine/base/memory.h"
#include "engine/base/parallel.h"
#include "engine/base/record.h"
#include "engine/kernel/lane_runs.h"

enum { CORNER_LANES = 16, CORNER_WINDOW_SLICES = 16, CORNER_WINDOW = CORNER_LANES * CORNER_WINDOW_SLICES };

typedef struct corner_slice {
  /* Of the first part. */
  int32_t first;
  int32_t rows;
  /* Some particle has more parts than there are rows. */
  bool has_more;
  /* runs_of_row of its slots. */
  uint8_t runs;
} corner_slice;

typedef struct corner_sums {
  int32_t slice_count;
  corner_slice *slices;
  /* Of each lane of the slices the slot; -1: none. */
  int32_t *slots;
  /* How many parts it has, and the first of those behind the rows. */
  int32_t *counts, *more;
  /* The lowest slot of each window, ascending. */
  int32_t *windows;
  int32_t window_count;
  /* Of all slices, and those that nobody sums. */
  int32_t part_count;
} corner_sums;

/* Lays out room for the parts of each of `count` slots, in part_count parts, which the caller allocates;
   `parts` then has the lane of each slot that has some, for corner_sums_place. False, with nothing laid out,
   when there is no memory. */
bool corner_sums_make(corner_sums *s, memory *m, int32_t *parts, int32_t count);
void corner_sums_free(corner_sums *s, memory *m);

/* Where the first number of the next part of a lane has its place. */
int32_t corner_sums_place(corner_sums *s, int32_t lane);

/* The same of a part that nobody sums: part_count grows. */
static inline int32_t corner_sums_spare(corner_sums *s) {
  return s->part_count++ * RECORD_QUAD;
}

/* What sums are for: the forces of the slots first..last-1. */
typedef struct corner_target {
  /* N: three components with that stride. */
  msd_real *force;
  /* N: where each sum begins, as `force`; NULL: at 0. */
  const msd_real *applied;
  size_t stride, first, last;
} corner_target;

/* The slices in which such slots are, and others. */
parallel_range corner_sums_slices(const corner_sums *s, size_t first, size_t last);

/* Sums the parts at every slot of the target that has some. */
typedef void corner_sum_function(const corner_sums *s, const msd_real *parts, const corner_target *to);

#endif
