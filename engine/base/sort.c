#include "engine/base/sort.h"

#include <string.h>

enum { DIGIT_BITS = 11, DIGITS = 1 << DIGIT_BITS };

/* Fewer are inserted one by one, in less time than counting digits takes. */
enum { COUNTED_MIN = 32 };

static sort_item *insert_one_by_one(sort_item *items, int32_t count) {
  for (int32_t i = 1; i < count; i++) {
    const sort_item item = items[i];
    int32_t at = i;
    for (; at > 0 && items[at - 1].key > item.key; at--)
      items[at] = items[at - 1];
    items[at] = item;
  }
  return items;
}

/* Least significant digit first. */
sort_item *sort_by_key(sort_item *items, sort_item *spare, int32_t count) {
  if (count < COUNTED_MIN)
    return insert_one_by_one(items, count);
  uint64_t used = 0;
  for (int32_t i = 0; i < count; i++)
    used |= items[i].key;
  for (int shift = 0; shift < 64 && used >> shift; shift += DIGIT_BITS) {
    if ((used >> shift & (DIGITS - 1)) == 0)
      continue;
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
