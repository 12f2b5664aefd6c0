/* Pairs of particles near each other in a row, listed along it, as leaves list theirs. */
#include "engine/contact/pair_index.h"

#include "tests/support/networks.h"

#include <criterion/criterion.h>

#include <string.h>

enum { PARTICLES = 400, PAIRS = 5 * 997, LOTS = 4, SHARES = 3 };

typedef struct row {
  memory memory;
  pair_index at;
  int32_t slots[PAIRS][PAIR_CORNERS];
  pair_list list;
  uint8_t marked[PARTICLES];
} row;

static row *row_new(uint64_t seed, int threads) {
  row *r = calloc(1, sizeof *r);
  cr_assert_not_null(r);
  r->memory = (memory){.allocator = memory_default_allocator(), .limit = SIZE_MAX};
  generator random = {.state = seed};
  for (int32_t n = 0; n < PAIRS; n++)
    for (int corner = 0; corner < PAIR_CORNERS; corner++)
      r->slots[n][corner] =
          (n * (PARTICLES / 2) / PAIRS + random_below(&random, 9) * (corner + 1)) % PARTICLES;
  r->list = (pair_list){.count = PAIRS, .capacity = PAIRS, .slots = r->slots};
  cr_assert(pair_index_reserve(&r->at, &r->memory, PARTICLES, threads));
  return r;
}

static void row_free(row *r) {
  pair_index_free(&r->at, &r->memory);
  cr_assert_eq(r->memory.used, 0);
  free(r);
}

static bool has_marked(const row *r, int32_t n) {
  bool has = false;
  for (int corner = 0; corner < PAIR_CORNERS; corner++)
    has = has || r->marked[r->slots[n][corner]];
  return has;
}

/* How often each is looked at, in shares that begin anywhere. */
static void look(const row *r, int32_t looked_at[PAIRS]) {
  memset(looked_at, 0, PAIRS * sizeof *looked_at);
  for (int share = 0; share < SHARES; share++) {
    const parallel_range own = parallel_split(r->list.count, share, SHARES);
    int32_t end = own.first;
    for (parallel_range run = pair_index_next(&r->at, own); run.first < run.last;
         run = pair_index_next(&r->at, (parallel_range){run.last, own.last})) {
      cr_assert_geq(run.first, end);
      cr_assert_leq(run.last, own.last);
      for (int32_t n = run.first; n < run.last; n++)
        looked_at[n]++;
      end = run.last;
    }
  }
}

/* Each pair of who is marked once; others where their block has one of those. */
static void expect_found(const row *r) {
  static int32_t looked_at[PAIRS];
  look(r, looked_at);
  int64_t count = 0;
  for (int32_t first = 0; first < r->list.count; first += LISTED_BLOCK) {
    bool is_asked = false;
    for (int32_t n = first; n < first + LISTED_BLOCK && n < r->list.count; n++)
      is_asked = is_asked || has_marked(r, n);
    for (int32_t n = first; n < first + LISTED_BLOCK && n < r->list.count; n++)
      cr_assert_eq(looked_at[n], is_asked, "pair %d of %d", (int)n, (int)r->list.count);
    count += is_asked ? LISTED_BLOCK : 0;
  }
  cr_assert_eq(pair_index_count(&r->at, &r->list), count);
}

static void mark(row *r, generator *random, int32_t count) {
  memset(r->marked, 0, sizeof r->marked);
  for (int32_t n = 0; n < count; n++)
    r->marked[random_below(random, PARTICLES)] = (uint8_t)(1 << n % 8);
}

Test(pair_index, what_is_looked_at_are_the_blocks_with_pairs_of_who_is_marked) {
  generator random = {.state = 11};
  for (int32_t marked = 0; marked < 40; marked = 2 * marked + 1) {
    row *r = row_new((uint64_t)marked, 1 + marked % 16);
    for (int lot = 1; lot <= LOTS; lot++) {
      r->list.count = PAIRS * lot / LOTS;
      mark(r, &random, marked);
      pair_index_find(&r->at, &r->memory, &r->list, r->marked, NULL);
      expect_found(r);
    }
    row_free(r);
  }
}

/* All of it at once, and what is listed behind it later. */
Test(pair_index, threads_find_the_blocks_of_a_long_list_together) {
  generator random = {.state = 14};
  for (int threads = 1; threads <= 16; threads++) {
    row *r = row_new((uint64_t)threads, threads);
    for (int32_t count = PAIRS - 700; count <= PAIRS; count += 350) {
      r->list.count = count;
      mark(r, &random, 5);
      pair_index_find(&r->at, &r->memory, &r->list, r->marked, NULL);
      cr_assert(r->at.knows);
      expect_found(r);
    }
    row_free(r);
  }
}

static void expect_all(const row *r) {
  static int32_t looked_at[PAIRS];
  look(r, looked_at);
  for (int32_t n = 0; n < r->list.count; n++)
    cr_assert_eq(looked_at[n], 1);
  cr_assert_eq(pair_index_count(&r->at, &r->list), r->list.count);
}

Test(pair_index, all_are_looked_at_where_none_are_marked) {
  row *r = row_new(3, 1);
  generator random = {.state = 12};
  mark(r, &random, 2);
  pair_index_find(&r->at, &r->memory, &r->list, r->marked, NULL);
  expect_found(r);
  pair_index_find(&r->at, &r->memory, &r->list, NULL, NULL);
  expect_all(r);
  row_free(r);
}

static bool some_are_noted(const pair_index *l) {
  bool some = false;
  for (int n = 0; n < l->share_count; n++)
    some = some || l->shares[n].noted > 0;
  return some;
}

/* Memory that becomes more from try to try, by less than the blocks take: some pairs are noted before there is
   room for all. */
Test(pair_index, all_are_looked_at_until_there_is_memory_to_note_them) {
  for (int threads = 1; threads <= 3; threads += 2) {
    row *r = row_new(3, threads);
    generator random = {.state = 12};
    mark(r, &random, 2);
    int noted_in_part = 0;
    for (size_t more = 0; !r->at.knows; more += 64) {
      cr_assert_lt(more, 1 << 18);
      r->memory.limit = r->memory.used + more;
      pair_index_find(&r->at, &r->memory, &r->list, r->marked, NULL);
      if (!r->at.knows)
        expect_all(r);
      noted_in_part += !r->at.knows && some_are_noted(&r->at);
    }
    cr_expect_gt(noted_in_part, 0);
    expect_found(r);
    row_free(r);
  }
}

Test(pair_index, another_list_has_its_own_blocks) {
  row *r = row_new(4, 2);
  generator random = {.state = 13};
  mark(r, &random, 3);
  pair_index_find(&r->at, &r->memory, &r->list, r->marked, NULL);
  for (int32_t n = 0; n < PAIRS / 2; n++)
    for (int corner = 0; corner < PAIR_CORNERS; corner++) {
      const int32_t other = r->slots[n][corner];
      r->slots[n][corner] = r->slots[PAIRS - 1 - n][corner];
      r->slots[PAIRS - 1 - n][corner] = other;
    }
  pair_index_forget(&r->at);
  pair_index_find(&r->at, &r->memory, &r->list, r->marked, NULL);
  expect_found(r);
  r->list.count = 0;
  pair_index_forget(&r->at);
  pair_index_find(&r->at, &r->memory, &r->list, r->marked, NULL);
  expect_found(r);
  row_free(r);
}
