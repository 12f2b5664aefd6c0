/* How stores grow: all arrays of a store at once, by half of their capacity, so that adding items one by one
   costs little, or by just enough where that would exceed the memory limit. On failure the old arrays are
   kept. */
#ifndef MSD_ENGINE_BASE_GROWTH_H
#define MSD_ENGINE_BASE_GROWTH_H

#include "engine/base/memory.h"

/* An array: the offset of its pointer in the store, and the bytes of one item. */
typedef struct growth_array {
  size_t at, item;
  /* Grows if the store has it, and is not allocated otherwise. */
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
  /* Where the store keeps its count and its capacity, both int32_t. */
  size_t count_at, capacity_at;
  /* The largest capacity allowed. */
  int32_t most;
  /* Extra items that every array has behind the last. */
  int32_t behind;
} growth_table;

#define GROWTH(store, count, capacity, list, ...)                                                            \
  {                                                                                                          \
    .arrays = (list), .array_count = (int)(sizeof(list) / sizeof(list)[0]),                                  \
    .count_at = offsetof(store, count), .capacity_at = offsetof(store, capacity), __VA_ARGS__                \
  }

/* Makes room for `needed` items in all. False when there is no memory. */
bool growth_reserve(const growth_table *g, void *store, memory *m, int64_t needed);

/* Sets the capacity, which must be at least the count. */
bool growth_resize(const growth_table *g, void *store, memory *m, int64_t capacity);

/* Moves item i of an array of so many to to[i], which is no more than i and ascends, and drops it for -1;
   returns how many are left. What is behind the last is zero. */
int32_t growth_move_items(void *items, size_t item, int32_t count, const int32_t *to);

/* The same for all arrays; and then gives memory back, where there is some for smaller arrays. */
void growth_move_arrays(const growth_table *g, void *store, const int32_t *to);
void growth_close_gaps(const growth_table *g, void *store, memory *m, const int32_t *to);

/* Frees all arrays. */
void growth_free(const growth_table *g, void *store, memory *m);

/* Bytes of one item in all arrays that are not optional. */
size_t growth_item_bytes(const growth_table *g);

/* The same policy for other containers: calls `resize` with the capacities to try. */
typedef bool growth_resizing(void *store, memory *m, int64_t capacity);
bool growth_with_room(growth_resizing *resize, void *store, memory *m, int64_t needed, int64_t capacity,
                      int64_t most);

#endif
