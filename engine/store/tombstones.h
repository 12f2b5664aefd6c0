/* Tombstones: the indices of destroyed objects, by type. A destroyed object is inert (a spring is broken, a
   particle has no mass), so force loops need not test for tombstones. Lookups by index and counts do. */
#ifndef MSD_ENGINE_STORE_TOMBSTONES_H
#define MSD_ENGINE_STORE_TOMBSTONES_H

#include "engine/base/growth.h"

/* The tombstones of one type. Objects from `covered` on are all alive. */
typedef struct gap_list {
  uint8_t *is_gap;
  int32_t covered, capacity;
  int32_t count;
} gap_list;

typedef struct tombstone_store {
  gap_list of[MSD_OBJECT_COUNT];
  /* The number of tombstones of all types, and a hash of them that does not depend on their order. */
  int64_t count;
  uint64_t mark;
} tombstone_store;

static inline bool tombstones_have(const tombstone_store *g, msd_object item, int32_t index) {
  const gap_list *list = &g->of[item];
  return index < list->covered && list->is_gap[index];
}

/* Allocates tombstone flags for `items` objects. Returns false if memory runs out. */
bool tombstones_cover(tombstone_store *g, memory *m, msd_object item, int32_t items);

/* Marks a covered object that is alive. */
void tombstones_add(tombstone_store *g, msd_object item, int32_t index);

/* Computes the new index of each of `items` objects after compaction; -1 for tombstones. */
void tombstones_list_moves(const tombstone_store *g, msd_object item, int32_t items, int32_t *to);

void tombstones_free(tombstone_store *g, memory *m);

#endif
