/* Families of springs of a lattice: from every particle by one step, as far as that stays inside; and what of
   them a world gets that is a part of a whole. */
#ifndef MSD_ENGINE_BUILDER_LATTICE_FAMILY_H
#define MSD_ENGINE_BUILDER_LATTICE_FAMILY_H

#include "engine/builder/lattice.h"

/* Along an axis, particles first_start..end_start-1 have a neighbour at that step. */
static inline int32_t lattice_first_start(int32_t step) {
  return step < 0 ? -step : 0;
}

static inline int32_t lattice_end_start(int32_t count, int32_t step) {
  return step > 0 ? count - step : count;
}

/* Columns first..end-1 of a row. */
typedef struct lattice_columns {
  int32_t first, end;
} lattice_columns;

/* Those whose particles are among some of the lattice, and the ones at an index `offset` higher too. `row` is
   the index of column 0. */
lattice_columns lattice_keep_columns(lattice_columns of, int64_t row, msd_range kept, int64_t offset);

/* How much higher the index at the other end of a spring is. */
int64_t lattice_offset(const lattice *l, const int32_t step[3]);

/* How many there are in a family; see builder_product. */
int64_t lattice_family_springs(const lattice *l, const int32_t step[3]);

/* Which springs of a family have both their ends among some particles, and how many come before them. */
typedef struct lattice_share {
  int64_t before, count;
} lattice_share;

lattice_share lattice_share_of_family(const lattice *l, const int32_t step[3], msd_range kept);

#endif
