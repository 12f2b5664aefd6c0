/* The phases of broad_phase.h for one vector width; see lane.h. */
#include "engine/base/bits.h"
#include "engine/base/lane.h"
#include "engine/base/min_max.h"
#include "engine/contact/broad_phase_work.h"
#include "engine/contact/closest_points.h"

#include <float.h>
#include <string.h>

#ifdef MSD_DOUBLE
#define REAL_EPSILON DBL_EPSILON
#define REAL_MOST    DBL_MAX
#else
#define REAL_EPSILON FLT_EPSILON
#define REAL_MOST    FLT_MAX
#endif

/* A box: low and high sides at 0, low and high sides at T. */
enum { LOW_BEGIN = 0, HIGH_BEGIN = 3, LOW_END = 6, HIGH_END = 9 };

/* A gap is a sum of a dozen rounded terms, each at most as large as both leaves together. */
static const msd_real GAP_ROUNDING = 16 * (msd_real)REAL_EPSILON, BOX_ROUNDING = 4 * (msd_real)REAL_EPSILON,
                      SKIN_ROUNDING = 4 * (msd_real)REAL_EPSILON;

/* The minimum over lanes of each of several vectors. Writes a whole block; the rest of it is undefined. */
LANE_INLINE void least_of_each(const LANE *of, int count, msd_real *to) {
  for (int n = 0; n < count; n += LANE_COUNT) {
    LANE some[LANE_COUNT];
    for (int k = 0; k < LANE_COUNT; k++)
      some[k] = of[n + k < count ? n + k : count - 1];
    lane_store(to + n, lane_least_each(some));
  }
}

/* The minimum over lanes. */
LANE_INLINE msd_real least_of(LANE a) {
  msd_real least[SURFACE_BLOCK];
  least_of_each(&a, 1, least);
  return least[0];
}

#include "engine/contact/flat_regions_kernel.h"

/* -------------------------------------------------------------------------------------------------- boxes */

/* Extends the boxes on all lanes by one corner. */
LANE_INLINE void take_corner(LANE *box, LANE_MOTION at, bool is_first) {
  const LANE begin[3] = {at.x.x, at.x.y, at.x.z};
  const LANE end[3] = {at.x.x + at.v.x, at.x.y + at.v.y, at.x.z + at.v.z};
  for (int axis = 0; axis < 3; axis++) {
    box[LOW_BEGIN + axis] = is_first ? begin[axis] : lane_least(box[LOW_BEGIN + axis], begin[axis]);
    box[HIGH_BEGIN + axis] = is_first ? begin[axis] : lane_most(box[HIGH_BEGIN + axis], begin[axis]);
    box[LOW_END + axis] = is_first ? end[axis] : lane_least(box[LOW_END + axis], end[axis]);
    box[HIGH_END + axis] = is_first ? end[axis] : lane_most(box[HIGH_END + axis], end[axis]);
  }
}

/* Moves a low side down and a high side up by the pad. Overflow gives an infinite side, never NaN. */
LANE_INLINE LANE lowered(LANE side, LANE pad) {
  const LANE low = side - pad;
  return lane_select(low > -REAL_MOST, low, lane_set(-(msd_real)INFINITY));
}

LANE_INLINE LANE raised(LANE side, LANE pad) {
  const LANE high = side + pad;
  return lane_select(high < REAL_MOST, high, lane_set((msd_real)INFINITY));
}

/* The widening of a box for `reach` and rounding; `outermost` is the largest coordinate. */
LANE_INLINE LANE pad_of(LANE reach, LANE outermost) {
  return reach + BOX_ROUNDING * lane_most(reach, outermost);
}

