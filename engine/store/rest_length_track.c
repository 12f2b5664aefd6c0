#include "engine/store/rest_length_track.h"

#include "engine/base/sort.h"

#include <string.h>

static const growth_array arrays[] = {GROWTH_ARRAY(rest_length_store, items)};
const growth_table rest_move_growth = GROWTH(rest_length_store, count, capacity, arrays, .most = INT32_MAX);

/* The first entry not below `spring`. Callers with many springs add them in ascending order, so that is
   usually the end. */
static int32_t find(const rest_length_store *s, int32_t spring) {
  return sorted_place(s->items, s->count, sizeof *s->items, spring);
}

static bool has(const rest_length_store *s, int32_t at, int32_t spring) {
  return at < s->count && s->items[at].spring == spring;
}

static void shift(rest_length_store *s, int32_t from, int32_t to) {
  memmove(s->items + to, s->items + from, (size_t)(s->count - from) * sizeof *s->items);
  s->count += to - from;
}

bool rest_move_send(rest_length_store *s, memory *m, int32_t spring, msd_real target) {
  const int32_t at = find(s, spring);
  if (!has(s, at, spring)) {
    if (!growth_reserve(&rest_move_growth, s, m, s->count + (int64_t)1))
      return false;
    shift(s, at, at + 1);
  }
  s->items[at] = (rest_move){.spring = spring, .target = target};
  return true;
}

void rest_move_cancel(rest_length_store *s, int32_t spring) {
  const int32_t at = find(s, spring);
  if (has(s, at, spring))
    shift(s, at + 1, at);
}
