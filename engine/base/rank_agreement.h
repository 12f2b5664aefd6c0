/* What ranks (msd/ranks.h) find out from each other in one question. */
#ifndef MSD_ENGINE_BASE_RANK_AGREEMENT_H
#define MSD_ENGINE_BASE_RANK_AGREEMENT_H

#include <msd/ranks.h>

/* Whether something is so on any rank; all have to ask. Of one that is alone: whether it is so. */
static inline bool rank_on_any(const msd_ranks *ranks, bool is_so) {
  double value = is_so;
  if (ranks->count > 1)
    ranks->largest(&value, 1, ranks->context);
  return value > 0;
}

#endif
