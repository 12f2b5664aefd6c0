/* The kernels of sparse_rows.h over the lanes of lane.h. Included once by each width_*.c. */

#include "engine/base/lane.h"
#include "engine/kernel/sparse_rows.h"

LANE_INLINE LANE3 sparse_load(const sparse_vector *x, int32_t row) {
  return lane_load3(x->at + row, x->stride);
}

LANE_INLINE void sparse_store(const sparse_vector *y, int32_t row, LANE3 a) {
  lane_store3(y->at + row, y->stride, a);
}

LANE_INLINE void sparse_store_both(const sparse_vector *y, int32_t row, LANE3 a) {
  sparse_store(y, row, a);
  if (y->quads)
    lane_store_quads(y->quads + (size_t)row * RECORD_QUAD, a);
}

LANE_INLINE LANE3 sparse_gather(const sparse_vector *x, const int32_t *index) {
  return x->quads ? lane_gather_quads(x->quads, index) : lane_gather3(x->at, x->stride, index);
}

/* The sums of a_ij (z_j - z_i) over what is beside the diagonal of the rows row..row+LANE_COUNT-1. */
LANE_INLINE LANE3 sparse_differences(const sparse_rows *a, const sparse_vector *z, LANE3 centre,
                                     int32_t row) {
  const int32_t group = row / SPARSE_GROUP, lane = row % SPARSE_GROUP;
  const sparse_slot *slot = a->slots + a->first[group], *end = a->slots + a->first[group + 1];
  const msd_real *values = a->values + (size_t)a->first[group] * SPARSE_GROUP + lane;
  LANE3 sum = lane_set3(0, 0, 0);
  for (; slot < end; slot++, values += SPARSE_GROUP) {
    const LANE3 columns =
        slot->index < 0 ? sparse_load(z, row + slot->shift) : sparse_gather(z, a->index + slot->index + lane);
    sum = lane_add(sum, lane_scale(lane_subtract(columns, centre), lane_load(values)));
  }
  return sum;
}

/* Of the rows row..row+LANE_COUNT-1, whose columns all have indices. */
LANE_INLINE LANE3 sparse_product(const sparse_rows *a, const msd_real *x_quads, int32_t row) {
  const int32_t group = row / SPARSE_GROUP, lane = row % SPARSE_GROUP;
  const size_t first = (size_t)a->first[group] * SPARSE_GROUP,
               end = (size_t)a->first[group + 1] * SPARSE_GROUP;
  LANE3 sum = lane_set3(0, 0, 0);
  for (size_t at = first + (size_t)lane; at < end; at += SPARSE_GROUP)
    sum = lane_add(sum, lane_scale(lane_gather_quads(x_quads, a->index + at), lane_load(a->values + at)));
  return sum;
}

static void sparse_restrict_to(const sparse_rows *a, const msd_real *x_quads, const msd_real *inverse,
                               sparse_vector y, int32_t first, int32_t last) {
  for (int32_t row = first * SPARSE_GROUP; row < last * SPARSE_GROUP; row += LANE_COUNT)
    sparse_store_both(&y, row, lane_scale(sparse_product(a, x_quads, row), lane_load(inverse + row)));
}

static void sparse_prolong(const sparse_rows *a, const msd_real *x_quads, sparse_vector z, sparse_vector y,
                           int32_t first, int32_t last) {
  for (int32_t row = first * SPARSE_GROUP; row < last * SPARSE_GROUP; row += LANE_COUNT)
    sparse_store_both(&y, row, lane_add(sparse_load(&z, row), sparse_product(a, x_quads, row)));
}

static void sparse_residual(const sparse_system *given, sparse_vector z, msd_real *y_quads, int32_t first,
                            int32_t last) {
  const sparse_system b = *given;
  for (int32_t row = first * SPARSE_GROUP; row < last * SPARSE_GROUP; row += LANE_COUNT) {
    const LANE3 centre = sparse_load(&z, row);
    const LANE3 kept = lane_scale(centre, lane_load(b.weight + row));
    lane_store_quads(y_quads + (size_t)row * RECORD_QUAD,
                     lane_subtract(kept, sparse_differences(&b.rows, &z, centre, row)));
  }
}

