/* The sums of corner_gather.h over the lanes of lane.h. Each width_*.c includes it once. */

#include "engine/base/lane.h"
#include "engine/kernel/corner_gather.h"

/* A row has RECORD_QUAD vectors of summands for each vector of lanes. */
enum { SUM_NUMBERS = LANE_COUNT * RECORD_QUAD };

/* Loads the applied forces into quads; 0 for lanes without a slot. */
LANE_INLINE void gather_applied(const int32_t *slots, const corner_target *to, msd_real *quads) {
  for (int lane = 0; lane < LANE_COUNT; lane++)
    for (int c = 0; c < RECORD_QUAD; c++)
      quads[lane * RECORD_QUAD + c] =
          c < 3 && slots[lane] >= 0 ? to->applied[(size_t)c * to->stride + (size_t)slots[lane]] : 0;
}

/* Adds the summands after the rows. */
LANE_INLINE void add_more(const corner_gather *s, const msd_real *parts, int32_t rows, size_t lane,
                          msd_real *quads) {
  for (int n = 0; n < LANE_COUNT; n++) {
    const msd_real *part = parts + (size_t)s->more[lane + (size_t)n] * RECORD_QUAD;
    for (int32_t left = s->counts[lane + (size_t)n] - rows; left > 0; left--, part += RECORD_QUAD)
      for (int c = 0; c < RECORD_QUAD; c++)
        quads[n * RECORD_QUAD + c] += part[c];
  }
}

/* Stores lanes whose slots are consecutive. */
LANE_INLINE void store_run(const msd_real *quads, msd_real *force, size_t stride) {
  int32_t index[LANE_COUNT];
  for (int lane = 0; lane < LANE_COUNT; lane++)
    index[lane] = lane;
  lane_store3(force, stride, lane_gather_quads(quads, index));
}

LANE_INLINE void store_sums(const int32_t *slots, const msd_real *quads, const corner_target *to) {
  for (int lane = 0; lane < LANE_COUNT; lane++) {
    const size_t slot = (size_t)slots[lane];
    if (slot - to->first >= to->last - to->first) /* outside the target, or no slot */
      continue;
    for (size_t c = 0; c < 3; c++)
      to->force[c * to->stride + slot] = quads[(size_t)lane * RECORD_QUAD + c];
  }
}

LANE_INLINE void sum_lanes(const corner_gather *s, const msd_real *parts, const corner_target *to,
                           int32_t slice, int first_lane) {
  const corner_slice *of = &s->slices[slice];
  const size_t lane = (size_t)slice * CORNER_LANES + (size_t)first_lane;
  msd_real quads[SUM_NUMBERS];
  LANE sum[RECORD_QUAD];
  if (to->applied)
    gather_applied(s->slots + lane, to, quads);
  for (int n = 0; n < RECORD_QUAD; n++)
    sum[n] = to->applied ? lane_load(quads + n * LANE_COUNT) : lane_set(0);
  const msd_real *row = parts + ((size_t)of->first + (size_t)first_lane) * RECORD_QUAD;
  for (int32_t r = 0; r < of->rows; r++, row += CORNER_LANES * RECORD_QUAD)
    for (int n = 0; n < RECORD_QUAD; n++)
      sum[n] += lane_load(row + n * LANE_COUNT);
  for (int n = 0; n < RECORD_QUAD; n++)
    lane_store(quads + n * LANE_COUNT, sum[n]);
  if (of->has_more)
    add_more(s, parts, of->rows, lane, quads);
  const int32_t *slots = s->slots + lane;
  if (runs_have(of->runs, first_lane, LANE_COUNT, slots) && (size_t)*slots >= to->first &&
      (size_t)*slots + LANE_COUNT <= to->last)
    store_run(quads, to->force + *slots, to->stride);
  else
    store_sums(slots, quads, to);
}

static void corner_sum(const corner_gather *given, const msd_real *parts, const corner_target *target) {
  const corner_gather copy = *given;
  const corner_target to = *target;
  const parallel_range slices = corner_gather_slices(&copy, to.first, to.last);
  for (int32_t slice = slices.first; slice < slices.last; slice++)
    for (int lane = 0; lane < CORNER_LANES; lane += LANE_COUNT)
      sum_lanes(&copy, parts, &to, slice, lane);
}
