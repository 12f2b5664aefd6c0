#include "engine/store/soft_pin.h"

bool soft_pin_can_have(law l) {
  const double ck = (double)l.first, cd = (double)l.second;
  return !law_is(l, MSD_SPRING_COEFFICIENT) || (ck >= 0 && cd >= 0 && ck + 2 * cd < 4);
}

static const growth_array arrays[] = {GROWTH_ARRAY(soft_pin_store, entries),
                                      GROWTH_ARRAY(soft_pin_store, works)};
const growth_table soft_pin_growth = GROWTH(soft_pin_store, count, capacity, arrays, .most = INT32_MAX);

void soft_pin_store_free(soft_pin_store *s, memory *m) {
  growth_free(&soft_pin_growth, s, m);
  *s = (soft_pin_store){0};
}
