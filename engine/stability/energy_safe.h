/* The largest substep at which the linear energy of a network cannot grow.

   Theory. Symplectic Euler, with damping from the velocities before the kick, linearized in a configuration:

       v' = v - dt M^-1 (K x + D v),    x' = x + dt v'.

   With p = dt v, A = dt^2 K and B = dt D, all in the coordinates where M is 1, the energy E = v.M v/2 + x.K
   x/2 changes by

       2 dt^2 (E' - E) = 2 p'.(1 - B) p - p'.(1 - A) p' - p.p  <=  p'.((1 - B)^2 - (1 - A)) p',

   with equality at p = (1 - B) p'. So E does not grow from any state if A <= 2 B - B^2,

       dt^2 K  <=  2 dt D - dt^2 D M^-1 D,

   and only then if K is invertible, so that every p' occurs. For one spring that is kappa <= delta (2 -
   delta). Constant forces contribute their potential and change nothing. Linear damping, a factor of at most
   1 on v', removes more energy.

   Bound by spring parameters. If no spring is longer than its rest length, K <= sum k b b' and D = sum mu b
   b', with b the direction of a spring at its ends. Constraints at their rest values are such terms, with
   their gradients for b. With R a bound of the radius of dt D over M (bound.h, with dt mu for kappa), dt^2 D
   M^-1 D <= R dt D. So it is sufficient that every term has

       dt k  <=  mu (2 - R),

   which is sharp if k/mu is the same for all and R is sharp. A stretched spring is also stiff in the
   transverse directions, where it has no damping: no substep is suitable for that. For MSD_MAX_STABLE springs
   and constraints R is at most 1 and dt k = mu, so they are exactly at the limit for every substep. Soft pins
   are integrated differently, and nothing is proven for them. */
#ifndef MSD_ENGINE_STABILITY_ENERGY_SAFE_H
#define MSD_ENGINE_STABILITY_ENERGY_SAFE_H

#include "engine/stability/bound.h"

/* The largest k/mu in 1/s of stiffness and frequency laws, and the largest ck/cd. INFINITY: something is
   stiff but undamped. */
typedef struct energy_ratio {
  double physical, coefficient;
} energy_ratio;

/* Adds the terms of a law, for any mass and mass fraction. */
void energy_ratio_add(energy_ratio *ratio, const law_terms *terms);

/* Returns whether everything stiff is damped. */
bool energy_ratio_is_bounded(const energy_ratio *ratio);

/* 2, with a tolerance for rounding. */
#define ENERGY_RADIUS (2 * (1 + 1e-12))

/* The largest such dt for the springs and constraints as defined; 0: none, INFINITY: any. Afterwards the
   analysis is invalid, since its terms are replaced by those of damping. */
double energy_safe_step(analysis *a);

/* Returns whether dt is such a substep for the springs, constraints and torsion springs after stiffness
   clamping. */
bool energy_safe_softened(const world_model *model, double dt);

#endif
