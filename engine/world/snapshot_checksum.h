/* Checksum of a snapshot, computed over consecutive byte ranges of any size. */
#ifndef MSD_ENGINE_WORLD_SNAPSHOT_CHECKSUM_H
#define MSD_ENGINE_WORLD_SNAPSHOT_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

enum { SNAPSHOT_SUM_LANES = 4, SNAPSHOT_SUM_BLOCK = SNAPSHOT_SUM_LANES * sizeof(uint64_t) };

typedef struct snapshot_checksum {
  uint64_t lanes[SNAPSHOT_SUM_LANES];
  /* Bytes after the last complete block, and their number. */
  unsigned char rest[SNAPSHOT_SUM_BLOCK];
  size_t held;
} snapshot_checksum;

/* Checksum of no bytes. */
snapshot_checksum snapshot_checksum_begin(void);
void snapshot_checksum_add(snapshot_checksum *s, const void *bytes, size_t count);
/* The final value. */
uint64_t snapshot_checksum_end(const snapshot_checksum *s);

#endif
