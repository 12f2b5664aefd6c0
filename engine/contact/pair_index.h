/* An index of the blocks of a list in which each particle has pairs, so that updates of a few particles need
   not read the whole list.

       list     0 . . . . 31 | 32 . . . . 63 | 64 . .         blocks of LISTED_BLOCK
                     i          i                 j           particles of some of their pairs
       last     i: 1 -> 0     j: 2                            the blocks of each, last one first

   Blocks are indexed in ascending order, and appended pairs later. So it suffices to compare a block with
   the last one of the particle to see whether it is new. Each thread indexes a range of particles. */
#ifndef MSD_ENGINE_CONTACT_PAIR_INDEX_H
#define MSD_ENGINE_CONTACT_PAIR_INDEX_H

#include "engine/base/memory.h"
#include "engine/base/parallel.h"
#include "engine/contact/broad_phase.h"

enum { LISTED_BLOCK = 32 };

/* A block with pairs of a particle; and the index of the particle's previous entry in `places`, or -1. */
typedef struct listed_place {
  int32_t block, before;
} listed_place;

typedef struct listed_last {
  int32_t block, place;
} listed_last;

/* The index of a range of particles. */
typedef struct listed_share {
  parallel_range particles;
  /* How many pairs of the list are indexed. */
  int32_t noted;
  int32_t count, capacity;
  listed_place *places;
} listed_share;

typedef struct pair_index {
  listed_share *shares;
  int share_count;
  /* By slot: the last block, and its entry in `places` of the range; -1: none. */
  listed_last *last;
  int32_t particles;
  /* By block: it is to be read. Without `knows`, all blocks are. */
  uint8_t *looked_at;
  int32_t block_count, block_capacity;
  bool knows;
} pair_index;

/* For a list without pairs. False without memory; then empty. */
bool pair_index_reserve(pair_index *l, memory *m, int32_t particles, int threads);
void pair_index_free(pair_index *l, memory *m);

/* Call when the list is rebuilt. */
void pair_index_forget(pair_index *l);

/* Selects the blocks with pairs of marked particles, by slot; all blocks if `marked` is NULL or the index
   lacks memory. Indexes new pairs first. */
void pair_index_find(pair_index *l, memory *m, const pair_list *list, const uint8_t *marked,
                     const msd_tasks *tasks);

/* The number of pairs in the selected blocks, counting the last block as complete. */
int64_t pair_index_count(const pair_index *l, const pair_list *list);

/* The first run of a range of the list within selected blocks; empty if there is none. */
parallel_range pair_index_next(const pair_index *l, parallel_range within);

#endif
