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
/* Those at every shape are searched for once, and then follow single changes of the network: where all that
   has changed relaxes it, so that each entry of the operator (steps.h) is what it was or less, they stand; else
   they are those of step_bounds.h. Both are certified, and may be less than a search would find. So after some
   work with them, of which a search is a part, there is one; and where it has been of no use, the next one is
   put off twice as long. Small networks are searched each time. */
typedef enum limits_state {
  /* By a search. */
  LIMITS_FOUND,
  /* Then the network was relaxed. */
  LIMITS_KEPT,
  /* Those of step_bounds.h, for the integrators that have the limit of symplectic Euler. */
  LIMITS_FOLLOWED,
  /* They are those of before a change that may ask for less. */
  LIMITS_STALE,
  LIMITS_STATE_COUNT
} limits_state;

typedef struct stability_cache {
  /* s: msd_stability.integrator_time_step, and the same of the rotors alone. */
  double stable_step[MSD_INTEGRATOR_COUNT], rotor_step[MSD_INTEGRATOR_COUNT];
  revision stable_step_made_for, shape_made_for, rotor_step_made_for;
  /* How many there were. */
  int32_t springs;
  /* Steps of the world since stable_step was found, whether one of them softened a constraint, and from which
     age on that is reason to find it again. */
  int32_t age, patience;
  bool was_softened;
  /* A limits_state; substeps that have been chosen by limits that are not found, and from how many on they are
     searched for again. */
  int32_t state, worked, wait;
  /* They have been made since the last step. */
  bool is_new;
} stability_cache;

/* Where the limits stand that a snapshot keeps; patience 0: nowhere. */
typedef struct stability_standing {
  double stable_step[MSD_INTEGRATOR_COUNT];
  int32_t age, patience, was_softened, state, worked, wait;
} stability_standing;

#endif
