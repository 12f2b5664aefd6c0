/* Ranks (msd/ranks.h) that share the pair search. Every rank has the whole state and performs the same
   steps. Shared work is divided; each rank then continues with the results of all, in the order that one
   process would produce. An operation that fails on one rank for lack of memory fails on all. */
#ifndef MSD_ENGINE_CONTACT_CONTACT_RANKS_H
#define MSD_ENGINE_CONTACT_CONTACT_RANKS_H

#include "engine/base/memory.h"

#include <msd/ranks.h>

/* Numbers that ranks exchange at once. */
enum { CONTACT_TEAM_NUMBERS = 3 };

typedef struct contact_team {
  /* A count of 0 means a single process. */
  msd_ranks ranks;
  /* By rank: the numbers it sent last, and the size of its contribution in bytes. */
  int64_t (*told)[CONTACT_TEAM_NUMBERS];
  size_t *bytes;
} contact_team;

/* The ranks must support `gather`. False without memory; the process is then on its own. */
bool contact_team_reserve(contact_team *t, memory *m, const msd_ranks *ranks);
void contact_team_free(contact_team *t, memory *m);

/* The number of ranks and the index of this one; also for NULL, which means a single process. */
static inline int contact_team_count(const contact_team *t) {
  return t && t->ranks.count > 1 ? t->ranks.count : 1;
}

static inline int contact_team_rank(const contact_team *t) {
  return contact_team_count(t) > 1 ? t->ranks.rank : 0;
}

/* True if `well` on all ranks. Collective: every rank must call it. */
bool contact_team_agrees(const contact_team *t, bool well);

/* Collective: exchanges the numbers of all ranks. */
void contact_team_tell(contact_team *t, const int64_t own[CONTACT_TEAM_NUMBERS]);

/* The sum of one of these numbers over the first `ranks` ranks. */
int64_t contact_team_sum(const contact_team *t, int number, int ranks);

/* Collective: concatenates the items of all ranks, of `size` bytes each, in the order of ranks. The number
   of items of a rank is one of the numbers it sent. Each rank has filled in its own items; the others are
   received. */
void contact_team_gather(const contact_team *t, void *items, size_t size, int number);

#endif
