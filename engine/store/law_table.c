#include "engine/store/law_table.h"

#include <string.h>

enum { LAWS_MAX = UINT8_MAX + 1, LAWS_SPARE = 64 };

bool law_table_open(law_table *t, memory *m) {
  if (t->first || t->shared)
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
  memory_release(m, t->first);
  memory_release(m, t->second);
  memory_release(m, t->kind);
  *t = (law_table){0};
}

/* Removes the unused shared laws. */
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

/* Compares bit for bit: 0 and -0 differ. */
static bool is_one(msd_real a, msd_real b) {
  return memcmp(&a, &b, sizeof a) == 0;
}

/* Allocates the second parameters and fills in the common value. */
static bool open_second(law_table *t, memory *m, int32_t capacity) {
  if (!t->second) {
    t->second = memory_allocate_items(m, capacity, sizeof *t->second);
    for (int32_t e = 0; t->second && e < capacity; e++)
      t->second[e] = t->common.second;
  }
  return t->second;
}

/* The same for the kinds, which require the second parameters. */
static bool open_kind(law_table *t, memory *m, int32_t capacity) {
  if (!open_second(t, m, capacity))
    return false;
  if (!t->kind) {
    t->kind = memory_allocate_items(m, capacity, sizeof *t->kind);
    if (t->kind)
      memset(t->kind, t->common.kind, (size_t)capacity);
  }
  return t->kind;
}

static void put_own(law_table *t, int32_t spring, law wanted) {
  t->first[spring] = wanted.first;
  if (t->second)
    t->second[spring] = wanted.second;
  if (t->kind)
    t->kind[spring] = wanted.kind;
}

bool law_table_split(law_table *t, memory *m, int32_t springs, int32_t capacity) {
  if (t->first)
    return open_kind(t, m, capacity);
  law_table apart = {.first = memory_allocate_items(m, capacity, sizeof *apart.first)};
  if (!apart.first || !open_kind(&apart, m, capacity)) {
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
  if (t->first)
    return law_table_split(t, m, springs, capacity);
  if (t->count <= LAWS_MAX - LAWS_SPARE)
    return true;
  sweep(t, springs);
  return t->count <= LAWS_MAX / 2 || law_table_split(t, m, springs, capacity);
}

bool law_table_room(law_table *t, memory *m, int64_t more, int32_t springs, int32_t capacity) {
  return (more <= LAWS_SPARE ? law_table_reserve : law_table_split)(t, m, springs, capacity);
}

/* The index of a shared law; -1 if it is not shared. Searches from the newest. */
static int32_t find(const law_table *t, law wanted) {
  for (int32_t n = t->count - 1; n >= 0; n--) {
    const law at = t->shared[n];
    if (at.kind == wanted.kind && at.first == wanted.first && at.second == wanted.second)
      return n;
  }
  return -1;
}

/* Assigns a law to a spring that has its own. */
static bool set_own(law_table *t, memory *m, int32_t spring, law wanted, int32_t capacity) {
  if (!t->kind && wanted.kind != t->common.kind && !open_kind(t, m, capacity))
    return false;
  if (!t->second && !is_one(wanted.second, t->common.second) && !open_second(t, m, capacity))
    return false;
  put_own(t, spring, wanted);
  return true;
}

bool law_table_set(law_table *t, memory *m, int32_t spring, law wanted, int32_t springs, int32_t capacity) {
  int32_t n = t->first ? -1 : find(t, wanted);
  if (!t->first && n < 0 && t->count == LAWS_MAX) {
    sweep(t, springs);
    /* A shared table that would soon be full again is given up. */
    if (t->count > LAWS_MAX / 2 && !law_table_split(t, m, springs, capacity) && t->count == LAWS_MAX)
      return false;
  }
  if (t->first)
    return set_own(t, m, spring, wanted, capacity);
  if (n < 0) {
    n = t->count++;
    t->shared[n] = wanted;
  }
  t->index[spring] = (uint8_t)n;
  return true;
}

void law_table_repeat(law_table *t, int32_t spring, int32_t count) {
  if (!t->first)
    memset(&t->index[spring], t->index[spring - 1], (size_t)count);
  for (int32_t n = 0; t->first && n < count; n++)
    put_own(t, spring + n, law_table_get(t, spring - 1));
}

/* Return whether all springs have the kind of the first one, or its second parameter. */
static bool have_one_kind(const law_table *t, int32_t springs) {
  for (int32_t e = 1; e < springs && t->kind; e++)
    if (t->kind[e] != t->kind[0])
      return false;
  return springs > 0;
}

static bool have_one_second(const law_table *t, int32_t springs) {
  for (int32_t e = 1; e < springs && t->second; e++)
    if (!is_one(t->second[e], t->second[0]))
      return false;
  return springs > 0;
}

void law_table_settle(law_table *t, memory *m, int32_t springs) {
  if (!t->first || !have_one_kind(t, springs))
    return;
  const law common = law_table_get(t, 0);
  const bool has_second = !have_one_second(t, springs);
  t->common = common;
  memory_release(m, t->kind);
  t->kind = NULL;
  if (has_second)
    return;
  memory_release(m, t->second);
  t->second = NULL;
}

/* How law_scaled changes one parameter depends on the kind alone, so unused parameters may be scaled too. */
void law_table_scale(law_table *t, int32_t springs, double factor) {
  for (int32_t e = 0; t->first && e < springs; e++)
    put_own(t, e, law_scaled(law_table_get(t, e), factor));
  t->common = law_scaled(t->common, factor);
  for (int32_t n = 0; n < t->count; n++)
    t->shared[n] = law_scaled(t->shared[n], factor);
}
