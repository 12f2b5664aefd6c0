#include "engine/store/law_table.h"

enum { LAWS_MAX = UINT8_MAX + 1, LAWS_SPARE = 64 };

bool law_table_open(law_table *t, memory *m) {
  if (t->own || t->shared)
    return true;
  t->shared = memory_allocate_items(m, LAWS_MAX, sizeof *t->shared);
  t->index = memory_allocate_items(m, 0, sizeof *t->index); /* grows with the springs */
  if (t->shared && t->index)
    return true;
  law_table_free(t, m);
  return false;
}

void law_table_free(law_table *t, memory *m) {
  memory_release(m, t->shared);
  memory_release(m, t->index);
  memory_release(m, t->own);
  memory_release(m, t->own_kind);
  *t = (law_table){0};
}

/* Drops the laws that none of the springs has. */
static void sweep(law_table *t, int32_t springs) {
  bool used[LAWS_MAX] = {false};
  uint8_t moved[LAWS_MAX];
  for (int32_t e = 0; e < springs; e++)
    used[t->index[e]] = true;
  int32_t count = 0;
  for (int32_t n = 0; n < t->count; n++) {
    moved[n] = (uint8_t)count;
    if (used[n])
      t->shared[count++] = t->shared[n];
  }
  for (int32_t e = 0; e < springs; e++)
    t->index[e] = moved[t->index[e]];
  t->count = count;
}

static void put_own(law_table *t, int32_t spring, law wanted) {
  t->own[spring] = (law_pair){wanted.first, wanted.second};
  t->own_kind[spring] = wanted.kind;
}

bool law_table_split(law_table *t, memory *m, int32_t springs, int32_t capacity) {
  if (t->own)
    return true;
  law_table apart = {.own = memory_allocate_items(m, capacity, sizeof *apart.own),
                     .own_kind = memory_allocate_items(m, capacity, sizeof *apart.own_kind)};
  if (!apart.own || !apart.own_kind) {
    law_table_free(&apart, m);
    return false;
  }
  for (int32_t e = 0; e < springs; e++)
    put_own(&apart, e, t->shared[t->index[e]]);
  law_table_free(t, m);
  *t = apart;
  return true;
}

bool law_table_reserve(law_table *t, memory *m, int32_t springs, int32_t capacity) {
  if (t->own || t->count <= LAWS_MAX - LAWS_SPARE)
    return true;
  sweep(t, springs);
  return t->count <= LAWS_MAX / 2 || law_table_split(t, m, springs, capacity);
}

bool law_table_room(law_table *t, memory *m, int64_t more, int32_t springs, int32_t capacity) {
  return (more <= LAWS_SPARE ? law_table_reserve : law_table_split)(t, m, springs, capacity);
}

/* The index of a shared law; -1 when it is not there. Newer laws are looked at first. */
static int32_t find(const law_table *t, law wanted) {
  for (int32_t n = t->count - 1; n >= 0; n--) {
    const law at = t->shared[n];
    if (at.kind == wanted.kind && at.first == wanted.first && at.second == wanted.second)
      return n;
  }
  return -1;
}

bool law_table_set(law_table *t, memory *m, int32_t spring, law wanted, int32_t springs, int32_t capacity) {
  int32_t n = t->own ? -1 : find(t, wanted);
  if (!t->own && n < 0 && t->count == LAWS_MAX) {
    sweep(t, springs);
    /* A table that would soon be full again is given up. */
    if (t->count > LAWS_MAX / 2 && !law_table_split(t, m, springs, capacity) && t->count == LAWS_MAX)
      return false;
  }
  if (t->own) {
    put_own(t, spring, wanted);
    return true;
  }
  if (n < 0) {
    n = t->count++;
    t->shared[n] = wanted;
  }
  t->index[spring] = (uint8_t)n;
  return true;
}

void law_table_scale(law_table *t, int32_t springs, double factor) {
  for (int32_t e = 0; t->own && e < springs; e++)
    put_own(t, e, law_scaled(law_table_get(t, e), factor));
  for (int32_t n = 0; n < t->count; n++)
    t->shared[n] = law_scaled(t->shared[n], factor);
}
