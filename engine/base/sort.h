/* Sorting of indices by 64-bit keys, and search in sorted arrays. */
#ifndef MSD_ENGINE_BASE_SORT_H
#define MSD_ENGINE_BASE_SORT_H

#include <stddef.h>
#include <stdint.h>

typedef struct sort_item {
  uint64_t key;
  int32_t index;
} sort_item;

/* Sorts by ascending key; equal keys keep their order. Uses both arrays and returns the one with the result.
   O(count) for each 11 bits of the largest key. At most two passes if the items are a few ascending runs that
   only need to be concatenated in another order, as the springs of a lattice are, family by family. */
sort_item *sort_by_key(sort_item *items, sort_item *spare, int32_t count);

/* Sorts numbers and removes duplicates. Returns the new count. For short arrays. */
int32_t sort_distinct(int32_t *numbers, int32_t count);

/* The index of the first of `count` items whose key is not below `key`; `count` if there is none. Items begin
   with an int32_t, their key, and are sorted by it. O(log count), and O(1) if the result is `count`. */
int32_t sorted_place(const void *items, int32_t count, size_t item_size, int32_t key);

#endif
