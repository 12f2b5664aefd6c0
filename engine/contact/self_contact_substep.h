/* The contact step of one substep as run by all threads (self_contact.h): pair forces, colliders, separating
   planes, and the test for skin violations. */
#ifndef MSD_ENGINE_CONTACT_SELF_CONTACT_SUBSTEP_H
#define MSD_ENGINE_CONTACT_SELF_CONTACT_SUBSTEP_H

#include "engine/contact/self_contact.h"

/* Marks of a particle: skin violation in the list, or in the active set; must be monitored from now on. */
enum { OUT_OF_LIST = 1, OUT_OF_ACTIVE = 2, IS_NEW = 4, ANY_MARK = 7 };

/* Shared by the threads. */
typedef struct self_contact_turn {
  const self_contact_step *step;
  const near_kernel *kernel;
  phase_barrier meeting;
  /* Some pair or collider may act, so the predicted state is saved in case the substep is repeated. */
  bool something_acts;
  /* Boxes may touch elements. */
  bool has_boxes;
  /* The substep is being repeated. */
  bool is_again;
} self_contact_turn;

/* A task of parallel.h. Each thread leaves its tally; skin violations are marked. */
void self_contact_turn_act(void *context, int thread, int threads);

/* Marks particles of a range outside the skins of a motion bound at `age` s; true if there are any. */
bool self_contact_strays(const self_contact *c, const near_kernel *kernel, const motion_bound *f, double age,
                         const msd_real *behind, parallel_range particles);

#endif
