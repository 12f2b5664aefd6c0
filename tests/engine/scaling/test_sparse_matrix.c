/* Matrices of the levels against dense ones, and their rows as vectors in every width. */

#include "engine/base/record.h"
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

/* In ascending columns, each once. */
static sparse_matrix sorted_matrix(memory *m, uint64_t seed) {
  sparse_matrix a = random_matrix(m, ROWS, COLUMNS, seed), turned, sorted;
  cr_assert(sparse_matrix_transpose(&turned, m, &a) && sparse_matrix_transpose(&sorted, m, &turned));
  sparse_matrix_merge(&sorted);
  sparse_matrix_free(&a, m), sparse_matrix_free(&turned, m);
  return sorted;
}

/* Small whole numbers; inverses are powers of two. */
static double entry(int c, int i) {
  return (i * 7 + c * 3) % 11 - 5;
}

static double inverse_at(int i) {
  return i % 3 ? 0.5 : 0.25;
}

typedef struct vectors {
  msd_real x[3][STRIDE], y[3][STRIDE], from[3][STRIDE], quads[PADDED * RECORD_QUAD], inverse[PADDED];
} vectors;

static void fill(vectors *v) {
  for (int i = 0; i < COLUMNS; i++) {
    v->inverse[i] = (msd_real)inverse_at(i);
    for (int c = 0; c < 3; c++) {
      v->x[c][i] = v->y[c][i] = v->from[c][i] = (msd_real)entry(c, i);
      v->quads[i * RECORD_QUAD + c] = (msd_real)entry(c, i);
    }
  }
}

/* Three neighbors in an order of few columns, as particles in a row have few aggregates; rows 30 and on go on
   from the first column again, as the next row of a sheet does. */
static sparse_matrix clustered_matrix(memory *m) {
  sparse_matrix a;
  int32_t end = 0;
  cr_assert(sparse_matrix_open(&a, m, ROWS, COLUMNS, ROWS * 4));
  for (int32_t i = 0; i < ROWS; i++) {
    for (int n = 0; n < 4; n++)
      if (n % 2 <= i % 3) {
        a.column[end] = i % 30 / 3 + n % 2 + (n < 2 ? 0 : 20);
        a.value[end++] = 1 + (i + n) % 5;
      }
    a.first[i + 1] = end;
  }
  return a;
}

static bool has_windows(const sparse_rows *rows, int32_t group) {
  bool has = true;
  for (int32_t n = rows->first[group]; n < rows->first[group + 1]; n++)
    has = has && rows->slots[n].shift >= 0;
  return has;
}

/* Whole groups are windows but for the one in which columns begin again. */
Test(sparse_matrix, columns_that_lie_close_are_picked_from_windows) {
  memory m = test_memory();
  sparse_matrix a = clustered_matrix(&m);
  sparse_rows windows, gathered;
  cr_assert(sparse_rows_make(&windows, &m, &a, SPARSE_WINDOWS) &&
            sparse_rows_make(&gathered, &m, &a, SPARSE_GATHERED));
  cr_assert_eq(windows.first[windows.group_count], gathered.first[gathered.group_count]);
  for (int32_t group = 0; group < windows.group_count; group++) {
    cr_expect_eq(has_windows(&windows, group), group != 1 && group != 3, "group %d", group);
    cr_expect(!has_windows(&gathered, group));
  }
  sparse_rows_free(&windows, &m), sparse_rows_free(&gathered, &m);
  sparse_matrix_free(&a, &m);
  cr_expect_eq(m.used, 0);
}

/* Takes the matrix. */
static void assert_products(memory *m, sparse_matrix a) {
  double *dense = dense_of(&a);
  sparse_rows rows, windows;
  cr_assert(sparse_rows_make(&rows, m, &a, SPARSE_GATHERED) &&
            sparse_rows_make(&windows, m, &a, SPARSE_WINDOWS));
  for (int simd = MSD_SIMD_SCALAR; simd < MSD_SIMD_COUNT; simd++) {
    static vectors v;
    static msd_real both[PADDED * RECORD_QUAD];
    const sparse_kernel *kernel = &kernels_choose((msd_simd)simd)->sparse;
    fill(&v);
    kernel->restrict_to(&rows, v.quads, v.inverse, (sparse_vector){v.y[0], STRIDE, NULL}, 0,
                        rows.group_count);
    kernel->prolong(&windows, (sparse_vector){v.from[0], STRIDE, v.quads},
                    (sparse_vector){v.x[0], STRIDE, NULL}, (sparse_vector){v.x[0], STRIDE, both}, 0,
                    rows.group_count);
    for (int c = 0; c < 3; c++)
      for (int i = 0; i < ROWS; i++) {
        double sum = 0;
        for (int j = 0; j < COLUMNS; j++)
          sum += dense[i * COLUMNS + j] * entry(c, j);
        cr_assert_eq((double)v.y[c][i], inverse_at(i) * sum, "width %d, row %d", simd, i);
        cr_assert_eq((double)v.x[c][i], entry(c, i) + sum, "width %d, row %d", simd, i);
        cr_assert_eq(both[i * RECORD_QUAD + c], v.x[c][i]);
      }
  }
  free(dense);
  sparse_rows_free(&rows, m), sparse_rows_free(&windows, m);
  sparse_matrix_free(&a, m);
  cr_expect_eq(m->used, 0);
}

