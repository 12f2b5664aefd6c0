#include "engine/store/anchor.h"

bool anchor_can_have(law l) {
  const double ck = (double)l.first, cd = (double)l.second;
  return !law_is(l, MSD_SPRING_COEFFICIENT) || (ck >= 0 && cd >= 0 && ck + 2 * cd < 4);
}

static const growth_array arrays[] = {GROWTH_ARRAY(anchor_store, entries), GROWTH_ARRAY(anchor_store, works)};
const growth_table anchor_growth = GROWTH(anchor_store, count, capacity, arrays, .most = INT32_MAX);

void anchor_store_free(anchor_store *s, memory *m) {
  growth_free(&anchor_growth, s, m);
  *s = (anchor_store){0};
}
