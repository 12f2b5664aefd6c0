/* What a law makes of a constraint at a given substep, whatever its shape.

   A law is a stiffness k and a damping mu, which belong to an energy 1/2 k C^2: laws that scale with a mass
   take that of the shape in which the constraint was placed (store/constraint.h). With the gradients g_j of a
   shape and the weights a_j of its corners, which the store keeps too, both are divided by

       excess = sum of a_j |g_j|^2

   where that is above 1, so that no shape makes more of a constraint than the step can take. What is too stiff
   for the step would still swing in it with any energy that a changing shape may give it; so stiffness is
   divided once more, and what that leaves of the step goes into damping:

       k -> k/excess^2,    mu -> (mu + relief k (1 - 1/excess))/excess

   tuning.h evaluates it. */
#ifndef MSD_ENGINE_CONSTRAINT_FACTORS_H
#define MSD_ENGINE_CONSTRAINT_FACTORS_H

#include "msd/msd.h"

typedef struct constraint_factors {
  double stiffness, damping;
  /* s: dt/2, as the damping relief k takes as much of the step as k does; 0 of coefficients, which are as stiff
     as that at any shape. Where damping takes more (RK4, 1.44 times) the half of the room that is not given out
     has place for it. */
  double relief;
} constraint_factors;

/* The same as rows of msd_real, for the kernels. */
enum constraint_factor { CONSTRAINT_STIFFNESS, CONSTRAINT_DAMPING, CONSTRAINT_RELIEF, CONSTRAINT_FACTORS };

/* One row is `step` behind the other. */
static inline void constraint_factors_write(const constraint_factors *f, msd_real *rows, size_t step) {
  rows[CONSTRAINT_STIFFNESS * step] = (msd_real)f->stiffness;
  rows[CONSTRAINT_DAMPING * step] = (msd_real)f->damping;
  rows[CONSTRAINT_RELIEF * step] = (msd_real)f->relief;
}

#endif
