/* Rows of a file that several threads write into memory at once, and that one takes in their order: a file has
   the same bytes on any number of threads. */
#ifndef MSD_APP_BASE_PARALLEL_TEXT_H
#define MSD_APP_BASE_PARALLEL_TEXT_H

#include <stddef.h>
#include <stdint.h>

/* Bytes of a row at most. */
enum { TEXT_ROW_MAX = 1 << 12 };

typedef struct parallel_text {
  /* Writes `count` rows from `first` on at `to`, and returns where they end; called by several threads at once.
     There is room for as many times `most` bytes, any of which may be changed. */
  char *(*put)(char *to, int32_t first, int32_t count, const void *context);
  const void *context;
  /* Bytes of a row at most, 1 to TEXT_ROW_MAX. */
  size_t most;
  /* Takes what `put` has written for the rows that come next, some of them at a time; called by the thread that
     calls parallel_text_write alone. */
  void (*take)(void *to, const char *bytes, size_t count);
  void *to;
} parallel_text;

/* Writes rows 0..count-1. Of `threads`, 1 and more, so many take part as there are rows for, the caller among
   them, and as few as can be started: with several it takes up to 3 MiB while it works, and where there is no
   memory for that the caller works alone. So it does not fail; errors of a stream stay with it. */
void parallel_text_write(const parallel_text *rows, int threads, int32_t count);

/* A `take` for a FILE. */
void parallel_text_to_stream(void *stream, const char *bytes, size_t count);

#endif
