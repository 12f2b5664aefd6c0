/* Classifies candidate pairs for one vector width; see lane.h. Included by contact_pairs_kernel.h.

   Candidates are read in runs of consecutive pairs. Those that the motion bounds cannot rule out are queued
   by kind and measured in groups. Ends of edges are queued as well before edge_endpoints.h is called.

   Most pairs are ruled out without measuring. The skins of the list have reduced the gap g by K: if all
   particles follow the prediction of the list, the gap along its witness is g + K. Let o_i be the largest
   deviation of the short motion bound (`active_bound`) of particle i from that prediction, at its beginning or
   end, and R_i its skin there. No pair comes nearer than its thickness h if

       g + K - h >= E_A + E_B         E_A and E_B the largest E_i = R_i + o_i + |v_i| T of each side

   Measuring would give the same result. At the beginning, the gap along the new witness is no less than
   along any other direction; until the end it changes by at most the motion of both sides in T. So the
   active set and its witnesses are those of measuring every pair. Right after a list was built, o_i is 0 and
   the witness is the same, so v_i T is left out. */
#include "engine/base/min_max.h"
#include "engine/contact/edge_endpoints.h"
#include "engine/kernel/contacts.h"

#include <string.h>

/* Relative rounding error of a sum of a few terms. */
static const msd_real NEAR_ROUNDING = 8 * (msd_real)REAL_EPSILON;

LANE_INLINE LANE near_size(LANE3 x) {
  return lane_abs(x.x) + lane_abs(x.y) + lane_abs(x.z);
}

/* Bound on rounding and on what measure_pairs subtracts beyond the skins, relative to the largest coordinate
   and displacement: at most 7 times that, and a few roundings. */
static const msd_real NEAR_SIZES = 16;

/* Writes E of each particle, including rounding. Unknown for particles that a new list does not predict
   exactly. */
static void near_reach(const motion_bound *list, const motion_bound *active_bound, msd_real *reach,
                       parallel_range particles) {
  const LANE age = lane_set((msd_real)list->age),
             ahead = lane_set((msd_real)(active_bound->horizon - active_bound->age)),
             rounding = lane_set(NEAR_SIZES * NEAR_ROUNDING), unknown = lane_set(MOTION_BOUND_UNWATCHED);
  const LANE3 bend = lane_set3((msd_real)list->bend[0], (msd_real)list->bend[1], (msd_real)list->bend[2]);
  const bool is_new = !(list->age > 0) && !(active_bound->age > 0);
  for (int32_t slot = particles.first; slot < particles.last; slot += LANE_COUNT) {
    const msd_real *at = list->state + slot, *to = active_bound->state + slot;
    const LANE3 from = lane_load3(at, list->stride), along = lane_load3(at + 3 * list->stride, list->stride),
                x = lane_load3(to, active_bound->stride),
                v = lane_load3(to + 3 * active_bound->stride, active_bound->stride);
    const LANE3 gained = lane_scale(bend, age),
                expected = lane_add(
                    from, lane_scale(lane_add(along, lane_scale(gained, lane_set((msd_real)0.5))), age)),
                off = lane_subtract(x, expected),
                turn = lane_scale(lane_subtract(v, lane_add(along, gained)), ahead),
                behind = lane_add(off, turn);
    const LANE farthest = lane_most(lane_dot(off, off), lane_dot(behind, behind));
    const LANE size = near_size(x) + near_size(v) * ahead + near_size(expected) + near_size(along) * age;
    LANE all = lane_load(motion_bound_skins(active_bound) + slot) + size * rounding;
    if (is_new)
      all = lane_select(farthest > 0, unknown, all);
    else
      all = all + lane_sqrt(farthest) + lane_sqrt(lane_dot(v, v)) * ahead;
    lane_store(reach + slot, lane_select(all < unknown, all, unknown));
  }
}

