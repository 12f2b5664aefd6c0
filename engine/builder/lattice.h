/* Lattices of particles in 1, 2 and 3 dimensions, and the constraints that fill them. */
#ifndef MSD_ENGINE_BUILDER_LATTICE_H
#define MSD_ENGINE_BUILDER_LATTICE_H

#include "engine/builder/material.h"

/* Particle (i, j, k) has the index (k count[1] + j) count[0] + i. Its position is origin + sum over the axes
   of side * i/(count-1). */
typedef struct lattice {
  /* The name of the body, for messages. */
  const char *name;
  int32_t count[3];
  double origin[3], side[3][3];
  /* origin + side[0], or the given end point, which that sum may miss by a rounding error. */
  double end[3];
  const char *side_name[3];
  /* kg: of all particles. */
  double mass;
  /* The material of the body, with the sides of its cells in m. NULL: masses are equal, and springs have the
     stiffness of their pattern. */
  const material_numbers *material;
  double cell[3];
  /* N m/rad: for angles the first; for hinges those of edges along the first axis, along the second, and of
     diagonals. */
  double bend[3];
} lattice;

static inline int32_t lattice_index(const lattice *l, int32_t i, int32_t j, int32_t k) {
  return (k * l->count[1] + j) * l->count[0] + i;
}

/* Constraints of one type that fill a lattice. */
typedef struct lattice_filling {
  msd_constraint_kind kind;
  int64_t (*count)(const lattice *l);

  /* Adds them; `first` is the particle (0, 0, 0). */
  void (*add)(builder_constraints *constraints, const lattice *l, int32_t first);
} lattice_filling;

/* Angles at the middle of every three consecutive particles along the first axis, then along the second. */
extern const lattice_filling lattice_angles;

/* Dihedral angles across every inner edge of a grid in the plane of the first two axes. Each cell is split
   into two triangles by diagonals that alternate as on a chessboard:

       + --- + --- + --- +      along rows, then along columns, then along diagonals
       |  \  |  /  |  \  |
       + --- + --- + --- +
       |  /  |  \  |  /  |
       + --- + --- + --- + */
extern const lattice_filling lattice_folds;

/* The fibers of the material in the same triangles. */
extern const lattice_filling lattice_fibers;

/* The volumes of five tetrahedra in every cell: one on four corners of the cell no two of which share an
   edge, and one at each of the other four. The selection alternates as on a chessboard in three dimensions,
   so that neighboring cells share the diagonals of their faces. All volumes are positive. */
extern const lattice_filling lattice_tetrahedra;

#endif
