/* The coefficients of a constraint at a given substep, independent of its configuration.

   A law has a stiffness k and a damping mu with the energy 1/2 k C^2; laws that scale with a mass use that of
   the reference configuration (store/constraint.h). With the gradients g_j of a configuration and the weights
   a_j of its corners, which the store keeps too, both are divided by

       excess = sum of a_j |g_j|^2

   where that is above 1. So no configuration exceeds the stiffness budget of the substep. A constraint at the
   limit would still oscillate with the energy that a changing configuration may add. So stiffness is divided
   once more, and the budget that this frees is used for damping:

       k -> k/excess^2,    mu -> (mu + relief k (1 - 1/excess))/excess

   tuning.h evaluates it. */
#ifndef MSD_ENGINE_CONSTRAINT_FACTORS_H
#define MSD_ENGINE_CONSTRAINT_FACTORS_H

#include "msd/msd.h"

typedef struct constraint_factors {
  double stiffness, damping;
  /* s: dt/2, since the damping relief k then uses as much of the budget as k does; 0 for coefficients, which
     keep their stiffness. Where damping uses more (RK4, 1.44 times), the half of the budget that is not
     assigned covers it. */
  double relief;
} constraint_factors;

/* The same as rows of msd_real, for the kernels. */
enum constraint_factor { CONSTRAINT_STIFFNESS, CONSTRAINT_DAMPING, CONSTRAINT_RELIEF, CONSTRAINT_FACTORS };

/* Rows are `step` apart. */
static inline void constraint_factors_write(const constraint_factors *f, msd_real *rows, size_t step) {
  rows[CONSTRAINT_STIFFNESS * step] = (msd_real)f->stiffness;
  rows[CONSTRAINT_DAMPING * step] = (msd_real)f->damping;
  rows[CONSTRAINT_RELIEF * step] = (msd_real)f->relief;
}

#endif
