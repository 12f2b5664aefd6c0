#include "engine/builder/lattice.h"

#include "engine/builder/fibers.h"

/* ------------------------------------------------------------------------------------------------ angles */

static int64_t angles_along(const lattice *l, int axis) {
  return l->count[axis] > 2 ? builder_product(l->count[axis] - 2, l->count[1 - axis]) : 0;
}

static int64_t count_angles(const lattice *l) {
  return builder_sum(angles_along(l, 0), angles_along(l, 1));
}

static void add_angles(builder_constraints *constraints, const lattice *l, int32_t first) {
  if (l->material)
    constraints->stiffness = (msd_real)l->bend[0];
  for (int axis = 0; axis < 2; axis++) {
    const int32_t stride = axis == 0 ? 1 : l->count[0];
    const int32_t columns = l->count[0] - (axis == 0 ? 2 : 0), rows = l->count[1] - (axis == 1 ? 2 : 0);
    for (int32_t j = 0; j < rows; j++)
      for (int32_t i = 0; i < columns; i++) {
        const int32_t a = first + lattice_index(l, i, j, 0);
        builder_constraints_add(constraints, (const int32_t[]){a, a + stride, a + 2 * stride});
      }
  }
}

const lattice_filling lattice_angles = {MSD_CONSTRAINT_ANGLE, count_angles, add_angles};

/* ------------------------------------------------------------------------------------------------ hinges */

/* The triangles are oriented from the second axis to the first. In the cell with the corner (i, j) they are
   (a, d, e) and (a, e, b) if the diagonal begins at (i, j), else (a, d, b) and (b, d, e):

       a --- b     a = (i, j)          b = (i + 1, j)
       |     |
       d --- e     d = (i, j + 1)      e = (i + 1, j + 1)

   Diagonals alternate. So the two triangles at an edge along a row have their far corners in one column, and
   those at an edge along a column in one row. */
static bool is_cut_from_first_corner(int32_t i, int32_t j) {
  return (i + j) % 2 == 0;
}

static int64_t count_folds(const lattice *l) {
  const int64_t columns = l->count[0], rows = l->count[1];
  if (columns < 2 || rows < 2)
    return 0;
  const int64_t along_rows = builder_product(columns - 1, rows - 2);
  const int64_t along_columns = builder_product(columns - 2, rows - 1);
  return builder_sum(builder_sum(along_rows, along_columns), builder_product(columns - 1, rows - 1));
}

static void add_folds(builder_constraints *constraints, const lattice *l, int32_t first) {
  const int32_t columns = l->count[0], rows = l->count[1];
  msd_real stiffness[3];
  for (int family = 0; family < 3; family++)
    stiffness[family] = l->material ? (msd_real)l->bend[family] : constraints->stiffness;
  constraints->stiffness = stiffness[0];
  for (int32_t j = 1; j + 1 < rows; j++)
    for (int32_t i = 0; i + 1 < columns; i++) {
      const int32_t d = first + lattice_index(l, i, j, 0), e = d + 1;
      const int32_t column = is_cut_from_first_corner(i, j - 1) ? d : e;
      builder_constraints_add(constraints, (const int32_t[]){d, e, column - columns, column + columns});
    }
  constraints->stiffness = stiffness[1];
  for (int32_t j = 0; j + 1 < rows; j++)
    for (int32_t i = 1; i + 1 < columns; i++) {
      const int32_t b = first + lattice_index(l, i, j, 0), e = b + columns;
      const int32_t row = is_cut_from_first_corner(i - 1, j) ? b : e;
      builder_constraints_add(constraints, (const int32_t[]){e, b, row - 1, row + 1});
    }
  constraints->stiffness = stiffness[2];
  for (int32_t j = 0; j + 1 < rows; j++)
    for (int32_t i = 0; i + 1 < columns; i++) {
      const int32_t a = first + lattice_index(l, i, j, 0), b = a + 1, d = a + columns, e = d + 1;
      if (is_cut_from_first_corner(i, j))
        builder_constraints_add(constraints, (const int32_t[]){e, a, d, b});
      else
        builder_constraints_add(constraints, (const int32_t[]){d, b, a, e});
    }
}

const lattice_filling lattice_folds = {MSD_CONSTRAINT_DIHEDRAL, count_folds, add_folds};

/* ------------------------------------------------------------------------------------------------ fibers */

enum { TRIANGLES_OF_CELL = 2 };

/* The corners of the two triangles of a cell, with a b d e as 0 1 2 3; second index 1 if the diagonal begins
   at the first corner. */
