/* Conversion of a material to the stiffness, masses and damping of a body.

   Consider a lattice of springs along its axes and along the diagonals of its faces, with cells h_1 x h_2 (x
   h_3) of the volume V = product of h (an area, or a length). Under uniform strain it has the elastic
   constants

       C_ab = 2 k_ab h_a^2 h_b^2 / (L^2 V)                      of the diagonals of face ab, L^2 = h_a^2 + h_b^2
       C_aa = k_a h_a^2 / V + sum over b of C_ab h_a^2 / h_b^2

   where C_ab couples stretches along a and b, and is also the shear constant in ab, as for all central forces
   (Cauchy's relation). Solving for k gives the springs for any C. All springs have equal neighbors on both
   sides, so particles move affinely with the strain, and the constants are exact. A spring between cells
   belongs to all of them in equal fractions; at a border there are fewer cells.

   A sheet of E_u, E_v (in N/m) and the shear modulus G has C_12 = G and, from E_u = C_11 - G^2/C_22 and the
   same for v,

       C_11 = (E_u + sqrt(E_u^2 + 4 G^2 E_u/E_v))/2              C_22 = C_11 E_v/E_u

   and is isotropic for G = 3/8 E. An isotropic solid has C_aa = 6/5 E and C_ab = 2/5 E.

   Bending: consider a row of cells h long and b wide, with hinges of stiffness k at edges and k_d at
   diagonals. Under a moment M per width it bends by M h/B = M b (1/k + (b^2/L^2)/k_d) at each line of edges.
   k_d is the larger of the values for the two directions if all hinges were equal, B (b/h)(1 + b^2/L^2), each
   with its own B. k of both directions then follows, and is above 0. */
#ifndef MSD_ENGINE_BUILDER_MATERIAL_H
#define MSD_ENGINE_BUILDER_MATERIAL_H

#include "engine/builder/builder.h"

/* The parameters of a material, in double. */
typedef struct material_numbers {
  /* Dimensions of the body: 1 for a rope, 2 for a sheet, 3 for a solid. */
  int dimensions;
  /* kg/m, kg/m^2, kg/m^3. */
  double density;
  /* Moduli along the axes and of shear, in N, N/m, Pa; a rope uses only the first. */
  double stretch[3], shear;
  /* N m^2, N m; of a sheet along its axes. */
  double bend[2];
  /* The factor on the stiffness of fibers in compression. */
  double compression;
  double damping_ratio, damping_time;
} material_numbers;

/* The size of a body and its cells, m. */
typedef struct material_extent {
  double longest_side, shortest_cell;
} material_extent;

/* m: the longest side of the bounding box of a mesh. */
double material_longest_side(const msd_vec3 *vertices, int32_t count);

/* Checks that the material is valid for that body. */
msd_result material_check(msd_world *world, const char *body, const msd_material *material, int dimensions);

/* The parameters of a validated material, softened as it requests. */
material_numbers material_read(const msd_world *world, const msd_material *material, int dimensions,
                               material_extent extent);

/* N/m: the stiffness of an inner spring of a lattice with those cell sides, by a step of 1 along one or two
   axes. Negative if no spring is soft enough. */
double material_lattice_stiffness(const material_numbers *m, const double cell[3], const int32_t step[3]);

/* Strain in tension up to which a sheet of springs has to stay flat. */
#define MATERIAL_FLAT_STRAIN 0.3

/* Whether a sheet of lattice springs stays flat in tension along either of its axes, up to that strain. A
   strain e along u narrows the sheet by n along v until the sides along v press as much as the diagonals
   pull. With S = T/l, the tension of a spring over its length, that is -S_v = 2 S_d. Out of the plane a wave
   of the phases p and q from one particle to the next along u and v then takes the energy

       (1 - cos p) (S_u + 2 S_d cos q)        S_u = k_u e/(1 + e)

   which is least in a chequerboard, whose diagonals join particles on the same side: S_u >= 2 S_d. At
   small strains that is k_u >= G/C_22 k_v. The ratio falls with e, so the largest strain decides. */
bool material_lattice_is_flat(const material_numbers *m, const double cell[3]);

/* N m/rad: the hinges of a grid: of edges along the first axis, along the second, and of diagonals. */
void material_folds(const material_numbers *m, const double cell[3], double folds[3]);

/* C_aa. */
void material_constants(const material_numbers *m, double normal[3]);

/* Returns whether a sheet is isotropic. */
bool material_is_isotropic(const material_numbers *m);

/* The moduli of the lattice with non-negative springs. */
void material_lattice_moduli(const material_numbers *m, const double cell[3], double moduli[3]);

/* N/m: the stiffness that a triangle adds to the springs at its edges, exact for an equilateral one. */
double material_edge_stiffness(const material_numbers *m);

/* N m/rad: a hinge between two triangles, accurate to a tenth for any shape if the sheet bends alike in all
   directions. c is the cosine of the angle between the warp and the normal of the edge. */
double material_fold_stiffness(const material_numbers *m, double c);

/* Fails if a stiffness cannot be stored. */
msd_result material_check_stiffness(msd_world *world, const char *body, double stiffness);

/* Damps the springs and constraints of the material in a body, which must be added already. */
void material_damp(msd_world *world, const msd_body *body, const material_numbers *m);

/* The material with the actual parameters of a body; and those of a sheet of fibers. */
msd_material material_made(const msd_material *asked, const material_numbers *made);
msd_material material_of_fibers(const msd_material *asked, const material_numbers *m);

#endif
