/* What a law makes of a constraint at a given substep, whatever its shape.

   With the gradients g_j and inverse masses w_j of the corners, and n_j of all springs and constraints acting
   at corner j, a shape has the effective mass m = 1/sum w_j |g_j|^2 and its share m^ = 1/sum n_j w_j |g_j|^2.
   Every law then is

       k = stiffness + mass_stiffness m + shared_stiffness m^
       mu = damping + mass_damping m + shared_damping m^

   A fold has stiffness and damping alone; both are multiplied by room_per_load m^ where that is below 1.
   tuning.h evaluates it. */
#ifndef MSD_ENGINE_CONSTRAINT_FACTORS_H
#define MSD_ENGINE_CONSTRAINT_FACTORS_H

#include "msd/msd.h"

typedef struct constraint_factors {
  double stiffness, mass_stiffness, shared_stiffness;
  double damping, mass_damping, shared_damping;
  /* 0: is not softened. */
  double room_per_load;
} constraint_factors;

/* The same as rows of msd_real, for the kernels. */
enum constraint_factor {
  CONSTRAINT_STIFFNESS,
  CONSTRAINT_MASS_STIFFNESS,
  CONSTRAINT_SHARED_STIFFNESS,
  CONSTRAINT_DAMPING,
  CONSTRAINT_MASS_DAMPING,
  CONSTRAINT_SHARED_DAMPING,
  CONSTRAINT_ROOM_PER_LOAD,
  CONSTRAINT_FACTORS
};

/* One row is `step` behind the other. */
static inline void constraint_factors_write(const constraint_factors *f, msd_real *rows, size_t step) {
  rows[CONSTRAINT_STIFFNESS * step] = (msd_real)f->stiffness;
  rows[CONSTRAINT_MASS_STIFFNESS * step] = (msd_real)f->mass_stiffness;
  rows[CONSTRAINT_SHARED_STIFFNESS * step] = (msd_real)f->shared_stiffness;
  rows[CONSTRAINT_DAMPING * step] = (msd_real)f->damping;
  rows[CONSTRAINT_MASS_DAMPING * step] = (msd_real)f->mass_damping;
  rows[CONSTRAINT_SHARED_DAMPING * step] = (msd_real)f->shared_damping;
  rows[CONSTRAINT_ROOM_PER_LOAD * step] = (msd_real)f->room_per_load;
}

#endif
