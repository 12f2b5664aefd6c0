/* A sparse matrix in groups of 16 rows, for any vector width, and its products with three columns at once.

   A group of 16 rows has slots, each with at most one coefficient per row. If many of the rows have a
   coefficient at the same distance from the diagonal, these share a slot with contiguous loads. The others
   are gathered by index, in slots after those.

       rows      i0 i0+1 ... i0+15       i0 i0+1 ... i0+15
                  |   |        |           \  |       /
       columns   +s  +s       +s          index by index

   In a group without shared slots, all slots may be windows: the columns of a slot lie in a range of
   SPARSE_WINDOW, from which wide vectors select with one instruction instead of gathering. This is common for
   groups that read a coarser level, since 16 consecutive particles have few aggregates.

   A row without a coefficient in a slot has 0 there. Sums follow the order of the slots, which depends on the
   matrix alone. So results do not depend on threads or vector width.

   If a matrix is large, and at a distance s half of its rows have symmetric coefficients, these are stored
   once, in lanes of their own: the coefficient between rows i and i+s is in lane i. The slots of -s are then
   shifted views of the lanes of s. */
#ifndef MSD_ENGINE_KERNEL_SPARSE_ROWS_H
#define MSD_ENGINE_KERNEL_SPARSE_ROWS_H

#include "engine/kernel/spring_force.h"

/* Vectors have this many zeros before and after them, which contiguous loads may read. */
enum { SPARSE_GROUP = 16, SPARSE_GUARD = 16 };

/* The number of columns of a window; every vector width with a select instruction can load it. */
enum { SPARSE_WINDOW = 8 };

typedef struct sparse_slot {
  /* Column minus row if `index` is negative. Else the first column of a window, or -1. All slots of a group
     are windows, or none is. */
  int32_t shift;
  /* First of 16 entries in sparse_rows.index; -1: none, the columns are row + shift. */
  int32_t index;
  /* First of 16 entries in sparse_rows.values. */
  int32_t values;
} sparse_slot;

typedef struct sparse_rows {
  int32_t group_count;
  /* group_count + 1 entries: the first slot of each group. */
  int32_t *first;
  sparse_slot *slots;
  /* The lanes of shared distances, then 16 values for each other slot. */
  msd_real *values;
  /* Offsets of the columns in quads: RECORD_QUAD times the column. */
  int32_t *index;
} sparse_rows;

/* Three components of a vector, `stride` apart. A copy as quads makes gathering single rows faster. */
typedef struct sparse_vector {
  msd_real *at;
  size_t stride;
  /* The same vector as quads; NULL: none. */
  msd_real *quads;
} sparse_vector;

/* A symmetric matrix B as row sums and off-diagonal coefficients: (B z)_i = own_i z_i + sum a_ij (z_j - z_i),
   which loses no digits where z is smooth. Its smoother z = S^-1 r is stored as `inverse`, and as `weight`, S
   minus the row sums, to compute the residual. */
typedef struct sparse_system {
  sparse_rows rows;
  msd_real *own, *inverse, *weight;
} sparse_system;

/* Each function computes the groups first..last-1 of the result. A vector named *_quads is given as quads
   only; a matrix that reads it has indices in all slots. */
typedef struct sparse_kernel {
  /* Fills the quads of a vector. */
  void (*fill_quads)(sparse_vector v, int32_t first, int32_t last);
  /* y = inverse A x, also as quads. */
  void (*restrict_to)(const sparse_rows *a, const msd_real *x_quads, const msd_real *inverse, sparse_vector y,
                      int32_t first, int32_t last);
  /* y = z + A x, also as quads. A may have windows, and x has quads. */
  void (*prolong)(const sparse_rows *a, sparse_vector x, sparse_vector z, sparse_vector y, int32_t first,
                  int32_t last);
  /* y = (S - B) z, which is the residual r - B z of z = S^-1 r. */
  void (*residual)(const sparse_system *b, sparse_vector z, msd_real *y_quads, int32_t first, int32_t last);
  /* y = z + start - inverse B z, which replaces `start`; y_quads may be NULL. */
  void (*smooth)(const sparse_system *b, sparse_vector start, sparse_vector z, msd_real *y_quads,
                 int32_t first, int32_t last);
  /* v' = decay (v + dt (kick - mean + force/m + g)), x' = x + dt v' for unpinned particles; pinned ones keep
     their velocity. in->loose is as in spring_input. `body`: per row the index into `mean`, or negative; NULL:
     no bodies. Returns whether all positions are finite. */
  bool (*move)(const spring_input *in, sparse_vector kick, const int32_t *body, double (*mean)[3],
               int32_t first, int32_t last);
  /* Extracts the change of v since `r` was a copy of it, as impulses in N s in r, and restores v. Returns
     whether any is not 0. Pinned particles have none and keep their velocity. */
  bool (*take_impulses)(const spring_input *in, sparse_vector r, int32_t first, int32_t last);
  /* r = inverse (r - m whole), with `whole` of the body of each row. */
  void (*take_out)(const spring_input *in, const msd_real *inverse, sparse_vector r, const int32_t *body,
                   double (*whole)[3], int32_t first, int32_t last);
  /* v += kick + whole - mean for unpinned particles, and x' = x + dt v for all; v in in->write. Returns
     whether all positions and velocities are finite. */
  bool (*change)(const spring_input *in, sparse_vector kick, const int32_t *body, double (*whole)[3],
                 double (*mean)[3], int32_t first, int32_t last);
} sparse_kernel;

#endif
