#include "engine/store/anchor.h"

#include <string.h>

bool anchor_can_have(law l) {
  const double ck = (double)l.first, cd = (double)l.second;
  return !law_is(l, MSD_SPRING_COEFFICIENT) || (ck >= 0 && cd >= 0 && ck + 2 * cd < 4);
}

void anchor_store_free(anchor_store *s, memory *m) {
  memory_release(m, s->entries);
  memory_release(m, s->works);
  *s = (anchor_store){0};
}

bool anchor_store_reserve(anchor_store *s, memory *m, int64_t capacity) {
  if (capacity <= s->capacity)
    return true;
  anchor_store larger = *s;
  larger.capacity = (int32_t)capacity;
  larger.entries = memory_allocate(m, (size_t)capacity * sizeof *larger.entries);
  larger.works = memory_allocate(m, (size_t)capacity * sizeof *larger.works);
  larger.work_count = 0;
  larger.made_for = (revision){0};
  if (!larger.entries || !larger.works) {
    anchor_store_free(&larger, m);
    return false;
  }
  if (s->count > 0)
    memcpy(larger.entries, s->entries, (size_t)s->count * sizeof *s->entries);
  anchor_store_free(s, m);
  *s = larger;
  return true;
}
