/* The phases of pair_search.h for one width of vectors; see lane.h. */
#include "engine/base/lane.h"
#include "engine/base/min_max.h"
#include "engine/contact/closest_points.h"
#include "engine/contact/pair_work.h"

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

/* The gaps of a pair are sums of a dozen rounded terms, each as long as both its leaves are together. */
static const msd_real GAP_ROUNDING = 16 * (msd_real)REAL_EPSILON, BOX_ROUNDING = 4 * (msd_real)REAL_EPSILON,
                      SKIN_ROUNDING = 4 * (msd_real)REAL_EPSILON;

LANE_INLINE LANE lane_least(LANE a, LANE b) {
  return lane_select(b < a, b, a);
}

LANE_INLINE LANE lane_most(LANE a, LANE b) {
  return lane_select(b > a, b, a);
}

/* Of all lanes. */
LANE_INLINE msd_real least_of(LANE a) {
  msd_real of[LANE_COUNT];
  lane_store(of, a);
  for (int half = LANE_COUNT / 2; half > 0; half /= 2)
    for (int k = 0; k < half; k++)
      of[k] = of[k + half] < of[k] ? of[k + half] : of[k];
  return of[0];
}

LANE_INLINE msd_real most_of(LANE a) {
  return -least_of(-a);
}

/* The lowest bit that is set. */
static inline int32_t lowest_bit(uint32_t bits) {
#ifdef __GNUC__
  return (int32_t)__builtin_ctz(bits);
#else
  int32_t n = 0;
  while (!(bits >> n & 1))
    n++;
  return n;
#endif
}

#include "engine/contact/patch_kernel.h"

/* --------------------------------------------------------------------------------------------------- boxes */

/* Takes one corner into the boxes of lanes. */
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

/* A low side, lower by the pad. What overflows is as far out as it can be, so no side is ever not a number. */
LANE_INLINE LANE lowered(LANE side, LANE pad, LANE_MASK filled) {
  const LANE low = side - pad, none = lane_set((msd_real)INFINITY);
  return lane_select(filled, lane_select(low > -REAL_MOST, low, -none), none);
}

/* Widens boxes by the reach, and by the rounding of all that they are made from; empties those that are not
   filled. */
LANE_INLINE void widen(LANE *box, LANE reach, LANE_MASK filled) {
  LANE largest = reach;
  for (int axis = 0; axis < 3; axis++)
    largest = lane_most(largest, lane_most(lane_most(-box[LOW_BEGIN + axis], box[HIGH_BEGIN + axis]),
                                           lane_most(-box[LOW_END + axis], box[HIGH_END + axis])));
  const LANE pad = reach + BOX_ROUNDING * largest;
  for (int axis = 0; axis < 3; axis++) {
    box[LOW_BEGIN + axis] = lowered(box[LOW_BEGIN + axis], pad, filled);
    box[HIGH_BEGIN + axis] = -lowered(-box[HIGH_BEGIN + axis], pad, filled);
    box[LOW_END + axis] = lowered(box[LOW_END + axis], pad, filled);
    box[HIGH_END + axis] = -lowered(-box[HIGH_END + axis], pad, filled);
  }
}

/* The largest skin of primitives. */
LANE_INLINE LANE largest_skin(const pair_work *w, const int32_t *const *corner, int corners, int32_t place) {
  LANE largest = lane_gather(w->search->vertex_skins, corner[0] + place);
  for (int n = 1; n < corners; n++)
    largest = lane_most(largest, lane_gather(w->search->vertex_skins, corner[n] + place));
  return largest;
}

/* The boxes of one block of primitives, with half their thickness and `skin` or, where that is NULL, their
   own. */
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

/* Makes one side larger by another. */
static inline void take_side(msd_real *box, int component, msd_real side) {
  const msd_real old = box[component];
  if (component / 3 % 2 == LOW_BEGIN)
    box[component] = side < old ? side : old;
  else
    box[component] = side > old ? side : old;
}

