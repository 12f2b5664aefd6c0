/* Families of lattice springs: from every particle by one step, where that stays inside; and their subset in
   a subdomain. */
#ifndef MSD_ENGINE_BUILDER_LATTICE_FAMILY_H
#define MSD_ENGINE_BUILDER_LATTICE_FAMILY_H

#include "engine/builder/lattice.h"

/* Along an axis, particles first_start..end_start-1 have a neighbor at that step. */
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

/* The columns whose particle, and the one with an index higher by `offset`, are both in `kept`. `row` is the
   index of column 0. */
lattice_columns lattice_keep_columns(lattice_columns of, int64_t row, msd_range kept, int64_t offset);

/* The index difference of the two ends of a spring. */
int64_t lattice_offset(const lattice *l, const int32_t step[3]);

/* The number of springs in a family; saturates as builder_product does. */
int64_t lattice_family_springs(const lattice *l, const int32_t step[3]);

/* The number of springs of a family with both ends among some particles, and of those before them. */
typedef struct lattice_share {
  int64_t before, count;
} lattice_share;

lattice_share lattice_share_of_family(const lattice *l, const int32_t step[3], msd_range kept);

#endif