/* z + start - inverse B z. */
LANE_INLINE LANE3 sparse_smoothed(const sparse_system *b, const sparse_vector *start, const sparse_vector *z,
                                  int32_t row) {
  const LANE3 centre = sparse_load(z, row);
  const LANE3 applied =
      lane_add(lane_scale(centre, lane_load(b->own + row)), sparse_differences(&b->rows, z, centre, row));
  const LANE3 left = lane_subtract(sparse_load(start, row), lane_scale(applied, lane_load(b->inverse + row)));
  return lane_add(centre, left);
}

static void sparse_smooth(const sparse_system *given, sparse_vector start, sparse_vector z, msd_real *y_quads,
                          int32_t first, int32_t last) {
  const sparse_system b = *given;
  for (int32_t row = first * SPARSE_GROUP; row < last * SPARSE_GROUP; row += LANE_COUNT)
    lane_store_quads(y_quads + (size_t)row * RECORD_QUAD, sparse_smoothed(&b, &start, &z, row));
}

static void sparse_finish(const sparse_system *given, sparse_vector start, sparse_vector z, int32_t first,
                          int32_t last) {
  const sparse_system b = *given;
  for (int32_t row = first * SPARSE_GROUP; row < last * SPARSE_GROUP; row += LANE_COUNT)
    sparse_store(&start, row, sparse_smoothed(&b, &start, &z, row));
}

LANE_INLINE LANE3 sparse_less_mean(LANE3 kick, const int32_t *body, double (*mean)[3]) {
  LANE3 less = lane_set3(0, 0, 0);
  for (int lane = 0; lane < LANE_COUNT; lane++) {
    if (body[lane] < 0)
      continue;
    lane_put(&less.x, lane, (msd_real)mean[body[lane]][0]);
    lane_put(&less.y, lane, (msd_real)mean[body[lane]][1]);
    lane_put(&less.z, lane, (msd_real)mean[body[lane]][2]);
  }
  return lane_subtract(kick, less);
}

static bool sparse_move(const spring_input *in, sparse_vector kick, const int32_t *body, double (*mean)[3],
                        int32_t first, int32_t last) {
  const msd_real dt = in->time_step, decay = in->decay;
  const size_t stride = in->stride;
  LANE_MASK bad = {0};
  for (int32_t i = first * SPARSE_GROUP; i < last * SPARSE_GROUP; i += LANE_COUNT) {
    const LANE inverse_mass = lane_load(in->net->inverse_mass + i);
    const LANE3 x = lane_load3(in->read.slab + i, stride);
    LANE3 v = lane_load3(in->read.slab + 3 * stride + i, stride);
    LANE3 other = lane_set3(in->gravity[0], in->gravity[1], in->gravity[2]);
    if (in->force)
      other = lane_add(lane_scale(lane_load3(in->force + i, stride), inverse_mass), other);
    LANE3 change = sparse_load(&kick, i);
    if (body)
      change = sparse_less_mean(change, body + i, mean);
    change = lane_scale(lane_add(change, other), lane_set(dt));
    v = lane_select3(inverse_mass > 0, lane_scale(lane_add(v, change), lane_set(decay)), v);
    const LANE3 moved = lane_add(x, lane_scale(v, lane_set(dt)));
    lane_store3(in->write.slab + i, stride, moved);
    lane_store3(in->write.slab + 3 * stride + i, stride, v);
    /* A difference of a number with itself is 0, or not a number when it was not finite. */
    bad |= (moved.x - moved.x) + (moved.y - moved.y) + (moved.z - moved.z) != 0;
  }
  return lane_none(bad);
}