/* Four by four: compilers make vectors of that. */
static void pair_enclose(const pair_block *block, msd_real box[PAIR_BOX]) {
  for (int c = 0; c < PAIR_BOX; c++) {
    const msd_real *side = block->at[c];
    msd_real four[4] = {side[0], side[1], side[2], side[3]};
    if (c / 3 % 2 == LOW_BEGIN)
      for (int n = 4; n < SURFACE_BLOCK; n += 4)
        for (int k = 0; k < 4; k++)
          four[k] = side[n + k] < four[k] ? side[n + k] : four[k];
    else
      for (int n = 4; n < SURFACE_BLOCK; n += 4)
        for (int k = 0; k < 4; k++)
          four[k] = side[n + k] > four[k] ? side[n + k] : four[k];
    box[c] = four[0];
    for (int k = 1; k < 4; k++)
      take_side(box, c, four[k]);
  }
}

/* Which of a block touch a box: bit n is the n-th. */
LANE_INLINE uint32_t touching(const msd_real box[PAIR_BOX], const pair_block *block) {
  uint32_t bits = 0;
  for (int32_t lane = 0; lane < SURFACE_BLOCK; lane += LANE_COUNT) {
    LANE_MASK apart = lane_set(0) > lane_set(0);
    for (int axis = 0; axis < 3; axis++) {
      const LANE low_begin = lane_load(block->at[LOW_BEGIN + axis] + lane),
                 high_begin = lane_load(block->at[HIGH_BEGIN + axis] + lane),
                 low_end = lane_load(block->at[LOW_END + axis] + lane),
                 high_end = lane_load(block->at[HIGH_END + axis] + lane);
      const LANE_MASK above = low_begin > lane_set(box[HIGH_BEGIN + axis]),
                      stays_above = low_end > lane_set(box[HIGH_END + axis]),
                      below = high_begin < lane_set(box[LOW_BEGIN + axis]),
                      stays_below = high_end < lane_set(box[LOW_END + axis]);
      apart |= (above & stays_above) | (below & stays_below);
    }
    bits |= lane_bits(lane_not(apart)) << lane;
  }
  return bits;
}

#include "engine/contact/leaf_kernel.h"

/* -------------------------------------------------------------------------------------------- narrow phase */

/* The corners of several pairs but for the first, seen from the first. */
typedef struct relative_corners {
  LANE3 x[PAIR_CORNERS - 1];
} relative_corners;

LANE_INLINE closest_points closest_of(pair_kind kind, const relative_corners *r) {
  return kind == PAIR_POINT_TRIANGLE ? closest_on_triangle(r->x[0], r->x[1], r->x[2])
                                     : closest_of_edges(r->x[0], r->x[1], lane_subtract(r->x[2], r->x[1]));
}

/* The gap along n less the slack; one that is no finite number proves nothing. */
LANE_INLINE LANE gap_along(pair_kind kind, LANE3 n, const relative_corners *r, LANE slack) {
  const LANE a = lane_dot(n, r->x[0]), b = lane_dot(n, r->x[1]), c = lane_dot(n, r->x[2]);
  const LANE gap = kind == PAIR_POINT_TRIANGLE ? lane_least(lane_least(a, b), c)
                                               : lane_least(b, c) - lane_most(a, lane_set(0));
  const LANE sum = a + b + c + slack;
  return lane_select(sum - sum == 0, gap - slack, lane_set(-REAL_MOST));
}

/* Both gaps of the pairs from the n-th on, less the largest skins of their leaves. */
LANE_INLINE void measure(const pair_work *w, pair_kind kind, const pair_batch *batch, int32_t n, LANE *begin,
                         LANE *end) {
  const msd_real *records = w->search->records;
  const LANE_MOTION first = lane_gather_motion(records, batch->corner[0] + n);
  relative_corners at_begin, at_end;
  for (int corner = 1; corner < PAIR_CORNERS; corner++) {
    const LANE_MOTION other = lane_gather_motion(records, batch->corner[corner] + n);
    at_begin.x[corner - 1] = lane_subtract(other.x, first.x);
    at_end.x[corner - 1] = lane_add(at_begin.x[corner - 1], lane_subtract(other.v, first.v));
  }
  LANE inverse;
  const LANE3 witness = lane_unit(closest_of(kind, &at_begin).between, &inverse);
  const LANE slack = lane_load(batch->slack + n);
  *begin = gap_along(kind, witness, &at_begin, slack);
  *end = gap_along(kind, witness, &at_end, slack);
}

