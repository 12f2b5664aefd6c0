/* Which single springs and particles have changed since when, so that what was derived from the definitions can
   follow them one by one instead of being made anew.

   Each entry counts as one revision.definitions. What changes many things at once counts as one, too, and has
   no entry: then the list no longer tells what lies between that count and the one before, and whoever was made
   before it is made anew. So is whoever was made before the list became too long to pay; of what is in the list
   of a restored world nothing is known but how much more pays. */
#ifndef MSD_ENGINE_STORE_CHANGE_LIST_H
#define MSD_ENGINE_STORE_CHANGE_LIST_H

#include "engine/base/memory.h"
#include "engine/store/revision.h"

typedef struct change_list {
  /* A spring by its index, particle i as -1 - i. */
  int32_t *items;
  int32_t count, capacity;
  /* How many a list would have that began before the world was restored. */
  int32_t length;
  /* revision.definitions before the first: entry n led to since + n + 1. */
  uint64_t since;
  /* Behind the last entry that may ask for a shorter step. */
  uint64_t tightened;
} change_list;

static inline int32_t change_of_particle(int32_t particle) {
  return -1 - particle;
}

/* Counts a change as revision.definitions, and adds it to a list of up to `most`. It relaxes if every step that
   was certified before it is certified behind it. */
void change_list_add(change_list *c, memory *m, revision *r, int32_t item, int32_t most, bool relaxes);

/* The length of a list that goes on. */
static inline int32_t change_list_length(const change_list *c, uint64_t now) {
  return c->since + (uint64_t)c->count == now ? c->length : 0;
}

/* Goes on as one of so many, of which it has none. */
static inline void change_list_resume(change_list *c, uint64_t now, int32_t length) {
  c->count = 0;
  c->since = now;
  c->length = length;
}

static inline void change_list_free(change_list *c, memory *m) {
  memory_release(m, c->items);
  *c = (change_list){.items = NULL};
}

/* Entries first to end - 1 of the list. */
typedef struct change_range {
  int32_t first, end;
  /* Whether all of them relax. */
  bool relaxes;
} change_range;

/* All that has changed since revision.definitions was `before`. False where the list does not tell. */
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
