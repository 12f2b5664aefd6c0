/* The narrow phase of broad_phase.h for one vector width: which candidates come close. Included by
   broad_phase_kernel.h.

   A batch is measured completely, without branches on the results, so that the processor can overlap
   consecutive pairs. Less than half of them come close; these are packed. Only for them is the thickness
   computed: first from the distance of their corners at rest, which rules out most, then from their own
   distance at rest. */
#include "engine/contact/broad_phase_work.h"

/* The corners of several pairs relative to the first one. */
typedef struct relative_corners {
  LANE3 x[PAIR_CORNERS - 1];
} relative_corners;

LANE_INLINE closest_points closest_of(pair_kind kind, const relative_corners *r) {
  return kind == PAIR_POINT_TRIANGLE ? closest_on_triangle(r->x[0], r->x[1], r->x[2])
                                     : closest_of_edges(r->x[0], r->x[1], lane_subtract(r->x[2], r->x[1]));
}

/* The gap along n less the slack; -REAL_MOST if it is not finite. */
LANE_INLINE LANE gap_along(pair_kind kind, LANE3 n, const relative_corners *r, LANE slack) {
  const LANE a = lane_dot(n, r->x[0]), b = lane_dot(n, r->x[1]), c = lane_dot(n, r->x[2]);
  const LANE gap = kind == PAIR_POINT_TRIANGLE ? lane_least(lane_least(a, b), c)
                                               : lane_least(b, c) - lane_most(a, lane_set(0));
  const LANE sum = a + b + c + slack;
  return lane_select(sum - sum == 0, gap - slack, lane_set(-REAL_MOST));
}

/* A corner relative to the first one, at 0 and at T. */
LANE_INLINE LANE_MOTION motion_from(const LANE_LADEN *first, const LANE_LADEN *other) {
  const LANE3 x = lane_subtract(other->x.of, first->x.of);
  return (LANE_MOTION){x, lane_add(x, lane_subtract(other->v.of, first->v.of))};
}

/* The records of vertices, including skins. */
LANE_INLINE LANE_LADEN gather_vertices(const pair_work *w, const int32_t *vertex) {
  return lane_gather_laden_records(w->search->records, vertex);
}

/* The difference between the largest skins of the leaves and those of the pair, reduced by rounding. */
LANE_INLINE LANE spare_skins(LANE skins, LANE of_rows, LANE of_columns) {
  const LANE spare = (skins - of_rows) - of_columns;
  return lane_keep(spare > SKIN_ROUNDING * skins, spare - SKIN_ROUNDING * skins);
}

/* Both gaps of several pairs, and the skins taken off them. */
typedef struct measured {
  LANE begin, end, skins;
} measured;

/* Measures the pairs from the n-th on. Unrolled by hand: compilers keep a loop over corners in memory. */
LANE_INLINE measured measure(const pair_work *w, pair_kind kind, const pair_batch *batch, int32_t n) {
  const LANE_LADEN at[PAIR_CORNERS] = {
      gather_vertices(w, batch->corner[0] + n), gather_vertices(w, batch->corner[1] + n),
      gather_vertices(w, batch->corner[2] + n), gather_vertices(w, batch->corner[3] + n)};
  const LANE_MOTION a = motion_from(&at[0], &at[1]), b = motion_from(&at[0], &at[2]),
                    c = motion_from(&at[0], &at[3]);
  const relative_corners at_begin = {{a.x, b.x, c.x}}, at_end = {{a.v, b.v, c.v}};
  LANE inverse;
  const LANE3 witness = lane_unit(closest_of(kind, &at_begin).between, &inverse);
  const LANE slack = lane_load(batch->slack + n), skins = lane_load(batch->skins + n);
  const LANE last = lane_most(at[2].x.fourth, at[3].x.fourth);
  const LANE spare = spare_skins(
      skins, kind == PAIR_POINT_TRIANGLE ? at[0].x.fourth : lane_most(at[0].x.fourth, at[1].x.fourth),
      kind == PAIR_POINT_TRIANGLE ? lane_most(at[1].x.fourth, last) : last);
  return (measured){gap_along(kind, witness, &at_begin, slack) + spare,
                    gap_along(kind, witness, &at_end, slack) + spare, skins - spare};
}

