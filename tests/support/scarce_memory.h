/* An allocator whose memory runs out. */
#ifndef MSD_TESTS_SCARCE_MEMORY_H
#define MSD_TESTS_SCARCE_MEMORY_H

#include <msd/msd.h>

#include <stdlib.h>

typedef struct scarce {
  /* Requests that are still served. */
  int left;
  /* Blocks that were not released. */
  int in_use;
} scarce;

static inline void *scarce_allocate(size_t bytes, void *context) {
  scarce *s = context;
  if (s->left-- <= 0)
    return NULL;
  void *block = aligned_alloc(64, (bytes + 63) / 64 * 64);
  s->in_use += block != NULL;
  return block;
}

static inline void scarce_release(void *block, void *context) {
  scarce *s = context;
  s->in_use--;
  free(block);
}

static inline msd_allocator scarce_allocator(scarce *s) {
  return (msd_allocator){scarce_allocate, scarce_release, s};
}

#endif
