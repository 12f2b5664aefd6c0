/* Streams bytes from the ranks of a distributed world to rank 0, which writes them. */
#ifndef MSD_ENGINE_WORLD_SUBDOMAIN_STREAM_H
#define MSD_ENGINE_WORLD_SUBDOMAIN_STREAM_H

#include "engine/base/memory.h"

#include <msd/ranks.h>

enum { SUBDOMAIN_STREAM_BYTES = 1 << 16 };

/* The caller sets `ranks`, `write` and `context`; the last two are used on rank 0 only. */
typedef struct subdomain_stream {
  const msd_ranks *ranks;
  /* One route from each rank except 0. */
  void **routes;
  /* Message buffers of SUBDOMAIN_STREAM_BYTES each. */
  unsigned char *give, *take;
  msd_write_function write;
  void *context;
} subdomain_stream;

/* All ranks must call it. Returns false on all of them if memory runs out; subdomain_stream_close is needed in
   any case. */
bool subdomain_stream_open(subdomain_stream *s, memory *m);
void subdomain_stream_close(subdomain_stream *s, memory *m);

/* Sends the next `size` bytes of `rank`; all ranks must call it. Returns true if there were any. */
bool subdomain_send(const subdomain_stream *s, int rank, const unsigned char *bytes, size_t size);

#endif