/* Widens boxes, and inverts unused ones. */
LANE_INLINE void widen(LANE *box, LANE reach, LANE_MASK filled) {
  const LANE none = lane_set((msd_real)INFINITY);
  LANE outermost = reach;
  for (int axis = 0; axis < 3; axis++)
    outermost = lane_most(outermost, lane_most(lane_most(-box[LOW_BEGIN + axis], box[HIGH_BEGIN + axis]),
                                               lane_most(-box[LOW_END + axis], box[HIGH_END + axis])));
  const LANE pad = pad_of(reach, outermost);
  for (int axis = 0; axis < 3; axis++) {
    box[LOW_BEGIN + axis] = lane_select(filled, lowered(box[LOW_BEGIN + axis], pad), none);
    box[HIGH_BEGIN + axis] = lane_select(filled, raised(box[HIGH_BEGIN + axis], pad), -none);
    box[LOW_END + axis] = lane_select(filled, lowered(box[LOW_END + axis], pad), none);
    box[HIGH_END + axis] = lane_select(filled, raised(box[HIGH_END + axis], pad), -none);
  }
}

/* The largest skin of primitives. */
LANE_INLINE LANE largest_skin(const pair_work *w, const int32_t *const *corner, int corners, int32_t place) {
  LANE largest = lane_gather(w->search->vertex_skins, corner[0] + place);
  for (int n = 1; n < corners; n++)
    largest = lane_most(largest, lane_gather(w->search->vertex_skins, corner[n] + place));
  return largest;
}

/* Makes the boxes of a block of primitives, widened by half the thickness and by `skin`; NULL: by their own
   skins. */
LANE_INLINE void place_block(const pair_work *w, surface_kind kind, int32_t block, msd_real half,
                             const msd_real *skin) {
  const surface_primitives *of = &w->mesh->of[kind];
  pair_block *to = &w->search->blocks[kind][block];
  for (int32_t lane = 0; lane < SURFACE_BLOCK; lane += LANE_COUNT) {
    LANE box[PAIR_BOX];
    const int32_t place = block * SURFACE_BLOCK + lane;
    for (int corner = 0; corner <= (int)kind; corner++)
      take_corner(box, lane_gather_motion(w->search->records, of->corner[corner] + place), corner == 0);
    const LANE own =
        skin ? lane_set(*skin) : largest_skin(w, (const int32_t *const *)of->corner, (int)kind + 1, place);
    widen(box, half + own, lane_below(lane, of->filled[block]));
    for (int c = 0; c < PAIR_BOX; c++)
      lane_store(to->at[c] + lane, box[c]);
  }
}

/* Extends one side of a box. */
static inline void take_side(msd_real *box, int component, msd_real side) {
  const msd_real old = box[component];
  if (component / 3 % 2 == LOW_BEGIN)
    box[component] = side < old ? side : old;
  else
    box[component] = side > old ? side : old;
}

/* A box in an array of block size. */
typedef msd_real whole_box[SURFACE_BLOCK];

/* The box around the boxes on all lanes. High sides are negated, so that every side is a minimum. */
LANE_INLINE void enclose_lanes(const LANE *boxes, whole_box box) {
  LANE side[PAIR_BOX];
  for (int c = 0; c < PAIR_BOX; c++)
    side[c] = c / 3 % 2 == LOW_BEGIN ? boxes[c] : -boxes[c];
  least_of_each(side, PAIR_BOX, box);
}

/* Restores the sign of the high sides. */
LANE_INLINE void put_box(const whole_box from, msd_real box[PAIR_BOX]) {
  for (int c = 0; c < PAIR_BOX; c++)
    box[c] = c / 3 % 2 == LOW_BEGIN ? from[c] : -from[c];
}

static void pair_enclose(const pair_block *block, msd_real box[PAIR_BOX]) {
  LANE boxes[PAIR_BOX];
  whole_box around;
  for (int c = 0; c < PAIR_BOX; c++) {
    boxes[c] = lane_load(block->at[c]);
    for (int32_t lane = LANE_COUNT; lane < SURFACE_BLOCK; lane += LANE_COUNT) {
      const LANE side = lane_load(block->at[c] + lane);
      boxes[c] = c / 3 % 2 == LOW_BEGIN ? lane_least(boxes[c], side) : lane_most(boxes[c], side);
    }
  }
  enclose_lanes(boxes, around);
  put_box(around, box);
}

