/* Smoothed aggregation: builds the next coarser level of the multigrid hierarchy. */
#ifndef MSD_ENGINE_SCALING_AGGREGATION_H
#define MSD_ENGINE_SCALING_AGGREGATION_H

#include "engine/scaling/sparse_matrix.h"

/* The symmetric matrix of a level: (B z)_i = own_i z_i + sum a_ij (z_j - z_i). `beside` has the off-diagonal
   entries. */
typedef struct level_matrix {
  sparse_matrix beside;
  double *own;
} level_matrix;

void level_matrix_free(level_matrix *b, memory *m);

/* B_ii. */
double level_diagonal(const level_matrix *b, int32_t row);

/* S_ii of the smoother z = S^-1 r, which is max(B_ii, 0.625 sum |B_ij|). By Gershgorin no eigenvalue of S^-1
   B is above 1.6. It is B_ii for a diagonally dominant row, which the smoother then solves. */
double level_smoother(const level_matrix *b, int32_t row);

/* The prolongation from the next level to this one: constant on aggregates of neighbors, then smoothed once.
   It has no columns if another level is not worthwhile. */
bool aggregate_level(sparse_matrix *prolongation, memory *m, const level_matrix *b);

#endif
