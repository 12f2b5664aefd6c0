/* The fibres that make a material of a triangle or tetrahedron (constraint/fibre.h).

   A fibre of the stiffness k along the unit direction d has the energy 1/2 k (d.e d)^2 under a strain e, and so
   adds k d d d d / size to the elastic constants, size the area or volume; as springs of a lattice do, but
   along any directions, whatever the shape. Sums over few directions:

       0, 60, 120 degrees           (3/8)(the three ways to pair indices)       k = E A: E, nu = 1/3
       warp, weft, both diagonals   2 G A the diagonals, (C_11 - G) A, (C_22 - G) A the others, C of a lattice
       six axes of an icosahedron   (2/5)(the three ways to pair indices)       k = E V: E, nu = 1/4

   The strain of a triangle is uniform, so these are finite elements of linear shape functions, and exact where
   the strain is uniform. */
#ifndef MSD_ENGINE_BUILDER_FIBRES_H
#define MSD_ENGINE_BUILDER_FIBRES_H

#include "engine/builder/material.h"

enum { FIBRES_MAX = 6 };

/* What one triangle or tetrahedron has. */
typedef struct fibre_set {
  int count;
  msd_real weights[FIBRES_MAX][4];
  /* N m. */
  double stiffness[FIBRES_MAX];
} fibre_set;

/* None where it is flat. The warp runs along the grain, as far as the plane lets it, or else along x or z. */
fibre_set fibres_in_triangle(const material_numbers *m, const msd_vec3 rest[3], msd_vec3 grain);
fibre_set fibres_in_tetrahedron(const material_numbers *m, const msd_vec3 rest[4]);

/* `particles` are four; the last of a triangle is -1. */
void fibres_add(builder_constraints *constraints, const fibre_set *set, const int32_t particles[4]);

#endif