/* The prediction and displacement of monitored particles. */
LANE_INLINE LANE_MOTION near_expect(const near_question *q, const int32_t *slots) {
  const motion_bound *f = q->active_bound;
  if (!f)
    return lane_gather_motion(q->records, slots);
  const LANE age = lane_set((msd_real)f->age), ahead = lane_set((msd_real)(f->horizon - f->age));
  const LANE3 x = lane_gather3(f->state, f->stride, slots),
              v = lane_gather3(f->state + 3 * f->stride, f->stride, slots);
  return (LANE_MOTION){lane_add(x, lane_scale(v, age)), lane_scale(v, ahead)};
}

/* The positions of particles, monitored or not. */
LANE_INLINE LANE3 near_find_places(const near_question *q, const int32_t *slots) {
  const LANE3 noted = lane_gather_records(q->records, slots);
  if (!q->active_bound)
    return noted;
  const LANE_MASK is_watched = lane_gather(q->skins, slots) < MOTION_BOUND_UNWATCHED;
  return lane_select3(is_watched, near_expect(q, slots).x, noted);
}

/* Capacity for two groups, plus what packing writes beyond them. */
enum { NEAR_ROOM = 3 * NEAR_GROUP };

/* Candidate pairs of one kind to be measured. */
typedef struct near_batch {
  int32_t count;
  int32_t listed[NEAR_ROOM], slots[PAIR_CORNERS][NEAR_ROOM];
} near_batch;

/* Ends of edge pairs to be tested by edge_endpoints.h: the pair, the ends at which it is closest as bits,
   the slots of the end and of the other edge. */
typedef struct near_ends_batch {
  int32_t count;
  int32_t listed[NEAR_GROUP], closest[NEAR_GROUP];
  int32_t slots[3][NEAR_GROUP];
} near_ends_batch;

/* Queues of pairs and ends. */
typedef struct near_waiting {
  near_batch of[PAIR_KINDS];
  near_ends_batch ends;
} near_waiting;

/* Consecutive candidates, at most one a lane, padded with empty pairs. */
typedef struct near_run {
  int32_t first, count;
  int32_t listed[LANE_COUNT], slots[PAIR_CORNERS][LANE_COUNT];
  /* Bit n: the n-th pair is a point and a triangle. */
  LANE_MASK is_point;
} near_run;

/* True on lanes where the list allows a distance below the thickness. The last argument receives the gap
   without skins, less the thickness. */
LANE_INLINE LANE_MASK near_due(const near_question *q, const msd_real *begins, const msd_real *ends,
                               const msd_real *thicknesses, const msd_real *all_skins, LANE *room) {
  const LANE begin = lane_load(begins), end = lane_load(ends), thickness = lane_load(thicknesses),
             skins = lane_load(all_skins), change = end - begin;
  const LANE least = lane_least(begin + change * q->share_begin, begin + change * q->share_end);
  const LANE rounding = (lane_abs(begin) + lane_abs(end)) * NEAR_ROUNDING, sure = least - rounding;
  *room = (sure - thickness) + skins - (skins + thickness) * NEAR_ROUNDING;
  return lane_not(sure >= thickness);
}

/* The bits of a run for which that is true. */
LANE_INLINE uint32_t near_find_due(const near_question *q, const near_run *run, LANE *room) {
  const pair_list *list = q->list;
  const int32_t n = run->first;
  if (run->count == LANE_COUNT)
    return lane_bits(
        near_due(q, list->gap_begin + n, list->gap_end + n, list->thickness + n, list->skins + n, room));
  msd_real begin[LANE_COUNT] = {0}, end[LANE_COUNT] = {0}, thickness[LANE_COUNT] = {0},
           skins[LANE_COUNT] = {0};
  const size_t size = (size_t)run->count * sizeof *begin;
  memcpy(begin, list->gap_begin + n, size);
  memcpy(end, list->gap_end + n, size);
  memcpy(thickness, list->thickness + n, size);
  memcpy(skins, list->skins + n, size);
  return lane_bits(near_due(q, begin, end, thickness, skins, room)) & ((1u << run->count) - 1);
}

