/* Output record by record: records collect in a buffer, and go to the stream a buffer at a time. */
#ifndef MSD_APP_BASE_WRITE_BUFFER_H
#define MSD_APP_BASE_WRITE_BUFFER_H

#include <stdint.h>
#include <stdio.h>

enum { WRITE_BUFFER_BYTES = 1 << 15 };

typedef struct write_buffer {
  FILE *stream;
  size_t used;
  char bytes[WRITE_BUFFER_BYTES];
} write_buffer;

static inline void write_buffer_begin(write_buffer *b, FILE *stream) {
  b->stream = stream;
  b->used = 0;
}

/* What has been taken goes to the stream, with which errors stay. To be called last, and before something else
   is written there. */
static inline void write_buffer_flush(write_buffer *b) {
  fwrite(b->bytes, 1, b->used, b->stream);
  b->used = 0;
}

/* Room for a record of at most so many bytes, no more than WRITE_BUFFER_BYTES. */
static inline void *write_buffer_room(write_buffer *b, size_t most) {
  if (most > WRITE_BUFFER_BYTES - b->used)
    write_buffer_flush(b);
  return b->bytes + b->used;
}

/* Of so many records of at most `most` bytes, one at least, those for which write_buffer_room gives room when
   it is asked next, for one of `most` bytes. They are written faster than one by one, since where the buffer
   ends need not be kept in memory after each. */
static inline int32_t write_buffer_rows(write_buffer *b, size_t most, int32_t rows) {
  const size_t left = (WRITE_BUFFER_BYTES - b->used) / most,
               fitting = left > 0 ? left : WRITE_BUFFER_BYTES / most;
  return (size_t)rows < fitting ? rows : (int32_t)fitting;
}

/* Takes what has been written there, up to `end`. */
static inline void write_buffer_take(write_buffer *b, const void *end) {
  b->used = (size_t)((const char *)end - b->bytes);
}

/* Writes a text there without the 0 behind it; returns where it ends. */
static inline char *write_buffer_text(char *to, const char *text) {
  while (*text != '\0')
    *to++ = *text++;
  return to;
}

#endif
