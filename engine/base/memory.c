#ifdef __linux__
#define _DEFAULT_SOURCE /* madvise */
#include <sys/mman.h>
#endif

#include "engine/base/memory.h"

#include <stdlib.h>
#include <string.h>

enum { ALIGNMENT = 64, HUGE_PAGE = 2 << 20 };

/* malloc guarantees less than 64 bytes of alignment, and C11's aligned_alloc is missing on Windows. So a few
   more bytes are allocated, and the original pointer is stored before the aligned block. Large blocks, which
   substeps stream through, request huge pages; otherwise page walks would take much of the time. */
static void *allocate_default(size_t bytes, bool is_zero) {
  const size_t alignment = bytes >= 2 * (size_t)HUGE_PAGE ? (size_t)HUGE_PAGE : (size_t)ALIGNMENT;
  if (bytes > SIZE_MAX - alignment - sizeof(void *))
    return NULL;
  /* calloc does not clear memory that is fresh from the system. */
  char *raw =
      is_zero ? calloc(1, bytes + alignment + sizeof(void *)) : malloc(bytes + alignment + sizeof(void *));
  if (!raw)
    return NULL;
  char *start = raw + sizeof(void *);
  char *aligned = start + (alignment - (uintptr_t)start % alignment) % alignment;
  memcpy(aligned - sizeof(void *), &raw, sizeof(void *));
#ifdef MADV_HUGEPAGE
  if (alignment == HUGE_PAGE)
    madvise(aligned, bytes, MADV_HUGEPAGE); /* a hint: nothing depends on its success */
#endif
  return aligned;
}

static void *default_allocate(size_t bytes, void *context) {
  (void)context;
  return allocate_default(bytes, false);
}

static void default_release(void *block, void *context) {
  (void)context;
  char *raw;
  memcpy(&raw, (char *)block - sizeof(void *), sizeof(void *));
  free(raw);
}

msd_allocator memory_default_allocator(void) {
  return (msd_allocator){default_allocate, default_release, NULL};
}

/* Each block is preceded by a header of one cache line, for accounting when it is released. */
typedef struct block_line {
  size_t cost;
  /* NULL: not from a chunk. */
  memory_chunk *chunk;
} block_line;

size_t memory_cost(size_t bytes) {
  return bytes > SIZE_MAX - ALIGNMENT ? SIZE_MAX : bytes + ALIGNMENT;
}

static void *allocate(memory *m, size_t bytes, bool is_zero) {
  const size_t cost = memory_cost(bytes);
  if (cost == SIZE_MAX || m->used > m->limit || cost > m->limit - m->used) {
    m->over_limit = true;
    return NULL;
  }
  const bool is_ours = m->allocator.allocate == default_allocate;
  block_line own = {.cost = cost};
  char *line = is_ours ? arena_take(&m->chunks, cost, m->used, is_zero, &own.chunk) : NULL;
  if (!line)
    line = is_ours ? allocate_default(cost, is_zero) : m->allocator.allocate(cost, m->allocator.context);
  if (!line) {
    m->over_limit = false;
    return NULL;
  }
  memcpy(line, &own, sizeof own);
  m->used += cost;
  if (is_zero && !is_ours)
    memset(line + ALIGNMENT, 0, bytes);
  return line + ALIGNMENT;
}

void *memory_allocate_unset(memory *m, size_t bytes) {
  return allocate(m, bytes, false);
}

void *memory_allocate(memory *m, size_t bytes) {
  return allocate(m, bytes, true);
}

/* SIZE_MAX, which always fails, on overflow. */
static size_t bytes_of(int64_t count, size_t item) {
  return (uint64_t)count <= SIZE_MAX / item ? (size_t)count * item : SIZE_MAX;
}

void *memory_allocate_items(memory *m, int64_t count, size_t item) {
  return memory_allocate(m, bytes_of(count, item));
}

void *memory_allocate_unset_items(memory *m, int64_t count, size_t item) {
  return memory_allocate_unset(m, bytes_of(count, item));
}

void memory_release(memory *m, void *block) {
  if (!block)
    return;
  char *line = (char *)block - ALIGNMENT;
  block_line own;
  memcpy(&own, line, sizeof own);
  m->used -= own.cost;
  if (own.chunk)
    arena_release(&m->chunks, own.chunk, line, own.cost);
  else
    m->allocator.release(line, m->allocator.context);
}

void *memory_replace(memory *m, void *block, size_t bytes) {
  void *made = memory_allocate(m, bytes);
  if (made)
    memory_release(m, block);
  return made;
}
