/* The kinds of constraints: of each its name, its number of corners and its shape, which is the value with its
   gradient at every corner.

   A new kind is one file with a function NAME_shape (constraint_angle.h is one to copy), which joins the
   includes of constraint_shapes.h, and one row of the table here, with its number in msd/constraint.h. The
   shapes are templates over a lane (lane.h): the table has them for double and for msd_real, and the kernels
   of the step take the same text for vectors. All give the same bits where they have the same precision.

   The volume of a closed mesh is a sum over its triangles and has no corners of its own: it belongs to the
   store (constraint.h), and its row here has no shape. */
#ifndef MSD_ENGINE_CONSTRAINT_KIND_H
#define MSD_ENGINE_CONSTRAINT_KIND_H

#include "engine/base/vec3.h"
#include "msd/constraint.h"

/* X(kind, name, corners, whether the value is an angle that goes round, so that C is taken the short way) */
#define CONSTRAINT_KINDS(X)                                                                                  \
  X(MSD_CONSTRAINT_ANGLE, angle, 3, false)                                                                   \
  X(MSD_CONSTRAINT_DIHEDRAL, dihedral, 4, true)                                                              \
  X(MSD_CONSTRAINT_AREA, area, 3, false)                                                                     \
  X(MSD_CONSTRAINT_VOLUME, volume, 4, false)

/* The value at the corners x[0], x[1], ... and its gradients there. Where the shape has no direction the
   gradients are zero; the value is finite. */
typedef double constraint_shape_double(const double3 *x, double3 *gradient);
typedef msd_real constraint_shape_real(const msd_vec3 *x, msd_vec3 *gradient);

typedef struct constraint_kind {
  const char *name;
  int corners; /* 0: a mesh */
  bool wraps;
  constraint_shape_double *shape_double; /* NULL: a mesh */
  constraint_shape_real *shape_real;
} constraint_kind;

/* The row of a kind; NULL for a number that is no kind. */
const constraint_kind *constraint_kind_get(msd_constraint_kind kind);

/* C = value - rest; of a kind that wraps the short way round, -pi < C <= pi, for which rest is -pi to pi. */
double constraint_error_double(const constraint_kind *kind, double value, double rest);
msd_real constraint_error_real(const constraint_kind *kind, msd_real value, msd_real rest);

/* A finite rest value as the store keeps it: of a kind that wraps within -pi..pi, of an angle the nearest of 0..pi
   as msd_real has it, else unchanged. */
msd_real constraint_kind_rest(const constraint_kind *kind, msd_real rest);

/* Whether the gradients grow without bound as the shape collapses, like 1/leg and 1/height. */
static inline bool constraint_gradients_grow(msd_constraint_kind kind) {
  return kind == MSD_CONSTRAINT_ANGLE || kind == MSD_CONSTRAINT_DIHEDRAL;
}

/* constraint_angle_double, constraint_angle_real, ...: made of the templates by constraint_kind_double.c and
   constraint_kind_real.c. */
#define CONSTRAINT_KIND_SHAPES(kind, name, corners, wraps)                                                   \
  constraint_shape_double constraint_##name##_double;                                                        \
  constraint_shape_real constraint_##name##_real;
CONSTRAINT_KINDS(CONSTRAINT_KIND_SHAPES)
#undef CONSTRAINT_KIND_SHAPES

#endif
