/* An allocator for tests of what memory a world asks for, and gives back. */
#ifndef MSD_TESTS_SUPPORT_BOOKKEEPER_H
#define MSD_TESTS_SUPPORT_BOOKKEEPER_H

#include <msd/msd.h>

#include <stdlib.h>
#include <string.h>

/* An allocator that keeps books, and gives nothing at one chosen request. */
typedef struct bookkeeper {
  int64_t blocks, bytes, most_bytes, requests;
  int64_t fail_at; /* counted from 1; 0: none */
  bool foreign;    /* something was released that was never allocated */
} bookkeeper;

enum { LINE = 64, SIGNATURE = 0x5ca1ab1e };

typedef struct tag {
  size_t bytes;
  uint32_t signature;
} tag;

static inline void *keep_and_allocate(size_t bytes, void *context) {
  bookkeeper *b = context;
  b->requests++;
  if (b->requests == b->fail_at)
    return NULL;
  unsigned char *line = aligned_alloc(LINE, LINE + (bytes + LINE - 1) / LINE * LINE);
  if (!line)
    return NULL;
  memset(line, 0xa5, LINE + bytes); /* nobody may count on zeros */
  const tag t = {bytes, SIGNATURE};
  memcpy(line, &t, sizeof t);
  b->blocks++;
  b->bytes += (int64_t)bytes;
  b->most_bytes = b->bytes > b->most_bytes ? b->bytes : b->most_bytes;
  return line + LINE;
}

static inline void keep_and_release(void *memory, void *context) {
  bookkeeper *b = context;
  if (!memory) {
    b->foreign = true;
    return;
  }
  unsigned char *line = (unsigned char *)memory - LINE;
  tag t;
  memcpy(&t, line, sizeof t);
  b->foreign = b->foreign || t.signature != SIGNATURE;
  memset(line, 0, sizeof t);
  b->blocks--;
  b->bytes -= (int64_t)t.bytes;
  free(line);
}

#endif
