/* msd: springs on constraints between three and more particles: angles, dihedral angles, areas, volumes,
   fibres.

   A spring is an energy 1/2 k C^2 on a constraint C(x) = value - rest of the particles' places. With C' =
   sum of dC/dx_j . v_j over its corners j, the force on corner j is

       f_j = -(k C + mu C') dC/dx_j        and        m = 1 / sum of w_j |dC/dx_j|^2

   is its effective mass, w the inverse masses. A distance spring (spring.h) is the same thing with C =
   length - rest_length. The units of k and mu follow those of the value: with C in radians k is in N m/rad
   and mu in N m s/rad, with C in m^2 in N/m^3 and N s/m^3, with C in m^3 in N/m^5 and N s/m^5, with the C
   of a fibre, which has no unit, in N m and N m s.

   No kind moves the centre of mass or turns the whole: momentum and angular momentum are kept. Shapes
   without a direction (three particles in line or in one place, a triangle without area) give no force and
   no number that is not finite.

   A law by frequency or by coefficients takes the m of the shape in which the constraint was placed: where
   its particles were when it was added, or when its rest was last set to MSD_AS_PLACED; where they were all
   in one place then, as soon as they are not. So k and mu are constant, and the law has the energy 1/2 k
   C^2. m follows masses, pins, and for MSD_STIFFEST what else acts on the corners.

   Gradients have no bound but those of fibres: those of angles and dihedral angles grow like 1/leg and
   1/height, those of areas and volumes with the edges and their squares. So that no shape can drive a step
   past its limit, in each substep dt the stiffness of a constraint by N/m or Hz is softened where

       excess = (dt^2 k + 2 dt mu)/(room m^)        m^ = 1 / sum of s_j w_j |dC/dx_j|^2

   is above 1: k is divided by its square and mu by it, and what k loses beyond the first factor goes into
   damping. `room` is half of what all else in the network leaves of 4 at dt (msd_world_stability; of 1/4 at
   least), and s_j the number of constraints at corner j, each counted by what it takes at the shape in
   which it was placed beside this one. Coefficients, to which a shorter step is no help, are softened where
   ck and cd would be more than where the constraint was placed.

   Automatic substeps are short enough for no excess at the shape for which they were found, but for
   gradients over 16 times those of the placed shape, and legs and heights under some 1/16 of the longest
   side. They are found again when something was softened. With substeps that are given there is none
   wherever msd_world_find_softening counts none.

   Fibres are certified at every shape, as springs are, and never softened but by MSD_LIMIT_COEFFICIENTS.

   The energy and its damping are those of D. Baraff and A. Witkin, "Large Steps in Cloth Simulation", 1998;
   the gradients are derived in the engine, one file for each kind. */
#ifndef MSD_CONSTRAINT_H
#define MSD_CONSTRAINT_H

#include "msd/spring.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum msd_constraint_kind {
  /* rad, 0 to pi: at particle 1, from the leg to particle 0 to the leg to particle 2; pi is straight. */
  MSD_CONSTRAINT_ANGLE,
  /* rad, -pi to pi: between the triangles (0, 1, 2) and (1, 0, 3) across their edge 0-1; 0 is flat,
     positive when 3 is on the side that the normal (x1-x0) x (x2-x0) of the first points to. C is taken the
     short way round: folding through pi is smooth. */
  MSD_CONSTRAINT_DIHEDRAL,
  /* m^2, 0 or more: of the triangle (0, 1, 2). */
  MSD_CONSTRAINT_AREA,
  /* m^3, signed: (x1-x0) x (x2-x0) . (x3-x0) / 6, negative when turned inside out. */
  MSD_CONSTRAINT_VOLUME,
  /* |y| with y = sum of weights[j] x_j: how long 1 m of a triangle (0, 1, 2) or tetrahedron (0, 1, 2, 3)
     has become in a direction of its rest shape, which msd_fibre_weights turns into weights. 1 at rest; no
     force at 0. Those of one shape are computed together where they are added one after the other with their
     particles in the same order. */
  MSD_CONSTRAINT_FIBRE,
  /* m^3, signed: inside a closed mesh of triangles, positive when their corners go anticlockwise seen from
     outside. -k C is the pressure in Pa. */
  MSD_CONSTRAINT_MESH_VOLUME,
  MSD_CONSTRAINT_KIND_COUNT
} msd_constraint_kind;

/* The name used in scene files: "angle", "dihedral", "area", "volume", "fibre", "mesh_volume"; NULL for no
   kind. */
MSD_API const char *msd_constraint_kind_name(msd_constraint_kind kind);

/* How many of msd_constraint_def.particles a kind uses: 3, 4, 3, 4, 4, of which a fibre may have the last
   -1, and 0 for a mesh. */
MSD_API int msd_constraint_kind_particles(msd_constraint_kind kind);

