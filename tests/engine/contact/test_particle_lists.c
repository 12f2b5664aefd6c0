/* Corners of pairs by particle, against going through all pairs. */
#include "engine/contact/particle_lists.h"

#include "tests/support/networks.h"

/* MANY are listed by several threads. */
enum { SLOTS = 40, PAIRS = 300, LATER = 200, MANY = 5000 };

typedef struct corners {
  memory memory;
  corner_lists lists;
  int32_t slots[PAIR_CORNERS][MANY];
  const int32_t *of[PAIR_CORNERS];
} corners;

/* Pairs of `most` slots, each four different ones. */
static corners *corners_new(uint64_t seed, int32_t most) {
  corners *c = calloc(1, sizeof *c);
  cr_assert_not_null(c);
  c->memory = (memory){.allocator = memory_default_allocator(), .limit = SIZE_MAX};
  generator random = {seed};
  for (int32_t n = 0; n < MANY; n++) {
    const int32_t first = random_below(&random, most);
    for (int k = 0; k < PAIR_CORNERS; k++)
      c->slots[k][n] = (first + k * k * (1 + n % 3)) % most;
  }
  for (int k = 0; k < PAIR_CORNERS; k++)
    c->of[k] = c->slots[k];
  cr_assert(corner_lists_reserve(&c->lists, &c->memory, SLOTS));
  return c;
}

static void corners_free(corners *c) {
  corner_lists_free(&c->lists, &c->memory);
  cr_assert_eq(c->memory.used, 0);
  free(c);
}

/* Each slot has its corners of the first pairs in their order. */
static void expect_corners(const corners *c, int32_t pairs) {
  const corner_lists *lists = &c->lists;
  int32_t owners = 0;
  for (int32_t slot = 0; slot < SLOTS; slot++) {
    const int32_t owner = lists->owner[slot];
    int32_t found = 0;
    for (int32_t n = 0; n < pairs; n++)
      for (int corner = 0; corner < PAIR_CORNERS; corner++)
        if (c->slots[corner][n] == slot) {
          cr_assert_eq(lists->slots[owner], slot);
          cr_assert_eq(lists->corners[lists->first[owner] + found++], PAIR_CORNERS * n + corner);
        }
    if (found > 0)
      cr_assert_eq(lists->last[owner] - lists->first[owner], found);
    owners += found > 0;
  }
  cr_assert_eq(lists->count, owners);
  for (int32_t n = 1; n < lists->late; n++)
    cr_assert_gt(lists->slots[n], lists->slots[n - 1]);
}

Test(corner_lists, pairs_that_come_in_lots_are_listed_as_if_they_had_come_at_once) {
  int appended = 0;
  for (int32_t lot = 1; lot < 60; lot += 7) {
    corners *c = corners_new((uint64_t)lot, lot % 2 ? SLOTS : SLOTS / 2);
    for (int32_t n = 0; n < PAIRS; n += lot) {
      const int32_t end = n + lot < PAIRS ? n + lot : PAIRS;
      const corners_extended done = corner_lists_extend(&c->lists, &c->memory, c->of, n, end, NULL, 1);
      cr_assert_neq(done, CORNERS_NONE);
      appended += done == CORNERS_APPENDED;
      expect_corners(c, end);
    }
    corners_free(c);
  }
  cr_expect_gt(appended, 50);
}

/* Of pairs that come in two lots, so that some have their corners elsewhere. */
Test(corner_lists, threads_that_share_corners_have_each_owner_once_and_even_shares) {
  for (int threads = 1; threads <= 16; threads++) {
    corners *c = corners_new((uint64_t)threads, SLOTS);
    const int32_t pairs[] = {PAIRS, PAIRS + LATER};
    for (int lot = 0; lot < 2; lot++) {
      cr_assert_neq(
          corner_lists_extend(&c->lists, &c->memory, c->of, lot ? pairs[0] : 0, pairs[lot], NULL, 1),
          CORNERS_NONE);
      const corner_lists *lists = &c->lists;
      int32_t most = 0, end = 0;
      for (int32_t n = 0; n < lists->count; n++)
        most = lists->last[n] - lists->first[n] > most ? lists->last[n] - lists->first[n] : most;
      for (int thread = 0; thread < threads; thread++) {
        const parallel_range own = corner_lists_split(lists, thread, threads);
        int32_t corners_own = 0;
        cr_assert_eq(own.first, end, "%d of %d", thread, threads);
        cr_assert_geq(own.last, own.first);
        for (int32_t n = own.first; n < own.last; n++)
          corners_own += lists->last[n] - lists->first[n];
        if (lot == 0)
          cr_expect_leq(corners_own, PAIR_CORNERS * pairs[0] / threads + 2 * most);
        end = own.last;
      }
      cr_assert_eq(end, lists->count);
    }
    corners_free(c);
  }
}

