/* Sleeping components in a snapshot, and how long the others have rested. */

#include "engine/world/snapshot.h"

sleep_snapshot sleep_snapshot_of(const sleep_store *s) {
  return sleep_is_on(s) ? (sleep_snapshot){s->particles, s->pieces} : (sleep_snapshot){0, 0};
}

bool sleep_snapshot_counts_are_sound(sleep_snapshot h, int32_t particles) {
  return h.pieces >= 0 && h.pieces <= h.particles && h.particles <= particles;
}

uint64_t sleep_snapshot_size(sleep_snapshot h) {
  return (uint64_t)h.particles * sizeof(int32_t) + (uint64_t)h.pieces * (sizeof(double) + sizeof(int32_t));
}

void sleep_snapshot_put(unsigned char **to, sleep_snapshot h, const sleep_store *s) {
  snapshot_put(to, s->piece, (size_t)h.particles * sizeof *s->piece);
  snapshot_put(to, s->still, (size_t)h.pieces * sizeof *s->still);
  snapshot_put(to, s->next, (size_t)h.pieces * sizeof *s->next);
}

bool sleep_snapshot_get(sleep_store *s, sleep_snapshot h, const unsigned char **from) {
  snapshot_get(s->piece, from, (size_t)h.particles * sizeof *s->piece);
  snapshot_get(s->still, from, (size_t)h.pieces * sizeof *s->still);
  snapshot_get(s->next, from, (size_t)h.pieces * sizeof *s->next);
  return sleep_is_sound(s);
}
