/* How stores grow: all arrays of a store at once, by half of what they have room for, so that adding one by
   one costs little, or by just enough where that would pass the memory limit. On failure the old arrays are
   kept. */
#ifndef MSD_ENGINE_BASE_GROWTH_H
#define MSD_ENGINE_BASE_GROWTH_H

#include "engine/base/memory.h"

/* An array: where the store has the pointer to it, and the bytes of one item. */
typedef struct growth_array {
  size_t at, item;
  /* It grows if it is there, and is not made otherwise. */
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
  /* Where the store has the two, both int32_t. */
  size_t count_at, capacity_at;
  /* The most items that there may be. */
  int32_t most;
  /* Items behind the last that every array has besides. */
  int32_t behind;
} growth_table;

#define GROWTH(store, count, capacity, list, ...)                                                            \
  {                                                                                                          \
    .arrays = (list), .array_count = (int)(sizeof(list) / sizeof(list)[0]),                                  \
    .count_at = offsetof(store, count), .capacity_at = offsetof(store, capacity), __VA_ARGS__                \
  }

/* Room for `needed` items in all. False when there is no memory. */
bool growth_reserve(const growth_table *g, void *store, memory *m, int64_t needed);

/* The same of exactly that many, at least as many as there are. */
bool growth_resize(const growth_table *g, void *store, memory *m, int64_t capacity);

/* Releases the arrays; the store then has none. */
void growth_free(const growth_table *g, void *store, memory *m);

/* What each item takes in the arrays that are not optional. */
size_t growth_item_bytes(const growth_table *g);

/* For what is no store of such arrays: gives `resize` the capacity to try. */
typedef bool growth_resizing(void *store, memory *m, int64_t capacity);
bool growth_with_room(growth_resizing *resize, void *store, memory *m, int64_t needed, int64_t capacity,
                      int64_t most);

#endif
