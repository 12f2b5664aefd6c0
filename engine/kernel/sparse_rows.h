/* A sparse matrix as vectors of 16 rows, whatever the width of the vectors that will run, and its products
   with three columns at once.

   A group of 16 rows has slots, each with at most one coefficient of each row. Where many of the rows have
   one at the same distance from the diagonal, these share a slot of plain loads; the others are gathered by
   indices, in slots behind those.

       rows      i0 i0+1 ... i0+15       i0 i0+1 ... i0+15
                  |   |        |           \  |       /
       columns   +s  +s       +s          index by index

   Where nothing is shared the slots of a group may be windows: all columns of a slot are among SPARSE_WINDOW
   that stand in a row, and wide vectors pick them with one instruction instead of gathering one by one. Groups
   that read a level with fewer rows are like that, as 16 particles in a row have few aggregates.

   A row that has no coefficient in a slot has 0 there. Sums go through the slots in their order, which
   the matrix alone decides, so no bit depends on threads or on the width of vectors.

   Where a matrix is large, and symmetric at a distance s that half of its rows have, these coefficients lie
   once in memory, in lanes of their own: that of row i and row i+s is in lane i. The slots of -s are then
   windows of the same lanes as those of s. */
#ifndef MSD_ENGINE_KERNEL_SPARSE_ROWS_H
#define MSD_ENGINE_KERNEL_SPARSE_ROWS_H

#include "engine/kernel/spring_force.h"

/* Vectors have that many zeros in front and behind, which plain loads may touch. */
enum { SPARSE_GROUP = 16, SPARSE_GUARD = 16 };

/* The columns of a window, which all widths of vectors that pick have room for. */
enum { SPARSE_WINDOW = 8 };

typedef struct sparse_slot {
  /* Column minus row, where `index` is below 0; else the first column of a window, -1: it is none. Of a group
     all slots are windows or none is. */
  int32_t shift;
  /* Where the 16 indices stand in sparse_rows.index; -1: nowhere, the columns are row + shift. */
  int32_t index;
  /* Where the 16 coefficients stand in sparse_rows.values. */
  int32_t values;
} sparse_slot;

typedef struct sparse_rows {
  int32_t group_count;
  /* group_count + 1 of them: where the slots of a group begin. */
  int32_t *first;
  sparse_slot *slots;
  /* Lanes of distances, then 16 for each other slot. */
  msd_real *values;
  /* Where in quads those of the columns begin: RECORD_QUAD times the columns. */
  int32_t *index;
} sparse_rows;

/* Three components of a vector with that distance between them. Single rows are faster to read where they stand
   in one place, as the first of four numbers ("quads"). */
typedef struct sparse_vector {
  msd_real *at;
  size_t stride;
  /* The same vector; NULL: it is not there. */
  msd_real *quads;
} sparse_vector;

/* A symmetric matrix B as its row sums and what is beside the diagonal: (B z)_i = own_i z_i + sum a_ij
   (z_j - z_i), which loses no digits where z is smooth; and its smoother z = S^-1 r, as `inverse` and, for
   what it leaves of r, as S less the row sums. */
typedef struct sparse_system {
  sparse_rows rows;
  msd_real *own, *inverse, *weight;
} sparse_system;

/* Each takes the groups first..last-1 of the result. Vectors named so are quads alone; the matrices that read
   them have indices in all slots. */
typedef struct sparse_kernel {
  /* The quads of a vector that has them. */
  void (*fill_quads)(sparse_vector v, int32_t first, int32_t last);
  /* y = inverse A x, also into its quads. */
  void (*restrict_to)(const sparse_rows *a, const msd_real *x_quads, const msd_real *inverse, sparse_vector y,
                      int32_t first, int32_t last);
  /* y = z + A x, also into its quads. A may have windows, and x has quads. */
  void (*prolong)(const sparse_rows *a, sparse_vector x, sparse_vector z, sparse_vector y, int32_t first,
                  int32_t last);
  /* y = (S - B) z, which is r - B z of z = S^-1 r. */
  void (*residual)(const sparse_system *b, sparse_vector z, msd_real *y_quads, int32_t first, int32_t last);
  /* y = z + start - inverse B z, which takes the place of `start`; y_quads may be NULL. */
  void (*smooth)(const sparse_system *b, sparse_vector start, sparse_vector z, msd_real *y_quads,
                 int32_t first, int32_t last);
  /* v' = decay (v + dt (kick - mean + force/m + g)), x' = x + dt v' of what is not pinned; pins go on as they
     do. `body`: the number of the mean of each row, if it is not below 0; NULL: there are none. Returns whether
     all positions are finite. */
  bool (*move)(const spring_input *in, sparse_vector kick, const int32_t *body, double (*mean)[3],
               int32_t first, int32_t last);
  /* What v has become since `r` was a copy of it, as impulses in N s in r; and v as it was. Returns whether
     there is any. Pins have none, and go on as they do. */
  bool (*take_impulses)(const spring_input *in, sparse_vector r, int32_t first, int32_t last);
  /* r = inverse (r - m whole), `whole` of the body that each row is in. */
  void (*take_out)(const spring_input *in, const msd_real *inverse, sparse_vector r, const int32_t *body,
                   double (*whole)[3], int32_t first, int32_t last);
  /* v += kick + whole - mean of what is not pinned, and x' = x + dt v of all; v of in->write. Returns whether
     all positions and velocities are finite. */
  bool (*change)(const spring_input *in, sparse_vector kick, const int32_t *body, double (*whole)[3],
                 double (*mean)[3], int32_t first, int32_t last);
} sparse_kernel;

#endif
