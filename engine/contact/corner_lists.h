/* For every particle, its corners of pairs, or of faces: what threads that own particles sum over, in the
   order of the pairs, so that the sums have the bits of one thread. */
#ifndef MSD_ENGINE_CONTACT_CORNER_LISTS_H
#define MSD_ENGINE_CONTACT_CORNER_LISTS_H

#include "engine/base/memory.h"
#include "engine/base/parallel.h"
#include "engine/contact/pair_search.h"

#include <stdatomic.h>

/* How many may get corners when all are listed that were not expected to. */
enum { CORNERS_LATE = 16 };

typedef struct corner_lists {
  /* The slots that have corners or are expected to, ascending but for those from `late` on, which were not
     among them when all were listed; where in `corners` those of each begin, one more at the end. */
  int32_t *slots, *first;
  int32_t late, count;
  /* Where those of each end, and how far they may go. As made, that is where those of the next begin; what has
     had more since may be anywhere. */
  int32_t *last, *limit;
  /* PAIR_CORNERS times the pair, plus the corner; room for PAIR_CORNERS times `capacity`, of which some is
     used. */
  int32_t *corners;
  int32_t capacity, used;
  /* By slot, who is among `slots` without corners, too, as it may soon have some; NULL: nobody. It is not freed
     with the lists, and threads set it side by side, though not while corners are listed. */
  const atomic_uchar *expected;
  /* Of every slot, where in `slots` it is, if it is. */
  int32_t *owner;
  int32_t particles;
  /* Where those who list corners together put theirs, by thread and slot; for so many threads there is room.
     That is one for each slot and no more than one for each corner besides. */
  int32_t *places;
  int makers;
} corner_lists;

/* Room for that many particles, with no corners. False, and empty, without memory. */
bool corner_lists_reserve(corner_lists *c, memory *m, int32_t particles);
void corner_lists_free(corner_lists *c, memory *m);

/* Lists the corners of pairs anew, of which each has `corners`, at most PAIR_CORNERS: slots[k] has the k-th of
   each. By so many threads at most, and fewer where there is no room for more or little to do. False, and
   without corners, without memory. */
bool corner_lists_make(corner_lists *c, memory *m, const int32_t *const *slots, int corners, int32_t pairs,
                       const msd_tasks *tasks, int threads);

typedef enum corners_extended { CORNERS_NONE, CORNERS_MADE, CORNERS_APPENDED } corners_extended;

/* Lists the corners of pairs, PAIR_CORNERS each, of which those before `first` are listed: behind these, where
   all particles but a few are among `slots` and there is room; else all anew, by so many threads at most. None,
   and without corners, without memory. */
corners_extended corner_lists_extend(corner_lists *c, memory *m, const int32_t *const *slots, int32_t first,
                                     int32_t pairs, const msd_tasks *tasks, int threads);

/* The next pair at or behind `pair` that has these corners in their order, of those whose corners are in
   slots[k]; -1: there is none. */
int32_t corner_lists_find(const corner_lists *c, const int32_t *const *slots,
                          const int32_t wanted[PAIR_CORNERS], int32_t pair);

/* Which of `slots` from `n` on are in a range of the particles, as many as follow each other; none, where there
   are no more. `n` is 0, or where those before end. */
parallel_range corner_lists_next(const corner_lists *c, int32_t n, parallel_range particles);

/* A thread's share of `slots`: of about as many corners as that of every other. */
parallel_range corner_lists_split(const corner_lists *c, int thread, int threads);

#endif
