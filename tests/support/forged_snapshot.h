/* Snapshots as whoever forges them would make them: changed, and signed again. */
#ifndef MSD_TESTS_SUPPORT_FORGED_SNAPSHOT_H
#define MSD_TESTS_SUPPORT_FORGED_SNAPSHOT_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* The beginning of the format, which every version keeps: 8 bytes of name, a checksum of all behind it, then
   as 32-bit numbers the version, the mark of the byte order, and the bytes of a real. */
enum { CHECKSUM_AT = 8, CHECKED_FROM = 16, VERSION_AT = 16, BYTE_ORDER_AT = 20, REAL_BYTES_AT = 24 };

static inline uint64_t forged_word(uint64_t hash, uint64_t word) {
  hash = (hash ^ word) * 0x100000001b3u;
  return hash ^ hash >> 32;
}

/* Makes the checksum right: four lanes of words, the last four filled up with zeros, then the lanes. */
static inline void sign_snapshot(unsigned char *bytes, size_t size) {
  uint64_t lanes[4] = {0xcbf29ce484222325u, 1, 2, 3}, hash = 0;
  const size_t end = CHECKED_FROM + ((size - CHECKED_FROM) / 32 + 1) * 32;
  for (size_t at = CHECKED_FROM, n = 0; at < end; at += 8, n++) {
    uint64_t word = 0;
    if (at < size)
      memcpy(&word, bytes + at, size - at < 8 ? size - at : 8);
    lanes[n % 4] = forged_word(lanes[n % 4], word);
  }
  for (size_t lane = 0; lane < 4; lane++)
    hash = forged_word(hash, lanes[lane]);
  memcpy(bytes + CHECKSUM_AT, &hash, sizeof hash);
}

#endif