Test(sparse_matrix, as_vectors_it_multiplies_quads_alike_in_every_width) {
  memory m = test_memory();
  assert_products(&m, sorted_matrix(&m, 3));
  assert_products(&m, clustered_matrix(&m));
}

/* (B z)_i = own_i z_i + sum a_ij (z_j - z_i). Takes the matrix. */
static void assert_sums(memory *m, sparse_matrix *a) {
  double *dense = dense_of(a);
  sparse_system system;
  static vectors v;
  cr_assert(sparse_rows_make(&system.rows, m, a, SPARSE_SHARED));
  for (int simd = MSD_SIMD_SCALAR; simd < MSD_SIMD_COUNT; simd++) {
    static msd_real block[2 * SPARSE_GUARD + 3 * STRIDE], left[PADDED * RECORD_QUAD],
        smoothed[PADDED * RECORD_QUAD], quads[PADDED * RECORD_QUAD];
    const sparse_vector start = {v.y[0], STRIDE, NULL};
    const sparse_vector z = {block + SPARSE_GUARD, STRIDE, simd % 2 ? quads : NULL};
    const sparse_kernel *kernel = &kernels_choose((msd_simd)simd)->sparse;
    static msd_real own[PADDED], weight[PADDED];
    fill(&v);
    system.own = own, system.weight = weight, system.inverse = v.inverse;
    for (int i = 0; i < ROWS; i++) {
      own[i] = (msd_real)(i % 4), weight[i] = (msd_real)(i % 5);
      for (size_t c = 0; c < 3; c++)
        z.at[c * STRIDE + (size_t)i] = quads[(size_t)i * RECORD_QUAD + c] = (msd_real)entry((int)c + 1, i);
    }
    kernel->residual(&system, z, left, 0, system.rows.group_count);
    kernel->smooth(&system, start, z, smoothed, 0, system.rows.group_count);
    for (int c = 0; c < 3; c++)
      for (int i = 0; i < ROWS; i++) {
        const double at = entry(c + 1, i);
        double sum = 0;
        for (int j = 0; j < COLUMNS; j++)
          sum += dense[i * COLUMNS + j] * (entry(c + 1, j) - at);
        const double ended = at + entry(c, i) - inverse_at(i) * (i % 4 * at + sum);
        cr_assert_eq((double)left[i * RECORD_QUAD + c], i % 5 * at - sum, "width %d, row %d", simd, i);
        cr_assert_eq((double)smoothed[i * RECORD_QUAD + c], ended, "width %d, row %d", simd, i);
        cr_assert_eq((double)v.y[c][i], ended, "width %d, row %d", simd, i);
      }
  }
  free(dense);
  sparse_rows_free(&system.rows, m);
  sparse_matrix_free(a, m);
  cr_expect_eq(m->used, 0);
}

/* Whether columns are shared or have indices. */
Test(sparse_matrix, as_a_system_it_leaves_and_smooths_what_its_sums_say_in_every_width) {
  memory m = test_memory();
  sparse_matrix a = sorted_matrix(&m, 4);
  assert_sums(&m, &a);
}

enum { MANY_ROWS = 33000, MANY_STRIDE = MANY_ROWS + 3 * SPARSE_GUARD };

/* Whole numbers on both sides of the diagonal: alike at distances of 1 and 17, but for one row not quite alike
   at 3, and above the diagonal alone at 5. */
static sparse_matrix banded_matrix(memory *m) {
  static const int32_t shifts[] = {-17, -3, -1, 1, 3, 5, 17};
  sparse_matrix a;
  int32_t end = 0;
  cr_assert(sparse_matrix_open(&a, m, MANY_ROWS, MANY_ROWS, MANY_ROWS * 7));
  for (int32_t i = 0; i < MANY_ROWS; i++) {
    for (int n = 0; n < 7; n++) {
      const int32_t j = i + shifts[n], least = j < i ? j : i;
      if (j < 0 || j >= MANY_ROWS || (abs(shifts[n]) == 17 && least % 10 == 4))
        continue;
      a.column[end] = j;
      a.value[end++] = 1 + least % 7 + (shifts[n] == 3 && i == 40);
    }
    a.first[i + 1] = end;
  }
  return a;
}

