/* Upper bounds on the operator A of steps.h: what can be certified about a network at every shape.

   With x > 0 the radius of A is at most the largest (A x)_i / x_i, whatever x is (Collatz and Wielandt); the
   sweep x <- A x makes that bound tighter and never wrong. Two more bounds need no x. Over the springs, with
   S the sum of kappa at an end and n the springs there,

       radius <= max (w_a S_a + w_b S_b)                 the columns of kappa N' W N, N the incidence matrix,
       radius <= max kappa (w_a n_a + w_b n_b)           the shares: sum of share b b' is at most M.

   A is similar to a symmetric matrix, so the radius of a sum is at most the sum of the radii: physical
   springs may be bounded by one and coefficient springs by the other.

   What is no distance spring (constraints, anchors) enters as a diagonal bound of its matrix, row by row,

       (A x)_i = w_i (sum kappa_e (x_i + x_j) + own_i x_i)

   To the bounds it is a spring of one end: S at a particle includes own, and among the shares, where c of the n
   at a particle are constraints, the springs there use (n - c)/n of it and own the rest. */
#ifndef MSD_ENGINE_STABILITY_BOUND_H
#define MSD_ENGINE_STABILITY_BOUND_H

#include "engine/store/model.h"

#include <math.h>

/* Certified is a radius below 4. A margin of 2e-6 is kept for the rounding errors of these sums, of the step
   as an msd_real, and of the stiffness and damping that follow it: together they are about 1e-7. */
#define STABILITY_MARGIN (1 - 2e-6)
#define STABILITY_RADIUS (4 * STABILITY_MARGIN)

/* A load on the step as a function of it: dt^2 stiffness + 2 dt damping + coefficient. */
typedef struct step_load {
  double stiffness, damping, coefficient;
} step_load;

static inline step_load step_load_scaled(step_load load, double factor) {
  return (step_load){factor * load.stiffness, factor * load.damping, factor * load.coefficient};
}

static inline void step_load_add(step_load *sum, step_load load, double factor) {
  sum->stiffness += factor * load.stiffness;
  sum->damping += factor * load.damping;
  sum->coefficient += factor * load.coefficient;
}

double step_load_at(step_load load, double dt);

/* The dt at which the bound reaches `radius`: INFINITY when no dt does, 0 when all do. */
double step_load_root(step_load load, double radius);

/* A spring that moves something: not broken, and not between two pins. */
typedef struct analysis_spring {
  int32_t spring, a, b;
} analysis_spring;

/* How own terms have folds (constraint_room): as they are at the present shape; as they are, but for legs and
   heights that have collapsed, which the step softens; not at all. */
typedef enum analysis_folds { FOLDS_AT_SHAPE, FOLDS_HELD, FOLDS_NONE } analysis_folds;

/* The arrays of one analysis. */
typedef struct analysis {
  const world_model *model;
  memory *memory;
  analysis_spring *springs;
  /* kappa of each spring, as a function of dt. */
  step_load *terms;
  /* kappa at one dt, for sweep_at. */
  double *kappa;
  /* The number of springs. */
  int32_t count;
  /* x is positive where a spring moves the particle, else 0; y is A x. */
  double *x, *y;
  /* A x as a function of dt. */
  step_load *rows;
  /* kg: the law_terms.share of each spring. */
  double *shares;
  /* The own term of each particle; NULL: there is none. */
  step_load *own;
  /* Own terms at one dt, as kappa. */
  double *own_kappa;
  /* Constraints at each particle. */
  int32_t *sharers;
  bool has_stiffness, has_damping, has_coefficient;
  /* Whether own terms have the room of folds as a coefficient, which is no stiffness. */
  bool has_room;
  /* The most sweeps for one certificate. */
  int sweeps_max;
  analysis_folds folds;
} analysis;

/* The lower number where the limit is found again for each step, because it stands for the present shape. */
enum { STABILITY_SWEEPS = 49, STABILITY_SWEEPS_AGAIN = 9 };

/* False when there is no memory; close it all the same. */
bool analysis_open(analysis *a, const world_model *model, memory *m);
void analysis_close(analysis *a);

/* The same without own terms. */
bool analysis_open_springs(analysis *a, const world_model *model, memory *m);

/* Makes the own terms anew: those of constraints, and of anchors as the step of symplectic Euler moves them
   (is_exact) or as forces. limited_dt 0: as they are defined; else as MSD_LIMIT_COEFFICIENTS softens them at
   that substep. False when there is no memory. */
bool analysis_set_own(analysis *a, bool is_exact, double limited_dt);

/* The own term of an anchor that moves something. */
step_load analysis_anchor_term(const analysis *a, int32_t anchor, bool is_exact);

/* Adds to the own term of a particle while they are made. */
void analysis_add_own(analysis *a, int32_t particle, step_load term);

static inline double analysis_inverse_mass(const analysis *a, int32_t particle) {
  return (double)a->model->particles.inverse_mass[particle];
}

/* Whether kappa of all springs grows with dt in the same way, so that one x serves every dt. */
static inline bool analysis_is_homogeneous(const analysis *a) {
  return a->has_stiffness + a->has_damping + (a->has_coefficient || a->has_room) <= 1;
}

/* `step`, or `asked` when every step is certified or none: only to steer an iteration. */
static inline double steering_step(double step, double asked) {
  return step > 0 && isfinite(step) ? step : asked;
}

/* The largest certified dt from sums over springs and own terms alone. */
double quick_step(analysis *a);

/* The largest certified dt by sweeps; leaves the x that certifies it. */
typedef struct certificate {
  /* The largest certified dt. */
  double step;
  /* An upper limit of that of A itself: from x . A x / x . x, with M as the inner product. */
  double upper;
  int sweeps;
} certificate;

certificate certify_step(analysis *a, double asked);

/* A certified bound of the radius at dt, from the first x on. Damping and coefficients count `damping`
   times. */
double radius_at(analysis *a, double dt, double damping);

/* A certified bound of the radius at dt, from the x of `c` on. */
double certify_radius(analysis *a, const certificate *c, double dt);

/* The largest c for which Ck = Cd = c of all springs and constraints at once is certified. */
double certify_coefficient(analysis *a);

/* A x as a function of dt, into rows. */
void sweep_rows(analysis *a);

#endif
