/* Sparse matrices in double and CSR format, used to build the levels of a mass scaling. The order of all sums
   depends on the matrices alone. */
#ifndef MSD_ENGINE_SCALING_SPARSE_MATRIX_H
#define MSD_ENGINE_SCALING_SPARSE_MATRIX_H

#include "engine/base/memory.h"
#include "engine/kernel/sparse_rows.h"

/* Row i has the entries first[i] to first[i + 1] - 1. */
typedef struct sparse_matrix {
  int32_t rows, columns;
  int32_t *first, *column;
  double *value;
} sparse_matrix;

/* Allocates the rows and entries; first is all 0. Functions that create a matrix return false if memory runs
   out or it would have more than 2^31 - 1 entries; it is then empty. */
bool sparse_matrix_open(sparse_matrix *a, memory *m, int32_t rows, int32_t columns, int64_t entries);
void sparse_matrix_free(sparse_matrix *a, memory *m);

/* Transposes a matrix; its columns are then sorted. */
bool sparse_matrix_transpose(sparse_matrix *t, memory *m, const sparse_matrix *a);

/* c = (diagonal + a) b; `diagonal` may be NULL. */
bool sparse_matrix_multiply(sparse_matrix *c, memory *m, const double *diagonal, const sparse_matrix *a,
                            const sparse_matrix *b);

/* Sums duplicate entries; columns must ascend. */
void sparse_matrix_merge(sparse_matrix *a);

/* The index of an entry; -1: none. Columns must ascend. */
int32_t sparse_matrix_find(const sparse_matrix *a, int32_t row, int32_t column);

/* The types of slots besides gathered ones: shared slots for entries at one distance from the diagonal, or
   windows. */
typedef enum sparse_slots { SPARSE_GATHERED, SPARSE_SHARED, SPARSE_WINDOWS } sparse_slots;

/* Converts a matrix to groups of 16 rows; columns must ascend. */
bool sparse_rows_make(sparse_rows *rows, memory *m, const sparse_matrix *a, sparse_slots slots);
void sparse_rows_free(sparse_rows *rows, memory *m);

#endif
