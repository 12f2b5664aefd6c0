/* Upper bounds on the operator A of steps.h, valid in every configuration of a network.

   For x > 0 the spectral radius of A is at most the largest (A x)_i / x_i, for any x (Collatz and Wielandt).
   The sweep x <- A x tightens that bound and never invalidates it. More bounds need no sweep. Over the
   springs, with S the sum of kappa at an end and n the number of springs there, and over the particles with x
   = 1,

       radius <= max (w_a S_a + w_b S_b)                 the columns of kappa N' W N, N the incidence matrix,
       radius <= max kappa (w_a n_a + w_b n_b)           mass fractions: sum of share b b' is at most M,
       radius <= max (A 1)_i                             counts diagonal terms and springs to pins once.

   A is similar to a symmetric matrix, so the radius of a sum is at most the sum of the radii. Therefore
   stiffness laws may be bounded by one and coefficient laws by another.

   Constraints and soft pins enter as a diagonal bound of their matrix, row by row,

       (A x)_i = w_i (sum kappa_e (x_i + x_j) + own_i x_i)

   For the bounds this is a spring with one end: S at a particle includes own. For the mass fractions, if c of
   the n items at a particle are constraints, the springs there use (n - c)/n of it and own is added.

   With fibers (fiber_bound.h) own may be negative, while A itself remains non-negative. The largest x_i/x_j
   of neighbors in the eigenvector gives, with a the diagonal of A and r the rest of its rows (A. Brauer,
   1947),

       (radius - a_i) (radius - a_j) <= r_i r_j        a_i = r_i + w_i own_i,   r_i = w_i S_i without own

   and so the radius is at most r_i + r_j + max (w_i own_i, w_j own_j). Fibers have no mass fractions. */
#ifndef MSD_ENGINE_STABILITY_BOUND_H
#define MSD_ENGINE_STABILITY_BOUND_H

#include "engine/stability/analysis.h"

/* Proven stable means a radius below 4. The margin of 2e-6 covers the rounding of these sums, of the substep
   as an msd_real, and of the stiffness and damping derived from it; together they are about 1e-7. */
#define STABILITY_MARGIN (1 - 2e-6)
#define STABILITY_RADIUS (4 * STABILITY_MARGIN)

/* The largest proven stable dt from sums over springs and diagonal terms alone. */
double quick_step(analysis *a);

/* The largest dt at which `beside` plus the radius bound by sums is at most `radius`; for the stiffness laws
   alone, or for all. */
double sums_step(analysis *a, bool physical_only, step_load beside, double radius);

/* A radius bound for the coefficient laws alone, by their mass fractions. */
double coefficient_share(analysis *a);

/* The largest proven stable dt by sweeps. Leaves the x that proves it. */
typedef struct certificate {
  /* The largest proven stable dt. */
  double step;
  /* An upper limit of the exact stable dt of A: from x . A x / x . x, with the inner product of M. */
  double upper;
  int sweeps;
} certificate;

/* `known` is proven stable by other bounds; 0: none. */
certificate certify_step(analysis *a, double asked, double known);

/* A proven radius bound at dt, from the initial x on. Damping and coefficients are multiplied by
   `damping`. */
double radius_at(analysis *a, double dt, double damping);

/* A proven radius bound at dt, from the x of `c` on. */
double certify_radius(analysis *a, const certificate *c, double dt);

/* The largest c for which Ck = Cd = c of all springs and constraints is proven stable. */
double certify_coefficient(analysis *a);

/* The stiffness and damping terms of A x over w with x = 1, as a function of dt, into rows; leaves that x. */
void even_rows(analysis *a);

/* A x as a function of dt, into rows. */
void sweep_rows(analysis *a);

#endif
