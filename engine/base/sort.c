#include "engine/base/sort.h"

enum { DIGIT_BITS = 11, DIGITS = 1 << DIGIT_BITS };

/* Least significant digit first. */
sort_item *sort_by_key(sort_item *items, sort_item *spare, int32_t count) {
  uint64_t used = 0;
  for (int32_t i = 0; i < count; i++)
    used |= items[i].key;
  for (int shift = 0; shift < 64 && used >> shift; shift += DIGIT_BITS) {
    int32_t start[DIGITS + 1] = {0};
    for (int32_t i = 0; i < count; i++)
      start[(items[i].key >> shift & (DIGITS - 1)) + 1]++;
    for (int d = 0; d < DIGITS; d++)
      start[d + 1] += start[d];
    for (int32_t i = 0; i < count; i++)
      spare[start[items[i].key >> shift & (DIGITS - 1)]++] = items[i];
    sort_item *sorted = spare;
    spare = items;
    items = sorted;
  }
  return items;
}
