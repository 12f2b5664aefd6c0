/* The laws of springs, each kept once for all springs that share it. Networks have many springs and few laws:
   as long as 256 are enough, each spring has a byte as an index, and afterwards a law of its own, of which what
   all have alike is kept once again. */
#ifndef MSD_STORE_LAW_TABLE_H
#define MSD_STORE_LAW_TABLE_H

#include "engine/base/growth.h"
#include "engine/store/law.h"

typedef struct law_table {
  /* `count` of at most 256 laws, and the index of each spring; NULL: each spring has its own law. */
  law *shared;
  uint8_t *index;
  int32_t count;
  /* The laws of the springs, number by number; NULL: they share. All have the kind of `common` where `kind` is
     NULL, and where `second` is NULL too, bit for bit, its second number. */
  msd_real *first, *second;
  uint8_t *kind;
  law common;
} law_table;

/* To be called before there are springs; the arrays that exist then grow with them. Here and
   below false when there is no memory; the springs keep their laws. */
bool law_table_open(law_table *t, memory *m);
void law_table_free(law_table *t, memory *m);

/* Makes sure that 64 laws that none of `springs` springs has yet can be set, with room for `capacity`. */
bool law_table_reserve(law_table *t, memory *m, int32_t springs, int32_t capacity);

/* The same for any number of laws: from now on each spring has its own. */
bool law_table_split(law_table *t, memory *m, int32_t springs, int32_t capacity);

/* The same for so many laws that none has yet, whatever they are. */
bool law_table_room(law_table *t, memory *m, int64_t more, int32_t springs, int32_t capacity);

/* Gives a spring its law. It may be the one about to be added, behind the last of `springs`. */
bool law_table_set(law_table *t, memory *m, int32_t spring, law wanted, int32_t springs, int32_t capacity);

static inline law law_table_get(const law_table *t, int32_t spring) {
  if (!t->first)
    return t->shared[t->index[spring]];
  return (law){t->kind ? t->kind[spring] : t->common.kind, t->first[spring],
               t->second ? t->second[spring] : t->common.second};
}

/* Gives `count` springs from `spring` on, which are about to be added, the law of the one before them. */
void law_table_repeat(law_table *t, int32_t spring, int32_t count);

/* Gives back the memory of what all springs have alike, until some spring is given another or room is made for
   laws that none has yet. */
void law_table_settle(law_table *t, memory *m, int32_t springs);

/* Applies law_scaled to all. A law that no spring has any more may become infinite; no search will match it. */
void law_table_scale(law_table *t, int32_t springs, double factor);

#endif