/* By how much less than the largest skins of their leaves the largest of both sides are: but for rounding. */
LANE_INLINE LANE spare_skins(const pair_work *w, pair_kind kind, const pair_batch *batch, int32_t n) {
  const int row_corners = kind == PAIR_POINT_TRIANGLE ? 1 : 2;
  const int32_t *corner[PAIR_CORNERS];
  for (int k = 0; k < PAIR_CORNERS; k++)
    corner[k] = batch->corner[k];
  const LANE of_rows = largest_skin(w, corner, row_corners, n),
             of_columns = largest_skin(w, corner + row_corners, PAIR_CORNERS - row_corners, n);
  const LANE skins = lane_load(batch->skins + n), spare = (skins - of_rows) - of_columns;
  return lane_keep(spare > SKIN_ROUNDING * skins, spare - SKIN_ROUNDING * skins);
}

/* The pairs from the n-th on at rest. */
LANE_INLINE relative_corners corners_at_rest(const pair_work *w, const pair_batch *batch, int32_t n) {
  const LANE3 first = lane_gather_records(w->mesh->rest, batch->corner[0] + n);
  relative_corners r;
  for (int corner = 1; corner < PAIR_CORNERS; corner++)
    r.x[corner - 1] = lane_subtract(lane_gather_records(w->mesh->rest, batch->corner[corner] + n), first);
  return r;
}

/* The least distance of a corner of the one from one of the other, no less than that of the two but for
   rounding. */
LANE_INLINE LANE corner_distance(pair_kind kind, const relative_corners *r) {
  LANE least = lane_least(lane_dot(r->x[1], r->x[1]), lane_dot(r->x[2], r->x[2]));
  if (kind == PAIR_POINT_TRIANGLE)
    return lane_sqrt(lane_least(least, lane_dot(r->x[0], r->x[0])));
  for (int n = 1; n < PAIR_CORNERS - 1; n++) {
    const LANE3 between = lane_subtract(r->x[n], r->x[0]);
    least = lane_least(least, lane_dot(between, between));
  }
  return lane_sqrt(least);
}

/* Pairs whose gaps are proved to stay large are left out. */
LANE_INLINE LANE_MASK comes_close(LANE thickness, LANE begin, LANE end) {
  return lane_not((begin >= thickness) & (end >= thickness));
}

typedef struct pair_gaps {
  msd_real begin[PAIR_BATCH], end[PAIR_BATCH];
} pair_gaps;

static void append(const pair_work *w, pair_kind kind, const pair_batch *batch, const pair_gaps *gaps,
                   int32_t n, pair_output *out) {
  pair_list *list = out->list;
  if (list->count == list->capacity) {
    out->missing++;
    return;
  }
  const int32_t to = list->count++;
  for (int corner = 0; corner < PAIR_CORNERS; corner++)
    list->slots[to][corner] = w->mesh->slot[batch->corner[corner][n]];
  list->kind[to] = (uint8_t)kind;
  list->thickness[to] = batch->thickness[n];
  list->gap_begin[to] = gaps->begin[n];
  list->gap_end[to] = gaps->end[n];
}

/* Which of the pairs from the n-th on are near at rest and, for the thickness that the distance of their
   corners there would leave them, far enough apart: so are they for their own, which is no more. */
LANE_INLINE uint32_t clearly_thin(pair_kind kind, const pair_batch *batch, const pair_gaps *gaps, int32_t n,
                                  const relative_corners *at_rest) {
  const LANE share = lane_load(batch->rest_share + n);
  const LANE most = share * corner_distance(kind, at_rest) * (1 + GAP_ROUNDING);
  const LANE thickness = lane_load(batch->thickness + n);
  const LANE begin = lane_load(gaps->begin + n), end = lane_load(gaps->end + n);
  return lane_bits((share > 0) & (most < thickness) & (begin >= most) & (end >= most));
}

