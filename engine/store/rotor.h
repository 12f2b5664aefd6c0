/* The rotor store: bodies that turn about an axis.

   Angles and angular velocities are kept in double whatever msd_real is. An angle counts on over many turns,
   and beyond 8192 rad (1304 turns) a float moves in steps of 1/1024 rad, 0.056 degrees: a rotor slower than
   half of that in a substep would stand still, and a spring wound up by thousands of turns would unwind in
   jerks. A double moves there in steps of 2e-12 rad. Rotors are few, so it costs nothing; and a world of them
   has the same bits in both precisions, apart from its laws and inertias. */
#ifndef MSD_ENGINE_STORE_ROTOR_H
#define MSD_ENGINE_STORE_ROTOR_H

#include "engine/base/growth.h"

/* Arrays of scratch memory that a step needs; see rotor_step.c. */
enum { ROTOR_WORK_ARRAYS = 8 };

typedef struct rotor_store {
  int32_t count, capacity;
  /* rad. */
  double *angle;
  /* rad/s. */
  double *velocity;
  /* N m during the next step. */
  double *torque;
  /* 1/(kg m^2), 0 when pinned. */
  double *inverse_inertia;
  /* kg m^2, also of pinned rotors. */
  msd_real *inertia;
  /* Unbroken angular springs at each rotor. */
  int32_t *valence;
  /* ROTOR_WORK_ARRAYS arrays of `capacity`. */
  double *work;
} rotor_store;

extern const growth_table rotor_growth;
void rotor_store_free(rotor_store *r, memory *m);

/* 1/inertia where that is usable in a step, else 0. */
double rotor_inverse(msd_real inertia);

#endif