Test(corner_lists, without_corners_threads_share_nothing) {
  corners *c = corners_new(1, SLOTS);
  cr_assert(corner_lists_make(&c->lists, &c->memory, c->of, PAIR_CORNERS, 0, NULL, 1));
  for (int thread = 0; thread < 3; thread++)
    cr_expect_eq(corner_lists_split(&c->lists, thread, 3).last, 0);
  corners_free(c);
}

Test(corner_lists, threads_list_them_as_one_does) {
  for (int threads = 1; threads < 9; threads++) {
    corners *c = corners_new((uint64_t)threads, threads % 2 ? SLOTS : SLOTS / 2);
    cr_assert(corner_lists_make(&c->lists, &c->memory, c->of, PAIR_CORNERS, MANY, NULL, threads));
    expect_corners(c, MANY);
    corners_free(c);
  }
}

Test(corner_lists, threads_that_there_is_no_room_for_are_done_without) {
  corners *c = corners_new(7, SLOTS);
  cr_assert(corner_lists_make(&c->lists, &c->memory, c->of, PAIR_CORNERS, MANY, NULL, 1));
  c->memory.limit = c->memory.used;
  cr_assert(corner_lists_make(&c->lists, &c->memory, c->of, PAIR_CORNERS, MANY, NULL, 4));
  expect_corners(c, MANY);
  corners_free(c);
}

/* Each thread goes through all slots. */
Test(corner_lists, threads_take_no_more_places_than_there_are_slots_and_corners) {
  for (int32_t slots = SLOTS; slots < 100 * MANY; slots *= 5) {
    corners *c = corners_new(8, SLOTS);
    corner_lists_free(&c->lists, &c->memory);
    cr_assert(corner_lists_reserve(&c->lists, &c->memory, slots));
    cr_assert(corner_lists_make(&c->lists, &c->memory, c->of, PAIR_CORNERS, MANY, NULL, 64));
    cr_expect_leq((int64_t)c->lists.makers * slots, (int64_t)slots + PAIR_CORNERS * MANY, "%d slots",
                  (int)slots);
    cr_expect(slots > SLOTS || c->lists.makers == 64);
    corners_free(c);
  }
}

/* Half of all are expected; pairs of theirs come one by one to none, as others have some to begin with. */
Test(corner_lists, who_is_expected_gets_corners_without_all_being_listed_anew) {
  for (int threads = 1; threads < 4; threads++) {
    corners *c = corners_new(9, SLOTS / 2);
    atomic_uchar expected[SLOTS];
    for (int32_t slot = 0; slot < SLOTS; slot++)
      atomic_init(&expected[slot], slot < SLOTS / 2);
    for (int corner = 0; corner < PAIR_CORNERS; corner++)
      for (int32_t n = 0; n < MANY - PAIRS; n++)
        c->slots[corner][n] = SLOTS - 1 - corner;
    c->lists.expected = expected;
    cr_assert(corner_lists_make(&c->lists, &c->memory, c->of, PAIR_CORNERS, MANY - PAIRS, NULL, threads));
    cr_assert_eq(c->lists.count, SLOTS / 2 + PAIR_CORNERS);
    for (int32_t slot = 0; slot < SLOTS / 2; slot++) {
      cr_expect_eq(c->lists.slots[slot], slot);
      cr_expect_eq(c->lists.first[slot], c->lists.last[slot], "it has none yet");
    }
    for (int32_t n = MANY - PAIRS; n < MANY - PAIRS + LATER; n++)
      cr_assert_eq(corner_lists_extend(&c->lists, &c->memory, c->of, n, n + 1, NULL, threads),
                   CORNERS_APPENDED);
    for (int32_t slot = 0; slot < SLOTS / 2; slot++) {
      int32_t k = c->lists.first[slot];
      for (int32_t n = MANY - PAIRS; n < MANY - PAIRS + LATER; n++)
        for (int corner = 0; corner < PAIR_CORNERS; corner++)
          if (c->slots[corner][n] == slot)
            cr_assert_eq(c->lists.corners[k++], PAIR_CORNERS * n + corner);
      cr_assert_eq(k, c->lists.last[slot]);
    }
    corners_free(c);
  }
}

