/* The fibers that represent a material in a triangle or tetrahedron (see the constraint module).

   A fiber of stiffness k along the unit direction d has the energy 1/2 k (d.e d)^2 under a strain e. So it
   adds k d d d d / size to the elastic constants, with size the area or volume. Springs of a lattice do the
   same, but fibers can have any directions in any element shape. Sums over few directions:

       0, 60, 120 degrees           (3/8)(the three pairings of indices)            k = E A: E, nu = 1/3
       warp, weft, both diagonals   2 G A the diagonals, (C_11 - G) A, (C_22 - G) A the others, C of a lattice
       six axes of an icosahedron   (2/5)(the three pairings of indices)            k = E V: E, nu = 1/4

   The compression factor of a material acts on all fibers of the first two rows. So the shear modulus of a
   woven sheet is that of the material where both diagonals are in tension, and (1 + factor)/2 of it without.

   The strain of a triangle is uniform, so these are finite elements with linear shape functions, and exact
   for uniform strain. */
#ifndef MSD_ENGINE_BUILDER_FIBERS_H
#define MSD_ENGINE_BUILDER_FIBERS_H

#include "engine/builder/material.h"

enum { FIBERS_MAX = 6 };

/* The fibers of one triangle or tetrahedron. */
typedef struct fiber_set {
  int count;
  msd_real weights[FIBERS_MAX][4];
  /* N m. */
  double stiffness[FIBERS_MAX];
  double compression[FIBERS_MAX];
} fiber_set;

/* No fibers if it is flat. The warp is the projection of `warp` onto the plane, or of the x or z axis if
   that vanishes. */
fiber_set fibers_in_triangle(const material_numbers *m, const msd_vec3 rest[3], msd_vec3 warp);
fiber_set fibers_in_tetrahedron(const material_numbers *m, const msd_vec3 rest[4]);

/* The fold stiffness of the edge between rest[0] and rest[1] of a triangle. */
double fibers_fold_stiffness(const material_numbers *m, const msd_vec3 rest[3], msd_vec3 warp);

/* `particles` has four entries; the last is -1 for a triangle. */
void fibers_add(builder_constraints *constraints, const fiber_set *set, const int32_t particles[4]);

#endif
