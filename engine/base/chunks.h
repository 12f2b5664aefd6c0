/* Blocks of middle size, out of chunks of whole huge pages.

   A world of ten thousand particles has its memory in blocks of 16 KiB to 4 MiB, many of which are given back
   before its first step is done. The C library takes most of them from the system and gives them back there,
   page by page of 4 KiB, which takes as long as much of what is done with them. Chunks come in a few huge
   pages, and what is given back to them is taken again.

   A chunk has free spans, of which no two touch, and a tail from which nothing is taken:

       | chunk | block | span | block | block | span | block | tail, used before | tail, still zero |
                                                             end                 clean                */
#ifndef MSD_ENGINE_BASE_CHUNKS_H
#define MSD_ENGINE_BASE_CHUNKS_H

#include <stdbool.h>
#include <stddef.h>

typedef struct memory_chunk memory_chunk;

/* Takes a block, aligned to 64 bytes, and says of which chunk; the list of chunks begins empty, as NULL.
   `held` is what is held already: of little, chunks are not made. NULL: the block is better taken elsewhere,
   or there is no memory. */
void *chunks_take(memory_chunk **chunks, size_t bytes, size_t held, bool is_zero, memory_chunk **of);

/* Gives it back. With the last block of all the system gets back all chunks, and else all but one of those
   that have none. */
void chunks_give_back(memory_chunk **chunks, memory_chunk *of, void *block, size_t bytes);

#endif
