/* Rows of 16 slots with consecutive or near particles, whose data is loaded as vectors; that of consecutive
   ones is stored so, too. */
#ifndef MSD_ENGINE_KERNEL_LANE_RUNS_H
#define MSD_ENGINE_KERNEL_LANE_RUNS_H

#include <stdbool.h>
#include <stdint.h>

/* The number of lanes per flag, and of flags per row. */
enum { RUN_LANES = 8, RUN_COUNT = 2 };

/* Bit n is set if the slots from lane n * RUN_LANES on are consecutive. */
static inline unsigned runs_of_row(const int32_t *slots) {
  unsigned runs = (1u << RUN_COUNT) - 1;
  for (int lane = 0; lane < RUN_COUNT * RUN_LANES; lane++)
    if (lane % RUN_LANES > 0 && slots[lane] != slots[lane - 1] + 1)
      runs &= ~(1u << lane / RUN_LANES);
  return runs;
}

/* Returns whether `count` slots from a lane on are consecutive; `slots` points to that lane. */
static inline bool runs_have(unsigned runs, int lane, int count, const int32_t *slots) {
  if (count > RUN_LANES)
    return runs == (1u << RUN_COUNT) - 1 && slots[RUN_LANES] == slots[0] + RUN_LANES;
  return count > 1 && (runs >> lane / RUN_LANES & 1) != 0;
}

/* Returns whether each of `count` slots is among the `count` slots from the first one on, or among those up to
   the last one: two vectors have them all, as of every second particle of a row. */
static inline bool are_near(const int32_t *slots, int count) {
  const int32_t first = slots[0], last = slots[count - 1] - (count - 1);
  bool near = true;
  for (int lane = 0; lane < count; lane++)
    near = near && (((uint32_t)slots[lane] - (uint32_t)first) < (uint32_t)count ||
                    ((uint32_t)slots[lane] - (uint32_t)last) < (uint32_t)count);
  return near;
}

/* The number of flags of nears_of_row, and the one of the whole row. */
enum { NEAR_COUNT = RUN_COUNT + 1, NEAR_ROW = 1 << RUN_COUNT };

/* Bit n is set if the RUN_LANES slots from lane n * RUN_LANES on are near, NEAR_ROW if the whole row is. */
static inline unsigned nears_of_row(const int32_t *slots) {
  unsigned nears = are_near(slots, RUN_COUNT * RUN_LANES) ? NEAR_ROW : 0;
  for (int run = 0; run < RUN_COUNT; run++)
    nears |= (unsigned)are_near(slots + run * RUN_LANES, RUN_LANES) << run;
  return nears;
}

/* Returns whether `count` slots from a lane on are near. */
static inline bool nears_have(unsigned nears, int lane, int count) {
  return count > RUN_LANES ? (nears & NEAR_ROW) != 0 : (nears >> lane / RUN_LANES & 1) != 0;
}

#endif
