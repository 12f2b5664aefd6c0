/* Smoothed aggregation: from the rows of a level to fewer ones for the next. */
#ifndef MSD_ENGINE_SCALING_AGGREGATION_H
#define MSD_ENGINE_SCALING_AGGREGATION_H

#include "engine/scaling/sparse_matrix.h"

/* The symmetric matrix of a level: (B z)_i = own_i z_i + sum a_ij (z_j - z_i), with no diagonal in `beside`. */
typedef struct level_matrix {
  sparse_matrix beside;
  double *own;
} level_matrix;

void level_matrix_free(level_matrix *b, memory *m);

/* B_ii. */
double level_diagonal(const level_matrix *b, int32_t row);

/* S_ii of the smoother z = S^-1 r, which is max(B_ii, 0.625 sum |B_ij|): by Gershgorin no eigenvalue of
   S^-1 B is above 1.6. It is B_ii where that is most of the row, which is then solved. */
double level_smoother(const level_matrix *b, int32_t row);

/* From the next level to this one: constant on aggregates of neighbours, then smoothed once. With no
   columns where another level is not worth its while. */
bool aggregate_level(sparse_matrix *prolongation, memory *m, const level_matrix *b);

#endif