/* The sum of the largest skins of A and of B. */
LANE_INLINE LANE near_skins(const near_question *q, pair_kind kind, const near_batch *batch, int32_t n) {
  LANE skin[PAIR_CORNERS];
  for (int corner = 0; corner < PAIR_CORNERS; corner++)
    skin[corner] = lane_gather(q->skins, batch->slots[corner] + n);
  const LANE last = lane_most(skin[2], skin[3]);
  return kind == PAIR_POINT_TRIANGLE ? skin[0] + lane_most(skin[1], last)
                                     : lane_most(skin[0], skin[1]) + last;
}

/* Adds flags to a pair, and NEW_* for those it did not have. */
static void near_flag(const near_question *q, int32_t listed, int flags) {
  const int had = q->fate[listed], gained = flags & ~had;
  q->fate[listed] = (uint8_t)(had | flags | (gained & PAIR_PUSHES ? PAIR_NEW_FORCE : 0) |
                              (gained & PAIR_IS_KEPT_APART ? PAIR_NEW_PLANE : 0));
}

/* The lanes in use, at least one. */
LANE_INLINE uint32_t near_filled(int32_t count) {
  return count < LANE_COUNT ? (1u << count) - 1 : (2u << (LANE_COUNT - 1)) - 1;
}

/* Squared sines of angles. Below the first, edge_endpoints.h may consider two edges parallel, whatever the
   rounding: twice its own limit. Above the second, an edge certainly leads nearer: four times its limit. */
static const msd_real NEAR_LEVEL = (msd_real)(1.0 / 2048), NEAR_NEARER = (msd_real)(1.0 / 1024);

/* Largest ratio of edge length to distance at which rounding turns the direction between the edges by less
   than the margin above. */
static const msd_real NEAR_LONGEST = 1024;

/* Results for one vector of pairs. As bits: the closest points are inside; the pair may meet; anything of it
   may be near. */
typedef struct near_found {
  LANE3 along;
  LANE weights[PAIR_CORNERS];
  uint32_t inside, meets, some;
  /* For edge pairs, by end: it is the closest point; it may push there. */
  uint32_t closest[PAIR_CORNERS], ends[PAIR_CORNERS];
} near_found;

/* Bits of pairs whose edge may be the first one at that end (edge_endpoints.h). */
LANE_INLINE uint32_t near_find_first(const near_question *q, const near_batch *batch, int32_t n, int end) {
  int32_t first[LANE_COUNT];
  const int other = 2 - end / 2 * 2;
  lane_gather_numbers(first, q->mesh->first_edge, batch->slots[end] + n);
  return lane_bits_equal(first, -1) | lane_bits_alike(first, batch->slots[end ^ 1] + n) |
         lane_bits_alike(first, batch->slots[other] + n) |
         lane_bits_alike(first, batch->slots[other + 1] + n);
}

/* The ends at which two edges along p and r may push, among those where their edge may be the first: their
   closest points, or all if they are nearly parallel. */
LANE_INLINE void near_find_ends(const near_question *q, const near_batch *batch, int32_t n, LANE3 p, LANE3 r,
                                near_found *found) {
  const LANE cosine = lane_dot(p, r), squares = lane_dot(p, p) * lane_dot(r, r);
  const LANE_MASK is_steep = (squares > LANE_SMALLEST) & (cosine * cosine < (1 - NEAR_LEVEL) * squares);
  const uint32_t level = ~lane_bits(is_steep);
  for (int end = 0; end < PAIR_CORNERS; end++) {
    found->closest[end] = lane_bits(found->weights[end ^ 1] == 0);
    found->ends[end] = (found->closest[end] | level) & near_find_first(q, batch, n, end);
  }
}

/* The bits of one lane, by end. */
LANE_INLINE unsigned near_ends_of(const uint32_t ends[PAIR_CORNERS], int lane) {
  unsigned bits = 0;
  for (int end = 0; end < PAIR_CORNERS; end++)
    bits |= (ends[end] >> lane & 1) << end;
  return bits;
}

