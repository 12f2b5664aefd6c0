#include "engine/base/sort.h"

#include <stdbool.h>
#include <string.h>

enum { DIGIT_BITS = 11, DIGITS = 1 << DIGIT_BITS };

/* Insertion sort is faster below this count. */
enum { COUNTED_MIN = 32 };

static sort_item *insert_one_by_one(sort_item *items, int32_t count) {
  for (int32_t i = 1; i < count; i++) {
    const sort_item item = items[i];
    int32_t at = i;
    for (; at > 0 && items[at - 1].key > item.key; at--)
      items[at] = items[at - 1];
    items[at] = item;
  }
  return items;
}

/* A run: ascending items whose keys have the same upper half, so that a run ends where the next family
   begins. */
typedef struct sort_run {
  int32_t first, end;
} sort_run;

/* With more runs the items are sorted by digits. */
enum { RUNS_MAX = 64 };

/* Returns the number of runs; 0: too many. */
static int find_runs(const sort_item *items, int32_t count, sort_run runs[RUNS_MAX]) {
  int found = 0;
  for (int32_t first = 0, i = 1; i <= count; i++) {
    if (i < count && items[i].key >= items[i - 1].key && items[i].key >> 32 == items[i - 1].key >> 32)
      continue;
    if (found == RUNS_MAX)
      return 0;
    runs[found++] = (sort_run){first, i};
    first = i;
  }
  return found;
}

/* Returns whether a run can directly precede another: equal keys keep their order. */
static bool can_precede(const sort_item *items, sort_run run, sort_run next) {
  const uint64_t last = items[run.end - 1].key, first = items[next.first].key;
  return last < first || (last == first && run.first < next.first);
}

/* Sorts runs by their first keys. Returns false if they overlap. */
static bool order_runs(const sort_item *items, sort_run *runs, int count) {
  for (int n = 1; n < count; n++) {
    const sort_run run = runs[n];
    int at = n;
    for (; at > 0 && items[runs[at - 1].first].key > items[run.first].key; at--)
      runs[at] = runs[at - 1];
    runs[at] = run;
  }
  for (int n = 1; n < count; n++)
    if (!can_precede(items, runs[n - 1], runs[n]))
      return false;
  return true;
}

/* Returns NULL if the items do not consist of such runs. */
static sort_item *join_runs(sort_item *items, sort_item *spare, int32_t count) {
  sort_run runs[RUNS_MAX];
  const int found = find_runs(items, count, runs);
  if (found == 0 || !order_runs(items, runs, found))
    return NULL;
  if (found == 1)
    return items;
  sort_item *to = spare;
  for (int n = 0; n < found; n++) {
    const int32_t length = runs[n].end - runs[n].first;
    memcpy(to, items + runs[n].first, (size_t)length * sizeof *to);
    to += length;
  }
  return spare;
}

/* The next bit from `shift` on that is set in some key. */
static int next_used(uint64_t used, int shift) {
  while (shift < 64 && (used >> shift & 1) == 0)
    shift++;
  return shift;
}

/* Radix sort, least significant digit first. Each digit begins with a bit that is set in some key. */
static sort_item *sort_by_digits(sort_item *items, sort_item *spare, int32_t count) {
  uint64_t used = 0;
  for (int32_t i = 0; i < count; i++)
    used |= items[i].key;
  for (int shift = next_used(used, 0); shift < 64; shift = next_used(used, shift + DIGIT_BITS)) {
    int32_t start[DIGITS + 1] = {0};
    for (int32_t i = 0; i < count; i++)
      start[(items[i].key >> shift & (DIGITS - 1)) + 1]++;
    for (int d = 0; d < DIGITS; d++)
      start[d + 1] += start[d];
    for (int32_t i = 0; i < count; i++)
      spare[start[items[i].key >> shift & (DIGITS - 1)]++] = items[i];
    sort_item *sorted = spare;
    spare = items;
    items = sorted;
  }
  return items;
}

sort_item *sort_by_key(sort_item *items, sort_item *spare, int32_t count) {
  if (count < COUNTED_MIN)
    return insert_one_by_one(items, count);
  sort_item *joined = join_runs(items, spare, count);
  return joined ? joined : sort_by_digits(items, spare, count);
}

/* Shell sort: for short arrays it is insertion sort, and for long ones it needs no memory either. */
static void sort_numbers(int32_t *numbers, int32_t count) {
  int32_t gap = 1;
  while (gap < count / 3)
    gap = 3 * gap + 1;
  for (; gap > 0; gap /= 3)
    for (int32_t n = gap; n < count; n++) {
      const int32_t number = numbers[n];
      int32_t at = n;
      for (; at >= gap && numbers[at - gap] > number; at -= gap)
        numbers[at] = numbers[at - gap];
      numbers[at] = number;
    }
}

int32_t sort_distinct(int32_t *numbers, int32_t count) {
  int32_t kept = 0;
  sort_numbers(numbers, count);
  for (int32_t n = 0; n < count; n++)
    if (kept == 0 || numbers[n] != numbers[kept - 1])
      numbers[kept++] = numbers[n];
  return kept;
}

static int32_t key_at(const void *items, int32_t place, size_t item_size) {
  int32_t key;
  memcpy(&key, (const char *)items + (size_t)place * item_size, sizeof key);
  return key;
}

int32_t sorted_place(const void *items, int32_t count, size_t item_size, int32_t key) {
  int32_t low = 0, high = count;
  if (count == 0 || key_at(items, count - 1, item_size) < key)
    return count;
  while (low < high) {
    const int32_t middle = low + (high - low) / 2;
    if (key_at(items, middle, item_size) < key)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}
