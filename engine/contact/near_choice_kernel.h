/* Which listed pairs are near, for one width of vectors; see lane.h. Included by near_kernel.h.

   Listed pairs are taken in runs as they follow each other. Those that may be near for all that is known wait
   by kinds, and are measured when there is a group of them. Ends of edges wait for a group, too, until
   near_ends.h is asked which of them push.

   Of what the list lets be near much is known to be apart before it is measured. Skins of the list have taken
   K off a gap g: along its witness the pair is g + K apart where the list expects it. With o_i how far from
   there the watch expects a particle i at most, at its beginning or at its end, and R_i its skin in the watch,
   nothing comes nearer than its thickness h where

       g + K - h >= E_A + E_B         E_A and E_B the largest E_i = R_i + o_i + |v_i| T of both sides

   Measuring would find the same: across the witness at the beginning of the watch a pair is no less apart than
   across another, and until its end the gap across that changes by no more than both sides go in T. So what is
   near, and its witness, are those of measuring all. Behind a list that has just been made o_i is 0 and the
   witness is its own, so that v_i T is left out. */
#include "engine/base/min_max.h"
#include "engine/contact/near_ends.h"
#include "engine/kernel/contacts.h"

#include <string.h>

/* What a sum of a few terms of a size may be off by, as a share of it. */
static const msd_real NEAR_ROUNDING = 8 * (msd_real)REAL_EPSILON;

LANE_INLINE LANE near_size(LANE3 x) {
  return lane_abs(x.x) + lane_abs(x.y) + lane_abs(x.z);
}

/* What near_weigh and rounding may take off a gap more than skins do, as a share of how far the farthest corner
   is from the origin and goes: that is 7 of it at most, and rounding a few. */
static const msd_real NEAR_SIZES = 16;

/* E of each, and what rounding may add. What is elsewhere than a list that has just been made expects it is not
   known. */
static void near_reach(const forecast *list, const forecast *watch, msd_real *reach,
                       parallel_range particles) {
  const LANE age = lane_set((msd_real)list->age), ahead = lane_set((msd_real)(watch->horizon - watch->age)),
             rounding = lane_set(NEAR_SIZES * NEAR_ROUNDING), unknown = lane_set(FORECAST_UNWATCHED);
  const LANE3 bend = lane_set3((msd_real)list->bend[0], (msd_real)list->bend[1], (msd_real)list->bend[2]);
  const bool is_new = !(list->age > 0) && !(watch->age > 0);
  for (int32_t slot = particles.first; slot < particles.last; slot += LANE_COUNT) {
    const msd_real *at = list->state + slot, *to = watch->state + slot;
    const LANE3 from = lane_load3(at, list->stride), along = lane_load3(at + 3 * list->stride, list->stride),
                x = lane_load3(to, watch->stride), v = lane_load3(to + 3 * watch->stride, watch->stride);
    const LANE3 gained = lane_scale(bend, age),
                expected = lane_add(
                    from, lane_scale(lane_add(along, lane_scale(gained, lane_set((msd_real)0.5))), age)),
                off = lane_subtract(x, expected),
                turn = lane_scale(lane_subtract(v, lane_add(along, gained)), ahead),
                behind = lane_add(off, turn);
    const LANE farthest = lane_most(lane_dot(off, off), lane_dot(behind, behind));
    const LANE size = near_size(x) + near_size(v) * ahead + near_size(expected) + near_size(along) * age;
    LANE all = lane_load(forecast_skins(watch) + slot) + size * rounding;
    if (is_new)
      all = lane_select(farthest > 0, unknown, all);
    else
      all = all + lane_sqrt(farthest) + lane_sqrt(lane_dot(v, v)) * ahead;
    lane_store(reach + slot, lane_select(all < unknown, all, unknown));
  }
}

/* Where some that are watched are expected, and how they go. */
LANE_INLINE LANE_MOTION near_expect(const near_question *q, const int32_t *slots) {
  const forecast *f = q->watch;
  if (!f)
    return lane_gather_motion(q->records, slots);
  const LANE age = lane_set((msd_real)f->age), ahead = lane_set((msd_real)(f->horizon - f->age));
  const LANE3 x = lane_gather3(f->state, f->stride, slots),
              v = lane_gather3(f->state + 3 * f->stride, f->stride, slots);
  return (LANE_MOTION){lane_add(x, lane_scale(v, age)), lane_scale(v, ahead)};
}

