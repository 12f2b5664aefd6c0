/* The gaps in the indices of a model: what has been destroyed, kind by kind. An item there is out of action by
   itself (a spring is broken, a particle has no mass): who sums forces does not look here. Who asks for an item
   by its index does, and who counts them. */
#ifndef MSD_ENGINE_STORE_GAPS_H
#define MSD_ENGINE_STORE_GAPS_H

#include "engine/base/growth.h"

/* Of one kind. Items from `covered` on have no gaps among them. */
typedef struct gap_list {
  uint8_t *is_gap;
  int32_t covered, capacity;
  int32_t count;
} gap_list;

typedef struct gap_store {
  gap_list of[MSD_ITEM_COUNT];
  /* Of all kinds; and a number that tells which they are, whatever the order in which they came. */
  int64_t count;
  uint64_t mark;
} gap_store;

static inline bool gaps_have(const gap_store *g, msd_item item, int32_t index) {
  const gap_list *list = &g->of[item];
  return index < list->covered && list->is_gap[index];
}

/* Makes room for gaps among that many items. False when there is no memory. */
bool gaps_cover(gap_store *g, memory *m, msd_item item, int32_t items);

/* Marks what is covered and no gap. */
void gaps_add(gap_store *g, msd_item item, int32_t index);

/* Where each of so many items goes when the gaps are closed; -1: it is one. */
void gaps_list_moves(const gap_store *g, msd_item item, int32_t items, int32_t *to);

void gaps_free(gap_store *g, memory *m);

#endif