/* Records pairs whose closest points are inside, or that may meet. */
LANE_INLINE void record_pair(const near_question *q, pair_kind kind, const near_batch *batch, int32_t n,
                             const near_found *found, uint32_t some) {
  msd_real normal[3][LANE_COUNT], weight[PAIR_CORNERS][LANE_COUNT];
  lane_store(normal[0], -found->along.x);
  lane_store(normal[1], -found->along.y);
  lane_store(normal[2], -found->along.z);
  for (int corner = 0; corner < PAIR_CORNERS; corner++)
    lane_store(weight[corner], found->weights[corner]);
  for (; some; some &= some - 1) {
    const int lane = lowest_bit(some);
    const int32_t listed = batch->listed[n + lane];
    const bool is_inside = found->inside >> lane & 1, meets = found->meets >> lane & 1;
    near_witness *w = &q->witness[listed];
    for (int a = 0; a < 3; a++)
      w->normal[a] = normal[a][lane];
    for (int corner = 0; corner < PAIR_CORNERS; corner++)
      w->weight[corner] = weight[corner][lane];
    const bool pushes =
        is_inside || (kind == PAIR_EDGE_EDGE &&
                      near_ends_find(q, q->list->slots[listed], near_ends_of(found->closest, lane), w));
    near_flag(q, listed, (pushes ? PAIR_PUSHES : 0) | (meets ? PAIR_IS_KEPT_APART : 0));
  }
}

/* Bits of ends from which some edge certainly leads nearer, so that they do not push. */
LANE_INLINE uint32_t find_descending_edges(const near_question *q, const near_ends_batch *batch, int32_t n) {
  const vertex_adjacency *at = &q->mesh->edges_at;
  const LANE3 x = near_find_places(q, batch->slots[0] + n),
              from = lane_subtract(near_find_places(q, batch->slots[1] + n), x),
              to = lane_subtract(near_find_places(q, batch->slots[2] + n), x),
              along = lane_subtract(to, from);
  const LANE share = closest_clamp(-lane_dot(from, along) * closest_inverse(lane_dot(along, along)));
  LANE inverse;
  const LANE3 towards = lane_unit(lane_add(from, lane_scale(along, share)), &inverse);
  const uint32_t sure =
      lane_bits((inverse > 0) & ((near_size(from) + near_size(to)) * inverse < NEAR_LONGEST));
  uint32_t led = ~sure;
  int32_t index[LANE_COUNT], first[LANE_COUNT], last[LANE_COUNT], most = 0;
  for (int lane = 0; lane < LANE_COUNT; lane++) {
    const int32_t slot = batch->slots[0][n + lane];
    first[lane] = at->first[slot], last[lane] = at->first[slot + 1] - 1;
    most = int_max(most, last[lane] - first[lane] + 1);
  }
  for (int32_t k = 0; k < most && led != ~0u; k++) {
    for (int lane = 0; lane < LANE_COUNT; lane++)
      index[lane] = at->others[int_min(first[lane] + k, last[lane])][0];
    const LANE3 way = lane_subtract(near_find_places(q, index), x);
    const LANE nearer = lane_dot(way, towards), square = lane_dot(way, way);
    led |= lane_bits((nearer > 0) & (square > LANE_SMALLEST) & (nearer * nearer > NEAR_NEARER * square));
  }
  return led & sure;
}

/* Calls edge_endpoints.h for the ends that are not decided. */
LANE_APART void near_ask_ends(const near_question *q, near_ends_batch *batch) {
  for (int32_t n = batch->count; n < NEAR_GROUP; n++)
    for (int k = 0; k < 3; k++)
      batch->slots[k][n] = batch->slots[k][0];
  for (int32_t n = 0; n < batch->count; n += LANE_COUNT)
    for (uint32_t left = ~find_descending_edges(q, batch, n) & near_filled(batch->count - n); left;
         left &= left - 1) {
      const int32_t at = n + lowest_bit(left), listed = batch->listed[at];
      near_witness *w = &q->witness[listed];
      if (near_ends_find(q, q->list->slots[listed], (unsigned)batch->closest[at], w))
        near_flag(q, listed, PAIR_PUSHES);
    }
  batch->count = 0;
}

