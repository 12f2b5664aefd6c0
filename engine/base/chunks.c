#ifdef __linux__
#define _DEFAULT_SOURCE /* madvise */
#include <sys/mman.h>
#endif

#include "engine/base/chunks.h"

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

/* Of blocks, what chunks are for; of what is held, when they begin to be; and of chunks. */
static const size_t LEAST_BLOCK = 16 << 10, MOST_BLOCK = 2 * HUGE_PAGE, LEAST_HELD = 1 << 20,
                    MOST_CHUNK = 16 * HUGE_PAGE;

/* Free, and behind it something that is not. */
typedef struct free_span {
  struct free_span *next;
  size_t bytes;
} free_span;

struct memory_chunk {
  memory_chunk *next;
  /* From its beginning, this included: of all, of what blocks and spans have, and of what was ever written. */
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

/* Aligned to huge pages. The more is held the larger they are. */
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

/* Where in the list the chunk is, or would be behind all others. */
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

/* One that has just become empty is kept for what comes next, unless it was the last. */
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

/* The end of the first span that has room, or the beginning of the tail; NULL: there is none. */
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

/* What was written before is cleared where that is wanted. */
static void note_taken(memory_chunk *c, char *block, size_t bytes, bool is_zero) {
  const size_t place = place_in(c, block);
  if (is_zero && place < c->clean)
    memset(block, 0, least_of(bytes, c->clean - place));
  if (c->clean < place + bytes)
    c->clean = place + bytes;
  c->blocks++;
}

void *chunks_take(memory_chunk **chunks, size_t bytes, size_t held, bool is_zero, memory_chunk **of) {
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

/* Joins a span to the next one where they touch. */
static void join_next(free_span *span) {
  free_span *next = span->next;
  if (next && (char *)span + span->bytes == (char *)next)
    *span = (free_span){next->next, span->bytes + next->bytes};
}

/* The last span is given up where it touches the tail. */
static void lengthen_tail(memory_chunk *c) {
  free_span **link = &c->first;
  while (*link && (*link)->next)
    link = &(*link)->next;
  if (!*link || place_in(c, *link) + (*link)->bytes != c->end)
    return;
  c->end = place_in(c, *link);
  *link = NULL;
}

void chunks_give_back(memory_chunk **chunks, memory_chunk *of, void *block, size_t bytes) {
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

/* Nothing is gained without huge pages; and who checks addresses wants to see each block. */
void *chunks_take(memory_chunk **chunks, size_t bytes, size_t held, bool is_zero, memory_chunk **of) {
  (void)chunks, (void)bytes, (void)held, (void)is_zero;
  *of = NULL;
  return NULL;
}

void chunks_give_back(memory_chunk **chunks, memory_chunk *of, void *block, size_t bytes) {
  (void)chunks, (void)of, (void)block, (void)bytes;
}

#endif
