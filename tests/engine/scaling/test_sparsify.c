/* Levels with fewer couplings against the ones that they were made of. */

#include "engine/scaling/sparsify.h"
#include "tests/support/eigenvalue.h"
#include "tests/support/networks.h"

enum { ROWS = 24 };

static memory test_memory(void) {
  return (memory){.allocator = memory_default_allocator(), .limit = SIZE_MAX};
}

/* Of weights w_ij that are symmetric; those of 0 are not there. */
static level_matrix level_of(memory *m, double w[ROWS][ROWS]) {
  level_matrix b = {.own = memory_allocate_items(m, ROWS, sizeof(double))};
  cr_assert(b.own && sparse_matrix_open(&b.beside, m, ROWS, ROWS, ROWS * ROWS));
  int32_t end = 0;
  for (int32_t i = 0; i < ROWS; i++) {
    b.own[i] = 1 + i;
    for (int32_t j = 0; j < ROWS; j++)
      if (w[i][j] != 0) {
        b.beside.column[end] = j;
        b.beside.value[end++] = -w[i][j];
      }
    b.beside.first[i + 1] = end;
  }
  return b;
}

/* Which are symmetric to the last bit, and whose columns ascend. */
static int32_t weights_of(const level_matrix *b, double w[ROWS][ROWS]) {
  memset(w, 0, ROWS * sizeof *w);
  for (int32_t i = 0; i < ROWS; i++) {
    cr_assert_eq(b->own[i], 1 + i, "row sums stay");
    for (int32_t e = b->beside.first[i]; e < b->beside.first[i + 1]; e++) {
      cr_assert(e == b->beside.first[i] || b->beside.column[e] > b->beside.column[e - 1]);
      w[i][b->beside.column[e]] = -b->beside.value[e];
    }
  }
  for (int i = 0; i < ROWS; i++)
    for (int j = 0; j < i; j++)
      cr_assert_eq(w[i][j], w[j][i], "%d %d", i, j);
  return b->beside.first[ROWS];
}

static int32_t thin(double w[ROWS][ROWS]) {
  memory m = test_memory();
  level_matrix b = level_of(&m, w);
  cr_assert(thin_level(&b, &m));
  const int32_t entries = weights_of(&b, w);
  level_matrix_free(&b, &m);
  cr_expect_eq(m.used, 0);
  return entries;
}

static void couple(double w[ROWS][ROWS], int i, int j, double weight) {
  w[i][j] = w[j][i] = weight;
}

/* A rope in springs of weight 1 from each particle to the next, and of `bend` to the one behind that. */
static void make_rope(double w[ROWS][ROWS], double bend) {
  memset(w, 0, ROWS * sizeof *w);
  for (int i = 0; i + 1 < ROWS; i++) {
    couple(w, i, i + 1, 1);
    if (i + 2 < ROWS)
      couple(w, i, i + 2, bend);
  }
}

/* Each takes a weight of 2 to both springs between its ends, and each spring has two that reach over it, but
   for the first and the last. */
Test(sparsify, what_reaches_over_a_particle_goes_and_weighs_what_it_did_where_all_moves_smoothly) {
  double w[ROWS][ROWS], before = 0, behind = 0;
  make_rope(w, 0.1);
  for (int i = 0; i < ROWS; i++)
    for (int j = 0; j < i; j++)
      before += w[i][j] * (i - j) * (i - j);
  cr_expect_eq(thin(w), 2 * (ROWS - 1));
  for (int i = 0; i + 1 < ROWS; i++) {
    cr_expect_float_eq(w[i][i + 1], i == 0 || i + 2 == ROWS ? 1.2 : 1.4, 1e-12, "%d: %g", i, w[i][i + 1]);
    behind += w[i][i + 1];
  }
  cr_expect_float_eq(behind, before, 1e-9);
}

Test(sparsify, what_is_not_weak_or_has_no_way_around_stays) {
  double w[ROWS][ROWS], given[ROWS][ROWS];
  make_rope(w, 0.2);
  memcpy(given, w, sizeof w);
  thin(w);
  cr_expect(memcmp(w, given, sizeof w) == 0);
  make_rope(w, 0);
  couple(w, 3, 12, 0.001); /* and no row is beside both */
  memcpy(given, w, sizeof w);
  thin(w);
  cr_expect(memcmp(w, given, sizeof w) == 0);
}

/* A hub is coupled to all of a ring, and strongly to one of it: ways from it lead over that one alone, to the
   two beside it. */
Test(sparsify, ways_from_a_row_with_many_adjacency_are_found_from_either_end) {
  enum { HUB = ROWS - 1 };
  for (int hub_is_first = 0; hub_is_first < 2; hub_is_first++) {
    double w[ROWS][ROWS] = {{0}};
    const int hub = hub_is_first ? 0 : HUB, first = hub_is_first ? 1 : 0;
    for (int n = 0; n < HUB; n++) {
      couple(w, first + n, first + (n + 1) % HUB, 8);
      couple(w, hub, first + n, n == 0 ? 8 : 0.125);
    }
    cr_expect_eq(thin(w), 2 * (2 * HUB - 2));
    cr_expect_eq(w[hub][first + 1], 0);
    cr_expect_eq(w[hub][first + HUB - 1], 0);
    cr_expect_eq(w[hub][first], 8.5);
    cr_expect_eq(w[first][first + 1], 8.25);
    cr_expect_eq(w[first][first + HUB - 1], 8.25);
  }
}

/* x'(after - before)x for any x. */
Test(sparsify, no_matrix_is_less_than_the_one_it_was_made_of) {
  int gone = 0;
  for (uint64_t seed = 1; seed <= 60; seed++) {
    generator random = {.state = seed};
    double w[ROWS][ROWS] = {{0}}, given[ROWS][ROWS], more[ROWS][ROWS] = {{0}};
    for (int i = 0; i < ROWS; i++)
      for (int j = 0; j < i; j++)
        if (random_below(&random, 3) > 0) {
          const double weight = pow(10, -random_below(&random, 300) / 100.0);
          couple(w, i, j, random_below(&random, 8) ? weight : -0.01 * weight);
        }
    memcpy(given, w, sizeof w);
    thin(w);
    for (int i = 0; i < ROWS; i++)
      for (int j = 0; j < ROWS; j++) {
        more[i][j] -= w[i][j] - given[i][j];
        more[i][i] += w[i][j] - given[i][j];
        gone += i < j && w[i][j] == 0 && given[i][j] != 0;
      }
    const spectrum found = spectrum_of(more[0], ROWS, ROWS);
    cr_expect_geq(found.least, -1e-12, "seed %d: %g", (int)seed, found.least);
  }
  cr_expect_geq(gone, 1000, "%d", gone);
}
