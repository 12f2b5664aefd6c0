/* What touches, where several substeps go through memory at once (temporal_blocking.h).

   A collider pushes a particle by what that particle alone does in a substep, so colliders push on the way.
   Surfaces need to know all that is near; but as long as nothing is, and all particles keep to their skins,
   nothing of them acts (contact/self_contact.h). So it is asked on the way whether they do, and where one has
   not the substeps are given up: they are taken as far as all have, and then one by one. */
#ifndef MSD_ENGINE_STEP_WAVE_TOUCHING_H
#define MSD_ENGINE_STEP_WAVE_TOUCHING_H

#include "engine/contact/self_contact.h"
#include "engine/kernel/contacts.h"
#include "engine/step/temporal_blocking.h"

/* Of a run. */
typedef struct wave_touching {
  /* As they are before the first substep; NULL: there are none that may touch. */
  const self_contact *surfaces;
  /* For all threads and substeps; without `work` there are none. */
  contact_thread colliders;
  /* Substeps of the step: before the run, in the run, and all. */
  int before, substeps, all;
  /* s */
  double time_step;
  msd_simd simd;
  /* The first substep of the run behind which a particle was seen to have left its skin; INT_MAX: none was. */
  atomic_int strayed;
} wave_touching;

/* Whether there is something to be done for. */
bool wave_touching_acts(const wave_touching *w);

/* Before the run: nothing has touched yet. */
void wave_touching_begin(wave_touching *w);

/* A blocking_act of that context. */
bool wave_touching_act(void *context, const blocking_place *place);

/* Behind a run that was not taken. */
void wave_touching_drop(wave_touching *w);

/* Behind a run that was not taken: in how many substeps from the first on all were seen to keep to their skins,
   which is fewer than it has; 0 where it was not that. Not all may have been asked. */
int wave_touching_kept(const wave_touching *w);

#endif
