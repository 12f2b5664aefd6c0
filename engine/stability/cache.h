#ifndef MSD_ENGINE_STABILITY_CACHE_H
#define MSD_ENGINE_STABILITY_CACHE_H

#include "engine/store/revision.h"
#include "msd/msd.h"

/* Limits that are remembered while what they are of stays as it is. */
typedef struct stability_cache {
  /* s: msd_stability.integrator_time_step, and the same of the rotors alone. */
  double stable_step[MSD_INTEGRATOR_COUNT], rotor_step[MSD_INTEGRATOR_COUNT];
  revision stable_step_made_for, rotor_step_made_for;
} stability_cache;

#endif
