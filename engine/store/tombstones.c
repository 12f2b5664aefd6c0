#include "engine/store/tombstones.h"

static const growth_array arrays[] = {GROWTH_ARRAY(gap_list, is_gap)};
static const growth_table list_growth = GROWTH(gap_list, covered, capacity, arrays, .most = INT32_MAX);

bool tombstones_cover(tombstone_store *g, memory *m, msd_object item, int32_t items) {
  gap_list *list = &g->of[item];
  if (!growth_reserve(&list_growth, list, m, items))
    return false;
  if (items > list->covered)
    list->covered = items;
  return true;
}

/* One step of splitmix64. Sums of these do not depend on the order and rarely collide. */
static uint64_t mark_of(msd_object item, int32_t index) {
  uint64_t z = ((uint64_t)item << 32 | (uint32_t)index) + 0x9e3779b97f4a7c15u;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return z ^ z >> 31;
}

void tombstones_add(tombstone_store *g, msd_object item, int32_t index) {
  g->of[item].is_gap[index] = 1;
  g->of[item].count++;
  g->count++;
  g->mark += mark_of(item, index);
}

void tombstones_list_moves(const tombstone_store *g, msd_object item, int32_t items, int32_t *to) {
  int32_t next = 0;
  for (int32_t i = 0; i < items; i++)
    to[i] = tombstones_have(g, item, i) ? -1 : next++;
}

void tombstones_free(tombstone_store *g, memory *m) {
  for (int item = 0; item < MSD_OBJECT_COUNT; item++)
    growth_free(&list_growth, &g->of[item], m);
  *g = (tombstone_store){.count = 0};
}
