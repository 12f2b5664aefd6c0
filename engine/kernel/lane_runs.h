/* Rows of 16 slots with consecutive particles, whose data is loaded and stored as vectors. */
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

#endif
