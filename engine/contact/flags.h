/* Sparse flags: one byte of marks per particle, by slot, of which few are set. */
#ifndef MSD_ENGINE_CONTACT_FLAGS_H
#define MSD_ENGINE_CONTACT_FLAGS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Words that are skipped at once. */
enum { MARKS_WORDS = 8 };

/* True if any of the slots in the next MARKS_WORDS words is marked. */
static inline bool marks_any(const uint8_t *marked) {
  uint64_t words[MARKS_WORDS], any = 0;
  memcpy(words, marked, sizeof words);
  for (int n = 0; n < MARKS_WORDS; n++)
    any |= words[n];
  return any != 0;
}

/* The first slot from `slot` on with one of the marks, or `count`. Skips unmarked slots 8 or 64 at a time. */
static inline int32_t marks_next(const uint8_t *marked, uint8_t marks, int32_t slot, int32_t count) {
  uint64_t eight;
  for (;;) {
    while (count - slot >= (int32_t)sizeof eight * MARKS_WORDS && !marks_any(marked + slot))
      slot += (int32_t)sizeof eight * MARKS_WORDS;
    while (count - slot >= (int32_t)sizeof eight) {
      memcpy(&eight, marked + slot, sizeof eight);
      if (eight != 0)
        break;
      slot += (int32_t)sizeof eight;
    }
    const int32_t end = count - slot < (int32_t)sizeof eight ? count : slot + (int32_t)sizeof eight;
    for (; slot < end; slot++)
      if (marked[slot] & marks)
        return slot;
    if (slot == count)
      return count;
  }
}

/* The number of slots with one of the marks. */
static inline int32_t marks_count(const uint8_t *marked, uint8_t marks, int32_t count) {
  int32_t some = 0;
  for (int32_t slot = marks_next(marked, marks, 0, count); slot < count;
       slot = marks_next(marked, marks, slot + 1, count))
    some++;
  return some;
}

#endif
