/* What touches in the substeps of a stepper: colliders push, and surfaces keep apart. */
#ifndef MSD_ENGINE_STEP_TOUCHING_H
#define MSD_ENGINE_STEP_TOUCHING_H

#include "engine/step/integrator.h"
#include "engine/step/stepper.h"
#include "engine/step/wave_touching.h"

/* Whether surfaces may touch: those that sleep touch as they do, and beside scaled masses none does. */
bool touching_surfaces_act(const stepper *s);

/* The colliders, which know how far particles can go unless something else has moved them. */
integrator_contact touching_colliders(stepper *s);

/* Before a step, when all that is told to it has been: whether it goes on with the list of the last one, which
   nothing but substeps has moved since; and behind one that has not failed, whether the next one may. */
void touching_begin_step(stepper *s);
void touching_end_step(stepper *s);

/* Behind one that has failed in its first substep: the next one goes on with what it went on with. */
void touching_end_failed(stepper *s);

/* Before the first substep: the list of the last step has its pairs on every rank. False without memory: then
   the next step may go on with it. */
bool touching_relist(stepper *s, const spring_input *in, int threads);

/* Behind the one substep after the `before` first ones of the step, which has led from the current slab to the
   other one. False where a position is not finite, or there is no memory for what is near. */
bool touching_act(stepper *s, const spring_input *in, int before, int threads);

/* In how many of the substeps that come next, at most so many, nothing of surfaces acts while all particles
   keep to their skins; looks around for that. < 0: there is no memory for it. */
int touching_quiet(stepper *s, const spring_input *in, int before, int substeps, int threads);

/* What touches in a run of so many substeps behind these. */
wave_touching touching_wave(stepper *s, const spring_input *in, int before, int substeps);

#endif
