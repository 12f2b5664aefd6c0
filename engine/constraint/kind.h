/* The kinds of constraints. Each has a name, a number of corners and a shape: the value, with its gradient at
   every corner.

   A new kind takes one file with the functions of slopes.h (angle.h is a good one to copy), its include in
   shapes.h, and one row in the table below, with its number in msd/constraint.h. Shapes are templates over a
   lane (lane.h): the table holds them for double and for msd_real, and the kernels of the step compile the
   same text for vectors. All give the same bits at the same precision.

   The volume of a closed mesh is a sum over its triangles, as many as there are (mesh_volume.h); the store
   keeps them, and the row of that kind has no shape. */
#ifndef MSD_ENGINE_CONSTRAINT_KIND_H
#define MSD_ENGINE_CONSTRAINT_KIND_H

#include "engine/base/vec3.h"
#include "msd/constraint.h"

/* X(kind, name, corners, wraps: the value is an angle that goes round, so that C is taken the short way),
   of kinds that are computed one by one. */
#define CONSTRAINT_LONE_KINDS(X)                                                                             \
  X(MSD_CONSTRAINT_ANGLE, angle, 3, false)                                                                   \
  X(MSD_CONSTRAINT_DIHEDRAL, dihedral, 4, true)                                                              \
  X(MSD_CONSTRAINT_AREA, area, 3, false)                                                                     \
  X(MSD_CONSTRAINT_VOLUME, volume, 4, false)

/* And of fibres, which may have one corner less, and which kernels compute together where they have their
   corners in common. */
#define CONSTRAINT_KINDS(X) CONSTRAINT_LONE_KINDS(X) X(MSD_CONSTRAINT_FIBRE, fibre, 4, false)

/* The value at the corners x[0], x[1], ... and its gradients there. Where the shape has no direction the
   gradients are zero; the value is finite. `weights` are those of a fibre; other kinds do not read them. */
typedef double constraint_shape_double(const double3 *x, const double *weights, double3 *gradient);
typedef msd_real constraint_shape_real(const msd_vec3 *x, const msd_real *weights, msd_vec3 *gradient);

typedef struct constraint_kind {
  const char *name;
  /* 0 of a mesh. */
  int corners;
  bool wraps;
  /* NULL of a mesh. */
  constraint_shape_double *shape_double;
  constraint_shape_real *shape_real;
} constraint_kind;

/* The row of a kind; NULL for a number that is no kind. */
const constraint_kind *constraint_kind_get(msd_constraint_kind kind);

/* C = value - rest. For a kind that wraps it is the short way round, -pi < C <= pi, if rest is within
   -pi..pi. */
double constraint_error_double(const constraint_kind *kind, double value, double rest);
msd_real constraint_error_real(const constraint_kind *kind, msd_real value, msd_real rest);

/* A finite rest value as the store keeps it: within -pi..pi for a kind that wraps, the nearest value in 0..pi
   (as msd_real has pi) for an angle, 0 or more for a fibre, otherwise unchanged. */
msd_real constraint_kind_rest(const constraint_kind *kind, msd_real rest);

/* 1/m: the most that the weights of a fibre are in all, whose squares times any stiffness fit a double. */
#define FIBRE_WEIGHTS_MOST 1e15

/* Whether the value is an angle in rad. */
static inline bool constraint_is_in_radians(msd_constraint_kind kind) {
  return kind == MSD_CONSTRAINT_ANGLE || kind == MSD_CONSTRAINT_DIHEDRAL;
}

/* Whether the gradients grow without bound as the shape collapses, like 1/leg and 1/height. */
static inline bool constraint_gradients_grow(msd_constraint_kind kind) {
  return constraint_is_in_radians(kind);
}

/* Whether the gradients have the same norms at every shape, and no shape is stiffer than k along them:
   bounded at every shape, as a distance spring is. */
static inline bool constraint_gradients_stay(msd_constraint_kind kind) {
  return kind == MSD_CONSTRAINT_FIBRE;
}

/* constraint_angle_double, constraint_angle_real, ... (shapes_double.c and shapes_real.c). */
#define CONSTRAINT_KIND_SHAPES(kind, name, corners, wraps)                                                   \
  constraint_shape_double constraint_##name##_double;                                                        \
  constraint_shape_real constraint_##name##_real;
CONSTRAINT_KINDS(CONSTRAINT_KIND_SHAPES)
#undef CONSTRAINT_KIND_SHAPES

#endif
