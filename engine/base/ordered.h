/* Terms that threads make at once and that one thread takes in their order: a sum of them has the same bits on
   any number of threads, those of a plain loop. */
#ifndef MSD_ENGINE_BASE_ORDERED_H
#define MSD_ENGINE_BASE_ORDERED_H

#include "engine/base/parallel.h"

#include <stddef.h>

/* Bytes of a term at most. */
enum { ORDERED_TERM_MAX = 256 };

typedef struct ordered_work {
  /* Makes the terms of `count` items from `first` on; called by several threads at once, each of items of its
     own. */
  void (*make)(void *context, int32_t first, int32_t count, void *terms);
  /* Takes those of the next `count` items; called by one thread at a time, in the order of the items. */
  void (*take)(void *context, int32_t first, int32_t count, const void *terms);
  /* Bytes of a term, 1 to ORDERED_TERM_MAX. */
  size_t term;
  void *context;
} ordered_work;

/* Makes and takes the terms of items 0..count-1, a few at a time: they need no memory but 128 KiB of the
   stack's. At most `threads` threads make terms, and no more than a few. */
void ordered_run(const msd_tasks *tasks, int threads, int32_t count, const ordered_work *work);

#endif
