#include "engine/scaling/aggregation.h"
#include "tests/support/networks.h"

#include <math.h>

/* A rope of rows with that mass each and couplings of 1. */
static level_matrix rope(memory *m, int32_t rows, double mass) {
  level_matrix b = {.own = memory_allocate_items(m, rows, sizeof(double))};
  cr_assert(b.own && sparse_matrix_open(&b.beside, m, rows, rows, 2 * (int64_t)rows));
  int32_t end = 0;
  for (int32_t i = 0; i < rows; i++) {
    b.own[i] = mass;
    for (int32_t j = i - 1; j <= i + 1; j += 2)
      if (j >= 0 && j < rows) {
        b.beside.column[end] = j;
        b.beside.value[end++] = -1;
      }
    b.beside.first[i + 1] = end;
  }
  return b;
}

static memory test_memory(void) {
  return (memory){.allocator = memory_default_allocator(), .limit = SIZE_MAX};
}

Test(aggregation, makes_a_third_of_a_rope_and_keeps_what_is_constant) {
  memory m = test_memory();
  level_matrix b = rope(&m, 90, 0);
  sparse_matrix p;
  cr_assert(aggregate_level(&p, &m, &b));
  cr_expect_eq(p.rows, 90);
  cr_expect_eq(p.columns, 30);
  for (int32_t i = 0; i < p.rows; i++) {
    double sum = 0;
    for (int32_t e = p.first[i]; e < p.first[i + 1]; e++)
      sum += p.value[e];
    cr_assert_float_eq(sum, 1, 1e-6, "row %d: %g", i, sum);
  }
  sparse_matrix_free(&p, &m);
  level_matrix_free(&b, &m);
  cr_expect_eq(m.used, 0);
}

/* Of `side` rows of as many, each with couplings of 1 to all around it. */
static level_matrix lattice(memory *m, int32_t side) {
  const int32_t rows = side * side;
  level_matrix b = {.own = memory_allocate_items(m, rows, sizeof(double))};
  cr_assert(b.own && sparse_matrix_open(&b.beside, m, rows, rows, 8 * (int64_t)rows));
  int32_t end = 0;
  for (int32_t i = 0; i < rows; i++) {
    b.own[i] = 1;
    for (int32_t j = 0; j < rows; j++)
      if (j != i && abs(j / side - i / side) <= 1 && abs(j % side - i % side) <= 1) {
        b.beside.column[end] = j;
        b.beside.value[end++] = -1;
      }
    b.beside.first[i + 1] = end;
  }
  return b;
}

/* Each takes part in the rows around it, with which it is smoothed. */
Test(aggregation, makes_blocks_of_three_by_three_of_a_lattice) {
  memory m = test_memory();
  level_matrix b = lattice(&m, 30);
  sparse_matrix p, restriction;
  cr_assert(aggregate_level(&p, &m, &b));
  cr_assert_eq(p.columns, 100, "%d", p.columns);
  cr_assert(sparse_matrix_transpose(&restriction, &m, &p));
  for (int32_t i = 0; i < 100; i++) {
    const bool is_inside = i % 10 > 0 && i % 10 < 8 && i / 10 > 0 && i / 10 < 8;
    cr_expect(!is_inside || restriction.first[i + 1] - restriction.first[i] == 25, "%d", i);
  }
  sparse_matrix_free(&restriction, &m);
  sparse_matrix_free(&p, &m);
  level_matrix_free(&b, &m);
}

Test(aggregation, leaves_alone_what_its_smoother_solves) {
  memory m = test_memory();
  level_matrix b = rope(&m, 90, 100);
  sparse_matrix p;
  cr_assert(aggregate_level(&p, &m, &b));
  cr_expect_eq(p.columns, 0);
  cr_expect_eq(level_smoother(&b, 5), 102, "most of the row is its diagonal");
  sparse_matrix_free(&p, &m);
  level_matrix_free(&b, &m);
}

/* Gershgorin: |B_ii| + sum |B_ij| is at most 1.6 S_ii. */
Test(aggregation, smooths_with_what_no_eigenvalue_is_above) {
  memory m = test_memory();
  for (int decade = -4; decade < 5; decade++) {
    level_matrix b = rope(&m, 5, pow(10, decade));
    for (int32_t i = 0; i < 5; i++) {
      const double adjacency = b.beside.first[i + 1] - b.beside.first[i];
      cr_expect_leq(level_diagonal(&b, i) + adjacency, 1.6 * level_smoother(&b, i) * (1 + 1e-12));
      cr_expect_geq(level_smoother(&b, i), level_diagonal(&b, i));
    }
    level_matrix_free(&b, &m);
  }
}
