/* The checksum of a snapshot, of bytes that come one after the other in pieces of any size. */
#ifndef MSD_ENGINE_WORLD_SNAPSHOT_SUM_H
#define MSD_ENGINE_WORLD_SNAPSHOT_SUM_H

#include <stddef.h>
#include <stdint.h>

enum { SNAPSHOT_SUM_LANES = 4, SNAPSHOT_SUM_BLOCK = SNAPSHOT_SUM_LANES * sizeof(uint64_t) };

typedef struct snapshot_sum {
  uint64_t lanes[SNAPSHOT_SUM_LANES];
  /* The bytes behind the last whole block, and how many. */
  unsigned char rest[SNAPSHOT_SUM_BLOCK];
  size_t held;
} snapshot_sum;

/* That of no bytes. */
snapshot_sum snapshot_sum_begin(void);
void snapshot_sum_add(snapshot_sum *s, const void *bytes, size_t count);
/* The number that it is. */
uint64_t snapshot_sum_end(const snapshot_sum *s);

#endif
