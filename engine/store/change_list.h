/* A log of changes to single springs and particles, so that derived data is updated incrementally instead of
   rebuilt.

   Each entry is one increment of revision.definitions. A bulk change is one increment without an entry. It
   ends the log: data derived before it must be rebuilt. The same holds for data derived before the log grew
   so long that a rebuild is cheaper. A restored world has no entries, but keeps the length that the log would
   have. */
#ifndef MSD_ENGINE_STORE_CHANGE_LIST_H
#define MSD_ENGINE_STORE_CHANGE_LIST_H

#include "engine/base/memory.h"
#include "engine/store/revision.h"

typedef struct change_list {
  /* Spring index e, or -1 - i for particle i. */
  int32_t *items;
  int32_t count, capacity;
  /* The length that counts against the limit; it includes entries from before the world was restored. */
  int32_t length;
  /* revision.definitions before the first entry: entry n changed it to since + n + 1. */
  uint64_t since;
  /* revision.definitions after the last change that may shorten the stable substep. */
  uint64_t tightened;
} change_list;

static inline int32_t change_of_particle(int32_t particle) {
  return -1 - particle;
}

/* Increments revision.definitions and appends an entry, up to `most` entries. `relaxes`: every substep length
   that was proven stable before the change stays proven stable after it. */
void change_list_add(change_list *c, memory *m, revision *r, int32_t item, int32_t most, bool relaxes);

/* The length of the log; 0 if a bulk change has ended it. */
static inline int32_t change_list_length(const change_list *c, uint64_t now) {
  return c->since + (uint64_t)c->count == now ? c->length : 0;
}

/* Continues without entries, as a log of `length` entries. */
static inline void change_list_resume(change_list *c, uint64_t now, int32_t length) {
  c->count = 0;
  c->since = now;
  c->length = length;
}

static inline void change_list_free(change_list *c, memory *m) {
  memory_release(m, c->items);
  *c = (change_list){.items = NULL};
}

/* The entries first to end - 1. */
typedef struct change_range {
  int32_t first, end;
  /* True if no entry may shorten the stable substep. */
  bool relaxes;
} change_range;

/* Finds all changes since revision.definitions was `before`. Returns false if the log does not reach back
   that far. */
static inline bool change_list_since(const change_list *c, uint64_t before, uint64_t now,
                                     change_range *range) {
  if (before == now) {
    *range = (change_range){.relaxes = true};
    return true;
  }
  if (before < c->since || before > now || c->since + (uint64_t)c->count != now)
    return false;
  *range = (change_range){(int32_t)(before - c->since), c->count, c->tightened <= before};
  return true;
}

#endif
