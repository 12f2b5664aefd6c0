#ifndef MSD_ENGINE_STABILITY_CACHE_H
#define MSD_ENGINE_STABILITY_CACHE_H

#include "engine/store/revision.h"
#include "msd/msd.h"

/* Limits that are remembered while what they are of stays as it is.

   Those of stiff constraints are of the shape at which they were found, and every step of the world changes it.
   No step needs to know: what a shape asks for beyond its room is softened in every substep. That is a loss of
   stiffness, though, so after a step that softened a constraint they are found again, and now and then in case
   longer substeps have become possible. Where shorter substeps are of no use, as the shape is not followed any
   further, the next search is put off twice as long. */
typedef struct stability_cache {
  /* s: msd_stability.integrator_time_step, and the same of the rotors alone. */
  double stable_step[MSD_INTEGRATOR_COUNT], rotor_step[MSD_INTEGRATOR_COUNT];
  revision stable_step_made_for, shape_made_for, rotor_step_made_for;
  /* Steps of the world since stable_step was found, whether one of them softened a constraint, and from which
     age on that is reason to find it again. */
  int32_t age, patience;
  bool was_softened;
} stability_cache;

/* Where the limits stand that a snapshot keeps; patience 0: nowhere. */
typedef struct stability_standing {
  double stable_step[MSD_INTEGRATOR_COUNT];
  int32_t age, patience, was_softened, spare;
} stability_standing;

#endif
