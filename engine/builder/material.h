/* How a material becomes the stiffness, masses and damping of a body.

   A lattice of springs along its axes and along the diagonals of its faces, with cells h_1 x h_2 (x h_3) of the
   volume V = product of h (an area, or a length), has under a uniform strain the elastic constants

       C_ab = 2 k_ab h_a^2 h_b^2 / (L^2 V)                      of the diagonals of face ab, L^2 = h_a^2 + h_b^2
       C_aa = k_a h_a^2 / V + sum over b of C_ab h_a^2 / h_b^2

   where C_ab is the constant of a stretch along a that pulls along b, and that of the shear in ab too, as it is
   of all springs between points (Cauchy's relation). Solved for k these are the springs of any C. All springs
   have equal neighbours on both sides, so no particle moves but with the strain, and the constants are exact. A
   spring between cells belongs to all of them in equal parts; at a border there are fewer.

   A sheet of E_u, E_v (in N/m) and the shear G has C_12 = G and, from E_u = C_11 - G^2/C_22 and the same of v,

       C_11 = (E_u + sqrt(E_u^2 + 4 G^2 E_u/E_v))/2              C_22 = C_11 E_v/E_u

   and G = 3/8 E is alike in all directions. A solid that is has C_aa = 6/5 E and C_ab = 2/5 E.

   Folds: a row of cells h long and b wide, whose diagonals fold too, turns under a moment M per width by
   M h/B = M b (1/k + (b^2/L^2)/k_d) at each line of edges, k the folds at the edges and k_d those at the
   diagonals. k_d is the larger of what all folds alike would need for one of the directions, B (b/h)(1 +
   b^2/L^2); k of both directions then follows, and is above 0. */
#ifndef MSD_ENGINE_BUILDER_MATERIAL_H
#define MSD_ENGINE_BUILDER_MATERIAL_H

#include "engine/builder/builder.h"

/* Of a material, in double. */
typedef struct material_numbers {
  /* Of the body: 1 a rope, 2 a sheet, 3 a solid. */
  int dimensions;
  /* kg/m, kg/m^2, kg/m^3. */
  double density;
  /* Moduli along the axes and of shear, in N, N/m, Pa; of a rope the first alone. */
  double stretch[3], shear;
  /* N m^2, N m. */
  double bend;
  double damping_ratio;
} material_numbers;

/* How large a body and its cells are, m. */
typedef struct material_extent {
  double longest_side, shortest_cell;
} material_extent;

/* Of the box around the vertices of a mesh, m. */
double material_longest_side(const msd_vec3 *vertices, int32_t count);

/* Whether the material is one for that body. */
msd_result material_check(msd_world *world, const char *body, const msd_material *material, int dimensions);

/* Of a material that is checked, as soft as it asks for. */
material_numbers material_read(const msd_world *world, const msd_material *material, int dimensions,
                               material_extent extent);

/* N/m of a spring inside of a lattice with those cell sides, by a step of 1 along one or two axes; below 0
   where no spring is soft enough. */
double material_lattice_stiffness(const material_numbers *m, const double cell[3], const int32_t step[3]);

/* N m/rad of the folds of a grid: of edges along the first axis, along the second, and of diagonals. */
void material_folds(const material_numbers *m, const double cell[3], double folds[3]);

/* C_aa. */
void material_constants(const material_numbers *m, double normal[3]);

/* Whether a sheet is alike in all directions. */
bool material_is_isotropic(const material_numbers *m);

/* The moduli that the lattice has with springs that are not below 0. */
void material_lattice_moduli(const material_numbers *m, const double cell[3], double moduli[3]);

/* N/m that a triangle gives to the springs at its edges, as an equilateral one has it exactly, and N m/rad of a
   fold between two, which is right to a tenth whatever their shape (docs/materials.md). */
double material_edge_stiffness(const material_numbers *m);
double material_fold_stiffness(const material_numbers *m);

/* Fails where a stiffness cannot be stored. */
msd_result material_check_stiffness(msd_world *world, const char *body, double stiffness);

/* Damps what the body has of the material, which was added before, by the ratio. */
void material_damp(msd_world *world, const msd_body *body, double ratio);

/* The material with the numbers that a body has of it; and what a sheet of fibres has. */
msd_material material_made(const msd_material *asked, const material_numbers *made);
msd_material material_of_fibres(const msd_material *asked, const material_numbers *m);

#endif
