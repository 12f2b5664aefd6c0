/* Sorting by key, against a sort that is plainly right. */
#include "tests/support/networks.h"

#include "engine/base/sort.h"

/* Random keys of that many bits; the answer is checked for order, for stability and for being a permutation. */
static void assert_sorts(int32_t count, int bits, uint64_t seed) {
  generator random = {.state = seed};
  sort_item *items = calloc((size_t)count + 1, sizeof *items),
            *spare = calloc((size_t)count + 1, sizeof *spare);
  uint64_t *keys = calloc((size_t)count + 1, sizeof *keys);
  bool *seen = calloc((size_t)count + 1, sizeof *seen);
  cr_assert(items && spare && keys && seen);
  for (int32_t i = 0; i < count; i++) {
    keys[i] = bits == 0 ? 0 : next_random(&random) >> (64 - bits);
    items[i] = (sort_item){keys[i], i};
  }
  const sort_item *sorted = sort_by_key(items, spare, count);
  cr_assert(sorted == items || sorted == spare);
  for (int32_t n = 0; n < count; n++) {
    const int32_t i = sorted[n].index;
    cr_assert(i >= 0 && i < count && !seen[i], "item %d appears twice", i);
    seen[i] = true;
    cr_assert_eq(sorted[n].key, keys[i]);
    if (n == 0)
      continue;
    cr_assert(sorted[n - 1].key < sorted[n].key ||
                  (sorted[n - 1].key == sorted[n].key && sorted[n - 1].index < i),
              "%d items of %d bits: place %d is out of order", count, bits, n);
  }
  free(items);
  free(spare);
  free(keys);
  free(seen);
}

Test(sort, keys_of_every_width_are_sorted_and_equal_ones_keep_their_order) {
  for (int bits = 0; bits <= 64; bits++)
    for (int32_t count = 0; count < 3000; count = 3 * count + 1)
      assert_sorts(count, bits, (uint64_t)(bits + 1));
}

Test(sort, the_largest_keys_are_sorted_too) {
  sort_item items[] = {{UINT64_MAX, 0}, {0, 1}, {UINT64_MAX - 1, 2}, {(uint64_t)1 << 63, 3}}, spare[4];
  const sort_item *sorted = sort_by_key(items, spare, 4);
  cr_assert(sorted[0].index == 1 && sorted[1].index == 3 && sorted[2].index == 2 && sorted[3].index == 0);
}

static void assert_sorts_keys(const uint64_t *keys, int32_t count) {
  enum { MOST = 4096 };
  static sort_item items[MOST], spare[MOST];
  static bool seen[MOST];
  cr_assert(count <= MOST);
  for (int32_t i = 0; i < count; i++)
    items[i] = (sort_item){keys[i], i};
  memset(seen, 0, sizeof seen);
  const sort_item *sorted = sort_by_key(items, spare, count);
  for (int32_t n = 0; n < count; n++) {
    cr_assert(!seen[sorted[n].index] && sorted[n].key == keys[sorted[n].index]);
    seen[sorted[n].index] = true;
    cr_assert(n == 0 || sorted[n - 1].key < sorted[n].key ||
                  (sorted[n - 1].key == sorted[n].key && sorted[n - 1].index < sorted[n].index),
              "place %d of %d is out of order", n, count);
  }
}

/* One to a hundred runs of ascending keys: in order, in the opposite order and shuffled; apart, touching with
   equal keys, and reaching into each other. */
Test(sort, runs_of_ascending_keys_are_sorted_and_equal_ones_keep_their_order) {
  enum { RUNS = 100, LENGTH = 40, SPAN = LENGTH / 2 - 1 };
  static uint64_t keys[RUNS * LENGTH];
  for (int runs = 1; runs <= RUNS; runs++)
    for (int apart = -3; apart <= 3; apart++)
      for (int order = 0; order < 3; order++) {
        for (int r = 0; r < runs; r++) {
          const int place = order == 0 ? r : order == 1 ? runs - 1 - r : (r * 37 + 11) % runs;
          for (int n = 0; n < LENGTH; n++)
            keys[r * LENGTH + n] = (uint64_t)(1000 + place * (SPAN + apart) + n / 2);
        }
        assert_sorts_keys(keys, runs * LENGTH);
      }
}

/* As the springs of a cloth: ascending in each family, and families above and below each other in turns. */
Test(sort, families_whose_upper_halves_differ_are_sorted) {
  enum { LENGTH = 100, FAMILIES = 6 };
  static const uint64_t upper[][FAMILIES] = {
      {1, 1000, 1001, 999, 2, 2000}, {5, 4, 3, 2, 1, 0}, {7, 7, 8, 7, 8, 7}};
  static uint64_t keys[FAMILIES * LENGTH];
  for (size_t k = 0; k < sizeof upper / sizeof *upper; k++)
    for (uint64_t step = 0; step < 3; step++) {
      for (int f = 0; f < FAMILIES; f++)
        for (uint64_t n = 0; n < LENGTH; n++)
          keys[f * LENGTH + (int)n] =
              (5000 - upper[k][f]) << 33 | (step * n + (uint64_t)f * LENGTH * (k == 2));
      assert_sorts_keys(keys, FAMILIES * LENGTH);
    }
}

Test(sort, large_arrays_are_sorted) {
  assert_sorts(300000, 60, 1);
  assert_sorts(300000, 12, 2);
}

typedef struct keyed {
  int32_t key;
  double value;
} keyed;

Test(sort, a_place_is_that_of_the_first_key_that_is_not_below) {
  enum { COUNT = 37 };
  keyed items[COUNT];
  for (int32_t i = 0; i < COUNT; i++)
    items[i] = (keyed){3 * (i / 2) - 10, i};
  for (int32_t count = 0; count <= COUNT; count++)
    for (int32_t key = -12; key < 50; key++) {
      int32_t first = 0;
      while (first < count && items[first].key < key)
        first++;
      cr_expect_eq(sorted_place(items, count, sizeof *items, key), first, "%d among %d", key, count);
    }
}

Test(sort, of_distinct_numbers_each_stays_once_and_they_ascend) {
  enum { MOST = 500, KINDS = 90 };
  generator random = {.state = 5};
  for (int32_t count = 0; count < MOST; count++) {
    int32_t numbers[MOST], kinds = 0;
    bool seen[KINDS] = {false};
    for (int32_t n = 0; n < count; n++) {
      numbers[n] = (int32_t)(next_random(&random) >> 32) % KINDS;
      numbers[n] = numbers[n] < 0 ? -numbers[n] : numbers[n];
      kinds += !seen[numbers[n]];
      seen[numbers[n]] = true;
    }
    cr_assert_eq(sort_distinct(numbers, count), kinds);
    for (int32_t n = 0; n < kinds; n++)
      cr_assert(seen[numbers[n]] && (n == 0 || numbers[n - 1] < numbers[n]), "%d of %d", n, count);
  }
}