/* Adds an end of an edge pair to the queue. */
LANE_INLINE void near_put_end(const near_batch *batch, int32_t n, int end, unsigned closest,
                              near_ends_batch *to) {
  const int facing = 2 - end / 2 * 2;
  to->listed[to->count] = batch->listed[n];
  to->closest[to->count] = (int32_t)closest;
  to->slots[0][to->count] = batch->slots[end][n];
  to->slots[1][to->count] = batch->slots[facing][n];
  to->slots[2][to->count] = batch->slots[facing + 1][n];
  to->count++;
}

/* Queues pairs that may push at one end only. */
LANE_INLINE void queue_endpoint_test(const near_question *q, const near_batch *batch, int32_t n,
                                     const near_found *found, uint32_t some, near_ends_batch *to) {
  for (; some; some &= some - 1) {
    const int lane = lowest_bit(some);
    const unsigned ends = near_ends_of(found->ends, lane);
    near_put_end(batch, n + lane, lowest_bit(ends), near_ends_of(found->closest, lane), to);
    if (to->count == NEAR_GROUP)
      near_ask_ends(q, to);
  }
}

/* Measures one vector of pairs, relative to their first corners. */
LANE_INLINE void measure_pairs(const near_question *q, pair_kind kind, const near_batch *batch, int32_t n,
                               near_ends_batch *ends) {
  const LANE_MOTION first = near_expect(q, batch->slots[0] + n);
  relative_corners at_begin, at_end;
  LANE3 x[PAIR_CORNERS];
  LANE size = near_size(first.x);
  for (int corner = 1; corner < PAIR_CORNERS; corner++) {
    const LANE_MOTION other = near_expect(q, batch->slots[corner] + n);
    const LANE3 to = lane_subtract(other.x, first.x), way = lane_subtract(other.v, first.v);
    x[corner] = other.x;
    at_begin.x[corner - 1] = to;
    at_end.x[corner - 1] = lane_add(to, way);
    size = size + near_size(to) + near_size(way);
  }
  const closest_points closest = closest_of(kind, &at_begin);
  LANE inverse;
  const LANE3 along = lane_unit(closest.between, &inverse);
  const LANE slack = size * NEAR_ROUNDING + near_skins(q, kind, batch, n);
  const LANE bound =
      lane_least(gap_along(kind, along, &at_begin, slack), gap_along(kind, along, &at_end, slack));

  const LANE b = closest.b, c = closest.c, one = lane_set(1);
  const bool is_point = kind == PAIR_POINT_TRIANGLE;
  near_found found = {
      .along = along,
      .weights = {is_point ? one : one - b, is_point ? b + c - one : b, is_point ? -b : c - one, -c}};
  const LANE *weights = found.weights;
  const LANE_MASK inside =
      (weights[0] > 0) & (is_point ? weights[1] < 0 : weights[1] > 0) & (weights[2] < 0) & (weights[3] < 0);
  const LANE_MASK is_close = lane_not(bound >= lane_gather(q->list->thickness, batch->listed + n));
  found.inside = lane_bits(inside & (inverse > 0));
  found.meets = lane_bits(lane_not(bound > 0));
  found.some = lane_bits(is_close) & near_filled(batch->count - n);
  uint32_t noted = found.inside | found.meets, asked = 0;
  if (!is_point && found.some) {
    near_find_ends(q, batch, n, at_begin.x[0], lane_subtract(x[3], x[2]), &found);
    const uint32_t *e = found.ends;
    const uint32_t any = e[0] | e[1] | e[2] | e[3],
                   several = (e[0] & e[1]) | (e[2] & e[3]) | ((e[0] | e[1]) & (e[2] | e[3]));
    noted |= several;
    asked = any & ~noted & found.some;
  }
  if (noted & found.some)
    record_pair(q, kind, batch, n, &found, noted & found.some);
  if (asked)
    queue_endpoint_test(q, batch, n, &found, asked, ends);
}

