/* Up to which step the linear energy of a network can only fall.

   Theory. Symplectic Euler, with damping taken from the velocities before the kick, linearised at a shape:

       v' = v - dt M^-1 (K x + D v),    x' = x + dt v'.

   With p = dt v, A = dt^2 K and B = dt D, all in the coordinates where M is 1, the energy E = v.M v/2 + x.K x/2
   changes by

       2 dt^2 (E' - E) = 2 p'.(1 - B) p - p'.(1 - A) p' - p.p  <=  p'.((1 - B)^2 - (1 - A)) p',

   with equality at p = (1 - B) p'. So E falls from every state, or stays, when A <= 2 B - B^2,

       dt^2 K  <=  2 dt D - dt^2 D M^-1 D,

   and where K has an inverse, so that every p' occurs, only then. Of one spring that is kappa <= delta (2 -
   delta). Constant forces bring their potential with them and change nothing; drag, a factor of at most 1 on
   v', takes more from E.

   From numbers of springs. Where no spring is longer than its rest length K <= sum k b b' and D = sum mu b b',
   b having the direction of a spring at its ends; constraints at their rest values are such terms, with their
   gradients for b. With R a bound of the radius of dt D over M (bound.h, with dt mu for kappa) dt^2 D M^-1 D <=
   R dt D. So it is enough that every term has

       dt k  <=  mu (2 - R),

   which is sharp where k/mu is the same for all and R is. A spring that is stretched is stiff across itself,
   too, and not damped there: no step is long or short enough for that. Of MSD_STIFFEST springs and constraints
   R is 1 at most and dt k = mu: they are at the limit, at every step. The step of anchors is of another kind,
   and nothing is proven of it. */
#ifndef MSD_ENGINE_STABILITY_ENERGY_SAFE_H
#define MSD_ENGINE_STABILITY_ENERGY_SAFE_H

#include "engine/stability/bound.h"

/* The largest k/mu in 1/s of physical and frequency laws, and ck/cd; INFINITY: something is stiff and not
   damped. */
typedef struct energy_ratio {
  double physical, coefficient;
} energy_ratio;

/* `terms` of any law, whatever its mass and share. */
void energy_ratio_add(energy_ratio *ratio, const law_terms *terms);

/* Whether everything stiff is damped. */
bool energy_ratio_is_bounded(const energy_ratio *ratio);

/* 2, with room for the rounding of what is exactly 2. */
#define ENERGY_RADIUS (2 * (1 + 1e-12))

/* The largest such dt of the springs and constraints as they are defined; 0: none is, INFINITY: all are. Ends
   the use of the analysis: its terms become those of damping alone. */
double energy_safe_step(analysis *a);

/* Whether a substep of dt is one for what MSD_LIMIT_COEFFICIENTS leaves of the springs, constraints and angular
   springs. */
bool energy_safe_softened(const world_model *model, double dt);

#endif