/* Gives those of the pairs from the n-th on that are near at rest their lower thickness. Returns which of them
   come close all the same. */
LANE_INLINE uint32_t thin_out(const pair_work *w, pair_kind kind, pair_batch *batch, const pair_gaps *gaps,
                              int32_t n, uint32_t close) {
  const relative_corners at_rest = corners_at_rest(w, batch, n);
  close &= ~clearly_thin(kind, batch, gaps, n, &at_rest);
  if (!close)
    return 0;
  msd_real distance[SURFACE_BLOCK];
  lane_store(distance, lane_sqrt(closest_of(kind, &at_rest).square));
  uint32_t kept = close;
  for (uint32_t left = close; left; left &= left - 1) {
    const int32_t lane = lowest_bit(left), at = n + lane;
    const msd_real most = batch->rest_share[at] * distance[lane];
    if (batch->rest_share[at] == 0 || !(most < batch->thickness[at]))
      continue;
    batch->thickness[at] = most;
    if (gaps->begin[at] >= most && gaps->end[at] >= most)
      kept &= ~((uint32_t)1 << lane);
  }
  return kept;
}

/* The narrow phase for all of a batch, which is empty then. The lanes behind its last pair repeat it. */
LANE_APART void narrow(const pair_work *w, pair_kind kind, pair_output *out) {
  pair_batch *batch = &out->batch[kind];
  const int32_t count = batch->count;
  pair_gaps gaps;
  for (int32_t n = count; n % LANE_COUNT != 0; n++) {
    for (int corner = 0; corner < PAIR_CORNERS; corner++)
      batch->corner[corner][n] = batch->corner[corner][count - 1];
    batch->thickness[n] = batch->thickness[count - 1];
    batch->slack[n] = batch->slack[count - 1];
    batch->skins[n] = batch->skins[count - 1];
  }
  for (int32_t first = 0; first < count; first += LANE_COUNT) {
    LANE begin, end;
    measure(w, kind, batch, first, &begin, &end);
    uint32_t close = lane_bits(comes_close(lane_load(batch->thickness + first), begin, end));
    if (count - first < LANE_COUNT)
      close &= (1u << (count - first)) - 1;
    if (!close)
      continue;
    const LANE spare = spare_skins(w, kind, batch, first);
    begin = begin + spare;
    end = end + spare;
    close &= lane_bits(comes_close(lane_load(batch->thickness + first), begin, end));
    lane_store(gaps.begin + first, begin);
    lane_store(gaps.end + first, end);
    bool near_at_rest = false;
    for (uint32_t left = close; left; left &= left - 1)
      near_at_rest |= batch->rest_share[first + lowest_bit(left)] > 0;
    if (near_at_rest)
      close = thin_out(w, kind, batch, &gaps, first, close);
    for (; close; close &= close - 1)
      append(w, kind, batch, &gaps, first + lowest_bit(close), out);
  }
  batch->count = batch->described = 0;
}

/* --------------------------------------------------------------------------------------------- broad phase */

/* Two leaves whose boxes touch. */
typedef struct leaf_pair {
  const pair_work *work;
  int32_t leaf[2];
  msd_real box[2][PAIR_BOX];
  msd_real thickness, skins, slack, rest_share;
  pair_output *out;
} leaf_pair;

/* A primitive in the row of candidates at hand. */
typedef struct row_primitive {
  int32_t corner[2], particle[2];
} row_primitive;

/* Which of a block of columns share a particle with the row. */
LANE_INLINE uint32_t sharing(const surface_primitives *columns, int32_t place, surface_kind column_kind,
                             const row_primitive *row, surface_kind row_kind) {
  uint32_t bits = 0;
  for (int32_t lane = 0; lane < SURFACE_BLOCK; lane += LANE_COUNT) {
    LANE_MASK shared = lane_set(0) > lane_set(0);
    for (int corner = 0; corner <= (int)column_kind; corner++)
      for (int own = 0; own <= (int)row_kind; own++)
        shared |= lane_equals(columns->particle[corner] + place + lane, row->particle[own]);
    bits |= lane_bits(shared) << lane;
  }
  return bits;
}

