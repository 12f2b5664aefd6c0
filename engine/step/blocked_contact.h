/* Contact during temporal blocking (temporal_blocking.h).

   Collider contact needs one particle only and runs inside the blocked pass. Mesh contact is skipped in it:
   while no contact pair is active and each particle stays within its skin (the motion margin of the neighbor
   list), it has no effect (contact/self_contact.h). If a skin is violated, the pass is discarded, the substeps
   before the violation are repeated as a shorter pass, and the following ones run singly. */
#ifndef MSD_ENGINE_STEP_BLOCKED_CONTACT_H
#define MSD_ENGINE_STEP_BLOCKED_CONTACT_H

#include "engine/contact/self_contact.h"
#include "engine/kernel/contacts.h"
#include "engine/step/temporal_blocking.h"

/* Contact arguments of one temporally blocked run. */
typedef struct blocked_contact {
  /* Mesh contact before the first substep; NULL if it is not active. */
  const self_contact *surfaces;
  /* For all threads and substeps; there are no colliders if `work` is NULL. */
  contact_thread colliders;
  /* Substeps of the frame: before the run, in the run, in total. */
  int before, substeps, all;
  /* In s. */
  double dt;
  msd_simd simd;
  /* Boxes may touch elements of `surfaces`. */
  bool has_boxes;
  /* First substep of the run after which a skin violation was found; INT_MAX: none. */
  atomic_int violators;
} blocked_contact;

/* True if the run has colliders or active mesh contact. */
bool blocked_contact_acts(const blocked_contact *w);

/* Before the run: resets the contacts. */
void blocked_contact_begin(blocked_contact *w);

/* A blocking_act for this context. */
bool blocked_contact_act(void *context, const blocking_place *place);

/* Discards the clearance bounds after a failed run. */
void blocked_contact_drop(blocked_contact *w);

/* After a run that failed: number of initial substeps in which no violation was found, or 0 if it failed for
   another reason. Not all particles may have been tested. */
int blocked_contact_kept(const blocked_contact *w);

#endif
