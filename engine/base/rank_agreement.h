/* Collective decisions of ranks (msd/ranks.h). */
#ifndef MSD_ENGINE_BASE_RANK_AGREEMENT_H
#define MSD_ENGINE_BASE_RANK_AGREEMENT_H

#include <msd/ranks.h>

/* Returns whether a condition holds on any rank. All ranks must call it. */
static inline bool rank_on_any(const msd_ranks *ranks, bool is_so) {
  double value = is_so;
  if (ranks->count > 1)
    ranks->largest(&value, 1, ranks->context);
  return value > 0;
}

#endif