/* All of the batch that is not described yet is of these two leaves. */
LANE_INLINE void describe(const leaf_pair *pair, pair_batch *batch) {
  for (int32_t n = batch->described; n < batch->count; n++) {
    batch->thickness[n] = pair->thickness;
    batch->slack[n] = pair->slack;
    batch->skins[n] = pair->skins;
    batch->rest_share[n] = pair->rest_share;
  }
  batch->described = batch->count;
}

/* Makes candidates of the row and those of a block of columns that are set. */
LANE_INLINE void collect(const leaf_pair *pair, const row_primitive *row, surface_kind row_kind,
                         const surface_primitives *columns, int32_t place, surface_kind column_kind,
                         uint32_t left) {
  const pair_kind kind = column_kind == SURFACE_TRIANGLES ? PAIR_POINT_TRIANGLE : PAIR_EDGE_EDGE;
  pair_batch *batch = &pair->out->batch[kind];
  for (; left; left &= left - 1) {
    const int32_t n = batch->count++, at = place + lowest_bit(left);
    for (int own = 0; own <= (int)row_kind; own++)
      batch->corner[own][n] = row->corner[own];
    for (int corner = 0; corner <= (int)column_kind; corner++)
      batch->corner[(int)row_kind + 1 + corner][n] = columns->corner[corner][at];
    if (batch->count == PAIR_BATCH) {
      describe(pair, batch);
      narrow(pair->work, kind, pair->out);
    }
  }
}

/* Of each row in `left` the columns of `near` that its box touches, where one of both is looked for: those that
   are not are asked from the other side. Returns which rows touch some. */
LANE_INLINE uint32_t find_touching(const pair_block *rows, const pair_block *columns, uint32_t left,
                                   uint32_t near, uint32_t sought_rows, uint32_t sought_columns,
                                   uint32_t found[SURFACE_BLOCK]) {
  msd_real box[PAIR_BOX];
  uint32_t some = left & sought_rows;
  for (uint32_t own = some; own; own &= own - 1) {
    const int32_t row = lowest_bit(own);
    pair_block_get(rows, row, box);
    found[row] = near & touching(box, columns);
  }
  const uint32_t others = left & ~sought_rows;
  for (uint32_t own = others ? near & sought_columns : 0; own; own &= own - 1) {
    const int32_t column = lowest_bit(own);
    pair_block_get(columns, column, box);
    for (uint32_t met = others & touching(box, rows); met; met &= met - 1) {
      const int32_t row = lowest_bit(met);
      found[row] = (some >> row & 1 ? found[row] : 0) | (uint32_t)1 << column;
      some |= (uint32_t)1 << row;
    }
  }
  return some;
}

/* The primitives of one block against those of another that are set in `near`, where one of both is looked for.
   In the same block each meets those behind it. */
LANE_INLINE void meet_block(const leaf_pair *pair, surface_kind row_kind, int32_t row_block,
                            surface_kind column_kind, int32_t column_block, uint32_t near) {
  const pair_search *search = pair->work->search;
  const surface_primitives *of_rows = &pair->work->mesh->of[row_kind],
                           *of_columns = &pair->work->mesh->of[column_kind];
  const pair_block *rows = &search->blocks[row_kind][row_block],
                   *columns = &search->blocks[column_kind][column_block];
  const uint32_t sought_rows = search->sought[row_kind][row_block],
                 sought_columns = near & search->sought[column_kind][column_block];
  if (!(sought_rows | sought_columns))
    return;
  uint32_t of_row[SURFACE_BLOCK];
  uint32_t left = touching(search->around[column_kind][column_block], rows);
  left = find_touching(rows, columns, left, near, sought_rows, sought_columns, of_row);
  for (; left; left &= left - 1) {
    const int32_t lane = lowest_bit(left);
    uint32_t found = of_row[lane];
    if (rows == columns)
      found &= ~(((uint32_t)2 << lane) - 1);
    if (!found)
      continue;
    row_primitive row;
    for (int corner = 0; corner <= (int)row_kind; corner++) {
      row.corner[corner] = of_rows->corner[corner][row_block * SURFACE_BLOCK + lane];
      row.particle[corner] = of_rows->particle[corner][row_block * SURFACE_BLOCK + lane];
    }
    const int32_t place = column_block * SURFACE_BLOCK;
    found &= ~sharing(of_columns, place, column_kind, &row, row_kind);
    if (found)
      collect(pair, &row, row_kind, of_columns, place, column_kind, found);
  }
}

