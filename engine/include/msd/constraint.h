/* msd: constraints, springs on a function of three or more particles: angle, dihedral angle (hinge), area,
   volume, fiber.

   A constraint has the energy 1/2 k C^2 with C(x) = value - rest, a function of particle positions. With
   C' = sum of dC/dx_j . v_j over its corners j, and inverse masses w, the force on corner j and the effective
   mass are

       f_j = -(k C + mu C') dC/dx_j        and        m = 1 / sum of w_j |dC/dx_j|^2

   A distance spring (spring.h) is the case C = length - rest_length. The energy and its damping follow D.
   Baraff and A. Witkin, "Large Steps in Cloth Simulation", 1998. The gradients are derived in the engine
   sources, one file for each kind. Linear and angular momentum are conserved.

   Units of k and mu follow from the unit of C:

       C               k           mu
       rad             N m/rad     N m s/rad
       m^2             N/m^3       N s/m^3
       m^3             N/m^5       N s/m^5
       1 (fiber)       N m         N m s

   Degenerate shapes, such as three particles in line or a triangle without area, give no force and no
   non-finite number.

   Coefficient and frequency laws use the effective mass m of the reference shape. That is the shape when the
   constraint was added, or when its rest value was last set to MSD_AS_PLACED. If all its particles coincided
   then, it is the first shape in which they do not. So k and mu are constant, and the law has the energy
   1/2 k C^2. m follows changes of masses and pins, and MSD_MAX_STABLE also depends on the other springs at the
   corners.

   Softening of stiff constraints. Except for fibers the gradients have no bound: those of angles and dihedral
   angles grow like 1/leg and 1/height, those of areas and volumes with the edges and their squares. To keep
   every shape stable, each substep dt softens a constraint of the stiffness or frequency law while

       excess = (dt^2 k + 2 dt mu)/(budget m^)        m^ = 1 / sum of s_j w_j |dC/dx_j|^2

   is above 1. k is divided by excess^2 and mu by excess, and what k loses beyond the first factor is added to
   the damping. `budget` is half of what the rest of the network leaves of the 4 that symplectic Euler can
   take at dt (msd_world_analyze_stability), at least 1/8. s_j is the number of constraints at corner j, each
   weighted by its load there relative to that of this one, in their reference shapes. Constraints of the
   coefficient law do not depend on dt; they are softened when ck and cd would exceed those of the reference
   shape.

   Automatic substeps are short enough for excess <= 1 at the shape for which they were computed. Not covered
   are gradients above 16 times those of the reference shape, and legs and heights below about 1/4 of the
   longest side and half of their own there. Substeps are computed again after a constraint was softened.
   With a given number of substeps nothing is softened if msd_world_find_softening counts none.

   Fibers are proven stable in every configuration, as distance springs are, and softened by stiffness
   clamping only. */
#ifndef MSD_CONSTRAINT_H
#define MSD_CONSTRAINT_H

#include "msd/spring.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The value that a constraint measures. */
typedef enum msd_constraint_kind {
  /* rad, 0 to pi. Angle at particle 1 between the legs to particles 0 and 2; pi is straight. */
  MSD_CONSTRAINT_ANGLE,
  /* rad, -pi to pi. Dihedral angle between the triangles (0, 1, 2) and (1, 0, 3) across their common edge
     0-1. 0 is flat. It is positive if particle 3 is on the side that the normal (x1-x0) x (x2-x0) of the
     first points to. C is wrapped to the shorter arc, so bending through pi is continuous. */
  MSD_CONSTRAINT_DIHEDRAL,
  /* m^2, >= 0. Area of the triangle (0, 1, 2). */
  MSD_CONSTRAINT_AREA,
  /* m^3, signed. Volume (x1-x0) x (x2-x0) . (x3-x0) / 6 of a tetrahedron; negative when inverted. */
  MSD_CONSTRAINT_VOLUME,
  /* Dimensionless. Stretch ratio of a triangle (0, 1, 2) or tetrahedron (0, 1, 2, 3) in one material
     direction: |y| with y = sum of weights[j] x_j. msd_fiber_weights computes the weights from a rest shape
     and a direction. 1 in the rest shape; no force at 0. Consecutive fibers with the same particles in the
     same order are evaluated together, which is faster. */
  MSD_CONSTRAINT_FIBER,
  /* m^3, signed. Volume enclosed by a closed triangle mesh, positive if the triangles are counterclockwise
     seen from outside. -k C is the pressure in Pa. */
  MSD_CONSTRAINT_MESH_VOLUME,
  MSD_CONSTRAINT_KIND_COUNT
} msd_constraint_kind;

/* Returns the name used in scene files, such as "angle" or "mesh_volume"; NULL for any other number. */
MSD_API const char *msd_constraint_kind_name(msd_constraint_kind kind);

/* Returns how many of msd_constraint_def.particles a kind uses: 3, 4, 3, 4, 4 in the order of the kinds, and
   0 for a mesh. The last particle of a fiber may be -1. */
MSD_API int msd_constraint_kind_particles(msd_constraint_kind kind);

