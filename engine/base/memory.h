/* Memory with a limit, aligned and zeroed. */
#ifndef MSD_ENGINE_BASE_MEMORY_H
#define MSD_ENGINE_BASE_MEMORY_H

#include "engine/base/arena.h"
#include "msd/msd.h"

/* The memory of one world: its allocator, the bytes in use and the limit. */
typedef struct memory {
  msd_allocator allocator;
  size_t used, limit;
  /* True if the last allocation failed because of the limit, and not in the allocator. */
  bool over_limit;
  /* Used with the default allocator: chunks for medium blocks. */
  memory_chunk *chunks;
} memory;

/* The allocator of the C library, with the alignment that msd_allocator requires. */
msd_allocator memory_default_allocator(void);

/* Allocates `bytes` of zeroed memory aligned to 64 bytes. Returns NULL if that exceeds the limit or the
   allocator fails. */
void *memory_allocate(memory *m, size_t bytes);

/* The same without zeroing, for memory that is written before it is read. */
void *memory_allocate_unset(memory *m, size_t bytes);

/* Zeroed memory for `count` >= 0 items. Returns NULL also if the size overflows. */
void *memory_allocate_items(memory *m, int64_t count, size_t item);

/* The same without zeroing. */
void *memory_allocate_unset_items(memory *m, int64_t count, size_t item);

/* NULL is allowed. */
void memory_release(memory *m, void *block);

/* Replaces `block` by a new zeroed block, without its content. On failure returns NULL, and `block` is
   unchanged. */
void *memory_replace(memory *m, void *block, size_t bytes);

/* The amount that memory_allocate(bytes) adds to `used`. */
size_t memory_cost(size_t bytes);

#endif
