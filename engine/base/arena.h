/* An arena allocator for medium blocks, in chunks of whole huge pages.

   A world of ten thousand particles uses blocks of 16 KiB to 4 MiB, many of which are freed before its first
   frame ends. The C library requests most of them from the system and returns them there in pages of 4 KiB.
   That takes about as long as the work on them. Chunks consist of a few huge pages, and freed blocks are
   reused.

   A chunk has free spans, no two of which are adjacent, and an unused tail:

       | chunk | block | span | block | block | span | block | tail, used before | tail, still zero |
                                                             end                 clean */
#ifndef MSD_ENGINE_BASE_ARENA_H
#define MSD_ENGINE_BASE_ARENA_H

#include <stdbool.h>
#include <stddef.h>

typedef struct memory_chunk memory_chunk;

/* Allocates a block, aligned to 64 bytes, and returns its chunk in *of. The list of chunks is initially NULL.
   `held` is the memory in use; below a minimum no chunks are created. Returns NULL if the block should come
   from another allocator, or memory runs out. */
void *arena_take(memory_chunk **chunks, size_t bytes, size_t held, bool is_zero, memory_chunk **of);

/* Frees a block. After the last block all chunks go back to the system, otherwise all empty ones except
   one. */
void arena_release(memory_chunk **chunks, memory_chunk *of, void *block, size_t bytes);

#endif