/* All places of a block. */
enum { EVERY_LANE = (1 << SURFACE_BLOCK) - 1 };

/* As many bits as there are lanes. */
static const uint32_t LANES = ((uint32_t)1 << LANE_COUNT) - 1;

/* True if any wanted place is in the vector that begins at a lane. */
static inline bool wants(uint32_t wanted, int32_t lane) {
  return (wanted >> lane & LANES) != 0;
}

/* Boxes of a block, from a lane on. */
typedef struct lane_boxes {
  LANE at[PAIR_BOX];
} lane_boxes;

LANE_INLINE lane_boxes load_boxes(const pair_block *block, int32_t lane) {
  lane_boxes boxes;
  for (int c = 0; c < PAIR_BOX; c++)
    boxes.at[c] = lane_load(block->at[c] + lane);
  return boxes;
}

/* Bit n: the n-th overlaps the box. Higher bits are undefined. */
LANE_INLINE uint32_t touching_lanes(const msd_real box[PAIR_BOX], const lane_boxes *boxes) {
  const LANE *at = boxes->at;
  uint32_t apart = 0;
  for (int axis = 0; axis < 3; axis++) {
    const LANE low_begin = lane_set(box[LOW_BEGIN + axis]), high_begin = lane_set(box[HIGH_BEGIN + axis]),
               low_end = lane_set(box[LOW_END + axis]), high_end = lane_set(box[HIGH_END + axis]);
    apart |= lane_bits_above(at[LOW_BEGIN + axis], high_begin, at[LOW_END + axis], high_end) |
             lane_bits_above(low_begin, at[HIGH_BEGIN + axis], low_end, at[HIGH_END + axis]);
  }
  return ~apart;
}

/* The wanted boxes of a block that overlap a box, as bits. */
LANE_INLINE uint32_t touching(const msd_real box[PAIR_BOX], const pair_block *block, uint32_t wanted) {
  uint32_t bits = 0;
  for (int32_t lane = 0; lane < SURFACE_BLOCK; lane += LANE_COUNT) {
    if (!wants(wanted, lane))
      continue;
    const lane_boxes boxes = load_boxes(block, lane);
    bits |= (touching_lanes(box, &boxes) & LANES) << lane;
  }
  return bits & wanted;
}

#include "engine/contact/cluster_kernel.h"

#include "engine/contact/narrow_phase_kernel.h"

/* ---------------------------------------------------------------------------------- search between leaves */

/* Two leaves whose boxes touch. */
typedef struct leaf_pair {
  const pair_work *work;
  int32_t leaf[2];
  msd_real box[2][PAIR_BOX];
  msd_real thickness, skins, slack, rest_share;
  /* Their primitives may share particles; excluded if the leaves are apart at rest. */
  bool shares;
  pair_output *out;
} leaf_pair;

/* Two blocks of two leaves: each primitive of the one (a row) is tested against the other's (columns).
   `near`: the columns that may touch the leaf of the rows. */
typedef struct block_pair {
  surface_kind row_kind, column_kind;
  int32_t row_block, column_block;
  uint32_t near;
} block_pair;

/* The columns from a lane on that share a particle with a row, as bits. */
LANE_INLINE uint32_t sharing_lanes(const surface_primitives *of[2], const block_pair *blocks, int32_t row,
                                   int32_t lane) {
  const int32_t at = blocks->row_block * SURFACE_BLOCK + row,
                place = blocks->column_block * SURFACE_BLOCK + lane;
  uint32_t shared = 0;
  for (int corner = 0; corner <= (int)blocks->column_kind; corner++)
    for (int own = 0; own <= (int)blocks->row_kind; own++)
      shared |= lane_bits_equal(of[1]->particle[corner] + place, of[0]->particle[own][at]);
  return shared;
}

