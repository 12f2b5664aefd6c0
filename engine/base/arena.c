#ifdef __linux__
#define _DEFAULT_SOURCE /* madvise */
#include <sys/mman.h>
#endif

#include "engine/base/arena.h"

#include <stdint.h>
#include <string.h>

#if defined(__SANITIZE_ADDRESS__)
#define CHECKS_ADDRESSES
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define CHECKS_ADDRESSES
#endif
#endif

#if defined(MADV_HUGEPAGE) && !defined(CHECKS_ADDRESSES)

enum { ALIGNMENT = 64, HUGE_PAGE = 2 << 20 };

/* The range of block sizes, the memory in use from which chunks are created, and the largest chunk. */
static const size_t LEAST_BLOCK = 16 << 10, MOST_BLOCK = 2 * HUGE_PAGE, LEAST_HELD = 1 << 20,
                    MOST_CHUNK = 16 * HUGE_PAGE;

/* A free span; the memory after it is in use. */
typedef struct free_span {
  struct free_span *next;
  size_t bytes;
} free_span;

struct memory_chunk {
  memory_chunk *next;
  /* Offsets from the beginning, header included: of the whole chunk, of the end of blocks and spans, and of
     the end of the memory ever written. */
  size_t bytes, end, clean;
  /* Ascending. */
  free_span *first;
  size_t blocks;
};

enum { CHUNK_HEAD = (sizeof(memory_chunk) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT };

static size_t rounded_up(size_t bytes, size_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

static size_t least_of(size_t a, size_t b) {
  return a < b ? a : b;
}

/* ------------------------------------------------------------------------------------------------- chunks */

/* Creates a chunk aligned to huge pages. Its size grows with the memory in use. */
static memory_chunk *make_chunk(size_t block, size_t held) {
  const size_t bytes =
      rounded_up(least_of(held, MOST_CHUNK - CHUNK_HEAD - block) + CHUNK_HEAD + block, HUGE_PAGE);
  char *start = mmap(NULL, bytes + HUGE_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (start == MAP_FAILED)
    return NULL;
  const size_t before = (HUGE_PAGE - (uintptr_t)start % HUGE_PAGE) % HUGE_PAGE;
  if (before > 0)
    munmap(start, before);
  munmap(start + before + bytes, HUGE_PAGE - before);
  memory_chunk *c = (memory_chunk *)(void *)(start + before);
  madvise(c, bytes, MADV_HUGEPAGE); /* a hint: nothing depends on its success */
  *c = (memory_chunk){.bytes = bytes, .end = CHUNK_HEAD, .clean = CHUNK_HEAD};
  return c;
}

/* The link to a chunk in the list, or the end of the list for NULL. */
static memory_chunk **link_to(memory_chunk **chunks, const memory_chunk *wanted) {
  while (*chunks != wanted)
    chunks = &(*chunks)->next;
  return chunks;
}

static void free_chunk(memory_chunk **link) {
  memory_chunk *c = *link;
  *link = c->next;
  munmap(c, c->bytes);
}

/* Frees empty chunks. One that has just become empty is kept for reuse, unless all are empty. */
static void free_empty(memory_chunk **chunks, const memory_chunk *last) {
  bool is_used = false;
  for (memory_chunk **link = chunks; *link;) {
    is_used = is_used || (*link)->blocks > 0;
    if ((*link)->blocks == 0 && *link != last)
      free_chunk(link);
    else
      link = &(*link)->next;
  }
  if (!is_used)
    free_chunk(chunks);
}

/* ------------------------------------------------------------------------------------------------- blocks */

static size_t place_in(const memory_chunk *c, const void *at) {
  return (size_t)((const char *)at - (const char *)c);
}

/* Allocates from the end of the first span that is large enough, or from the tail; NULL if neither is. */
static char *take_from(memory_chunk *c, size_t bytes) {
  for (free_span **link = &c->first; *link; link = &(*link)->next) {
    free_span *span = *link;
    if (span->bytes < bytes)
      continue;
    span->bytes -= bytes;
    if (span->bytes == 0)
      *link = span->next;
    return (char *)span + span->bytes;
  }
  if (c->bytes - c->end < bytes)
    return NULL;
  c->end += bytes;
  return (char *)c + (c->end - bytes);
}

/* Zeroes previously written memory if requested. */
static void note_taken(memory_chunk *c, char *block, size_t bytes, bool is_zero) {
  const size_t place = place_in(c, block);
  if (is_zero && place < c->clean)
    memset(block, 0, least_of(bytes, c->clean - place));
  if (c->clean < place + bytes)
    c->clean = place + bytes;
  c->blocks++;
}

void *arena_take(memory_chunk **chunks, size_t bytes, size_t held, bool is_zero, memory_chunk **of) {
  *of = NULL;
  if (bytes < LEAST_BLOCK || bytes > MOST_BLOCK || held < LEAST_HELD)
    return NULL;
  const size_t room = rounded_up(bytes, ALIGNMENT);
  memory_chunk *c = *chunks;
  char *block = NULL;
  for (; c && !(block = take_from(c, room)); c = c->next)
    continue;
  if (!block) {
    c = make_chunk(room, held);
    if (!c)
      return NULL;
    *link_to(chunks, NULL) = c;
    block = take_from(c, room);
  }
  note_taken(c, block, room, is_zero);
  *of = c;
  return block;
}

/* Merges a span with the next one if they are adjacent. */
static void join_next(free_span *span) {
  free_span *next = span->next;
  if (next && (char *)span + span->bytes == (char *)next)
    *span = (free_span){next->next, span->bytes + next->bytes};
}

/* Merges the last span into the tail if they are adjacent. */
static void lengthen_tail(memory_chunk *c) {
  free_span **link = &c->first;
  while (*link && (*link)->next)
    link = &(*link)->next;
  if (!*link || place_in(c, *link) + (*link)->bytes != c->end)
    return;
  c->end = place_in(c, *link);
  *link = NULL;
}

void arena_release(memory_chunk **chunks, memory_chunk *of, void *block, size_t bytes) {
  free_span *own = block, *before = NULL;
  for (free_span *span = of->first; span && span < own; span = span->next)
    before = span;
  *own = (free_span){before ? before->next : of->first, rounded_up(bytes, ALIGNMENT)};
  if (before)
    before->next = own;
  else
    of->first = own;
  join_next(own);
  if (before)
    join_next(before);
  lengthen_tail(of);
  if (--of->blocks == 0)
    free_empty(chunks, of);
}

#else

/* Without huge pages there is no gain. Address sanitizers need to see each block. */
void *arena_take(memory_chunk **chunks, size_t bytes, size_t held, bool is_zero, memory_chunk **of) {
  (void)chunks, (void)bytes, (void)held, (void)is_zero;
  *of = NULL;
  return NULL;
}

void arena_release(memory_chunk **chunks, memory_chunk *of, void *block, size_t bytes) {
  (void)chunks, (void)of, (void)block, (void)bytes;
}

#endif
