/* The kernels of sparse_rows.h over the lanes of lane.h. Each width_*.c includes it once. */

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
  if (x->quads)
    return lane_gather_at(x->quads, index);
  int32_t columns[LANE_COUNT];
  for (int lane = 0; lane < LANE_COUNT; lane++)
    columns[lane] = index[lane] / RECORD_QUAD;
  return lane_gather3(x->at, x->stride, columns);
}

/* Up to two vectors of a group pass its slots together, so that each slot is read once. */
enum { SPARSE_PAIRED = (int)LANE_COUNT < (int)SPARSE_GROUP, SPARSE_STEP = LANE_COUNT * (1 + SPARSE_PAIRED) };

/* The rows from some row on, and, if vectors are paired, the next LANE_COUNT rows. */
typedef struct sparse_pair {
  LANE3 a, b;
} sparse_pair;

LANE_INLINE sparse_pair sparse_load_pair(const sparse_vector *x, int32_t row) {
  const LANE3 a = sparse_load(x, row);
  return (sparse_pair){a, SPARSE_PAIRED ? sparse_load(x, row + LANE_COUNT) : a};
}

/* sum + (columns - center) values. The columns are the second operand, which may be in memory. */
LANE_INLINE LANE3 sparse_add_differences(LANE3 sum, LANE3 columns, LANE3 center, const msd_real *values) {
  return lane_subtract(sum, lane_scale(lane_subtract(center, columns), lane_load(values)));
}

/* The off-diagonal sums of a_ij (z_j - z_i) for the rows row..row+SPARSE_STEP-1. */
LANE_INLINE sparse_pair sparse_differences(const sparse_rows *a, const sparse_vector *z,
                                           const sparse_pair *center, int32_t row) {
  const int32_t group = row / SPARSE_GROUP, lane = row % SPARSE_GROUP;
  const sparse_slot *slot = a->slots + a->first[group], *end = a->slots + a->first[group + 1];
  const msd_real *at = z->at + row, *values = a->values + lane;
  const LANE3 zero = lane_set3(0, 0, 0);
  sparse_pair sum = {zero, zero};
  for (; slot < end && slot->index < 0; slot++) {
    const msd_real *columns = at + slot->shift, *each = values + slot->values;
    sum.a = sparse_add_differences(sum.a, lane_load3(columns, z->stride), center->a, each);
    if (SPARSE_PAIRED)
      sum.b = sparse_add_differences(sum.b, lane_load3(columns + LANE_COUNT, z->stride), center->b,
                                     each + LANE_COUNT);
  }
  for (const int32_t *index = a->index + lane; slot < end; slot++) {
    const int32_t *columns = index + slot->index;
    const msd_real *each = values + slot->values;
    sum.a = sparse_add_differences(sum.a, sparse_gather(z, columns), center->a, each);
    if (SPARSE_PAIRED)
      sum.b =
          sparse_add_differences(sum.b, sparse_gather(z, columns + LANE_COUNT), center->b, each + LANE_COUNT);
  }
  return sum;
}

/* The product for the rows row..row+LANE_COUNT-1, all of whose columns have indices. */
LANE_INLINE LANE3 sparse_gathered_product(const sparse_rows *a, const msd_real *x_quads, int32_t row) {
  const int32_t group = row / SPARSE_GROUP, lane = row % SPARSE_GROUP;
  const size_t first = (size_t)a->first[group] * SPARSE_GROUP,
               end = (size_t)a->first[group + 1] * SPARSE_GROUP;
  LANE3 sum = lane_set3(0, 0, 0);
  for (size_t at = first + (size_t)lane; at < end; at += SPARSE_GROUP)
    sum = lane_add(sum, lane_scale(lane_gather_at(x_quads, a->index + at), lane_load(a->values + at)));
  return sum;
}

/* The same if slots may be windows. */
LANE_INLINE LANE3 sparse_product(const sparse_rows *a, const sparse_vector *x, int32_t row) {
  const int32_t group = row / SPARSE_GROUP, lane = row % SPARSE_GROUP;
  const sparse_slot *slot = a->slots + a->first[group], *end = a->slots + a->first[group + 1];
  if (slot == end || slot->shift < 0)
    return sparse_gathered_product(a, x->quads, row);
  LANE3 sum = lane_set3(0, 0, 0);
  for (; slot < end; slot++) {
    const LANE3 columns =
        lane_pick(x->at + slot->shift, x->stride, x->quads, slot->shift, a->index + slot->index + lane);
    sum = lane_add(sum, lane_scale(columns, lane_load(a->values + slot->values + lane)));
  }
  return sum;
}

