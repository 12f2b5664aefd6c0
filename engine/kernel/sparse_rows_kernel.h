/* The kernels of sparse_rows.h over the lanes of lane.h. Included once by each width_*.c. */

#include "engine/base/lane.h"
#include "engine/kernel/sparse_rows.h"

LANE_INLINE LANE3 sparse_load(const sparse_vector *x, int32_t row) {
  return lane_load3(x->at + row, x->stride);
}

/* The columns of a slot for the rows row..row+LANE_COUNT-1, the first of which is that lane of its group. */
LANE_INLINE LANE3 sparse_columns(const sparse_rows *a, const sparse_slot *slot, const sparse_vector *x,
                                 int32_t row, int32_t lane) {
  if (slot->index < 0)
    return sparse_load(x, row + slot->shift);
  return lane_gather3(x->at, x->stride, a->index + slot->index + lane);
}

LANE_INLINE LANE3 sparse_residual_of(const sparse_system *b, const sparse_vector *r, const sparse_vector *z,
                                     LANE3 centre, int32_t row) {
  const sparse_rows *a = &b->rows;
  const int32_t group = row / SPARSE_GROUP, lane = row % SPARSE_GROUP;
  LANE3 sum = lane_scale(centre, lane_load(b->own + row));
  for (int32_t s = a->first[group]; s < a->first[group + 1]; s++) {
    const LANE3 apart = lane_subtract(sparse_columns(a, &a->slots[s], z, row, lane), centre);
    sum = lane_add(sum, lane_scale(apart, lane_load(a->values + (size_t)s * SPARSE_GROUP + lane)));
  }
  return lane_subtract(sparse_load(r, row), sum);
}

static void sparse_multiply(const sparse_rows *a, sparse_vector x, sparse_vector y, bool adds, int32_t first,
                            int32_t last) {
  for (int32_t row = first * SPARSE_GROUP; row < last * SPARSE_GROUP; row += LANE_COUNT) {
    const int32_t group = row / SPARSE_GROUP, lane = row % SPARSE_GROUP;
    LANE3 sum = lane_set3(0, 0, 0);
    for (int32_t s = a->first[group]; s < a->first[group + 1]; s++)
      sum = lane_add(sum, lane_scale(sparse_columns(a, &a->slots[s], &x, row, lane),
                                     lane_load(a->values + (size_t)s * SPARSE_GROUP + lane)));
    lane_store3(y.at + row, y.stride, adds ? lane_add(sparse_load(&y, row), sum) : sum);
  }
}

static void sparse_begin(const sparse_system *b, sparse_vector r, sparse_vector z, int32_t first,
                         int32_t last) {
  for (int32_t row = first * SPARSE_GROUP; row < last * SPARSE_GROUP; row += LANE_COUNT)
    lane_store3(z.at + row, z.stride, lane_scale(sparse_load(&r, row), lane_load(b->inverse + row)));
}

static void sparse_residual(const sparse_system *b, sparse_vector r, sparse_vector z, sparse_vector y,
                            int32_t first, int32_t last) {
  for (int32_t row = first * SPARSE_GROUP; row < last * SPARSE_GROUP; row += LANE_COUNT)
    lane_store3(y.at + row, y.stride, sparse_residual_of(b, &r, &z, sparse_load(&z, row), row));
}

static void sparse_smooth(const sparse_system *b, sparse_vector r, sparse_vector z, sparse_vector y,
                          int32_t first, int32_t last) {
  for (int32_t row = first * SPARSE_GROUP; row < last * SPARSE_GROUP; row += LANE_COUNT) {
    const LANE3 centre = sparse_load(&z, row);
    const LANE3 rest = sparse_residual_of(b, &r, &z, centre, row);
    lane_store3(y.at + row, y.stride, lane_add(centre, lane_scale(rest, lane_load(b->inverse + row))));
  }
}
