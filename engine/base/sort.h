/* Sorting indices by 64-bit keys, and finding in what is sorted. */
#ifndef MSD_ENGINE_BASE_SORT_H
#define MSD_ENGINE_BASE_SORT_H

#include <stddef.h>
#include <stdint.h>

typedef struct sort_item {
  uint64_t key;
  int32_t index;
} sort_item;

/* Sorts by ascending key; equal keys keep their order. Works in both arrays and returns the one that
   holds the result. O(count) for each 11 bits of the largest key; and at most twice where the items are a few
   ascending runs that only want to be put one behind the other, as the springs of a lattice are, family by
   family. */
sort_item *sort_by_key(sort_item *items, sort_item *spare, int32_t count);

/* Sorts numbers, each of which stays once, and returns how many there are then. For a few. */
int32_t sort_distinct(int32_t *numbers, int32_t count);

/* The place of the first of `count` items whose key is not below this one; `count`: there is none. Items begin
   with an int32_t, their key, and are in its order. O(log count), and O(1) behind the last. */
int32_t sorted_place(const void *items, int32_t count, size_t item_size, int32_t key);

#endif
