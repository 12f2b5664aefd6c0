#include "engine/world/snapshot_checksum.h"

#include <string.h>

enum { WORD = sizeof(uint64_t) };

/* Adds one word. The operation is invertible, so a change within one word always changes the result. */
static uint64_t with_word(uint64_t hash, const unsigned char *bytes) {
  uint64_t word;
  memcpy(&word, bytes, sizeof word);
  hash = (hash ^ word) * 0x100000001b3u;
  return hash ^ hash >> 32;
}

/* Each lane takes every fourth word, so that the lanes are independent. */
static void add_blocks(uint64_t lanes[SNAPSHOT_SUM_LANES], const unsigned char *bytes, size_t count) {
  uint64_t now[SNAPSHOT_SUM_LANES];
  memcpy(now, lanes, sizeof now);
  for (size_t at = 0; at < count; at += SNAPSHOT_SUM_BLOCK)
    for (size_t lane = 0; lane < SNAPSHOT_SUM_LANES; lane++)
      now[lane] = with_word(now[lane], bytes + at + lane * WORD);
  memcpy(lanes, now, sizeof now);
}

snapshot_checksum snapshot_checksum_begin(void) {
  return (snapshot_checksum){.lanes = {0xcbf29ce484222325u, 1, 2, 3}};
}

void snapshot_checksum_add(snapshot_checksum *s, const void *bytes, size_t count) {
  const unsigned char *from = bytes;
  if (s->held > 0) {
    const size_t room = SNAPSHOT_SUM_BLOCK - s->held, taken = count < room ? count : room;
    memcpy(s->rest + s->held, from, taken);
    s->held += taken;
    from += taken;
    count -= taken;
    if (s->held < SNAPSHOT_SUM_BLOCK)
      return;
    add_blocks(s->lanes, s->rest, SNAPSHOT_SUM_BLOCK);
  }
  s->held = count % SNAPSHOT_SUM_BLOCK;
  add_blocks(s->lanes, from, count - s->held);
  memcpy(s->rest, from + (count - s->held), s->held);
}

/* The last block is padded with zeros. */
uint64_t snapshot_checksum_end(const snapshot_checksum *s) {
  unsigned char last[SNAPSHOT_SUM_BLOCK] = {0};
  uint64_t lanes[SNAPSHOT_SUM_LANES], hash = 0;
  memcpy(lanes, s->lanes, sizeof lanes);
  memcpy(last, s->rest, s->held);
  add_blocks(lanes, last, sizeof last);
  for (size_t lane = 0; lane < SNAPSHOT_SUM_LANES; lane++)
    hash = with_word(hash, (const unsigned char *)&lanes[lane]);
  return hash;
}
