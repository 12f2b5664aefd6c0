/* The rotor store: bodies that rotate about an axis.

   Angles and angular velocities are double even if msd_real is float. An angle accumulates over many turns.
   Beyond 8192 rad (1304 turns) a float has a resolution of 1/1024 rad, 0.056 degrees. A rotor that moves less
   than half of that in a substep would stop, and a spring wound up by thousands of turns would unwind in
   jerks. The resolution of a double is 2e-12 rad there. Rotors are few, so the cost is negligible. A world of
   rotors gives bitwise identical results in both precisions, apart from the rounding of its laws and
   inertias. */
#ifndef MSD_ENGINE_STORE_ROTOR_H
#define MSD_ENGINE_STORE_ROTOR_H

#include "engine/base/growth.h"

/* Scratch arrays that a substep needs; see rotor_step.c. */
enum { ROTOR_WORK_ARRAYS = 8 };

typedef struct rotor_store {
  int32_t count, capacity;
  /* rad. */
  double *angle;
  /* rad/s. */
  double *velocity;
  /* N m: the external torque during the next frame. */
  double *torque;
  /* 1/(kg m^2), 0 when pinned. */
  double *inverse_inertia;
  /* kg m^2, also of pinned rotors. */
  msd_real *inertia;
  /* Unbroken torsion springs at each rotor. */
  int32_t *valence;
  /* ROTOR_WORK_ARRAYS arrays of `capacity`. */
  double *work;
} rotor_store;

extern const growth_table rotor_growth;
void rotor_store_free(rotor_store *r, memory *m);

/* 1/inertia if that is usable in a substep, else 0. */
double rotor_inverse(msd_real inertia);

#endif
