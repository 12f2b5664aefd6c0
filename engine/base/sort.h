/* Sorting indices by 64-bit keys. */
#ifndef MSD_ENGINE_BASE_SORT_H
#define MSD_ENGINE_BASE_SORT_H

#include <stdint.h>

typedef struct sort_item {
  uint64_t key;
  int32_t index;
} sort_item;

/* Sorts by ascending key; equal keys keep their order. Works in both arrays and returns the one that
   holds the result. O(count) for each 11 bits of the largest key. */
sort_item *sort_by_key(sort_item *items, sort_item *spare, int32_t count);

#endif