static void sparse_fill_quads(sparse_vector v, int32_t first, int32_t last) {
  for (int32_t row = first * SPARSE_GROUP; row < last * SPARSE_GROUP; row += LANE_COUNT)
    lane_store_quads(v.quads + (size_t)row * RECORD_QUAD, sparse_load(&v, row));
}

static void sparse_restrict_to(const sparse_rows *a, const msd_real *x_quads, const msd_real *inverse,
                               sparse_vector y, int32_t first, int32_t last) {
  for (int32_t row = first * SPARSE_GROUP; row < last * SPARSE_GROUP; row += LANE_COUNT)
    sparse_store_both(&y, row,
                      lane_scale(sparse_gathered_product(a, x_quads, row), lane_load(inverse + row)));
}

static void sparse_prolong(const sparse_rows *a, sparse_vector x, sparse_vector z, sparse_vector y,
                           int32_t first, int32_t last) {
  for (int32_t row = first * SPARSE_GROUP; row < last * SPARSE_GROUP; row += LANE_COUNT)
    sparse_store_both(&y, row, lane_add(sparse_load(&z, row), sparse_product(a, &x, row)));
}

LANE_INLINE void sparse_store_residual(const sparse_system *b, LANE3 center, LANE3 differences,
                                       msd_real *y_quads, int32_t row) {
  const LANE3 kept = lane_scale(center, lane_load(b->weight + row));
  lane_store_quads(y_quads + (size_t)row * RECORD_QUAD, lane_subtract(kept, differences));
}

static void sparse_residual(const sparse_system *given, sparse_vector z, msd_real *y_quads, int32_t first,
                            int32_t last) {
  const sparse_system b = *given;
  for (int32_t row = first * SPARSE_GROUP; row < last * SPARSE_GROUP; row += SPARSE_STEP) {
    const sparse_pair center = sparse_load_pair(&z, row);
    const sparse_pair differences = sparse_differences(&b.rows, &z, &center, row);
    sparse_store_residual(&b, center.a, differences.a, y_quads, row);
    if (SPARSE_PAIRED)
      sparse_store_residual(&b, center.b, differences.b, y_quads, row + LANE_COUNT);
  }
}

/* z + start - inverse B z for LANE_COUNT rows. */
LANE_INLINE LANE3 sparse_smoothed(const sparse_system *b, const sparse_vector *start, LANE3 center,
                                  LANE3 differences, int32_t row) {
  const LANE3 applied = lane_add(lane_scale(center, lane_load(b->own + row)), differences);
  const LANE3 left = lane_subtract(sparse_load(start, row), lane_scale(applied, lane_load(b->inverse + row)));
  return lane_add(center, left);
}

/* The same for SPARSE_STEP rows. */
LANE_INLINE sparse_pair sparse_smooth_pair(const sparse_system *b, const sparse_vector *start,
                                           const sparse_vector *z, int32_t row) {
  const sparse_pair center = sparse_load_pair(z, row);
  const sparse_pair differences = sparse_differences(&b->rows, z, &center, row);
  sparse_pair y;
  y.a = y.b = sparse_smoothed(b, start, center.a, differences.a, row);
  if (SPARSE_PAIRED)
    y.b = sparse_smoothed(b, start, center.b, differences.b, row + LANE_COUNT);
  return y;
}

static void sparse_smooth(const sparse_system *given, sparse_vector start, sparse_vector z, msd_real *y_quads,
                          int32_t first, int32_t last) {
  const sparse_system b = *given;
  const sparse_vector into = {start.at, start.stride, y_quads};
  for (int32_t row = first * SPARSE_GROUP; row < last * SPARSE_GROUP; row += SPARSE_STEP) {
    const sparse_pair y = sparse_smooth_pair(&b, &start, &z, row);
    sparse_store_both(&into, row, y.a);
    if (SPARSE_PAIRED)
      sparse_store_both(&into, row + LANE_COUNT, y.b);
  }
}

/* The value of the body of each lane: `of` minus `less`, which may be NULL; 0 for lanes without a body. */
LANE_INLINE LANE3 sparse_of_bodies(const int32_t *body, double (*of)[3], double (*less)[3]) {
  msd_real each[3 * LANE_COUNT] = {0};
  const bool is_one = lane_none(lane_not(lane_equals(body, body[0])));
  for (int lane = 0; lane < (is_one ? 1 : LANE_COUNT); lane++)
    for (int c = 0; c < 3 && body[lane] >= 0; c++)
      each[c * LANE_COUNT + lane] =
          (msd_real)(less ? of[body[lane]][c] - less[body[lane]][c] : of[body[lane]][c]);
  return is_one ? lane_set3(each[0], each[LANE_COUNT], each[2 * LANE_COUNT]) : lane_load3(each, LANE_COUNT);
}

