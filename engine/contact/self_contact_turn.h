/* What threads do behind one substep (self_contact.h): the forces of pairs, the colliders, the cells, and the
   question who is out of a skin. */
#ifndef MSD_ENGINE_CONTACT_SELF_CONTACT_TURN_H
#define MSD_ENGINE_CONTACT_SELF_CONTACT_TURN_H

#include "engine/contact/self_contact.h"

/* What is marked of a particle: it has left its skin in the list, or in the watch; it is to be watched now. */
enum { LEFT_LIST = 1, LEFT_WATCH = 2, IS_NEW = 4, ANY_MARK = 7 };

/* What the threads of a run share. */
typedef struct self_contact_turn {
  const self_contact_step *step;
  const near_kernel *kernel;
  parallel_meeting meeting;
  /* So that the state behind the substep is kept, in case that the substep is done again. */
  bool something_acts;
  /* It has been taken before, and did not stand. */
  bool is_again;
} self_contact_turn;

/* A task of parallel.h. Each thread leaves its tally; of all particles those that have strayed are marked. */
void self_contact_turn_act(void *context, int thread, int threads);

/* Marks some particles that have strayed from a forecast that is of that age then; whether some have. */
bool self_contact_strays(const self_contact *c, const near_kernel *kernel, const forecast *f, double age,
                         const msd_real *behind, parallel_range particles);

#endif