/* Where some are, of whom not all need be watched. */
LANE_INLINE LANE3 near_find_places(const near_question *q, const int32_t *slots) {
  const LANE3 noted = lane_gather_records(q->records, slots);
  if (!q->watch)
    return noted;
  const LANE_MASK is_watched = lane_gather(q->skins, slots) < FORECAST_UNWATCHED;
  return lane_select3(is_watched, near_expect(q, slots).x, noted);
}

/* Room for two groups, and for what packing writes behind the last one. */
enum { NEAR_ROOM = 3 * NEAR_GROUP };

/* Listed pairs of one kind to be measured. */
typedef struct near_batch {
  int32_t count;
  int32_t listed[NEAR_ROOM], slots[PAIR_CORNERS][NEAR_ROOM];
} near_batch;

/* Two edges of which near_ends.h is asked about a single end: where they are listed, which end that is and at
   which ones they are closest, as bits; the slots of it and of the other edge. */
typedef struct near_ends_batch {
  int32_t count;
  int32_t listed[NEAR_GROUP], closest[NEAR_GROUP];
  int32_t slots[3][NEAR_GROUP];
} near_ends_batch;

/* What waits until there is a group of it. */
typedef struct near_waiting {
  near_batch of[PAIR_KINDS];
  near_ends_batch ends;
} near_waiting;

/* Some listed pairs that follow each other, no more than there are lanes. Behind them are pairs of nothing. */
typedef struct near_run {
  int32_t first, count;
  int32_t listed[LANE_COUNT], slots[PAIR_CORNERS][LANE_COUNT];
  /* Bit n is whether the n-th is one of a point and a triangle. */
  LANE_MASK is_point;
} near_run;

/* Whether the list has pairs closer than their thickness; and by how much more than that they are apart but for
   all skins. */
LANE_INLINE LANE_MASK near_due(const near_question *q, const msd_real *begins, const msd_real *ends,
                               const msd_real *thicknesses, const msd_real *all_skins, LANE *room) {
  const LANE begin = lane_load(begins), end = lane_load(ends), thickness = lane_load(thicknesses),
             skins = lane_load(all_skins), change = end - begin;
  const LANE least = lane_least(begin + change * q->share_begin, begin + change * q->share_end);
  const LANE rounding = (lane_abs(begin) + lane_abs(end)) * NEAR_ROUNDING, sure = least - rounding;
  *room = (sure - thickness) + skins - (skins + thickness) * NEAR_ROUNDING;
  return lane_not(sure >= thickness);
}

/* Which of a run are. */
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

/* The largest skin of A and that of B. */
LANE_INLINE LANE near_skins(const near_question *q, pair_kind kind, const near_batch *batch, int32_t n) {
  LANE skin[PAIR_CORNERS];
  for (int corner = 0; corner < PAIR_CORNERS; corner++)
    skin[corner] = lane_gather(q->skins, batch->slots[corner] + n);
  const LANE last = lane_most(skin[2], skin[3]);
  return kind == PAIR_POINT_TRIANGLE ? skin[0] + lane_most(skin[1], last)
                                     : lane_most(skin[0], skin[1]) + last;
}

/* Flags of a pair, with what it had. */
static void near_flag(const near_question *q, int32_t listed, int flags) {
  const int had = q->fate[listed], gained = flags & ~had;
  q->fate[listed] = (uint8_t)(had | flags | (gained & PAIR_PUSHES ? PAIR_CAME_TO_PUSH : 0) |
                              (gained & PAIR_IS_KEPT_APART ? PAIR_CAME_TO_BE_KEPT : 0));
}

/* Which of so many lanes, at least one, there are. */
LANE_INLINE uint32_t near_filled(int32_t count) {
  return count < LANE_COUNT ? (1u << count) - 1 : (2u << (LANE_COUNT - 1)) - 1;
}

/* The square of the sine of an angle between edges below which near_ends.h may take them to be level, for all
   that rounding says: twice what that asks for. And of one above which an edge leads nearer for certain: four
   times. */
static const msd_real NEAR_LEVEL = (msd_real)(1.0 / 2048), NEAR_NEARER = (msd_real)(1.0 / 1024);

/* How many times as long as edges are apart they may be, so that rounding turns the way between them by less
   than what that leaves: 20 times as long take rounding of 1e-7 to 2e-6. */