typedef struct msd_constraint_def {
  /* Default MSD_CONSTRAINT_ANGLE. */
  msd_constraint_kind kind;
  /* All different; default -1. For a fiber in a triangle particles[3] is -1. */
  int32_t particles[4];
  /* 1/m; default 0. Used by fibers: not all 0, the sum of their magnitudes at most 1e15. Their sum must be 0
     within 1e-6 of the sum of their magnitudes; the remainder is subtracted from the first. weights[3] is
     used only with a fourth particle. */
  msd_real weights[4];
  /* Used by MSD_CONSTRAINT_MESH_VOLUME: 3 particles per triangle. Every edge must be in two triangles, once
     in each direction. The array is copied. */
  const int32_t *triangles;
  /* >= 4 for a mesh, else 0 (default). */
  int32_t triangle_count;
  /* In units of the value; default MSD_AS_PLACED. For a fiber >= 0, with 1 the length in the shape that its
     weights were computed from. */
  msd_real rest;
  /* 0 to 1; default 1. Used by fibers: the factor on k and mu while the stretch ratio is below the rest value.
     The energy is continuous, and the certificate is that of 1. docs/theory/fibers.md says what it does to a
     sheet. */
  msd_real compression_factor;
  /* Default MSD_SPRING_STIFFNESS. As for springs, with m the effective mass of the reference shape. For a
     fiber m is 1/sum of w_j weights[j]^2 in every configuration. */
  msd_spring_law law;
  /* >= 0; default 0. k of the stiffness law, in the units listed above. */
  msd_real stiffness;
  /* >= 0; default 0. mu of the stiffness law, in the units listed above. */
  msd_real damping;
  /* >= 0, or MSD_MAX_STABLE (default). Used by the coefficient law. MSD_MAX_STABLE is 1/n, where n is the sum
     of n_j w_j |dC/dx_j|^2 divided by the sum of w_j |dC/dx_j|^2, and n_j counts the springs and constraints at
     corner j. */
  msd_real ck, cd;
  /* Hz, >= 0; default 0. Used by the frequency law. */
  msd_real frequency;
  /* >= 0; default 0. Used by the frequency law; 1 is critical damping. */
  msd_real damping_ratio;
  /* Internal mark of an initialized definition. Set by msd_default_constraint_def. */
  uint32_t cookie;
} msd_constraint_def;

MSD_API msd_constraint_def msd_default_constraint_def(void);

/* Computes the weights of a fiber along `direction` (any length) in a triangle (corners = 3) or tetrahedron
   (corners = 4) with corners at rest[0], rest[1], ...

   weights[j] = b_j . d, where b_j is the gradient of the linear function that is 1 at corner j and 0 at the
   others, and d the unit direction. In a triangle the direction is projected onto its plane, and weights[3]
   is 0.

   Returns MSD_BAD_VALUE, and leaves `weights` unchanged, if:
   - corners is neither 3 nor 4, or a number is not finite;
   - the shape is flat, or the magnitudes of the weights sum to more than 1e15;
   - the direction has length 0 or is perpendicular to the triangle. */
MSD_API msd_result msd_fiber_weights(const msd_vec3 *rest, int corners, msd_vec3 direction,
                                     msd_real weights[4]);

/* Adds `count` (>= 0) constraints with consecutive indices, all of them or none. Stores the index of the
   first in *first, which may be NULL. Returns MSD_UNINITIALIZED_DEF, MSD_BAD_INDEX, MSD_BAD_VALUE (also for a
   mesh that is not closed), MSD_TOO_LARGE or MSD_OUT_OF_MEMORY on failure. */
MSD_API msd_result msd_add_constraints(msd_world *world, const msd_constraint_def *defs, int count,
                                       int32_t *first);

/* Returns the number of constraints, broken and destroyed ones included (removal.h). */
MSD_API int32_t msd_world_get_constraint_count(const msd_world *world);

/* Returns the current definition, with its actual rest value; the default definition for a bad index.
   `triangles` points into the world and is valid until constraints are added. */
MSD_API msd_constraint_def msd_constraint_get_def(const msd_world *world, int32_t constraint);

/* Sets law, stiffness and damping from a definition; kind, particles and rest value of the definition are
   ignored. The reference shape is unchanged. */
MSD_API msd_result msd_constraint_set_law(msd_world *world, int32_t constraint,
                                          const msd_constraint_def *def);

/* Sets the rest value: a finite number, or MSD_AS_PLACED for the current value, which also makes the current
   shape the reference shape. The rest value of a mesh or tetrahedron can be changed over time, for example
   for a breathing lung. */
MSD_API msd_result msd_constraint_set_rest(msd_world *world, int32_t constraint, msd_real rest);

/* Breaks a constraint: it keeps its index and exerts no force. */
MSD_API msd_result msd_constraint_break(msd_world *world, int32_t constraint);
MSD_API bool msd_constraint_is_broken(const msd_world *world, int32_t constraint);

/* Returns the current value in its unit: angle, area, volume or stretch ratio. */
MSD_API double msd_constraint_get_value(const msd_world *world, int32_t constraint);

/* Returns the strain of a fiber, value/rest - 1. 0 for a broken fiber, a fiber with rest value 0, and other
   kinds. */
MSD_API double msd_constraint_get_stretch(const msd_world *world, int32_t constraint);

/* Returns k C + mu C', in N m/rad, N/m, Pa or N m by kind; it drives the value toward the rest value. Pins that
   moved in the last frame count with their velocity in its last substep, as in msd_spring_get_tension. For the
   coefficient law it refers to the last substep; 0 before the first. */
MSD_API double msd_constraint_get_tension(const msd_world *world, int32_t constraint);

#ifdef __cplusplus
}
#endif

#endif
