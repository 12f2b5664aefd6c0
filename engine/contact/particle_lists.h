/* The corners of pairs, or of faces, at each particle. Threads that own particles sum over them in the order
   of the pairs, so sums do not depend on the number of threads. */
#ifndef MSD_ENGINE_CONTACT_PARTICLE_LISTS_H
#define MSD_ENGINE_CONTACT_PARTICLE_LISTS_H

#include "engine/base/memory.h"
#include "engine/base/parallel.h"
#include "engine/contact/broad_phase.h"

#include <stdatomic.h>

/* How many unexpected particles can be added without listing all corners again. */
enum { CORNERS_LATE = 16 };

typedef struct corner_lists {
  /* The slots that have corners or are expected to. Ascending up to `late`; later ones were added since all
     corners were listed. `first`: where in `corners` those of each begin, plus one entry. */
  int32_t *slots, *first;
  int32_t late, count;
  /* Where the corners of each end, and the capacity there. Initially that is where the next ones begin;
     lists that have grown can be anywhere. */
  int32_t *last, *limit;
  /* PAIR_CORNERS times the pair, plus the corner. The array has PAIR_CORNERS times `capacity` elements,
     `used` of them in use. */
  int32_t *corners;
  int32_t capacity, used;
  /* By slot: listed in `slots` even without corners, since it may soon have some. NULL: none. Not owned by
     the lists. Threads write it concurrently, but not while corners are listed. */
  const atomic_uchar *expected;
  /* By slot: its index in `slots`, if it is there. */
  int32_t *owner;
  int32_t particles;
  /* By thread and slot: where that thread writes its corners. Allocated for `makers` threads, at most one
     number for each slot and each corner. */
  int32_t *places;
  int makers;
} corner_lists;

/* For that many particles, without corners. False without memory; then empty. */
bool corner_lists_reserve(corner_lists *c, memory *m, int32_t particles);
void corner_lists_free(corner_lists *c, memory *m);

/* Lists the corners of pairs from scratch. Each pair has `corners` of them, at most PAIR_CORNERS; slots[k]
   contains the k-th of each. Uses fewer threads if memory or work is scarce. False without memory; then
   there are no corners. */
bool corner_lists_make(corner_lists *c, memory *m, const int32_t *const *slots, int corners, int32_t pairs,
                       const msd_tasks *tasks, int threads);

typedef enum corners_extended { CORNERS_NONE, CORNERS_MADE, CORNERS_APPENDED } corners_extended;

/* Adds the corners of the pairs from `first` on, PAIR_CORNERS each. Appends if nearly all of their particles
   are in `slots` and there is capacity; otherwise lists all corners again. CORNERS_NONE without memory; then
   there are no corners. */
corners_extended corner_lists_extend(corner_lists *c, memory *m, const int32_t *const *slots, int32_t first,
                                     int32_t pairs, const msd_tasks *tasks, int threads);

/* The next pair from `pair` on with these corners in this order, or -1. slots[k] contains the k-th corner of
   each. */
int32_t corner_lists_find(const corner_lists *c, const int32_t *const *slots,
                          const int32_t wanted[PAIR_CORNERS], int32_t pair);

/* The next run of consecutive indices in `slots`, from `n` on, whose particles are in a range; empty if
   there are no more. Begin with n = 0 and continue with the end of the last run. */
parallel_range corner_lists_next(const corner_lists *c, int32_t n, parallel_range particles);

/* The range of `slots` for one thread, with about the same number of corners for each. */
parallel_range corner_lists_split(const corner_lists *c, int thread, int threads);

#endif
