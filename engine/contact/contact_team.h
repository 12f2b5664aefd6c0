/* The ranks (msd/ranks.h) that share the work of contact. All hold the whole state and do the same with it;
   where work is shared each does a part, and goes on from what all of them have found, in the order of one
   process. What one of them has no memory for none does. */
#ifndef MSD_ENGINE_CONTACT_CONTACT_TEAM_H
#define MSD_ENGINE_CONTACT_CONTACT_TEAM_H

#include "engine/base/memory.h"

#include <msd/ranks.h>

/* What ranks tell each other at once. */
enum { CONTACT_TEAM_NUMBERS = 3 };

typedef struct contact_team {
  /* With a count of 0: there are no others. */
  msd_ranks ranks;
  /* By rank: what it has told last, and how many bytes it gives. */
  int64_t (*told)[CONTACT_TEAM_NUMBERS];
  size_t *bytes;
} contact_team;

/* Of ranks that can gather. False, and without others, where there is no memory. */
bool contact_team_reserve(contact_team *t, memory *m, const msd_ranks *ranks);
void contact_team_free(contact_team *t, memory *m);

/* How many there are, and which is this one; of NULL too, which is one that is alone. */
static inline int contact_team_count(const contact_team *t) {
  return t && t->ranks.count > 1 ? t->ranks.count : 1;
}

static inline int contact_team_rank(const contact_team *t) {
  return contact_team_count(t) > 1 ? t->ranks.rank : 0;
}

/* Whether all have done well, which all have to ask. */
bool contact_team_agrees(const contact_team *t, bool well);

/* Tells all others some numbers, and learns theirs. */
void contact_team_tell(contact_team *t, const int64_t own[CONTACT_TEAM_NUMBERS]);

/* The sum of one of the numbers that those before a rank have told. */
int64_t contact_team_sum(const contact_team *t, int number, int ranks);

/* Items of so many bytes of all ranks, one behind the other in their order, of which each has as many as it has
   told by that number, and has filled in its own: fills in the others. */
void contact_team_gather(const contact_team *t, void *items, size_t size, int number);

#endif
