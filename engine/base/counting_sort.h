/* Counting sort into lists: count every item, call begin, then put every item into its list. Each list keeps
   the order of its items. `first` has two entries more than there are lists, initially 0. In the end list n
   is items[first[n]] to items[first[n + 1] - 1]. */
#ifndef MSD_ENGINE_BASE_COUNTING_SORT_H
#define MSD_ENGINE_BASE_COUNTING_SORT_H

#include <stdint.h>

static inline void counting_sort_count(int32_t *first, int32_t list) {
  first[list + 2]++;
}

static inline void counting_sort_begin(int32_t *first, int32_t lists) {
  for (int32_t n = 2; n < lists + 2; n++)
    first[n] += first[n - 1];
}

static inline void counting_sort_put(int32_t *first, int32_t *items, int32_t list, int32_t item) {
  items[first[list + 1]++] = item;
}

#endif
