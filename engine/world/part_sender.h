/* Bytes that ranks with parts of a world send to the first of them, which writes. */
#ifndef MSD_ENGINE_WORLD_PART_SENDER_H
#define MSD_ENGINE_WORLD_PART_SENDER_H

#include "engine/base/memory.h"

#include <msd/ranks.h>

enum { PART_SENDER_BYTES = 1 << 16 };

/* `ranks`, `write` and its context are given; the latter are asked on the first rank alone. */
typedef struct part_sender {
  const msd_ranks *ranks;
  /* From each rank but the first. */
  void **routes;
  /* Of so many bytes. */
  unsigned char *give, *take;
  msd_write_function write;
  void *context;
} part_sender;

/* On all ranks at once. False, on all of them, without memory; close it all the same. */
bool part_sender_open(part_sender *s, memory *m);
void part_sender_close(part_sender *s, memory *m);

/* The next bytes of one rank, on all ranks at once, of which the others give none. Whether there were any. */
bool part_send(const part_sender *s, int rank, const unsigned char *bytes, size_t size);

#endif
