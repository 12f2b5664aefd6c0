/* Matrices of the levels against dense ones, and their rows as vectors in every width. */

#include "engine/kernel/widths.h"
#include "engine/scaling/sparse_matrix.h"
#include "tests/support/networks.h"

#include <math.h>

static memory test_memory(void) {
  return (memory){.allocator = memory_default_allocator(), .limit = SIZE_MAX};
}

/* Every row has a band beside the diagonal where it fits, and some entries anywhere; small whole numbers,
   which sums keep exactly. */
static sparse_matrix random_matrix(memory *m, int32_t rows, int32_t columns, uint64_t seed) {
  generator random = {.state = seed};
  sparse_matrix a;
  cr_assert(sparse_matrix_open(&a, m, rows, columns, (int64_t)rows * 6));
  int32_t end = 0;
  for (int32_t i = 0; i < rows; i++) {
    for (int32_t n = 0; n < 6; n++) {
      const int32_t column = n < 3 ? i + n * n - 1 : random_below(&random, columns);
      if (column < 0 || column >= columns)
        continue;
      a.column[end] = column;
      a.value[end++] = 1 + random_below(&random, 9);
    }
    a.first[i + 1] = end;
  }
  return a;
}

static double *dense_of(const sparse_matrix *a) {
  double *d = calloc((size_t)a->rows * (size_t)a->columns + 1, sizeof *d);
  cr_assert_not_null(d);
  for (int32_t i = 0; i < a->rows; i++)
    for (int32_t e = a->first[i]; e < a->first[i + 1]; e++)
      d[i * a->columns + a->column[e]] += a->value[e];
  return d;
}

Test(sparse_matrix, is_transposed_in_order_and_multiplied_as_dense_ones_are) {
  memory m = test_memory();
  sparse_matrix a = random_matrix(&m, 40, 40, 1), b = random_matrix(&m, 40, 23, 2), t, c;
  double diagonal[40];
  for (int i = 0; i < 40; i++)
    diagonal[i] = i % 5;
  cr_assert(sparse_matrix_transpose(&t, &m, &b));
  cr_assert(sparse_matrix_multiply(&c, &m, diagonal, &a, &b));
  double *da = dense_of(&a), *db = dense_of(&b), *dt = dense_of(&t), *dc = dense_of(&c);
  for (int i = 0; i < 40; i++)
    for (int j = 0; j < 23; j++) {
      double sum = diagonal[i] * db[i * 23 + j];
      for (int k = 0; k < 40; k++)
        sum += da[i * 40 + k] * db[k * 23 + j];
      cr_assert_eq(dc[i * 23 + j], sum, "%d %d", i, j);
      cr_assert_eq(dt[j * 40 + i], db[i * 23 + j]);
    }
  for (int32_t j = 0; j < t.rows; j++)
    for (int32_t e = t.first[j] + 1; e < t.first[j + 1]; e++)
      cr_assert_leq(t.column[e - 1], t.column[e]);
  free(da), free(db), free(dt), free(dc);
  sparse_matrix_free(&a, &m), sparse_matrix_free(&b, &m), sparse_matrix_free(&t, &m),
      sparse_matrix_free(&c, &m);
  cr_expect_eq(m.used, 0);
}

enum { ROWS = 70, COLUMNS = 70, PADDED = 80, STRIDE = PADDED + SPARSE_GUARD };

/* What some width makes of a vector of whole numbers, beside what is there already. */
static void product(const sparse_rows *rows, msd_simd simd, bool adds, msd_real y[3][STRIDE]) {
  static msd_real block[2 * SPARSE_GUARD + 3 * STRIDE];
  const sparse_vector x = {block + SPARSE_GUARD, STRIDE}, to = {y[0], STRIDE};
  for (int c = 0; c < 3; c++)
    for (int i = 0; i < COLUMNS; i++)
      x.at[c * STRIDE + i] = (msd_real)((i * 7 + c * 3) % 11 - 5);
  kernels_choose(simd)->sparse.multiply(rows, x, to, adds, 0, rows->group_count);
}

Test(sparse_matrix, as_vectors_it_multiplies_alike_in_every_width) {
  memory m = test_memory();
  sparse_matrix a = random_matrix(&m, ROWS, COLUMNS, 3), turned, sorted;
  cr_assert(sparse_matrix_transpose(&turned, &m, &a) && sparse_matrix_transpose(&sorted, &m, &turned));
  sparse_matrix_merge(&sorted);
  double *dense = dense_of(&a);
  sparse_rows rows;
  cr_assert(sparse_rows_make(&rows, &m, &sorted));
  for (int simd = MSD_SIMD_SCALAR; simd < MSD_SIMD_COUNT; simd++) {
    static msd_real y[3][STRIDE];
    product(&rows, (msd_simd)simd, false, y);
    product(&rows, (msd_simd)simd, true, y);
    for (int c = 0; c < 3; c++)
      for (int i = 0; i < ROWS; i++) {
        double sum = 0;
        for (int j = 0; j < COLUMNS; j++)
          sum += dense[i * COLUMNS + j] * ((j * 7 + c * 3) % 11 - 5);
        cr_assert_eq((double)y[c][i], 2 * sum, "width %d, row %d", simd, i);
      }
  }
  free(dense);
  sparse_rows_free(&rows, &m);
  sparse_matrix_free(&a, &m), sparse_matrix_free(&turned, &m), sparse_matrix_free(&sorted, &m);
  cr_expect_eq(m.used, 0);
}
