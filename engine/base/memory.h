/* Memory with a budget, aligned and zeroed. */
#ifndef MSD_ENGINE_BASE_MEMORY_H
#define MSD_ENGINE_BASE_MEMORY_H

#include "engine/base/chunks.h"
#include "msd/msd.h"

/* The memory of one world: its allocator, the bytes in use and the limit. */
typedef struct memory {
  msd_allocator allocator;
  size_t used, limit;
  /* The last allocation failed because of the limit, not for lack of memory. */
  bool over_limit;
  /* Of the C library's allocator: what blocks of middle size come from. */
  memory_chunk *chunks;
} memory;

/* The allocator of the C library, with the alignment that msd_allocator asks for. */
msd_allocator memory_default_allocator(void);

/* `bytes` of memory aligned to 64 bytes, zeroed; NULL when that exceeds the limit or the allocator fails. */
void *memory_allocate(memory *m, size_t bytes);

/* The same without zeros, for what is written before it is read. */
void *memory_allocate_unset(memory *m, size_t bytes);

/* Zeroed, for `count` >= 0 items; also NULL when their size overflows. */
void *memory_allocate_items(memory *m, int64_t count, size_t item);

/* The same without zeros. */
void *memory_allocate_unset_items(memory *m, int64_t count, size_t item);

/* NULL is allowed. */
void memory_release(memory *m, void *block);

/* Such a block instead of `block`, whose content is not kept; on failure NULL, and `block` stays. */
void *memory_replace(memory *m, void *block, size_t bytes);

/* What memory_allocate(bytes) adds to `used`. */
size_t memory_cost(size_t bytes);

#endif