/* The rest positions of the pairs from the n-th on. */
LANE_INLINE relative_corners corners_at_rest(const pair_work *w, const pair_batch *batch, int32_t n) {
  const LANE3 first = lane_gather_quads(w->mesh->rest, batch->corner[0] + n);
  relative_corners r;
  for (int corner = 1; corner < PAIR_CORNERS; corner++)
    r.x[corner - 1] = lane_subtract(lane_gather_quads(w->mesh->rest, batch->corner[corner] + n), first);
  return r;
}

/* The least distance between corners of the two sides: an upper bound of their distance, except for
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

/* True unless both gaps are proven to stay large. */
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

/* Bits of pairs whose thickness may be limited by their distance at rest. */
LANE_INLINE uint32_t near_at_rest(const pair_batch *batch, int32_t n) {
  return lane_bits(lane_load(batch->rest_share + n) > 0);
}

/* Bits of pairs that are apart even with the thickness that the distance of their corners at rest would
   allow, which is no less than their own. */
LANE_INLINE uint32_t clearly_thin(pair_kind kind, const pair_batch *batch, int32_t n,
                                  const relative_corners *at_rest, LANE begin, LANE end) {
  const LANE share = lane_load(batch->rest_share + n);
  const LANE most = share * corner_distance(kind, at_rest) * (1 + GAP_ROUNDING);
  const LANE thickness = lane_load(batch->thickness + n);
  return lane_bits((share > 0) & (most < thickness) & (begin >= most) & (end >= most));
}

/* Limits the thickness of pairs by their distance at rest. Returns the bits of pairs that still come close. */
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

/* Packs the selected pairs after `kept` others, with their measurements. Returns the new number. */
LANE_INLINE int32_t keep_some(pair_batch *batch, pair_gaps *gaps, int32_t n, int32_t kept, uint32_t some,
                              const measured *m) {
  for (int corner = 0; corner < PAIR_CORNERS; corner++)
    lane_pack(batch->corner[corner] + kept, batch->corner[corner] + n, some);
  lane_pack_real(batch->thickness + kept, lane_load(batch->thickness + n), some);
  lane_pack_real(batch->rest_share + kept, lane_load(batch->rest_share + n), some);
  lane_pack_real(gaps->begin + kept, m->begin, some);
  lane_pack_real(gaps->skins + kept, m->skins, some);
  return kept + lane_pack_real(gaps->end + kept, m->end, some);
}

/* The lanes in use, for pairs from the n-th on. */
LANE_INLINE uint32_t filled_lanes(const pair_batch *batch, int32_t n) {
  const int32_t left = batch->count - n;
  return left < LANE_COUNT ? ((uint32_t)1 << left) - 1 : LANES;
}

/* Keeps the pairs of a batch that come close at the full thickness. */
LANE_INLINE void sift(const pair_work *w, pair_kind kind, pair_batch *batch, pair_gaps *gaps) {
  int32_t kept = 0;
  for (int32_t n = 0; n < batch->count; n += LANE_COUNT) {
    const measured m = measure(w, kind, batch, n);
    const LANE_MASK close = comes_close(lane_load(batch->thickness + n), m.begin, m.end);
    kept = keep_some(batch, gaps, n, kept, filled_lanes(batch, n) & lane_bits(close), &m);
  }
  batch->count = kept;
}

/* Bits of the pairs that come close at their own thickness. */
LANE_INLINE uint32_t find_close(const pair_work *w, pair_kind kind, pair_batch *batch, int32_t n,
                                const pair_gaps *gaps) {
  uint32_t close = filled_lanes(batch, n);
  if (!(close & near_at_rest(batch, n)))
    return close;
  const relative_corners at_rest = corners_at_rest(w, batch, n);
  close &= ~clearly_thin(kind, batch, n, &at_rest, lane_load(gaps->begin + n), lane_load(gaps->end + n));
  return close ? thin_out(kind, batch, gaps, n, &at_rest, close) : 0;
}

/* Processes and empties a batch. Unused lanes repeat the last pair. */
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
  sift(w, kind, batch, &gaps);
  for (int32_t first = 0; first < batch->count; first += LANE_COUNT)
    for (uint32_t close = find_close(w, kind, batch, first, &gaps); close; close &= close - 1)
      append(w, kind, batch, &gaps, first + lowest_bit(close), out);
  batch->count = batch->described = 0;
}