static const msd_real NEAR_LONGEST = 1024;

/* What is found of a batch from one pair on; as bits, which have closest points that are inside, which may
   meet, and of which something may come. */
typedef struct near_found {
  LANE3 along;
  LANE weights[PAIR_CORNERS];
  uint32_t inside, meets, some;
  /* Of two edges, for each end: where they are closest, and where they may push. */
  uint32_t closest[PAIR_CORNERS], ends[PAIR_CORNERS];
} near_found;

/* Which of a batch are edges that may be the first ones of the surface at an end (near_ends.h). */
LANE_INLINE uint32_t near_find_first(const near_question *q, const near_batch *batch, int32_t n, int end) {
  int32_t first[LANE_COUNT];
  const int other = 2 - end / 2 * 2;
  lane_gather_numbers(first, q->mesh->first_edge, batch->slots[end] + n);
  return lane_bits_equal(first, -1) | lane_bits_alike(first, batch->slots[end ^ 1] + n) |
         lane_bits_alike(first, batch->slots[other] + n) |
         lane_bits_alike(first, batch->slots[other + 1] + n);
}

/* The ends at which two edges along p and r may push: of those where their edge may be the first one, those
   where they are closest, and where they may be level all of them. Most are closest at others. */
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

/* Of a lane, its bits of each end. */
LANE_INLINE unsigned near_ends_of(const uint32_t ends[PAIR_CORNERS], int lane) {
  unsigned bits = 0;
  for (int end = 0; end < PAIR_CORNERS; end++)
    bits |= (ends[end] >> lane & 1) << end;
  return bits;
}

