#include "engine/contact/listed_at.h"

#include "engine/base/growth.h"
#include "engine/base/min_max.h"
#include "engine/contact/marks.h"

#include <string.h>

static const growth_array places[] = {GROWTH_ARRAY(listed_at, places)};
static const growth_table place_growth = GROWTH(listed_at, count, capacity, places, .most = INT32_MAX);
static const growth_array blocks[] = {GROWTH_ARRAY(listed_at, looked_at)};
static const growth_table block_growth =
    GROWTH(listed_at, block_count, block_capacity, blocks, .most = INT32_MAX);

enum { ANY_MARK = UINT8_MAX };

static void forget_places(listed_at *l) {
  memset(l->last, -1, (size_t)l->particles * sizeof *l->last);
  l->noted = l->count = 0;
}

bool listed_at_reserve(listed_at *l, memory *m, int32_t particles) {
  listed_at_free(l, m);
  l->last = memory_allocate(m, (size_t)particles * sizeof *l->last);
  if (!l->last)
    return false;
  l->particles = particles;
  forget_places(l);
  return true;
}

void listed_at_free(listed_at *l, memory *m) {
  growth_free(&place_growth, l, m);
  growth_free(&block_growth, l, m);
  memory_release(m, l->last);
  *l = (listed_at){0};
}

void listed_at_forget(listed_at *l) {
  if (l->noted > 0)
    forget_places(l);
}

static int32_t block_of(int32_t listed) {
  return listed / LISTED_BLOCK;
}

/* Where a block begins, but no later than `end`. */
static int32_t first_of(int32_t block, int32_t end) {
  return block > block_of(end) ? end : block * LISTED_BLOCK;
}

/* There is room for all corners of a block. Whether a particle is known already cannot be foreseen: so nothing
   branches on that, and what is not to be noted is written over. */
static void note(listed_at *l, int32_t block, const int32_t slots[PAIR_CORNERS]) {
  for (int corner = 0; corner < PAIR_CORNERS; corner++) {
    listed_last *last = &l->last[slots[corner]];
    const bool is_new = last->block != block;
    l->places[l->count] = (listed_place){block, last->place};
    *last = (listed_last){block, is_new ? l->count : last->place};
    l->count += is_new;
  }
}

/* False without memory: some may be noted then. */
static bool note_new(listed_at *l, memory *m, const pair_list *list) {
  while (l->noted < list->count) {
    const int32_t block = block_of(l->noted), end = first_of(block + 1, list->count);
    if (!growth_reserve(&place_growth, l, m, (int64_t)l->count + LISTED_BLOCK * PAIR_CORNERS))
      return false;
    for (; l->noted < end; l->noted++)
      note(l, block, list->slots[l->noted]);
  }
  const int32_t count = list->count > 0 ? block_of(list->count - 1) + 1 : 0;
  if (!growth_reserve(&block_growth, l, m, count))
    return false;
  l->block_count = count;
  return true;
}

void listed_at_find(listed_at *l, memory *m, const pair_list *list, const uint8_t *marked) {
  l->knows = marked && note_new(l, m, list);
  if (!l->knows || l->block_count == 0)
    return;
  memset(l->looked_at, 0, (size_t)l->block_count);
  for (int32_t slot = marks_next(marked, ANY_MARK, 0, l->particles); slot < l->particles;
       slot = marks_next(marked, ANY_MARK, slot + 1, l->particles))
    for (int32_t at = l->last[slot].place; at >= 0; at = l->places[at].before)
      l->looked_at[l->places[at].block] = 1;
}

int64_t listed_at_count(const listed_at *l, const pair_list *list) {
  int64_t count = 0;
  for (int32_t block = 0; l->knows && block < l->block_count; block++)
    count += l->looked_at[block];
  return l->knows ? count * LISTED_BLOCK : list->count;
}

parallel_range listed_at_next(const listed_at *l, parallel_range within) {
  if (!l->knows || within.first >= within.last)
    return within;
  const int32_t end = block_of(within.last - 1) + 1;
  const int32_t first = marks_next(l->looked_at, ANY_MARK, block_of(within.first), end);
  int32_t last = first;
  while (last < end && l->looked_at[last])
    last++;
  return (parallel_range){int_max(within.first, first_of(first, within.last)), first_of(last, within.last)};
}
