/* The active set: the candidate pairs that may need a contact force or a separating plane in the next few
   substeps.

   All candidates are classified when a new motion bound begins (`active_bound`). Later, only pairs of particles
   that violated its skins, or whose candidates were searched again, are classified once more: only the
   blocks of the list with such pairs are read (pair_index.h), in the order of the list. A classification is
   fixed between updates, and a pair that entered the active set stays there, with its witness, until the
   next motion bound; later pairs are appended. Particles in no pair that may be near are not monitored.

   Some pairs enter the active set only after the substep, because a particle has violated its skin. Not all
   of them would have changed the substep:

       plane   Let n be the witness at x. If n.a > n.b for all corners a of A and b of B, at x and at x',
               the same holds in between, since each n.(a - b) is linear: the pair has stayed apart. A plane
               would have left it two margins. So if n.a - n.b at x' is at least that, except for slack, no
               plane was missed.
       force   A pair that was a candidate before was classified before. Any other one may have missed a
               force if it comes within its thickness during the substep. If it is nearer than its thickness
               at x it was a candidate, since all particles were within their skins then; and a pair that
               was in the active set before its candidates were searched again is still there.

   If no pair has missed anything the substep is valid, and the new pairs are active from the next one on.

   Fully kinematic pairs get no force and no plane. They are tracked by the separating planes all the same if
   a free triangle or segment contains the point or one of the edges, because that one intersects when the
   pair does: it is then counted as a forced intersection. */
#ifndef MSD_ENGINE_CONTACT_ACTIVE_SET_H
#define MSD_ENGINE_CONTACT_ACTIVE_SET_H

#include "engine/contact/contact_pairs.h"
#include "engine/contact/friction_cache.h"
#include "engine/contact/motion_bound.h"
#include "engine/contact/pair_index.h"
#include "engine/contact/penetrations.h"
#include "engine/contact/separation.h"

#include <stdatomic.h>

/* The pairs found in one range of the list, and whether one of them would have changed the substep. */
typedef struct near_tally {
  int32_t chosen, pushing, kept;
  /* Where they begin in near_choice.chosen. */
  int32_t first;
  bool missed_contact;
} near_tally;

typedef struct near_choice {
  /* By candidate pair: PAIR_ flags; the witness of flagged pairs. */
  int32_t count, capacity;
  uint8_t *fate;
  near_witness *witness;
  /* The candidates that were added, by range of the list. */
  int32_t *chosen;
  /* The blocks of the list that an update reads. */
  pair_index pair_index;
  /* Ranks have classified alternate blocks since the last complete classification, so each has only its own
     flags. `given`: exchange buffer. */
  bool is_shared;
  void *given;
  size_t given_bytes;
  /* Pairs were removed from the list that may still have flags; some particle is monitored. */
  bool has_dropped, watches;
  /* By slot: the motion bound as records, see near_question; particles in pairs that may be near, written
     concurrently. */
  msd_real *records, *reach;
  atomic_uchar *is_watched;
  /* By range of the list, several for each thread, in the last classification. */
  near_tally *tallies;
  int share_count;
  work_queue *piles;
} near_choice;

/* Input and output of a classification. */
typedef struct near_choosing {
  near_choice *choice;
  const pair_list *list;
  const motion_bound *expected;
  motion_bound *active_bound;
  const surface_mesh *mesh;
  const penetrations *penetrations;
  near_pairs *near;
  /* Friction anchors for new contact pairs; NULL: none. */
  const friction_cache *friction_cache;
  cells *cells;
  memory *memory;
  /* Ranks that classify together; NULL: this process only. */
  contact_team *team;
  /* The substep just taken; NULL if a motion bound begins. */
  const near_substep *taken;
  const msd_real *inverse_mass;
  /* Some particles are pins, whose flat surfaces level witnesses (edge_endpoints.h). */
  bool has_pins;
  /* Default for collision meshes without friction of their own. */
  msd_real friction;
  const msd_tasks *tasks;
  int threads;
  msd_simd simd;
  /* May be NULL. When stopped, calls fail as without memory. */
  stop_poll *stop;
} near_choosing;

/* False without memory; then empty. */
bool near_choice_reserve(near_choice *c, memory *m, int32_t particles, int threads);
void near_choice_free(near_choice *c, memory *m);

/* Call when the list is rebuilt. */
void near_choice_forget_list(near_choice *c);

/* Classifies all candidates for a new motion bound. False without memory. */
bool near_choice_make(const near_choosing *s);

/* Marks the particles of newly listed pairs that were not monitored. False without memory. */
bool near_choice_extend(const near_choosing *s, uint8_t *marked, uint8_t mark);

/* Classifies the pairs of marked particles (any mark, by slot) again. `*missed_contact`: a new pair would
   have changed the substep. False without memory. */
bool near_choice_mend(const near_choosing *s, const uint8_t *marked, bool *missed_contact);

#endif
