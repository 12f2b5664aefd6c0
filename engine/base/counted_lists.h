/* Lists of what belongs to each of some numbers, one behind the other, made by counting: every item is counted,
   the lists begin, and every item is put into its own, in the order in which it comes. `first` has two numbers
   more than there are lists, all 0 before anything is counted. In the end those of list n are at first[n] to
   first[n + 1] - 1. */
#ifndef MSD_ENGINE_BASE_COUNTED_LISTS_H
#define MSD_ENGINE_BASE_COUNTED_LISTS_H

#include <stdint.h>

static inline void counted_lists_count(int32_t *first, int32_t list) {
  first[list + 2]++;
}

static inline void counted_lists_begin(int32_t *first, int32_t lists) {
  for (int32_t n = 2; n < lists + 2; n++)
    first[n] += first[n - 1];
}

static inline void counted_lists_put(int32_t *first, int32_t *items, int32_t list, int32_t item) {
  items[first[list + 1]++] = item;
}

#endif
