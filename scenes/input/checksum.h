/* Checksums: FNV-1a (Fowler, Noll, Vo), 64 bits. */
#ifndef MSD_SCENES_INPUT_CHECKSUM_H
#define MSD_SCENES_INPUT_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

/* That of no bytes. */
#define CHECKSUM_START 0xcbf29ce484222325u

/* That of bytes behind those that `checksum` is of. */
static inline uint64_t checksum_of_more(uint64_t checksum, const unsigned char *bytes, size_t count) {
  for (size_t i = 0; i < count; i++)
    checksum = (checksum ^ bytes[i]) * 0x100000001b3u;
  return checksum;
}

#endif
