/* Contact in the substeps of a stepper: collider contact and mesh contact. */
#ifndef MSD_ENGINE_STEP_CONTACT_STEP_H
#define MSD_ENGINE_STEP_CONTACT_STEP_H

#include "engine/step/blocked_contact.h"
#include "engine/step/integrator.h"
#include "engine/step/stepper.h"

/* True if mesh contact is active. It is off while all collision meshes sleep, and with mass scaling. */
bool contact_step_surfaces_act(const stepper *s);

/* Arguments of collider contact for the integrator. Discards the clearance bounds if particles were moved by
   anything but substeps. */
integrator_contact contact_step_colliders(stepper *s);

/* contact_step_begin runs before a frame, after all changes by the user. It decides whether the frame
   continues with the neighbor list of the last one, which requires that only substeps have moved particles.
   contact_step_end runs after a frame that succeeded, and records whether the next one can continue. */
void contact_step_begin(stepper *s);
void contact_step_end(stepper *s);

/* After a frame that failed in its first substep: restores the neighbor list of the previous frame for the
   next one. */
void contact_step_end_failed(stepper *s);

/* Before the first substep: rebuilds the pairs of the continued list if any rank lacks them. Returns false if
   memory runs out; the next frame can then still continue with the list. */
bool contact_step_rebuild_lists(stepper *s, const spring_input *in, int threads);

/* Applies contact after the substep from the current slab to the other one. `before` substeps of the frame
   precede it. Returns false if a position is not finite, memory runs out, particles move too far, or the stop
   callback ended the substep; the stepper then has the reason in lacks_memory, is_crowded or is_abandoned. */
bool contact_step_act(stepper *s, const spring_input *in, int before, int threads);

/* Updates the broad phase. Returns the number of following substeps, at most `substeps`, that need no mesh
   contact as long as no particle violates its skin; negative if the update fails. */
int contact_step_contact_free(stepper *s, const spring_input *in, int before, int substeps, int threads);

/* Contact for a temporally blocked run of `substeps` substeps, after `before` substeps of the frame. */
blocked_contact contact_step_blocked(stepper *s, const spring_input *in, int before, int substeps);

#endif