/* The columns that overlap each of some rows. */
LANE_INLINE void find_by_rows(const pair_block *rows, uint32_t some, const pair_block *columns, uint32_t near,
                              uint16_t found[SURFACE_BLOCK]) {
  for (int32_t lane = 0; lane < SURFACE_BLOCK; lane += LANE_COUNT) {
    if (!wants(near, lane))
      continue;
    const lane_boxes boxes = load_boxes(columns, lane);
    for (uint32_t left = some; left; left &= left - 1) {
      const int32_t row = lowest_bit(left);
      msd_real box[PAIR_BOX];
      pair_block_get(rows, row, box);
      found[row] |= (uint16_t)((touching_lanes(box, &boxes) & LANES) << lane);
    }
  }
}

/* Removes columns that share a particle with their row. */
LANE_INLINE void leave_out_sharing(const pair_work *w, const block_pair *blocks, uint32_t some,
                                   uint16_t found[SURFACE_BLOCK]) {
  const surface_primitives *of[2] = {&w->mesh->of[blocks->row_kind], &w->mesh->of[blocks->column_kind]};
  for (int32_t lane = 0; lane < SURFACE_BLOCK; lane += LANE_COUNT)
    for (uint32_t left = some; left; left &= left - 1) {
      const int32_t row = lowest_bit(left);
      found[row] &= (uint16_t) ~((sharing_lanes(of, blocks, row, lane) & LANES) << lane);
    }
}

/* Adds the data of this pair of leaves to the new candidates of a batch. */
LANE_INLINE void describe(const leaf_pair *pair, pair_batch *batch) {
  for (int32_t n = batch->described; n < batch->count; n++) {
    batch->thickness[n] = pair->thickness;
    batch->slack[n] = pair->slack;
    batch->skins[n] = pair->skins;
    batch->rest_share[n] = pair->rest_share;
  }
  batch->described = batch->count;
}

/* Passes a complete batch to the narrow phase and keeps the excess. */
LANE_APART void flush(const leaf_pair *pair, pair_kind kind) {
  pair_batch *batch = &pair->out->batch[kind];
  const int32_t over = batch->count - PAIR_BATCH;
  batch->count = PAIR_BATCH;
  describe(pair, batch);
  narrow(pair->work, kind, pair->out);
  for (int corner = 0; corner < PAIR_CORNERS; corner++)
    memcpy(batch->corner[corner], batch->corner[corner] + PAIR_BATCH, (size_t)over * sizeof(int32_t));
  batch->count = over;
}

/* Adds candidates for the rows and their found columns. Their number is unpredictable, so all lanes are
   written and the excess is overwritten by the next ones. */
LANE_INLINE void put_found(const leaf_pair *pair, const block_pair *blocks, uint32_t some,
                           const uint16_t found[SURFACE_BLOCK]) {
  const int row_corners = (int)blocks->row_kind + 1, column_corners = (int)blocks->column_kind + 1;
  const pair_kind kind = column_corners == SURFACE_CORNERS ? PAIR_POINT_TRIANGLE : PAIR_EDGE_EDGE;
  pair_batch *batch = &pair->out->batch[kind];
  const int32_t *corner[PAIR_CORNERS];
  for (int n = 0; n < row_corners; n++)
    corner[n] = pair->work->mesh->of[blocks->row_kind].corner[n] + blocks->row_block * SURFACE_BLOCK;
  for (int n = 0; n < column_corners; n++)
    corner[row_corners + n] =
        pair->work->mesh->of[blocks->column_kind].corner[n] + blocks->column_block * SURFACE_BLOCK;
  int32_t count = batch->count;
  for (; some; some &= some - 1) {
    const int32_t row = lowest_bit(some);
    for (int own = 0; own < row_corners; own++) {
      const int32_t vertex = corner[own][row];
      for (int n = 0; n < SURFACE_BLOCK; n++)
        batch->corner[own][count + n] = vertex;
    }
    for (int32_t lane = 0; lane < SURFACE_BLOCK; lane += LANE_COUNT) {
      int32_t put = 0;
      for (int n = row_corners; n < PAIR_CORNERS; n++)
        put = lane_pack(batch->corner[n] + count, corner[n] + lane, (uint32_t)found[row] >> lane);
      count += put;
    }
    if (count >= PAIR_BATCH) {
      batch->count = count;
      flush(pair, kind);
      count = batch->count;
    }
  }
  batch->count = count;
}