static void near_copy(near_batch *to, int32_t at, const near_batch *from, int32_t n) {
  to->listed[at] = from->listed[n];
  for (int corner = 0; corner < PAIR_CORNERS; corner++)
    to->slots[corner][at] = from->slots[corner][n];
}

/* Unused lanes repeat the first pair. */
static void near_fill(near_batch *batch) {
  for (int32_t n = batch->count; n < NEAR_GROUP; n++)
    near_copy(batch, n, batch, 0);
}

/* Measures the first group of a queue. */
LANE_APART void near_weigh_group(const near_question *q, pair_kind kind, near_waiting *waiting) {
  near_batch *batch = &waiting->of[kind];
  near_fill(batch);
  const int32_t count = int_min(batch->count, NEAR_GROUP);
  for (int32_t n = 0; n < count; n += LANE_COUNT)
    measure_pairs(q, kind, batch, n, &waiting->ends);
}

/* Measures the first group and moves the rest forward. */
static void near_weigh_first(const near_question *q, pair_kind kind, near_waiting *waiting) {
  near_weigh_group(q, kind, waiting);
  near_batch *batch = &waiting->of[kind];
  const int32_t left = int_max(batch->count - NEAR_GROUP, 0);
  for (int32_t n = 0; n < left; n++)
    near_copy(batch, n, batch, NEAR_GROUP + n);
  batch->count = left;
}

LANE_INLINE void near_take_run(const near_question *q, near_run *run) {
  const pair_list *list = q->list;
  int32_t kind[LANE_COUNT] = {0}, slots[LANE_COUNT][PAIR_CORNERS] = {{0}};
  for (int32_t lane = 0; lane < LANE_COUNT; lane++)
    run->listed[lane] = run->first + lane;
  if (run->count == LANE_COUNT) {
    for (int32_t lane = 0; lane < LANE_COUNT; lane++)
      kind[lane] = list->kind[run->first + lane];
    lane_split_quads(run->slots, (const int32_t(*)[PAIR_CORNERS])(list->slots + run->first));
  } else {
    for (int32_t lane = 0; lane < run->count; lane++) {
      kind[lane] = list->kind[run->first + lane];
      memcpy(slots[lane], list->slots[run->first + lane], sizeof *slots);
    }
    lane_split_quads(run->slots, (const int32_t(*)[PAIR_CORNERS])slots);
  }
  run->is_point = lane_equals(kind, PAIR_POINT_TRIANGLE);
}

/* Bits of pairs with a marked corner. */
LANE_INLINE uint32_t near_find_strayed(const near_question *q, const near_run *run) {
  uint32_t bits = 0;
  for (int32_t lane = 0; lane < run->count; lane++) {
    uint8_t marks = 0;
    for (int corner = 0; corner < PAIR_CORNERS; corner++)
      marks |= q->violators[run->slots[corner][lane]];
    bits |= (uint32_t)(marks != 0) << lane;
  }
  return bits;
}

/* Bits of pairs that both motion bounds together rule out. */
LANE_INLINE uint32_t near_find_apart(const near_question *q, const near_run *run, LANE room) {
  LANE reach[PAIR_CORNERS];
  for (int corner = 0; corner < PAIR_CORNERS; corner++)
    reach[corner] = lane_gather(q->reach, run->slots[corner]);
  const LANE last = lane_most(reach[2], reach[3]), both = lane_most(reach[0], reach[1]);
  const LANE all = lane_select(run->is_point, reach[0], both) +
                   lane_select(run->is_point, lane_most(reach[1], last), last);
  return lane_bits(room >= all);
}

