/* Sparse matrices while the levels of a mass scaling are made: in double, row by row. All sums are taken in an
   order that the matrices alone decide. */
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

/* Room for so many rows and entries; first is all 0. Whatever makes a matrix here returns false where there is
   no memory, or it would have more than 2^31 - 1 entries; it is then empty. */
bool sparse_matrix_open(sparse_matrix *a, memory *m, int32_t rows, int32_t columns, int64_t entries);
void sparse_matrix_free(sparse_matrix *a, memory *m);

/* The columns of each row of a transposed matrix ascend. */
bool sparse_matrix_transpose(sparse_matrix *t, memory *m, const sparse_matrix *a);

/* c = (diagonal + a) b, without a diagonal where that is NULL. */
bool sparse_matrix_multiply(sparse_matrix *c, memory *m, const double *diagonal, const sparse_matrix *a,
                            const sparse_matrix *b);

/* Entries in one place become their sum; columns must ascend. */
void sparse_matrix_merge(sparse_matrix *a);

/* The entry in that place, -1: there is none; columns must ascend. */
int32_t sparse_matrix_find(const sparse_matrix *a, int32_t row, int32_t column);

/* What slots there may be beside gathered ones: those of rows at one distance from the diagonal, or windows. */
typedef enum sparse_slots { SPARSE_GATHERED, SPARSE_SHARED, SPARSE_WINDOWS } sparse_slots;

/* The rows as vectors; columns must ascend. */
bool sparse_rows_make(sparse_rows *rows, memory *m, const sparse_matrix *a, sparse_slots slots);
void sparse_rows_free(sparse_rows *rows, memory *m);

#endif