static const int cut_cells[2][TRIANGLES_OF_CELL][3] = {{{0, 2, 1}, {1, 2, 3}}, {{0, 2, 3}, {0, 3, 1}}};

static fiber_set fibers_of_cut(const lattice *l, const int corners[3]) {
  msd_vec3 rest[3];
  const msd_vec3 warp = {(msd_real)l->side[0][0], (msd_real)l->side[0][1], (msd_real)l->side[0][2]};
  for (int n = 0; n < 3; n++) {
    double p[3];
    for (int c = 0; c < 3; c++)
      p[c] = (corners[n] & 1) * l->side[0][c] / (l->count[0] - 1) +
             (corners[n] >> 1) * l->side[1][c] / (l->count[1] - 1);
    rest[n] = (msd_vec3){(msd_real)p[0], (msd_real)p[1], (msd_real)p[2]};
  }
  return fibers_in_triangle(l->material, rest, warp);
}

/* If the number of cells is odd, the first color of the chessboard has one more. */
static int64_t count_fibers(const lattice *l) {
  const int64_t all = builder_product(l->count[0] - 1, l->count[1] - 1);
  int64_t total = 0;
  for (int cut = 0; cut < 2; cut++)
    for (int t = 0; t < TRIANGLES_OF_CELL; t++)
      total = builder_sum(total, builder_product((all + cut) / 2, fibers_of_cut(l, cut_cells[cut][t]).count));
  return total;
}

static void add_fibers(builder_constraints *constraints, const lattice *l, int32_t first) {
  fiber_set sets[2][TRIANGLES_OF_CELL];
  for (int cut = 0; cut < 2; cut++)
    for (int t = 0; t < TRIANGLES_OF_CELL; t++)
      sets[cut][t] = fibers_of_cut(l, cut_cells[cut][t]);
  for (int32_t j = 0; j + 1 < l->count[1]; j++)
    for (int32_t i = 0; i + 1 < l->count[0]; i++) {
      const int cut = is_cut_from_first_corner(i, j);
      const int32_t a = first + lattice_index(l, i, j, 0);
      for (int t = 0; t < TRIANGLES_OF_CELL; t++) {
        int32_t particles[4] = {-1, -1, -1, -1};
        for (int n = 0; n < 3; n++) {
          const int corner = cut_cells[cut][t][n];
          particles[n] = a + (corner & 1) + (corner >> 1) * l->count[0];
        }
        fibers_add(constraints, &sets[cut][t], particles);
      }
    }
}

const lattice_filling lattice_fibers = {MSD_CONSTRAINT_FIBER, count_fibers, add_fibers};

/* -------------------------------------------------------------------------------------------- tetrahedra */

enum { TETRAHEDRA_OF_CELL = 5 };

/* For cells with even i + j + k. Corners of the cell are numbered by the bits 1, 2, 4 for x, y, z. */
static const int even_cell[TETRAHEDRA_OF_CELL][4] = {
    {0, 3, 6, 5}, {1, 0, 5, 3}, {2, 0, 3, 6}, {4, 0, 6, 5}, {7, 3, 5, 6}};

static int64_t count_tetrahedra(const lattice *l) {
  int64_t total = TETRAHEDRA_OF_CELL;
  for (int axis = 0; axis < 3; axis++)
    total = builder_product(total, l->count[axis] - 1);
  return total;
}

static void add_tetrahedra(builder_constraints *constraints, const lattice *l, int32_t first) {
  const int32_t stride[3] = {1, l->count[0], l->count[0] * l->count[1]};
  for (int32_t k = 0; k + 1 < l->count[2]; k++)
    for (int32_t j = 0; j + 1 < l->count[1]; j++)
      for (int32_t i = 0; i + 1 < l->count[0]; i++) {
        const int32_t cell = first + lattice_index(l, i, j, k);
        const bool odd = (i + j + k) % 2 != 0;
        for (int t = 0; t < TETRAHEDRA_OF_CELL; t++) {
          int32_t particles[4];
          for (int c = 0; c < 4; c++) {
            /* An odd cell is an even one mirrored in x. That changes the sign of the volumes, and so does
               swapping two corners. */
            const int corner = even_cell[t][odd && c >= 2 ? 5 - c : c] ^ (odd ? 1 : 0);
            particles[c] =
                cell + (corner & 1) * stride[0] + (corner >> 1 & 1) * stride[1] + (corner >> 2) * stride[2];
          }
          builder_constraints_add(constraints, particles);
        }
      }
}

const lattice_filling lattice_tetrahedra = {MSD_CONSTRAINT_VOLUME, count_tetrahedra, add_tetrahedra};
