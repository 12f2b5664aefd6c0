#include "engine/base/sort.h"

#include <string.h>

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

static int32_t key_at(const void *items, int32_t place, size_t item_size) {
  int32_t key;
  memcpy(&key, (const char *)items + (size_t)place * item_size, sizeof key);
  return key;
}

int32_t sorted_place(const void *items, int32_t count, size_t item_size, int32_t key) {
  int32_t low = 0, high = count;
  if (count == 0 || key_at(items, count - 1, item_size) < key)
    return count;
  while (low < high) {
    const int32_t middle = low + (high - low) / 2;
    if (key_at(items, middle, item_size) < key)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}