/* For rows that are not searched, tests the searched columns instead. Returns the rows with a match. */
LANE_INLINE uint32_t find_by_columns(const pair_block *rows, const pair_block *columns, uint32_t left,
                                     uint32_t sought_columns, uint16_t found[SURFACE_BLOCK]) {
  msd_real box[PAIR_BOX];
  uint32_t some = 0;
  for (uint32_t own = left ? sought_columns : 0; own; own &= own - 1) {
    const int32_t column = lowest_bit(own);
    pair_block_get(columns, column, box);
    const uint32_t met = touching(box, rows, left);
    for (uint32_t row = met; row; row &= row - 1)
      found[lowest_bit(row)] |= (uint16_t)(1 << column);
    some |= met;
  }
  return some;
}

/* Tests the primitives of two blocks, at least one of which must be searched. Within one block each is
   tested against later ones. */
LANE_INLINE void meet_block(const leaf_pair *pair, const block_pair *blocks) {
  const pair_search *search = pair->work->search;
  const pair_block *rows = &search->blocks[blocks->row_kind][blocks->row_block],
                   *columns = &search->blocks[blocks->column_kind][blocks->column_block];
  const uint32_t sought_rows = search->sought[blocks->row_kind][blocks->row_block],
                 sought_columns = blocks->near & search->sought[blocks->column_kind][blocks->column_block];
  if (!(sought_rows | sought_columns))
    return;
  const uint32_t left = touching(search->around[blocks->column_kind][blocks->column_block], rows,
                                 sought_columns ? EVERY_LANE : sought_rows);
  if (!left)
    return;
  uint16_t found[SURFACE_BLOCK] = {0};
  const uint32_t by_rows = left & sought_rows;
  find_by_rows(rows, by_rows, columns, blocks->near, found);
  const uint32_t some = by_rows | find_by_columns(rows, columns, left & ~sought_rows, sought_columns, found);
  if (pair->shares)
    leave_out_sharing(pair->work, blocks, some, found);
  for (uint32_t own = some; own; own &= own - 1) {
    const int32_t row = lowest_bit(own);
    found[row] &= (uint16_t)(rows == columns ? blocks->near & ~(((uint32_t)2 << row) - 1) : blocks->near);
  }
  put_found(pair, blocks, some, found);
}

/* The columns that may touch any row, if one of the two is searched. */
LANE_INLINE uint32_t find_near(const leaf_pair *pair, int rows, surface_kind column_kind, int32_t block) {
  const pair_search *search = pair->work->search;
  const pair_block *columns = &search->blocks[column_kind][block];
  const msd_real *box = pair->box[rows];
  if (!pair->work->updates)
    return touching(box, columns, EVERY_LANE);
  const int32_t leaf = pair->leaf[rows];
  const uint32_t near = search->seeks[leaf] ? touching(search->sought_box[leaf], columns, EVERY_LANE) : 0;
  return near | touching(box, columns, search->sought[column_kind][block] & ~near);
}

/* Vertices of one leaf and triangles of the other, or edges of both. `rows`: which of the two leaves has the
   rows. */
LANE_INLINE void meet(const leaf_pair *pair, int rows, surface_kind row_kind, surface_kind column_kind) {
  const int32_t *row_blocks = pair->work->mesh->of[row_kind].first_block + pair->leaf[rows],
                *column_blocks = pair->work->mesh->of[column_kind].first_block + pair->leaf[1 - rows];
  const bool is_half = row_blocks == column_blocks;
  for (int32_t block = column_blocks[0]; block < column_blocks[1]; block++) {
    const uint32_t near = find_near(pair, rows, column_kind, block);
    const int32_t last = is_half ? block + 1 : row_blocks[1];
    for (int32_t row_block = row_blocks[0]; near && row_block < last; row_block++) {
      const block_pair blocks = {row_kind, column_kind, row_block, block, near};
      meet_block(pair, &blocks);
    }
  }
}

