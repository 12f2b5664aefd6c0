/* Ordered reduction: several threads compute terms in parallel, and one thread consumes them in order. So a
   sum is bitwise identical to that of a sequential loop, with any number of threads. */
#ifndef MSD_ENGINE_BASE_ORDERED_H
#define MSD_ENGINE_BASE_ORDERED_H

#include "engine/base/parallel.h"

#include <stddef.h>

/* The maximum size of a term. */
enum { ORDERED_TERM_MAX = 256 };

typedef struct ordered_work {
  /* Computes the terms of `count` items from `first` on. Called in parallel with disjoint ranges. */
  void (*make)(void *context, int32_t first, int32_t count, void *terms);
  /* Consumes the terms of the next `count` items. Called by one thread at a time, in the order of the
     items. */
  void (*take)(void *context, int32_t first, int32_t count, const void *terms);
  /* The size of a term, 1 to ORDERED_TERM_MAX. */
  size_t term;
  void *context;
} ordered_work;

/* Computes and consumes the terms of items 0..count-1 in rounds. Needs 128 KiB of stack and no other memory.
   At most `threads` threads compute terms, and at most THREADS_MOST. */
void ordered_run(const msd_tasks *tasks, int threads, int32_t count, const ordered_work *work);

#endif
