/* The results of a search by threads and ranks, and how they are joined in the order of the searching leaves
   (broad_phase.h). */
#ifndef MSD_ENGINE_CONTACT_BROAD_PHASE_PARTS_H
#define MSD_ENGINE_CONTACT_BROAD_PHASE_PARTS_H

#include "engine/contact/broad_phase_work.h"

/* A running search. */
typedef struct pair_finding {
  pair_work work;
  const pair_kernel *kernel;
  /* Divided among ranks. */
  bool is_shared;
  /* The next chunk that no thread has taken. */
  atomic_int next;
  /* Pairs that exceeded the capacity of their list; and all pairs so far, each once. */
  atomic_llong missing, found;
} pair_finding;

/* The kernel for a vector width, or the widest below it that this build has. */
const pair_kernel *pair_parts_kernel(msd_simd simd);

/* Lists for that many threads. False without memory; then none. */
bool pair_parts_reserve(pair_search *search, memory *m, int threads);

/* Frees these and the final list. */
void pair_parts_free(pair_search *search, memory *m);

/* Divides the searching leaves into chunks, and these among ranks where that pays. */
void pair_parts_begin(pair_finding *finding, int32_t leaves_at_once);

/* Finds all pairs, and appends them to the list (repair) or replaces it (build). False without memory on any
   rank, or with too many pairs. Whether there are too many does not depend on threads or ranks: the search ends
   early only once it has found too many. */
bool pair_parts_find(pair_finding *finding, memory *m, int threads);

#endif
