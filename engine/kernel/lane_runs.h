/* Rows of 16 slots in which particles follow each other: what belongs to them is then read and written as
   vectors. */
#ifndef MSD_ENGINE_KERNEL_LANE_RUNS_H
#define MSD_ENGINE_KERNEL_LANE_RUNS_H

#include <stdbool.h>
#include <stdint.h>

/* Lanes of which it is known, and how often a row has so many. */
enum { RUN_LANES = 8, RUN_COUNT = 2 };

/* Bit n: from lane n * RUN_LANES on the slots of a row follow each other. */
static inline unsigned runs_of_row(const int32_t *slots) {
  unsigned runs = (1u << RUN_COUNT) - 1;
  for (int lane = 0; lane < RUN_COUNT * RUN_LANES; lane++)
    if (lane % RUN_LANES > 0 && slots[lane] != slots[lane - 1] + 1)
      runs &= ~(1u << lane / RUN_LANES);
  return runs;
}

/* Whether `count` of them do from a lane on; `slots` begin there. */
static inline bool runs_have(unsigned runs, int lane, int count, const int32_t *slots) {
  if (count > RUN_LANES)
    return runs == (1u << RUN_COUNT) - 1 && slots[RUN_LANES] == slots[0] + RUN_LANES;
  return count > 1 && (runs >> lane / RUN_LANES & 1) != 0;
}

#endif