/* Upper bound of what skins and rounding can add to a gap. */
static msd_real slack_of(const leaf_pair *pair) {
  const pair_search *search = pair->work->search;
  msd_real sum = search->travel[pair->leaf[0]] + search->travel[pair->leaf[1]];
  for (int c = 0; c < PAIR_BOX; c++) {
    const msd_real a = pair->box[0][c], b = pair->box[1][c];
    sum += c / 3 % 2 == LOW_BEGIN ? -(a < b ? a : b) : (a > b ? a : b);
  }
  return GAP_ROUNDING * (sum + pair->skins) + pair->skins;
}

/* The squared distance of two leaves at rest. */
static double rest_gap(const surface_leaf *a, const surface_leaf *b) {
  double square = 0;
  for (int axis = 0; axis < 3; axis++) {
    const double above = b->low[axis] - a->high[axis], below = a->low[axis] - b->high[axis];
    const double gap = above > below ? above : below;
    square += gap > 0 ? gap * gap : 0;
  }
  return square;
}

/* See pair_batch.rest_share. */
static msd_real rest_share_of(const surface_leaf *a, const surface_leaf *b, double gap, double thickness) {
  const msd_real share = pair_rest_share(a->piece == b->piece);
  return (double)share * (double)share * gap < thickness * thickness ? share : 0;
}

/* True if the search ends: this chunk alone has too many pairs, or it is stopped. */
static bool is_over(const pair_work *w, pair_output *out) {
  enum { MET_BETWEEN_POLLS = 64 };
  if (++out->met % MET_BETWEEN_POLLS == 0)
    stop_poll_ask(w->question->stop, out->thread);
  return pair_question_is_crowded(w->question, out->missing + out->list->count - out->first) ||
         stop_poll_is_stopped(w->question->stop);
}

static void meet_leaf(void *context, int32_t other) {
  leaf_pair *pair = context;
  if (is_over(pair->work, pair->out))
    return;
  const surface_mesh *mesh = pair->work->mesh;
  const surface_leaf *a = &mesh->leaves[pair->leaf[0]], *b = &mesh->leaves[other];
  pair->leaf[1] = other;
  pair_block_get(&pair->work->search->levels[0][other / SURFACE_BLOCK], other % SURFACE_BLOCK, pair->box[1]);
  pair->thickness = a->half + b->half;
  pair->skins = pair->work->search->skin[pair->leaf[0]] + pair->work->search->skin[other];
  pair->slack = slack_of(pair);
  const double gap = rest_gap(a, b);
  pair->shares = gap == 0;
  pair->rest_share = rest_share_of(a, b, gap, (double)pair->thickness);
  meet(pair, 0, SURFACE_VERTICES, SURFACE_TRIANGLES);
  if (other != pair->leaf[0])
    meet(pair, 1, SURFACE_VERTICES, SURFACE_TRIANGLES);
  meet(pair, 0, SURFACE_EDGES, SURFACE_EDGES);
  for (int kind = 0; kind < PAIR_KINDS; kind++)
    describe(pair, &pair->out->batch[kind]);
}

/* In a crumpled surface some leaves touch more others than are stored; those are found again. */
static void pair_find(const pair_work *w, int32_t leaf, pair_output *out) {
  const int32_t count = w->search->meeting_count[leaf];
  leaf_pair pair = {.work = w, .leaf = {leaf, leaf}, .out = out};
  pair_block_get(&w->search->levels[0][leaf / SURFACE_BLOCK], leaf % SURFACE_BLOCK, pair.box[0]);
  for (int32_t n = 0; n < count && count <= PAIR_MEETINGS; n++)
    meet_leaf(&pair, w->search->meetings[leaf][n]);
  if (count > PAIR_MEETINGS)
    meet_others(w, leaf, meet_leaf, &pair);
  for (int kind = 0; kind < PAIR_KINDS; kind++)
    if (out->batch[kind].count > 0)
      narrow(w, (pair_kind)kind, out);
}