/* Slots of distances s and -s in the same group, the second of which is a window of the lanes of the first. */
static int count_windows(const sparse_rows *rows) {
  int windows = 0;
  for (int32_t group = 0; group < rows->group_count; group++)
    for (int32_t n = rows->first[group]; n < rows->first[group + 1]; n++)
      for (int32_t k = rows->first[group]; k < rows->first[group + 1]; k++) {
        const sparse_slot up = rows->slots[n], down = rows->slots[k];
        if (up.index >= 0 || down.index >= 0 || up.shift <= 0 || up.shift != -down.shift)
          continue;
        const bool is_window = down.values == up.values - up.shift;
        cr_expect_eq(is_window, up.shift == 1 || up.shift == 17, "group %d, distance %d", group, up.shift);
        windows += is_window;
      }
  return windows;
}

static double expected_residual(const sparse_matrix *a, int c, int32_t i) {
  double sum = i % 5 * entry(c, i);
  for (int32_t e = a->first[i]; e < a->first[i + 1]; e++)
    sum -= a->value[e] * (entry(c, a->column[e]) - entry(c, i));
  return sum;
}

Test(sparse_matrix, coefficients_of_distances_at_which_a_large_one_is_symmetric_lie_once_in_memory) {
  static msd_real block[2 * SPARSE_GUARD + 3 * MANY_STRIDE], weight[MANY_STRIDE],
      left[MANY_STRIDE * RECORD_QUAD];
  memory m = test_memory();
  sparse_matrix a = banded_matrix(&m);
  sparse_system system = {.weight = weight};
  const sparse_vector z = {block + SPARSE_GUARD, MANY_STRIDE, NULL};
  cr_assert(sparse_rows_make(&system.rows, &m, &a, SPARSE_SHARED));
  cr_expect_geq(count_windows(&system.rows), 4000);
  for (int32_t i = 0; i < MANY_ROWS; i++) {
    weight[i] = (msd_real)(i % 5);
    for (int c = 0; c < 3; c++)
      z.at[(size_t)c * MANY_STRIDE + (size_t)i] = (msd_real)entry(c, i);
  }
  for (int simd = MSD_SIMD_SCALAR; simd < MSD_SIMD_COUNT; simd++) {
    kernels_choose((msd_simd)simd)->sparse.residual(&system, z, left, 0, system.rows.group_count);
    for (int32_t i = 0; i < MANY_ROWS; i++)
      for (int c = 0; c < 3; c++)
        cr_assert_eq((double)left[i * RECORD_QUAD + c], expected_residual(&a, c, i), "width %d, row %d", simd,
                     i);
  }
  sparse_rows_free(&system.rows, &m);
  sparse_matrix_free(&a, &m);
  cr_expect_eq(m.used, 0);
}

/* One row of a group has an entry more, on the left: all others still share their slots, and it with them. */
Test(sparse_matrix, rows_share_the_slots_of_a_distance_whatever_else_one_of_them_has) {
  enum { COUNT = 3 * SPARSE_GROUP, ODD = SPARSE_GROUP };
  memory m = test_memory();
  sparse_matrix a;
  int32_t end = 0;
  cr_assert(sparse_matrix_open(&a, &m, COUNT, COUNT, 3 * COUNT));
  for (int32_t i = 0; i < COUNT; i++) {
    const int32_t shifts[] = {-3, -1, 2};
    for (int n = i == ODD ? 0 : 1; n < 3; n++)
      if (i + shifts[n] >= 0 && i + shifts[n] < COUNT) {
        a.column[end] = i + shifts[n];
        a.value[end++] = 1;
      }
    a.first[i + 1] = end;
  }
  sparse_rows rows;
  cr_assert(sparse_rows_make(&rows, &m, &a, SPARSE_SHARED));
  cr_assert_eq(rows.first[2] - rows.first[1], 3);
  const sparse_slot *slots = rows.slots + rows.first[1];
  cr_expect(slots[0].shift == -1 && slots[0].index < 0);
  cr_expect(slots[1].shift == 2 && slots[1].index < 0);
  cr_expect_geq(slots[2].index, 0);
  cr_expect_eq(rows.index[slots[2].index], (ODD - 3) * RECORD_QUAD);
  sparse_rows_free(&rows, &m);
  sparse_matrix_free(&a, &m);
  cr_expect_eq(m.used, 0);
}
