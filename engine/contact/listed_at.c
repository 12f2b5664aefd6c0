#include "engine/contact/listed_at.h"

#include "engine/base/growth.h"
#include "engine/base/min_max.h"
#include "engine/contact/marks.h"

#include <string.h>

static const growth_array places[] = {GROWTH_ARRAY(listed_share, places)};
static const growth_table place_growth = GROWTH(listed_share, count, capacity, places, .most = INT32_MAX);
static const growth_array blocks[] = {GROWTH_ARRAY(listed_at, looked_at)};
static const growth_table block_growth =
    GROWTH(listed_at, block_count, block_capacity, blocks, .most = INT32_MAX);

enum { ANY_MARK = UINT8_MAX };

/* Of fewer pairs than that one thread notes all. */
enum { SHARED_PAIRS = 4096 };

static void forget_places(listed_at *l) {
  memset(l->last, -1, (size_t)l->particles * sizeof *l->last);
  for (int n = 0; n < l->share_count; n++)
    l->shares[n].noted = l->shares[n].count = 0;
}

bool listed_at_reserve(listed_at *l, memory *m, int32_t particles, int threads) {
  listed_at_free(l, m);
  l->last = memory_allocate(m, (size_t)particles * sizeof *l->last);
  l->shares = memory_allocate_items(m, threads, sizeof *l->shares);
  if (!l->last || !l->shares) {
    listed_at_free(l, m);
    return false;
  }
  l->particles = particles;
  l->share_count = threads;
  for (int n = 0; n < threads; n++)
    l->shares[n] = (listed_share){.particles = parallel_split(particles, n, threads)};
  forget_places(l);
  return true;
}

void listed_at_free(listed_at *l, memory *m) {
  for (int n = 0; n < l->share_count; n++)
    growth_free(&place_growth, &l->shares[n], m);
  growth_free(&block_growth, l, m);
  memory_release(m, l->shares);
  memory_release(m, l->last);
  *l = (listed_at){0};
}

void listed_at_forget(listed_at *l) {
  bool is_noted = false;
  for (int n = 0; n < l->share_count; n++)
    is_noted = is_noted || l->shares[n].noted > 0;
  if (is_noted)
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

/* What threads share that note what has been listed since. */
typedef struct noting {
  const listed_at *at;
  const pair_list *list;
} noting;

/* As far as there is room. Counts are those of this thread until then: others write beside them. */
static void note_share(const noting *n, listed_share *to) {
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
    note_share(n, &n->at->shares[share]);
}

/* How many pairs some share has still to note; makes room for one block, and for about as much as they take. */
static bool reserve_places(listed_at *l, memory *m, const pair_list *list, int32_t *left) {
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

/* False without memory: some may be noted then. */
static bool note_new(listed_at *l, memory *m, const pair_list *list, const msd_tasks *tasks) {
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

static void look_at_marked(const listed_at *l, const listed_share *share, const uint8_t *marked) {
  const parallel_range own = share->particles;
  for (int32_t slot = marks_next(marked, ANY_MARK, own.first, own.last); slot < own.last;
       slot = marks_next(marked, ANY_MARK, slot + 1, own.last))
    for (int32_t at = l->last[slot].place; at >= 0; at = share->places[at].before)
      l->looked_at[share->places[at].block] = 1;
}

void listed_at_find(listed_at *l, memory *m, const pair_list *list, const uint8_t *marked,
                    const msd_tasks *tasks) {
  l->knows = marked && note_new(l, m, list, tasks);
  if (!l->knows || l->block_count == 0)
    return;
  memset(l->looked_at, 0, (size_t)l->block_count);
  for (int n = 0; n < l->share_count; n++)
    look_at_marked(l, &l->shares[n], marked);
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