/* Pairs of four slots each that were in none before. */
Test(corner_lists, a_few_that_were_not_expected_come_behind_the_others_and_threads_find_each_once) {
  corners *c = corners_new(10, SLOTS);
  for (int corner = 0; corner < PAIR_CORNERS; corner++)
    for (int32_t n = 0; n < SLOTS / PAIR_CORNERS; n++)
      c->slots[corner][n] = SLOTS - 1 - PAIR_CORNERS * n - corner;
  cr_assert_eq(corner_lists_extend(&c->lists, &c->memory, c->of, 0, 2, NULL, 1), CORNERS_MADE);
  for (int32_t n = 2; n < 2 + CORNERS_LATE / PAIR_CORNERS; n++) {
    cr_assert_eq(corner_lists_extend(&c->lists, &c->memory, c->of, n, n + 1, NULL, 1), CORNERS_APPENDED);
    expect_corners(c, n + 1);
    int found[SLOTS] = {0};
    for (int32_t first = 0; first < SLOTS; first += 7) {
      const parallel_range own = {first, first + 7 < SLOTS ? first + 7 : SLOTS};
      for (parallel_range run = corner_lists_next(&c->lists, 0, own); run.first < run.last;
           run = corner_lists_next(&c->lists, run.last, own))
        for (int32_t k = run.first; k < run.last; k++)
          found[c->lists.slots[k]]++;
    }
    for (int32_t slot = 0; slot < SLOTS; slot++)
      cr_assert_eq(found[slot], slot >= SLOTS - PAIR_CORNERS * (n + 1));
  }
  const int32_t last = 2 + CORNERS_LATE / PAIR_CORNERS;
  cr_assert_eq(corner_lists_extend(&c->lists, &c->memory, c->of, last, last + 1, NULL, 1), CORNERS_MADE,
               "they are too many");
  expect_corners(c, last + 1);
  cr_expect_eq(c->lists.late, c->lists.count);
  corners_free(c);
}

Test(corner_lists, a_pair_is_found_by_its_corners) {
  corners *c = corners_new(5, SLOTS);
  cr_assert_neq(corner_lists_extend(&c->lists, &c->memory, c->of, 0, PAIRS / 2, NULL, 1), CORNERS_NONE);
  for (int32_t n = 0; n < PAIRS; n++) {
    const int32_t wanted[PAIR_CORNERS] = {c->slots[0][n], c->slots[1][n], c->slots[2][n], c->slots[3][n]};
    for (int32_t from = 0; from < PAIRS / 2; from += 29) {
      int32_t expected = from;
      while (expected < PAIRS / 2 &&
             (c->slots[0][expected] != wanted[0] || c->slots[1][expected] != wanted[1] ||
              c->slots[2][expected] != wanted[2] || c->slots[3][expected] != wanted[3]))
        expected++;
      cr_assert_eq(corner_lists_find(&c->lists, c->of, wanted, from), expected < PAIRS / 2 ? expected : -1);
    }
  }
  corners_free(c);
}

Test(corner_lists, what_has_no_pairs_is_in_none) {
  corners *c = corners_new(6, SLOTS);
  cr_expect_eq(corner_lists_find(&c->lists, c->of, (const int32_t[]){0, 1, 2, 3}, 0), -1);
  cr_assert_neq(corner_lists_extend(&c->lists, &c->memory, c->of, 0, 0, NULL, 1), CORNERS_NONE);
  cr_expect_eq(corner_lists_find(&c->lists, c->of, (const int32_t[]){0, 1, 2, 3}, 0), -1);
  corners_free(c);
}
