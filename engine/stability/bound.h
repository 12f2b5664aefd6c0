/* Upper bounds on the operator A of steps.h: what can be certified about a network at every shape.

   With x > 0 the radius of A is at most the largest (A x)_i / x_i, whatever x is (Collatz and Wielandt); the
   sweep x <- A x makes that bound tighter and never wrong. More bounds need no sweep. Over the springs, with
   S the sum of kappa at an end and n the springs there, and over the particles with x = 1,

       radius <= max (w_a S_a + w_b S_b)                 the columns of kappa N' W N, N the incidence matrix,
       radius <= max kappa (w_a n_a + w_b n_b)           the shares: sum of share b b' is at most M,
       radius <= max (A 1)_i                             which counts own terms and springs to pins once.

   A is similar to a symmetric matrix, so the radius of a sum is at most the sum of the radii: physical
   springs may be bounded by one and coefficient springs by the other.

   What is no distance spring (constraints, anchors) enters as a diagonal bound of its matrix, row by row,

       (A x)_i = w_i (sum kappa_e (x_i + x_j) + own_i x_i)

   To the bounds it is a spring of one end: S at a particle includes own, and among the shares, where c of
   the n at a particle are constraints, the springs there use (n - c)/n of it and own the rest.

   Beside fibres (fibre_bound.h) own may be below 0, while all of A is not. The largest x_i/x_j of
   neighbours in the eigenvector gives, with a the diagonal of A and r the rest of its rows (A. Brauer,
   1947),

       (radius - a_i) (radius - a_j) <= r_i r_j        a_i = r_i + w_i own_i,   r_i = w_i S_i without own

   and so the radius is at most r_i + r_j + max (w_i own_i, w_j own_j). They have no shares. */
#ifndef MSD_ENGINE_STABILITY_BOUND_H
#define MSD_ENGINE_STABILITY_BOUND_H

#include "engine/stability/analysis.h"

/* Certified is a radius below 4. A margin of 2e-6 is kept for the rounding errors of these sums, of the step
   as an msd_real, and of the stiffness and damping that follow it: together they are about 1e-7. */
#define STABILITY_MARGIN (1 - 2e-6)
#define STABILITY_RADIUS (4 * STABILITY_MARGIN)

/* The largest certified dt from sums over springs and own terms alone. */
double quick_step(analysis *a);

/* The largest dt at which `beside` and the bound of the radius by sums together are at most `radius`; of the
   physical parts alone, or of all. */
double sums_step(analysis *a, bool physical_only, step_load beside, double radius);

/* A bound of the radius of the coefficient springs alone, by their shares. */
double coefficient_share(analysis *a);

/* The largest certified dt by sweeps; leaves the x that certifies it. */
typedef struct certificate {
  /* The largest certified dt. */
  double step;
  /* An upper limit of that of A itself: from x . A x / x . x, with M as the inner product. */
  double upper;
  int sweeps;
} certificate;

/* `known` is certified otherwise; 0: nothing is. */
certificate certify_step(analysis *a, double asked, double known);

/* A certified bound of the radius at dt, from the first x on. Damping and coefficients count `damping`
   times. */
double radius_at(analysis *a, double dt, double damping);

/* A certified bound of the radius at dt, from the x of `c` on. */
double certify_radius(analysis *a, const certificate *c, double dt);

/* The largest c for which Ck = Cd = c of all springs and constraints at once is certified. */
double certify_coefficient(analysis *a);

/* The physical part of A x over w with x = 1, as a function of dt, into rows; leaves that x. */
void even_rows(analysis *a);

/* A x as a function of dt, into rows. */
void sweep_rows(analysis *a);

#endif
