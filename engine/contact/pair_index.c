#include "engine/contact/pair_index.h"

#include "engine/base/growth.h"
#include "engine/base/min_max.h"
#include "engine/contact/flags.h"

#include <string.h>

static const growth_array places[] = {GROWTH_ARRAY(listed_share, places)};
static const growth_table place_growth = GROWTH(listed_share, count, capacity, places, .most = INT32_MAX);
static const growth_array blocks[] = {GROWTH_ARRAY(pair_index, looked_at)};
static const growth_table block_growth =
    GROWTH(pair_index, block_count, block_capacity, blocks, .most = INT32_MAX);

enum { ANY_MARK = UINT8_MAX };

/* Below this number of pairs one thread indexes all. */
enum { SHARED_PAIRS = 4096 };

static void forget_places(pair_index *l) {
  memset(l->last, -1, (size_t)l->particles * sizeof *l->last);
  for (int n = 0; n < l->share_count; n++)
    l->shares[n].noted = l->shares[n].count = 0;
}

bool pair_index_reserve(pair_index *l, memory *m, int32_t particles, int threads) {
  pair_index_free(l, m);
  l->last = memory_allocate(m, (size_t)particles * sizeof *l->last);
  l->shares = memory_allocate_items(m, threads, sizeof *l->shares);
  if (!l->last || !l->shares) {
    pair_index_free(l, m);
    return false;
  }
  l->particles = particles;
  l->share_count = threads;
  for (int n = 0; n < threads; n++)
    l->shares[n] = (listed_share){.particles = parallel_split(particles, n, threads)};
  forget_places(l);
  return true;
}

void pair_index_free(pair_index *l, memory *m) {
  for (int n = 0; n < l->share_count; n++)
    growth_free(&place_growth, &l->shares[n], m);
  growth_free(&block_growth, l, m);
  memory_release(m, l->shares);
  memory_release(m, l->last);
  *l = (pair_index){0};
}

void pair_index_forget(pair_index *l) {
  bool is_noted = false;
  for (int n = 0; n < l->share_count; n++)
    is_noted = is_noted || l->shares[n].noted > 0;
  if (is_noted)
    forget_places(l);
}

static int32_t block_of(int32_t listed) {
  return listed / LISTED_BLOCK;
}

/* The beginning of a block, at most `end`. */
static int32_t first_of(int32_t block, int32_t end) {
  return block > block_of(end) ? end : block * LISTED_BLOCK;
}

/* Needs capacity for all corners of a block. Branch-free, since new entries are unpredictable: an unneeded
   entry is overwritten. */
static void note(listed_last *of, listed_share *share, int32_t block, const int32_t slots[PAIR_CORNERS]) {
  const uint32_t first = (uint32_t)share->particles.first, size = (uint32_t)share->particles.last - first;
  for (int corner = 0; corner < PAIR_CORNERS; corner++) {
    if ((uint32_t)slots[corner] - first >= size)
      continue;
    listed_last *last = &of[slots[corner]];
    const bool is_new = last->block != block;
    share->places[share->count] = (listed_place){block, last->place};
    *last = (listed_last){block, is_new ? share->count : last->place};
    share->count += is_new;
  }
}

/* Shared by the threads that index new pairs. */
typedef struct noting {
  const pair_index *at;
  const pair_list *list;
} noting;

/* Indexes as far as capacity allows. Works on copies of the counters, because other threads write to the
   same cache lines. */
static void index_range(const noting *n, listed_share *to) {
  listed_share share = *to;
  while (share.noted < n->list->count && share.capacity - share.count >= LISTED_BLOCK * PAIR_CORNERS) {
    const int32_t block = block_of(share.noted), end = first_of(block + 1, n->list->count);
    for (; share.noted < end; share.noted++)
      note(n->at->last, &share, block, n->list->slots[share.noted]);
  }
  *to = share;
}

static void note_shares(void *context, int thread, int threads) {
  const noting *n = context;
  for (int share = thread; share < n->at->share_count; share += threads)
    index_range(n, &n->at->shares[share]);
}

/* How many pairs remain to be indexed; reserves memory for one block, and roughly for the rest. */
static bool reserve_places(pair_index *l, memory *m, const pair_list *list, int32_t *left) {
  bool done = true;
  *left = 0;
  for (int n = 0; n < l->share_count && done; n++) {
    listed_share *share = &l->shares[n];
    const int32_t own = list->count - share->noted;
    *left = int_max(*left, own);
    done = own == 0 ||
           growth_reserve(&place_growth, share, m,
                          (int64_t)share->count + LISTED_BLOCK * PAIR_CORNERS + own / l->share_count);
  }
  return done;
}

/* False without memory; some pairs may be indexed then. */
static bool note_new(pair_index *l, memory *m, const pair_list *list, const msd_tasks *tasks) {
  noting all = {l, list};
  int32_t left = 0;
  bool done = reserve_places(l, m, list, &left);
  for (; done && left > 0; done = reserve_places(l, m, list, &left))
    parallel_run(tasks, left < SHARED_PAIRS ? 1 : l->share_count, note_shares, &all);
  const int32_t count = list->count > 0 ? block_of(list->count - 1) + 1 : 0;
  if (!done || !growth_reserve(&block_growth, l, m, count))
    return false;
  l->block_count = count;
  return true;
}

static void look_at_marked(const pair_index *l, const listed_share *share, const uint8_t *marked) {
  const parallel_range own = share->particles;
  for (int32_t slot = marks_next(marked, ANY_MARK, own.first, own.last); slot < own.last;
       slot = marks_next(marked, ANY_MARK, slot + 1, own.last))
    for (int32_t at = l->last[slot].place; at >= 0; at = share->places[at].before)
      l->looked_at[share->places[at].block] = 1;
}

void pair_index_find(pair_index *l, memory *m, const pair_list *list, const uint8_t *marked,
                     const msd_tasks *tasks) {
  l->knows = marked && note_new(l, m, list, tasks);
  if (!l->knows || l->block_count == 0)
    return;
  memset(l->looked_at, 0, (size_t)l->block_count);
  for (int n = 0; n < l->share_count; n++)
    look_at_marked(l, &l->shares[n], marked);
}

int64_t pair_index_count(const pair_index *l, const pair_list *list) {
  int64_t count = 0;
  for (int32_t block = 0; l->knows && block < l->block_count; block++)
    count += l->looked_at[block];
  return l->knows ? count * LISTED_BLOCK : list->count;
}

parallel_range pair_index_next(const pair_index *l, parallel_range within) {
  if (!l->knows || within.first >= within.last)
    return within;
  const int32_t end = block_of(within.last - 1) + 1;
  const int32_t first = marks_next(l->looked_at, ANY_MARK, block_of(within.first), end);
  int32_t last = first;
  while (last < end && l->looked_at[last])
    last++;
  return (parallel_range){int_max(within.first, first_of(first, within.last)), first_of(last, within.last)};
}
