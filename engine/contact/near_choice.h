/* Which of the listed pairs are near: those that may push or have to be kept apart in the next few substeps.

   All pairs are decided on when a forecast is made for that, a watch; only those of some particles when these
   have strayed from it, or when their pairs are listed anew: then only the blocks of the list are looked at
   that have pairs of theirs (listed_at.h), in the order of the list. What has come of a pair is nothing between
   two decisions, so that of all others nothing has to be asked. What has once been near stays so until the next
   watch, with the witness that it had; what comes near later stands behind it. Particles that no pair has which
   may be near need not be watched.

   Some pairs come to be near only once a substep has been taken, since a particle has left its skin. Not all of
   them would have changed it.

       plane   Let n be the witness at x. Where n.a > n.b for all corners a of A and b of B at x, and at x' as
               well, the same holds between the two, as each n.(a - b) goes evenly: the pair has stayed apart.
               cells.h would have left it two margins. So where n.a - n.b is no less than that at x', but for
               the slack, no plane has been missed.
       push    One that was due before has been decided on before. One that was not may have to push where it
               comes within its thickness; one that does not, has not missed that either. What is nearer than
               its thickness at x was due, as all were in their skins then; and one that was near before it was
               listed anew is there still.

   Where none has missed anything the substep stands, and they are near from the next one on.

   Nothing pushes or holds a pair of which all corners are led. It is kept among the cells all the same where a
   triangle or a segment that can move has its point or one of its edges, so that it is pinched where it is
   led through: that one comes to intersect then. */
#ifndef MSD_ENGINE_CONTACT_NEAR_CHOICE_H
#define MSD_ENGINE_CONTACT_NEAR_CHOICE_H

#include "engine/contact/cells.h"
#include "engine/contact/forecast.h"
#include "engine/contact/grips.h"
#include "engine/contact/listed_at.h"
#include "engine/contact/near_pairs.h"
#include "engine/contact/tangles.h"

#include <stdatomic.h>

/* What has been found in a share of the list to come near, and whether that would have changed the substep. */
typedef struct near_tally {
  int32_t chosen, pushing, kept;
  /* Where in near_choice.chosen they begin. */
  int32_t first;
  bool has_missed;
} near_tally;

typedef struct near_choice {
  /* Of the list: PAIR_ flags, and the witnesses of what has some. */
  int32_t count, capacity;
  uint8_t *fate;
  near_witness *witness;
  /* Which of the list have come near, those of each share from where that begins on. */
  int32_t *chosen;
  /* Which blocks of the list a decision on some particles looks at. */
  listed_at listed_at;
  /* Since all were decided on: ranks have decided on blocks of the list by turns, and each has the flags of its
     own. What they give to each other. */
  bool is_shared;
  void *given;
  size_t given_bytes;
  /* Some are listed no more that may still have flags; some particle is watched. */
  bool has_dropped, watches;
  /* By slot: the watch as records; whether a pair that may be near has the particle, which threads set side by
     side. */
  msd_real *records, *reach;
  atomic_uchar *is_watched;
  /* The last decision took the list in so many shares that follow each other, several for each thread. */
  near_tally *tallies;
  int share_count;
  parallel_pile *piles;
} near_choice;

/* What is chosen from, and where it goes. */
typedef struct near_choosing {
  near_choice *choice;
  const pair_list *list;
  const forecast *expected;
  forecast *watch;
  const surface_mesh *mesh;
  const tangles *tangles;
  near_pairs *near;
  /* What new near pairs are held by; NULL: by nothing. */
  const grips *grips;
  cells *cells;
  memory *memory;
  /* Who decides together; NULL: this process does alone. */
  contact_team *team;
  /* The substep, when it has been taken; NULL before. */
  const near_substep *taken;
  const msd_real *inverse_mass;
  /* Of surfaces that have none of their own. */
  msd_real friction;
  const msd_tasks *tasks;
  int threads;
  msd_simd simd;
} near_choosing;

/* False, and empty, without memory. */
bool near_choice_reserve(near_choice *c, memory *m, int32_t particles, int threads);
void near_choice_free(near_choice *c, memory *m);

/* There is another list than before. */
void near_choice_forget_list(near_choice *c);

/* Decides on all, for a watch that begins. False without memory. */
bool near_choice_make(const near_choosing *s);

/* Marks particles that are in pairs listed since and have not been watched. False without memory. */
bool near_choice_extend(const near_choosing *s, uint8_t *marked, uint8_t mark);

/* Decides again on pairs with particles that are marked at all, by slot; says whether one that is near now
   would have changed the substep that has been taken without it. False without memory. */
bool near_choice_mend(const near_choosing *s, const uint8_t *marked, bool *has_missed);

#endif
