/* Sums of constraint corner forces at particles, with a layout that needs no index lookup for the summands.

   A summand is a quad: x, y, z and one unused number. Its producer writes it at the place where it is summed.
   The particles with summands are grouped by 16 into slices. A slice has rows of 16 summands; row n has the
   nth of each of its particles. The number of rows is the smallest number of summands among them. The
   remaining summands of each particle follow the rows, contiguously. Particles are sorted by their number of
   summands within windows of 16 slices, so that few remain.

   The summands of a particle are added in the order in which places were assigned. So results do not depend
   on slices, vector width or threads. */
#ifndef MSD_ENGINE_KERNEL_CORNER_GATHER_H
#define MSD_ENGINE_KERNEL_CORNER_GATHER_H

#include "engine/base/memory.h"
#include "engine/base/parallel.h"
#include "engine/base/record.h"
#include "engine/kernel/lane_runs.h"

enum { CORNER_LANES = 16, CORNER_WINDOW_SLICES = 16, CORNER_WINDOW = CORNER_LANES * CORNER_WINDOW_SLICES };

typedef struct corner_slice {
  /* Index of the first summand. */
  int32_t first;
  int32_t rows;
  /* True if some particle has more summands than there are rows. */
  bool has_more;
  /* runs_of_row of its slots. */
  uint8_t runs;
} corner_slice;

typedef struct corner_gather {
  int32_t slice_count;
  corner_slice *slices;
  /* Per lane of the slices the slot; -1: none. */
  int32_t *slots;
  /* The number of its summands, and the index of the first after the rows. */
  int32_t *counts, *more;
  /* The lowest slot of each window, ascending. */
  int32_t *windows;
  int32_t window_count;
  /* The number of summands of all slices, including those that are never read. */
  int32_t part_count;
} corner_gather;

/* Assigns places to the parts[i] summands of each of `count` slots. The caller then allocates part_count
   summands. On return `parts` has the lane of each slot with summands, for corner_gather_place. Returns false,
   and leaves the layout empty, if memory runs out. */
bool corner_gather_make(corner_gather *s, memory *m, int32_t *parts, int32_t count);
void corner_gather_free(corner_gather *s, memory *m);

/* The index of the first number of the next summand of a lane. */
int32_t corner_gather_place(corner_gather *s, int32_t lane);

/* The same for a summand that is never read; increments part_count. */
static inline int32_t corner_gather_spare(corner_gather *s) {
  return s->part_count++ * RECORD_QUAD;
}

/* The target of the sums: the forces of the slots first..last-1. */
typedef struct corner_target {
  /* N: three components with that stride. */
  msd_real *force;
  /* N: the initial value of each sum, as `force`; NULL: 0. */
  const msd_real *applied;
  size_t stride, first, last;
} corner_target;

/* The slices that contain these slots, and possibly others. */
parallel_range corner_gather_slices(const corner_gather *s, size_t first, size_t last);

/* Sums the summands at every slot of the target that has some. */
typedef void corner_sum_function(const corner_gather *s, const msd_real *parts, const corner_target *to);

#endif
