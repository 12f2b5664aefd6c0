/* Where in a list particles have pairs, so that who looks at the pairs of a few particles need not go through
   all of it.

       list     0 . . . . 31 | 32 . . . . 63 | 64 . .         blocks of LISTED_BLOCK
                     i          i                 j           particles of some of their pairs
       last     i: 1 -> 0     j: 2                            the blocks of each, from the last to the first

   A list has its blocks noted from the first to the last, and what is listed behind it later is noted behind
   them, so that of each particle only the last of its blocks has to be asked whether it is known already.
   Several threads note those of a share of the particles each. */
#ifndef MSD_ENGINE_CONTACT_LISTED_AT_H
#define MSD_ENGINE_CONTACT_LISTED_AT_H

#include "engine/base/memory.h"
#include "engine/base/parallel.h"
#include "engine/contact/pair_search.h"

enum { LISTED_BLOCK = 32 };

/* A block that has a particle; and where among all that are noted the one before it is, of the same particle,
   -1: there is none. */
typedef struct listed_place {
  int32_t block, before;
} listed_place;

typedef struct listed_last {
  int32_t block, place;
} listed_last;

/* What is noted of particles that follow each other. */
typedef struct listed_share {
  parallel_range particles;
  /* How many pairs of the list are noted. */
  int32_t noted;
  int32_t count, capacity;
  listed_place *places;
} listed_share;

typedef struct listed_at {
  listed_share *shares;
  int share_count;
  /* By slot: the last block of the particle, and where that is among the places of its share; -1: there is
     none. */
  listed_last *last;
  int32_t particles;
  /* By block, whether it is to be looked at, of as many as there are; `knows` not: all are. */
  uint8_t *looked_at;
  int32_t block_count, block_capacity;
  bool knows;
} listed_at;

/* Of a list without pairs, for so many threads. False, and empty, without memory. */
bool listed_at_reserve(listed_at *l, memory *m, int32_t particles, int threads);
void listed_at_free(listed_at *l, memory *m);

/* There is another list, of which nothing is noted. */
void listed_at_forget(listed_at *l);

/* Finds the blocks with pairs of particles that are marked at all, by slot; all blocks for NULL, and where
   there is no memory to note what has been listed since. By as many threads as there is room for, at most. */
void listed_at_find(listed_at *l, memory *m, const pair_list *list, const uint8_t *marked,
                    const msd_tasks *tasks);

/* How many pairs are in these blocks, but for what the last one lacks. */
int64_t listed_at_count(const listed_at *l, const pair_list *list);

/* The first of a range of the list that are in these blocks, as many as follow each other; none, where there
   are no more. */
parallel_range listed_at_next(const listed_at *l, parallel_range within);

#endif
