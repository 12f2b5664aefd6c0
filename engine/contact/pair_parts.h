/* What threads and ranks find of a list, part by part, and how it is put together in the order of the leaves
   that look for pairs: see pair_search.h. */
#ifndef MSD_ENGINE_CONTACT_PAIR_PARTS_H
#define MSD_ENGINE_CONTACT_PAIR_PARTS_H

#include "engine/contact/pair_work.h"

/* A search for the pairs of the leaves that look for some. */
typedef struct pair_finding {
  pair_work work;
  const pair_kernel *kernel;
  /* Ranks share it. */
  bool is_shared;
  /* The next chunk that no thread has taken. */
  atomic_int next;
  /* Pairs that found no room. */
  atomic_llong missing;
} pair_finding;

/* That of the widest vectors that are asked for and there are. */
const pair_kernel *pair_parts_kernel(msd_simd simd);

/* Lists for so many threads. False, and none, without memory. */
bool pair_parts_reserve(pair_search *search, memory *m, int threads);

/* These and the list. */
void pair_parts_free(pair_search *search, memory *m);

/* Makes chunks of the leaves that seek, so many at once, and shares them among the ranks where that pays. */
void pair_parts_begin(pair_finding *finding, int32_t leaves_at_once);

/* Finds all pairs, together with other ranks where that is shared, and puts them behind what a list has that is
   mended, or in the place of it. False without memory on some rank, or for more than 2^31-1. */
bool pair_parts_find(pair_finding *finding, memory *m, int threads);

#endif
