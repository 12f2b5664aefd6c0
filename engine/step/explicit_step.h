/* Substeps of the integrators that evaluate all forces at given states: explicit Euler, velocity Verlet and
   RK4. */
#ifndef MSD_ENGINE_STEP_EXPLICIT_STEP_H
#define MSD_ENGINE_STEP_EXPLICIT_STEP_H

#include "engine/step/worker.h"

/* Advances one substep; all threads call it. Returns true if all particles of the thread are finite. */
bool explicit_euler_step(const worker *w);
bool velocity_verlet_step(const worker *w);
bool rk4_step(const worker *w);

#endif
