#ifndef MSD_ENGINE_STABILITY_LIMIT_CACHE_H
#define MSD_ENGINE_STABILITY_LIMIT_CACHE_H

#include "engine/store/revision.h"
#include "msd/msd.h"

/* Cached stability limits.

   Limits for stiff constraints depend on the configuration in which they were computed, and every substep
   changes it. They remain safe: each substep softens constraints that exceed their stiffness budget.
   Softening loses stiffness, though. So after a frame that softened a constraint the limits are recomputed,
   and also at intervals, in case longer substeps have become possible. If a recomputation did not help
   because the configuration is no longer followed, the next one is delayed twice as long. */
/* Limits that hold in every configuration are searched for once, and then updated with single changes of the
   network. If no change increases an entry of the operator (steps.h), they remain valid; else those of
   incremental_bound.h replace them. Both are proven stable, and may be lower than a search would find. So a
   search follows after an amount of work that makes its cost negligible. If it did not help, the next one is
   delayed twice as long. Small networks are always searched. */
typedef enum limits_state {
  /* Found by a search. */
  LIMITS_FOUND,
  /* Found by a search; later changes only relaxed the network. */
  LIMITS_KEPT,
  /* From incremental_bound.h, for the integrators with the limit of symplectic Euler. */
  LIMITS_FOLLOWED,
  /* Outdated: a later change may need a shorter substep. */
  LIMITS_STALE,
  LIMITS_STATE_COUNT
} limits_state;

typedef struct stability_cache {
  /* s: msd_stability.integrator_stable_substep, and the same for the rotors alone. */
  double stable_step[MSD_INTEGRATOR_COUNT], rotor_step[MSD_INTEGRATOR_COUNT];
  revision stable_step_made_for, shape_made_for, rotor_step_made_for;
  /* The number of springs at that time. */
  int32_t springs;
  /* Frames since stable_step was computed; the age from which a softened constraint triggers a recomputation;
     and whether a frame softened one. */
  int32_t age, patience;
  bool was_softened;
  /* A limits_state; the substeps chosen by limits that were not found by a search; and the number of those
     after which a search is due. */
  int32_t state, worked, wait;
  /* True if they were computed after the last frame. */
  bool is_new;
} stability_cache;

/* The cached limits in a snapshot; patience 0: none. */
typedef struct stability_standing {
  double stable_step[MSD_INTEGRATOR_COUNT];
  int32_t age, patience, was_softened, state, worked, wait;
} stability_standing;

#endif
