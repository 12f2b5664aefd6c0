#include "engine/step/rank_sum.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

/* Broadcasts the sum of one rank. It is sent as 32-bit words in doubles, so any bit pattern is preserved. */
static void spread(const msd_ranks *ranks, int from, void *sum, size_t bytes) {
  enum { BATCH = 32 };
  unsigned char *at = sum;
  for (size_t done = 0; done < bytes; done += BATCH * sizeof(uint32_t)) {
    const size_t left = bytes - done,
                 size = left < BATCH * sizeof(uint32_t) ? left : BATCH * sizeof(uint32_t);
    uint32_t halves[BATCH] = {0};
    double values[BATCH];
    memcpy(halves, at + done, size);
    for (int n = 0; n < BATCH; n++)
      values[n] = ranks->rank == from ? halves[n] : 0;
    ranks->largest(values, BATCH, ranks->context);
    for (int n = 0; n < BATCH; n++)
      halves[n] = (uint32_t)values[n];
    memcpy(at + done, halves, size);
  }
}

void rank_sum_in_turn(const msd_ranks *ranks, rank_adder *add, void *context, void *sum, size_t bytes) {
  for (int rank = 0; rank < ranks->count; rank++) {
    if (rank == ranks->rank)
      add(context, sum);
    if (ranks->count > 1)
      spread(ranks, rank, sum, bytes);
  }
}

/* Transports must carry finite numbers only, so infinities are replaced by DBL_MAX. */
void rank_find_largest(const msd_ranks *ranks, double *values, int count) {
  if (ranks->count < 2)
    return;
  for (int n = 0; n < count; n++)
    values[n] = fmax(-DBL_MAX, fmin(values[n], DBL_MAX));
  ranks->largest(values, count, ranks->context);
  for (int n = 0; n < count; n++)
    values[n] = values[n] >= DBL_MAX ? INFINITY : values[n] <= -DBL_MAX ? -INFINITY : values[n];
}