/* Vertices of one leaf and triangles of the other, or edges of both: `rows` is which leaf has the rows. */
LANE_INLINE void meet(const leaf_pair *pair, int rows, surface_kind row_kind, surface_kind column_kind) {
  const int32_t *row_blocks = pair->work->mesh->of[row_kind].first_block + pair->leaf[rows],
                *column_blocks = pair->work->mesh->of[column_kind].first_block + pair->leaf[1 - rows];
  const bool is_half = row_blocks == column_blocks;
  for (int32_t block = column_blocks[0]; block < column_blocks[1]; block++) {
    const uint32_t near = touching(pair->box[rows], &pair->work->search->blocks[column_kind][block]);
    const int32_t last = is_half ? block + 1 : row_blocks[1];
    for (int32_t row_block = row_blocks[0]; near && row_block < last; row_block++)
      meet_block(pair, row_kind, row_block, column_kind, block, near);
  }
}

/* How much skins and rounding may add to a gap between the two. */
static msd_real slack_of(const leaf_pair *pair) {
  const pair_search *search = pair->work->search;
  msd_real sum = search->travel[pair->leaf[0]] + search->travel[pair->leaf[1]];
  for (int c = 0; c < PAIR_BOX; c++) {
    const msd_real a = pair->box[0][c], b = pair->box[1][c];
    sum += c / 3 % 2 == LOW_BEGIN ? -(a < b ? a : b) : (a > b ? a : b);
  }
  return GAP_ROUNDING * (sum + pair->skins) + pair->skins;
}

/* Of the distance of two at rest, how thick they are at most; 0 where all are too far apart for that. */
static msd_real rest_share_of(const surface_leaf *a, const surface_leaf *b, double thickness) {
  const msd_real share = pair_rest_share(a->piece == b->piece);
  double square = 0;
  for (int axis = 0; axis < 3; axis++) {
    const double above = b->low[axis] - a->high[axis], below = a->low[axis] - b->high[axis];
    const double gap = above > below ? above : below;
    square += gap > 0 ? gap * gap : 0;
  }
  return (double)share * (double)share * square < thickness * thickness ? share : 0;
}

static void meet_leaf(void *context, int32_t other) {
  leaf_pair *pair = context;
  const surface_mesh *mesh = pair->work->mesh;
  const surface_leaf *a = &mesh->leaves[pair->leaf[0]], *b = &mesh->leaves[other];
  pair->leaf[1] = other;
  pair_block_get(&pair->work->search->levels[0][other / SURFACE_BLOCK], other % SURFACE_BLOCK, pair->box[1]);
  pair->thickness = a->half + b->half;
  pair->skins = pair->work->search->skin[pair->leaf[0]] + pair->work->search->skin[other];
  pair->slack = slack_of(pair);
  pair->rest_share = rest_share_of(a, b, (double)pair->thickness);
  meet(pair, 0, SURFACE_VERTICES, SURFACE_TRIANGLES);
  if (other != pair->leaf[0])
    meet(pair, 1, SURFACE_VERTICES, SURFACE_TRIANGLES);
  meet(pair, 0, SURFACE_EDGES, SURFACE_EDGES);
  for (int kind = 0; kind < PAIR_KINDS; kind++)
    describe(pair, &pair->out->batch[kind]);
}

/* In a crumpled surface some leaves meet more others than there is room to note. */
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
