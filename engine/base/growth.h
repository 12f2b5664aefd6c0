/* Growth of stores: all arrays of a store grow together by half of their capacity, so that adding items one
   by one is cheap, or to the exact size if that would exceed the memory limit. On failure the old arrays are
   unchanged. */
#ifndef MSD_ENGINE_BASE_GROWTH_H
#define MSD_ENGINE_BASE_GROWTH_H

#include "engine/base/memory.h"

/* An array: the offset of its pointer in the store, and the size of an item. */
typedef struct growth_array {
  size_t at, item;
  /* Optional arrays grow only if they are allocated. */
  bool is_optional;
} growth_array;

#define GROWTH_ARRAY(store, field)                                                                           \
  { offsetof(store, field), sizeof *((store *)NULL)->field, false }
#define GROWTH_OPTIONAL_ARRAY(store, field)                                                                  \
  { offsetof(store, field), sizeof *((store *)NULL)->field, true }

/* The arrays of a store that share a count and a capacity. */
typedef struct growth_table {
  const growth_array *arrays;
  int array_count;
  /* Offsets of the count and the capacity in the store, both int32_t. */
  size_t count_at, capacity_at;
  /* The largest capacity. */
  int32_t most;
  /* Extra items after the last in every array. */
  int32_t behind;
} growth_table;

#define GROWTH(store, count, capacity, list, ...)                                                            \
  {                                                                                                          \
    .arrays = (list), .array_count = (int)(sizeof(list) / sizeof(list)[0]),                                  \
    .count_at = offsetof(store, count), .capacity_at = offsetof(store, capacity), __VA_ARGS__                \
  }

/* Reserves capacity for `needed` items in total. Returns false if memory runs out. */
bool growth_reserve(const growth_table *g, void *store, memory *m, int64_t needed);

/* Sets the capacity, which must be at least the count. */
bool growth_resize(const growth_table *g, void *store, memory *m, int64_t capacity);

/* Moves item i of `count` items to to[i], which ascends and is at most i; removes it for -1. Returns the new
   count. The rest is zeroed. */
int32_t growth_move_items(void *items, size_t item, int32_t count, const int32_t *to);

/* The same for all arrays of a store. column_compact then shrinks them, if memory for the smaller arrays
   is available. */
void growth_move_arrays(const growth_table *g, void *store, const int32_t *to);
void column_compact(const growth_table *g, void *store, memory *m, const int32_t *to);

/* Frees all arrays. */
void growth_free(const growth_table *g, void *store, memory *m);

/* Bytes per item in all arrays that are not optional. */
size_t growth_item_bytes(const growth_table *g);

/* The same policy for other containers: calls `resize` with the capacities to try. */
typedef bool growth_resizing(void *store, memory *m, int64_t capacity);
bool growth_with_room(growth_resizing *resize, void *store, memory *m, int64_t needed, int64_t capacity,
                      int64_t most);

#endif