/* Flags pairs as candidates. */
LANE_INLINE void near_note_due(const near_question *q, const near_run *run, uint32_t due) {
  if (!q->violators && due == near_filled(LANE_COUNT)) {
    memset(q->fate + run->first, PAIR_CANDIDATE | PAIR_IS_NEW, LANE_COUNT);
    return;
  }
  for (; due; due &= due - 1) {
    uint8_t *fate = &q->fate[run->first + lowest_bit(due)];
    *fate |= *fate & PAIR_CANDIDATE ? 0 : PAIR_CANDIDATE | PAIR_IS_NEW;
  }
}

LANE_INLINE void near_add(const near_question *q, const near_run *run, uint32_t some, pair_kind kind,
                          near_waiting *waiting) {
  near_batch *to = &waiting->of[kind];
  for (int corner = 0; corner < PAIR_CORNERS; corner++)
    lane_pack(to->slots[corner] + to->count, run->slots[corner], some);
  to->count += lane_pack(to->listed + to->count, run->listed, some);
  if (to->count >= NEAR_GROUP)
    near_weigh_first(q, kind, waiting);
}

/* Monitors the particles of pairs that may be near. */
LANE_INLINE void near_watch(const near_question *q, const near_run *run, uint32_t due) {
  atomic_uchar *is_watched = q->is_watched;
  for (; due; due &= due - 1) {
    const int32_t *slots = q->list->slots[run->first + lowest_bit(due)];
    int all = 1;
    for (int corner = 0; corner < PAIR_CORNERS; corner++)
      all &= atomic_load_explicit(&is_watched[slots[corner]], memory_order_relaxed);
    for (int corner = 0; corner < PAIR_CORNERS && !all; corner++)
      atomic_store_explicit(&is_watched[slots[corner]], 1, memory_order_relaxed);
  }
}

/* Selects the pairs of a run that must be measured. */
LANE_INLINE void near_choose_run(const near_question *q, near_run *run, near_waiting *waiting) {
  LANE room;
  uint32_t due = near_find_due(q, run, &room);
  if (!due)
    return;
  near_take_run(q, run);
  if (q->violators)
    due &= near_find_strayed(q, run);
  near_note_due(q, run, due);
  if (!q->violators) {
    near_watch(q, run, due);
    due &= ~near_find_apart(q, run, room);
  }
  const uint32_t points = due & lane_bits(run->is_point), edges = due & ~points;
  if (points)
    near_add(q, run, points, PAIR_POINT_TRIANGLE, waiting);
  if (edges)
    near_add(q, run, edges, PAIR_EDGE_EDGE, waiting);
}

/* Processes a run of consecutive blocks. */
LANE_INLINE void near_choose_row(const near_question *q, parallel_range listed, near_waiting *waiting) {
  near_run run;
  if (!q->violators && listed.last > listed.first)
    memset(q->fate + listed.first, 0, (size_t)(listed.last - listed.first));
  for (run.first = listed.first; run.first < listed.last; run.first += LANE_COUNT) {
    run.count = int_min(LANE_COUNT, listed.last - run.first);
    near_choose_run(q, &run, waiting);
  }
}

static void classify_pairs(const near_question *q, parallel_range listed) {
  near_waiting waiting;
  for (int kind = 0; kind < PAIR_KINDS; kind++)
    waiting.of[kind].count = 0;
  waiting.ends.count = 0;
  for (parallel_range row = pair_index_next(q->blocks, listed); row.first < row.last;
       row = pair_index_next(q->blocks, (parallel_range){row.last, listed.last}))
    near_choose_row(q, row, &waiting);
  for (int kind = 0; kind < PAIR_KINDS; kind++)
    if (waiting.of[kind].count > 0)
      near_weigh_first(q, (pair_kind)kind, &waiting);
  if (waiting.ends.count > 0)
    near_ask_ends(q, &waiting.ends);
}