typedef struct msd_constraint_def {
  /* Default MSD_CONSTRAINT_ANGLE. */
  msd_constraint_kind kind;
  /* All different; default -1. Of a fibre in a triangle particles[3] is -1. */
  int32_t particles[4];
  /* 1/m, of a fibre: at most 1e15 in all, not all 0, and their sum 0 within 1e-6 of that of their sizes,
     which is then taken from the first; weights[3] counts with a fourth particle alone. Default 0. Other
     kinds ignore them. */
  msd_real weights[4];
  /* Of a mesh: 3 particles each; every edge in two triangles, once in each direction. Copied. */
  const int32_t *triangles;
  /* >= 4 for a mesh, else 0 (default). */
  int32_t triangle_count;
  /* In the units of the value; default MSD_AS_PLACED. Of a fibre >= 0, 1 where it is as long as in the
     shape that its weights are of. */
  msd_real rest;
  /* As of a spring, with m the effective mass at the shape in which it was placed; that of a fibre is 1/sum
     of w_j weights[j]^2 at every shape. Default physical. */
  msd_spring_law law;
  /* Physical: k, >= 0; default 0. */
  msd_real stiffness;
  /* Physical: mu, >= 0; default 0. */
  msd_real damping;
  /* Coefficient: >= 0, or MSD_STIFFEST (default): 1/n with n = sum of n_j w_j |dC/dx_j|^2 over sum of w_j
     |dC/dx_j|^2, n_j the springs and constraints at corner j. */
  msd_real ck, cd;
  /* Frequency: Hz, >= 0; default 0. */
  msd_real frequency;
  /* Frequency: 1 is critical, >= 0; default 0. */
  msd_real damping_ratio;
  /* Set by msd_default_constraint_def. */
  uint32_t cookie;
} msd_constraint_def;

MSD_API msd_constraint_def msd_default_constraint_def(void);

/* The weights of a fibre along `direction`, of any length, in the triangle (corners 3) or tetrahedron
   (corners 4) with its corners at rest[0], rest[1], ...: weights[j] = b_j . d, b_j the gradient of the
   function that is 1 at corner j and 0 at the others, d the unit direction. In a triangle d is what is left
   of the direction in its plane. weights[3] of a triangle is 0. MSD_BAD_VALUE, with weights as they were:
   corners is neither 3 nor 4, a number is not finite, the shape is flat, its weights are more than 1e15
   in all, or the direction has no length or is across the triangle. */
MSD_API msd_result msd_fibre_weights(const msd_vec3 *rest, int corners, msd_vec3 direction,
                                     msd_real weights[4]);

/* Adds `count` >= 0 constraints with consecutive indices, the first of which goes to *first (may be NULL).
   All or none are added. MSD_BAD_DEF, MSD_BAD_INDEX, MSD_BAD_VALUE (also a mesh that is not closed),
   MSD_TOO_LARGE, MSD_OUT_OF_MEMORY. */
MSD_API msd_result msd_add_constraints(msd_world *world, const msd_constraint_def *defs, int count,
                                       int32_t *first);

MSD_API int32_t msd_world_get_constraint_count(const msd_world *world); /* broken ones included */

/* The definition as it now is, rest filled in; `triangles` points into the world and is valid until
   constraints are added. The default one for a bad index. */
MSD_API msd_constraint_def msd_constraint_get_def(const msd_world *world, int32_t constraint);

/* Takes law, stiffness and damping from a definition; its kind, particles and rest are ignored, and the
   shape in which it was placed stays. */
MSD_API msd_result msd_constraint_set_law(msd_world *world, int32_t constraint,
                                          const msd_constraint_def *def);

/* Sets the rest value, finite, or MSD_AS_PLACED: what the value is now, whose shape is then that in which the
   constraint was placed. Of a mesh or tetrahedron it may follow time, as a lung does. */
MSD_API msd_result msd_constraint_set_rest(msd_world *world, int32_t constraint, msd_real rest);

/* A broken constraint keeps its index and exerts no force. */
MSD_API msd_result msd_constraint_break(msd_world *world, int32_t constraint);
MSD_API bool msd_constraint_is_broken(const msd_world *world, int32_t constraint);

/* The present value, in its units: angle, area, volume, stretch. */
MSD_API double msd_constraint_get_value(const msd_world *world, int32_t constraint);

/* Of a fibre value/rest - 1, how much longer it is than at rest; 0 of one that is broken or has the rest value
   0, and of other kinds. */
MSD_API double msd_constraint_get_stretch(const msd_world *world, int32_t constraint);

/* k C + mu C', in N m/rad, N/m, Pa or N m by kind: what pulls the value to its rest. Of a coefficient law for
   the last substep taken, 0 before the first. */
MSD_API double msd_constraint_get_tension(const msd_world *world, int32_t constraint);

#ifdef __cplusplus
}
#endif

#endif
