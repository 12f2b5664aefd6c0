/* The types of constraints. Each has a name, a number of corners and a shape function: the value, with its
   gradient at every corner.

   A new type needs a file with the functions of slopes.h (angle.h is a good template), its include in
   shapes.h, a row in the table below, and an enumerator in msd/constraint.h. Shape functions are templates
   over a lane (lane.h): the table has them for double and for msd_real, and kernels compile the same source
   for vectors. All give bitwise identical results at the same precision.

   The volume of a closed mesh is a sum over any number of triangles (mesh_volume.h), which the store keeps.
   The row of that type has no shape function. */
#ifndef MSD_ENGINE_CONSTRAINT_KIND_H
#define MSD_ENGINE_CONSTRAINT_KIND_H

#include "engine/base/vec3.h"
#include "msd/constraint.h"

/* X(kind, name, corners, wraps), for types that are evaluated individually. wraps: the value is a periodic
   angle, so that C takes the shorter direction. */
#define CONSTRAINT_LONE_KINDS(X)                                                                             \
  X(MSD_CONSTRAINT_ANGLE, angle, 3, false)                                                                   \
  X(MSD_CONSTRAINT_DIHEDRAL, dihedral, 4, true)                                                              \
  X(MSD_CONSTRAINT_AREA, area, 3, false)                                                                     \
  X(MSD_CONSTRAINT_VOLUME, volume, 4, false)

/* The same with fibers, which may have one corner less, and which kernels evaluate together if they share
   their corners. */
#define CONSTRAINT_KINDS(X) CONSTRAINT_LONE_KINDS(X) X(MSD_CONSTRAINT_FIBER, fiber, 4, false)

/* The value at the corners x[0], x[1], ... and its gradients there. In a degenerate configuration the
   gradients are 0; the value is finite. Only fibers use `weights`. */
typedef double constraint_shape_double(const double3 *x, const double *weights, double3 *gradient);
typedef msd_real constraint_shape_real(const msd_vec3 *x, const msd_real *weights, msd_vec3 *gradient);

typedef struct constraint_kind {
  const char *name;
  /* 0 for a mesh. */
  int corners;
  bool wraps;
  /* NULL for a mesh. */
  constraint_shape_double *shape_double;
  constraint_shape_real *shape_real;
} constraint_kind;

/* The row of a type; NULL for an invalid number. */
const constraint_kind *constraint_kind_get(msd_constraint_kind kind);

/* C = value - rest. For a type that wraps it takes the shorter direction, -pi < C <= pi, if rest is within
   -pi..pi. */
double constraint_error_double(const constraint_kind *kind, double value, double rest);
msd_real constraint_error_real(const constraint_kind *kind, msd_real value, msd_real rest);

/* A finite rest value as it is stored: within -pi..pi for a type that wraps, clamped to 0..pi (rounded to
   msd_real) for an angle, 0 or more for a fiber, otherwise unchanged. */
msd_real constraint_kind_rest(const constraint_kind *kind, msd_real rest);

/* 1/m: the maximum sum of the absolute weights of a fiber; its square times any stiffness fits a double. */
#define FIBER_WEIGHTS_MOST 1e15

/* Returns whether the value is an angle in rad. */
static inline bool constraint_is_in_radians(msd_constraint_kind kind) {
  return kind == MSD_CONSTRAINT_ANGLE || kind == MSD_CONSTRAINT_DIHEDRAL;
}

/* Returns whether the gradients grow without bound as the shape collapses, like 1/leg and 1/height. */
static inline bool constraint_gradients_grow(msd_constraint_kind kind) {
  return constraint_is_in_radians(kind);
}

/* Returns whether the gradients have constant norms, and the stiffness along them is at most k: bounded in
   every configuration, like a distance spring. */
static inline bool constraint_gradients_stay(msd_constraint_kind kind) {
  return kind == MSD_CONSTRAINT_FIBER;
}

/* constraint_angle_double, constraint_angle_real, ... (shapes_double.c and shapes_real.c). */
#define CONSTRAINT_KIND_SHAPES(kind, name, corners, wraps)                                                   \
  constraint_shape_double constraint_##name##_double;                                                        \
  constraint_shape_real constraint_##name##_real;
CONSTRAINT_KINDS(CONSTRAINT_KIND_SHAPES)
#undef CONSTRAINT_KIND_SHAPES

#endif