/* What pushes inside of it, or may meet. */
LANE_INLINE void near_note(const near_question *q, pair_kind kind, const near_batch *batch, int32_t n,
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

/* Which ends of a batch some edge leads nearer from, so that they do not push: only where that is certain. */
LANE_INLINE uint32_t near_find_led(const near_question *q, const near_ends_batch *batch, int32_t n) {
  const surface_around *at = &q->mesh->edges_at;
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

/* Asks near_ends.h about a batch, but for what is certain. */
LANE_APART void near_ask_ends(const near_question *q, near_ends_batch *batch) {
  for (int32_t n = batch->count; n < NEAR_GROUP; n++)
    for (int k = 0; k < 3; k++)
      batch->slots[k][n] = batch->slots[k][0];
  for (int32_t n = 0; n < batch->count; n += LANE_COUNT)
    for (uint32_t left = ~near_find_led(q, batch, n) & near_filled(batch->count - n); left;
         left &= left - 1) {
      const int32_t at = n + lowest_bit(left), listed = batch->listed[at];
      near_witness *w = &q->witness[listed];
      if (near_ends_find(q, q->list->slots[listed], (unsigned)batch->closest[at], w))
        near_flag(q, listed, PAIR_PUSHES);
    }
  batch->count = 0;
}

/* Puts an end of two edges into a batch. */
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

/* What may push at an end. */
LANE_INLINE void near_ask(const near_question *q, const near_batch *batch, int32_t n, const near_found *found,
                          uint32_t some, near_ends_batch *to) {
  for (; some; some &= some - 1) {
    const int lane = lowest_bit(some);
    const unsigned ends = near_ends_of(found->ends, lane);
    near_put_end(batch, n + lane, lowest_bit(ends), near_ends_of(found->closest, lane), to);
    if (to->count == NEAR_GROUP)
      near_ask_ends(q, to);
  }
}

/* A batch, seen from its first corners. It may push where its weights are not 0, and edges at their ends. */
LANE_INLINE void near_weigh(const near_question *q, pair_kind kind, const near_batch *batch, int32_t n,
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
    near_note(q, kind, batch, n, &found, noted & found.some);
  if (asked)
    near_ask(q, batch, n, &found, asked, ends);
}

static void near_copy(near_batch *to, int32_t at, const near_batch *from, int32_t n) {
  to->listed[at] = from->listed[n];
  for (int corner = 0; corner < PAIR_CORNERS; corner++)
    to->slots[corner][at] = from->slots[corner][n];
}

/* The lanes behind the last pair of a group repeat the first. */
static void near_fill(near_batch *batch) {
  for (int32_t n = batch->count; n < NEAR_GROUP; n++)
    near_copy(batch, n, batch, 0);
}

/* The first group of a batch. The lanes behind its last pair repeat the first. */
LANE_APART void near_weigh_group(const near_question *q, pair_kind kind, near_waiting *waiting) {
  near_batch *batch = &waiting->of[kind];
  near_fill(batch);
  const int32_t count = int_min(batch->count, NEAR_GROUP);
  for (int32_t n = 0; n < count; n += LANE_COUNT)
    near_weigh(q, kind, batch, n, &waiting->ends);
}

/* Measures the first group of a batch, and moves what is behind it to its place. */
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

/* Which of a run have a corner that has strayed. */
LANE_INLINE uint32_t near_find_strayed(const near_question *q, const near_run *run) {
  uint32_t bits = 0;
  for (int32_t lane = 0; lane < run->count; lane++) {
    uint8_t marks = 0;
    for (int corner = 0; corner < PAIR_CORNERS; corner++)
      marks |= q->strayed[run->slots[corner][lane]];
    bits |= (uint32_t)(marks != 0) << lane;
  }
  return bits;
}

/* Which of a run the list and the watch know to be apart. */
LANE_INLINE uint32_t near_find_apart(const near_question *q, const near_run *run, LANE room) {
  LANE reach[PAIR_CORNERS];
  for (int corner = 0; corner < PAIR_CORNERS; corner++)
    reach[corner] = lane_gather(q->reach, run->slots[corner]);
  const LANE last = lane_most(reach[2], reach[3]), both = lane_most(reach[0], reach[1]);
  const LANE all = lane_select(run->is_point, reach[0], both) +
                   lane_select(run->is_point, lane_most(reach[1], last), last);
  return lane_bits(room >= all);
}

/* Notes that some of a run are due. */
LANE_INLINE void near_note_due(const near_question *q, const near_run *run, uint32_t due) {
  if (!q->strayed && due == near_filled(LANE_COUNT)) {
    memset(q->fate + run->first, PAIR_IS_DUE | PAIR_IS_NEW, LANE_COUNT);
    return;
  }
  for (; due; due &= due - 1) {
    uint8_t *fate = &q->fate[run->first + lowest_bit(due)];
    *fate |= *fate & PAIR_IS_DUE ? 0 : PAIR_IS_DUE | PAIR_IS_NEW;
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

/* Whom some of a run may bring near. */
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

/* Decides what of a run is to be measured. */
LANE_INLINE void near_choose_run(const near_question *q, near_run *run, near_waiting *waiting) {
  LANE room;
  uint32_t due = near_find_due(q, run, &room);
  if (!due)
    return;
  near_take_run(q, run);
  if (q->strayed)
    due &= near_find_strayed(q, run);
  near_note_due(q, run, due);
  if (!q->strayed) {
    near_watch(q, run, due);
    due &= ~near_find_apart(q, run, room);
  }
  const uint32_t points = due & lane_bits(run->is_point), edges = due & ~points;
  if (points)
    near_add(q, run, points, PAIR_POINT_TRIANGLE, waiting);
  if (edges)
    near_add(q, run, edges, PAIR_EDGE_EDGE, waiting);
}

/* What follows each other of the blocks that are looked at. */
LANE_INLINE void near_choose_row(const near_question *q, parallel_range listed, near_waiting *waiting) {
  near_run run;
  if (!q->strayed && listed.last > listed.first)
    memset(q->fate + listed.first, 0, (size_t)(listed.last - listed.first));
  for (run.first = listed.first; run.first < listed.last; run.first += LANE_COUNT) {
    run.count = int_min(LANE_COUNT, listed.last - run.first);
    near_choose_run(q, &run, waiting);
  }
}

static void near_choose(const near_question *q, parallel_range listed) {
  near_waiting waiting;
  for (int kind = 0; kind < PAIR_KINDS; kind++)
    waiting.of[kind].count = 0;
  waiting.ends.count = 0;
  for (parallel_range row = listed_at_next(q->blocks, listed); row.first < row.last;
       row = listed_at_next(q->blocks, (parallel_range){row.last, listed.last}))
    near_choose_row(q, row, &waiting);
  for (int kind = 0; kind < PAIR_KINDS; kind++)
    if (waiting.of[kind].count > 0)
      near_weigh_first(q, (pair_kind)kind, &waiting);
  if (waiting.ends.count > 0)
    near_ask_ends(q, &waiting.ends);
}
