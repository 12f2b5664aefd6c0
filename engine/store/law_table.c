#include "engine/store/law_table.h"

#include <string.h>

enum { LAWS_MAX = UINT8_MAX + 1, LAWS_SPARE = 64 };

size_t law_table_cost(int64_t capacity) {
  return memory_cost((size_t)capacity) + memory_cost(LAWS_MAX * sizeof(law));
}

void law_table_free(law_table *t, memory *m) {
  memory_release(m, t->laws);
  memory_release(m, t->index);
  *t = (law_table){0};
}

/* Drops the laws that none of so many springs has. */
static void sweep(law_table *t, int32_t springs) {
  bool used[LAWS_MAX] = {false};
  uint8_t moved[LAWS_MAX];
  for (int32_t e = 0; e < springs; e++)
    used[t->index[e]] = true;
  int32_t count = 0;
  for (int32_t n = 0; n < t->count; n++) {
    moved[n] = (uint8_t)count;
    if (used[n])
      t->laws[count++] = t->laws[n];
  }
  for (int32_t e = 0; e < springs; e++)
    t->index[e] = moved[t->index[e]];
  t->count = count;
}

/* From then on each spring has a law of its own. */
static bool split(law_table *t, memory *m, int32_t springs, int32_t capacity) {
  law *own = memory_allocate(m, (size_t)capacity * sizeof *own);
  if (!own)
    return false;
  for (int32_t e = 0; e < springs; e++)
    own[e] = t->laws[t->index[e]];
  law_table_free(t, m);
  t->laws = own;
  return true;
}

bool law_table_grow(law_table *t, memory *m, int32_t springs, int32_t capacity) {
  const bool shared = t->index || !t->laws;
  law_table larger = {.count = t->count};
  larger.laws = memory_allocate(m, (shared ? LAWS_MAX : (size_t)capacity) * sizeof *larger.laws);
  larger.index = shared ? memory_allocate(m, (size_t)capacity) : NULL;
  if (!larger.laws || (shared && !larger.index)) {
    law_table_free(&larger, m);
    return false;
  }
  if (t->laws)
    memcpy(larger.laws, t->laws, (size_t)(shared ? t->count : springs) * sizeof *t->laws);
  if (t->index)
    memcpy(larger.index, t->index, (size_t)springs);
  law_table_free(t, m);
  *t = larger;
  return true;
}

bool law_table_reserve(law_table *t, memory *m, int32_t springs, int32_t capacity) {
  if (!t->index || t->count <= LAWS_MAX - LAWS_SPARE)
    return true;
  sweep(t, springs);
  return t->count <= LAWS_MAX / 2 || split(t, m, springs, capacity);
}

/* The one among those that are shared; -1 when it is not there. What was added last comes first. */
static int32_t find(const law_table *t, law wanted) {
  for (int32_t n = t->count - 1; n >= 0; n--) {
    const law at = t->laws[n];
    if (at.kind == wanted.kind && at.first == wanted.first && at.second == wanted.second)
      return n;
  }
  return -1;
}

bool law_table_set(law_table *t, memory *m, int32_t spring, law wanted, int32_t springs, int32_t capacity) {
  int32_t n = t->index ? find(t, wanted) : spring;
  if (n < 0 && t->count == LAWS_MAX) {
    sweep(t, springs);
    /* A table that would soon be full again is given up. */
    if (t->count > LAWS_MAX / 2 && !split(t, m, springs, capacity) && t->count == LAWS_MAX)
      return false;
  }
  if (!t->index)
    n = spring;
  else if (n < 0)
    n = t->count++;
  t->laws[n] = wanted;
  if (t->index)
    t->index[spring] = (uint8_t)n;
  return true;
}
