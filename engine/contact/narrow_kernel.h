/* The narrow phase of pair_search.h for one width of vectors: which candidates come close. Included by
   pair_kernel.h.

   Most of what it takes is to fetch corners, not to reckon with them. So what is asked of a pair first is what
   leaves out most, and each answer is final: a pair that is apart for a lower gap, of skins as large as the
   largest of both leaves, and for a higher thickness, that which the distance of its corners at rest would
   leave it, is so for its own. */
#include "engine/contact/pair_work.h"

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
  const LANE3 first = lane_gather_quads(w->mesh->rest, batch->corner[0] + n);
  relative_corners r;
  for (int corner = 1; corner < PAIR_CORNERS; corner++)
    r.x[corner - 1] = lane_subtract(lane_gather_quads(w->mesh->rest, batch->corner[corner] + n), first);
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
  msd_real begin[PAIR_BATCH], end[PAIR_BATCH], skins[PAIR_BATCH];
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
  list->skins[to] = gaps->skins[n];
}

/* Which of the pairs from the n-th on may be thinner than their surfaces are. */
LANE_INLINE uint32_t near_at_rest(const pair_batch *batch, int32_t n) {
  return lane_bits(lane_load(batch->rest_share + n) > 0);
}

/* Which of these are far enough apart for the thickness that the distance of their corners at rest would leave
   them: so are they for their own, which is no more. */
LANE_INLINE uint32_t clearly_thin(pair_kind kind, const pair_batch *batch, int32_t n,
                                  const relative_corners *at_rest, LANE begin, LANE end) {
  const LANE share = lane_load(batch->rest_share + n);
  const LANE most = share * corner_distance(kind, at_rest) * (1 + GAP_ROUNDING);
  const LANE thickness = lane_load(batch->thickness + n);
  return lane_bits((share > 0) & (most < thickness) & (begin >= most) & (end >= most));
}

/* Gives those of the pairs from the n-th on that are near at rest their lower thickness. Returns which of them
   come close all the same. */
LANE_INLINE uint32_t thin_out(pair_kind kind, pair_batch *batch, const pair_gaps *gaps, int32_t n,
                              const relative_corners *at_rest, uint32_t close) {
  msd_real distance[SURFACE_BLOCK];
  lane_store(distance, lane_sqrt(closest_of(kind, at_rest).square));
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

/* Which of the pairs from the n-th on come close, and how far apart they stay. What leaves out most is asked
   first: neighbours are thin, and few have skins that are narrower than the largest of their leaves. */
LANE_INLINE uint32_t find_close(const pair_work *w, pair_kind kind, pair_batch *batch, int32_t n,
                                pair_gaps *gaps) {
  const int32_t left = batch->count - n;
  const uint32_t filled = left < LANE_COUNT ? ((uint32_t)1 << left) - 1 : ~(uint32_t)0;
  const LANE thickness = lane_load(batch->thickness + n);
  LANE begin, end;
  measure(w, kind, batch, n, &begin, &end);
  uint32_t close = filled & lane_bits(comes_close(thickness, begin, end));
  const bool are_near = close & near_at_rest(batch, n);
  relative_corners at_rest;
  if (are_near) {
    at_rest = corners_at_rest(w, batch, n);
    close &= ~clearly_thin(kind, batch, n, &at_rest, begin, end);
  }
  if (!close)
    return 0;
  const LANE spare = spare_skins(w, kind, batch, n);
  begin = begin + spare;
  end = end + spare;
  lane_store(gaps->begin + n, begin);
  lane_store(gaps->end + n, end);
  lane_store(gaps->skins + n, lane_load(batch->skins + n) - spare);
  close &= lane_bits(comes_close(thickness, begin, end));
  if (are_near)
    close &= ~clearly_thin(kind, batch, n, &at_rest, begin, end);
  return are_near && close ? thin_out(kind, batch, gaps, n, &at_rest, close) : close;
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
    batch->rest_share[n] = batch->rest_share[count - 1];
  }
  for (int32_t first = 0; first < count; first += LANE_COUNT)
    for (uint32_t close = find_close(w, kind, batch, first, &gaps); close; close &= close - 1)
      append(w, kind, batch, &gaps, first + lowest_bit(close), out);
  batch->count = batch->described = 0;
}
