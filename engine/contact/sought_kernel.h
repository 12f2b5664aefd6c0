/* What pair_search.h does where a list is mended, for one width of vectors: the primitives that are sought are
   held, one by one, against all others. Included by pair_kernel.h.

   Of two that are both sought the leaf a <= b of the one finds the pair; within a leaf the edge in the earlier
   place, or the point. So each pair of something sought is found once. A primitive that is sought is in the
   box around all that are sought of its leaf and kind, and one that it may meet in the boxes around its own
   block and leaf: where these do not touch, no boxes within them do. */
#include "engine/contact/pair_work.h"

/* Those of a leaf that have a vertex are sought; whether there are some. */
static bool pair_seek(const pair_work *w, int32_t leaf, int32_t vertex) {
  uint32_t any = 0;
  for (int kind = 0; kind < SURFACE_KINDS; kind++) {
    const surface_primitives *of = &w->mesh->of[kind];
    for (int32_t block = of->first_block[leaf]; block < of->first_block[leaf + 1]; block++) {
      uint32_t bits = 0;
      for (int32_t lane = 0; lane < SURFACE_BLOCK; lane += LANE_COUNT) {
        LANE_MASK has = lane_set(0) > lane_set(0);
        for (int corner = 0; corner <= kind; corner++)
          has |= lane_equals(of->corner[corner] + block * SURFACE_BLOCK + lane, vertex);
        bits |= lane_bits(has) << lane;
      }
      bits &= ((uint32_t)1 << of->filled[block]) - 1;
      w->search->sought[kind][block] |= (uint16_t)bits;
      any |= bits;
    }
  }
  return any != 0;
}

/* The box around all of a kind that are sought of a leaf; an empty one where none are. */
static void sought_box(const pair_work *w, int32_t leaf, surface_kind kind, msd_real box[PAIR_BOX]) {
  const int32_t *blocks = w->mesh->of[kind].first_block + leaf;
  for (int c = 0; c < PAIR_BOX; c++)
    box[c] = c / 3 % 2 == LOW_BEGIN ? (msd_real)INFINITY : -(msd_real)INFINITY;
  for (int32_t block = blocks[0]; block < blocks[1]; block++)
    for (uint32_t left = w->search->sought[kind][block]; left; left &= left - 1) {
      const int32_t n = lowest_bit(left);
      for (int c = 0; c < PAIR_BOX; c++)
        take_side(box, c, w->search->blocks[kind][block].at[c][n]);
    }
}

/* A leaf with sought primitives of one kind, and what of another kind they are held against. */
typedef struct sought_rows {
  const leaf_pair *pair;
  surface_kind row_kind, column_kind;
  msd_real box[PAIR_BOX];
} sought_rows;

/* Which of a block of columns the rows of another one leave to these, since they are sought, too. */
LANE_INLINE uint32_t left_to_columns(const sought_rows *r, int32_t row_block, int32_t column_block) {
  const uint32_t sought = r->pair->work->search->sought[r->column_kind][column_block];
  const int32_t own = r->pair->leaf[0], other = r->pair->leaf[1];
  const bool are_first = other != own                                 ? other < own
                         : r->column_kind == SURFACE_EDGES            ? column_block < row_block
                                                                      : r->column_kind == SURFACE_VERTICES;
  return are_first ? sought : 0;
}

/* Makes candidates of the row and those of a block of columns that are set: the point of one stands first. */
LANE_INLINE void collect_sought(const sought_rows *r, int32_t row, int32_t place, uint32_t left) {
  const surface_primitives *rows = &r->pair->work->mesh->of[r->row_kind],
                           *columns = &r->pair->work->mesh->of[r->column_kind];
  const bool is_turned = r->column_kind == SURFACE_VERTICES;
  const int row_at = is_turned ? 1 : 0, column_at = is_turned ? 0 : (int)r->row_kind + 1;
  const pair_kind kind = r->row_kind == SURFACE_EDGES ? PAIR_EDGE_EDGE : PAIR_POINT_TRIANGLE;
  pair_batch *batch = &r->pair->out->batch[kind];
  for (; left; left &= left - 1) {
    const int32_t n = batch->count++, at = place + lowest_bit(left);
    for (int own = 0; own <= (int)r->row_kind; own++)
      batch->corner[row_at + own][n] = rows->corner[own][row];
    for (int corner = 0; corner <= (int)r->column_kind; corner++)
      batch->corner[column_at + corner][n] = columns->corner[corner][at];
    if (batch->count == PAIR_BATCH) {
      describe(r->pair, batch);
      narrow(r->pair->work, kind, r->pair->out);
    }
  }
}

/* Those of a block of rows that are sought against those of a block of columns that are set. */
LANE_INLINE void seek_in_block(const sought_rows *r, int32_t row_block, int32_t column_block, uint32_t near) {
  const pair_search *search = r->pair->work->search;
  const pair_block *rows = &search->blocks[r->row_kind][row_block],
                   *columns = &search->blocks[r->column_kind][column_block];
  const surface_primitives *of_rows = &r->pair->work->mesh->of[r->row_kind],
                           *of_columns = &r->pair->work->mesh->of[r->column_kind];
  const uint32_t sought = search->sought[r->row_kind][row_block];
  near &= ~left_to_columns(r, row_block, column_block);
  if (!near || !sought)
    return;
  for (uint32_t left = sought & touching(search->around[r->column_kind][column_block], rows); left;
       left &= left - 1) {
    const int32_t lane = lowest_bit(left), row = row_block * SURFACE_BLOCK + lane,
                  place = column_block * SURFACE_BLOCK;
    msd_real box[PAIR_BOX];
    pair_block_get(rows, lane, box);
    uint32_t found = near & touching(box, columns);
    if (rows == columns)
      found &= ~(sought & (((uint32_t)2 << lane) - 1));
    if (!found)
      continue;
    row_primitive primitive;
    for (int corner = 0; corner <= (int)r->row_kind; corner++)
      primitive.particle[corner] = of_rows->particle[corner][row];
    found &= ~sharing(of_columns, place, r->column_kind, &primitive, r->row_kind);
    collect_sought(r, row, place, found);
  }
}

LANE_INLINE void seek_kind(const leaf_pair *pair, surface_kind row_kind, surface_kind column_kind) {
  sought_rows r = {.pair = pair, .row_kind = row_kind, .column_kind = column_kind};
  const int32_t *row_blocks = pair->work->mesh->of[row_kind].first_block + pair->leaf[0],
                *column_blocks = pair->work->mesh->of[column_kind].first_block + pair->leaf[1];
  memcpy(r.box, pair->sought[row_kind], sizeof r.box);
  for (int32_t block = column_blocks[0]; block < column_blocks[1]; block++) {
    const uint32_t near = touching(r.box, &pair->work->search->blocks[column_kind][block]);
    for (int32_t row_block = row_blocks[0]; near && row_block < row_blocks[1]; row_block++)
      seek_in_block(&r, row_block, block, near);
  }
}

/* All that is sought of the first leaf of a pair against the second. */
static void seek_in_leaf(const leaf_pair *pair) {
  seek_kind(pair, SURFACE_VERTICES, SURFACE_TRIANGLES);
  seek_kind(pair, SURFACE_TRIANGLES, SURFACE_VERTICES);
  seek_kind(pair, SURFACE_EDGES, SURFACE_EDGES);
}