/* Stores positions and velocities to the slab, and to the records if the state has them. */
LANE_INLINE void sparse_store_motion(const spring_input *in, int32_t row, LANE3 x, LANE3 v) {
  lane_store3(in->write.slab + row, in->stride, x);
  lane_store3(in->write.slab + 3 * in->stride + row, in->stride, v);
  if (in->write.records)
    lane_store_motion(in->write.records + (size_t)row * RECORD_SIZE, (LANE_MOTION){x, v});
}

/* Lanes with a value that is not finite: its difference with itself is NaN, otherwise 0. */
LANE_INLINE LANE_MASK sparse_is_bad(LANE3 a) {
  return (a.x - a.x) + (a.y - a.y) + (a.z - a.z) != 0;
}

static bool sparse_move(const spring_input *in, sparse_vector kick, const int32_t *body, double (*mean)[3],
                        int32_t first, int32_t last) {
  const msd_real dt = in->dt, decay = in->decay;
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
      change = lane_subtract(change, sparse_of_bodies(body + i, mean, NULL));
    change = lane_scale(lane_add(change, other), lane_set(dt));
    v = lane_select3(inverse_mass > 0, lane_scale(lane_add(v, change), lane_set(decay)), v);
    LANE3 moved = lane_add(x, lane_scale(v, lane_set(dt)));
    if (in->loose)
      moved = lane_select3(lane_load(in->loose + i) > 0,
                           lane_subtract(moved, lane_scale(other, lane_set(dt * dt / 2))), moved);
    sparse_store_motion(in, i, moved, v);
    bad |= sparse_is_bad(moved);
  }
  return lane_none(bad);
}

static bool sparse_take_impulses(const spring_input *in, sparse_vector r, int32_t first, int32_t last) {
  const size_t stride = in->stride;
  LANE_MASK some = {0};
  for (int32_t i = first * SPARSE_GROUP; i < last * SPARSE_GROUP; i += LANE_COUNT) {
    const LANE inverse_mass = lane_load(in->net->inverse_mass + i);
    const LANE_MASK moves = inverse_mass > 0;
    const LANE divisor = lane_select(moves, inverse_mass, lane_set(1));
    msd_real *velocity = in->write.slab + 3 * stride + i;
    const LANE3 v = lane_load3(velocity, stride), before = sparse_load(&r, i);
    const LANE3 change = lane_keep3(moves, lane_subtract(v, before));
    some |= (change.x != 0) | (change.y != 0) | (change.z != 0);
    lane_store3(velocity, stride, lane_select3(moves, before, v));
    sparse_store(&r, i, (LANE3){change.x / divisor, change.y / divisor, change.z / divisor});
  }
  return !lane_none(some);
}

static void sparse_take_out(const spring_input *in, const msd_real *inverse, sparse_vector r,
                            const int32_t *body, double (*whole)[3], int32_t first, int32_t last) {
  for (int32_t i = first * SPARSE_GROUP; i < last * SPARSE_GROUP; i += LANE_COUNT) {
    const LANE inverse_mass = lane_load(in->net->inverse_mass + i);
    LANE3 left = sparse_load(&r, i);
    if (body) {
      const LANE mass = lane_inverse(inverse_mass > 0, inverse_mass);
      left = lane_subtract(left, lane_scale(sparse_of_bodies(body + i, whole, NULL), mass));
    }
    sparse_store(&r, i, lane_scale(left, lane_load(inverse + i)));
  }
}

static bool sparse_change(const spring_input *in, sparse_vector kick, const int32_t *body, double (*whole)[3],
                          double (*mean)[3], int32_t first, int32_t last) {
  const LANE dt = lane_set(in->dt);
  const size_t stride = in->stride;
  LANE_MASK bad = {0};
  for (int32_t i = first * SPARSE_GROUP; i < last * SPARSE_GROUP; i += LANE_COUNT) {
    const LANE_MASK moves = lane_load(in->net->inverse_mass + i) > 0;
    LANE3 change = sparse_load(&kick, i);
    if (body)
      change = lane_add(change, sparse_of_bodies(body + i, whole, mean));
    const LANE3 v = lane_add(lane_load3(in->write.slab + 3 * stride + i, stride), lane_keep3(moves, change));
    const LANE3 moved = lane_add(lane_load3(in->read.slab + i, stride), lane_scale(v, dt));
    sparse_store_motion(in, i, moved, v);
    bad |= sparse_is_bad(moved) | sparse_is_bad(v);
  }
  return lane_none(bad);
}
