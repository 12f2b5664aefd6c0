/* The laws of springs. Networks have many springs and few distinct laws. Up to 256 laws are shared, and each
   spring has a byte as an index. Beyond that each spring has its own law, stored without the fields that are
   equal for all. */
#ifndef MSD_STORE_LAW_TABLE_H
#define MSD_STORE_LAW_TABLE_H

#include "engine/base/growth.h"
#include "engine/store/law.h"

typedef struct law_table {
  /* At most 256 shared laws, and the index of each spring. NULL: each spring has its own law. */
  law *shared;
  uint8_t *index;
  int32_t count;
  /* The laws of the springs, by parameter; NULL: they are shared. If `kind` is NULL, all have the kind of
     `common`. If `second` is NULL too, all have its second parameter, bit for bit. */
  msd_real *first, *second;
  uint8_t *kind;
  law common;
} law_table;

/* Call it before the first spring is added; the arrays then grow with the springs. This function and those
   below return false if memory runs out, and the springs keep their laws. */
bool law_table_open(law_table *t, memory *m);
void law_table_free(law_table *t, memory *m);

/* Guarantees that 64 new laws can be assigned. Arrays are allocated for `capacity` springs. */
bool law_table_reserve(law_table *t, memory *m, int32_t springs, int32_t capacity);

/* The same for any number of laws: from now on each spring has its own. */
bool law_table_split(law_table *t, memory *m, int32_t springs, int32_t capacity);

/* The same for `more` new laws. */
bool law_table_room(law_table *t, memory *m, int64_t more, int32_t springs, int32_t capacity);

/* Assigns a law to a spring. The spring may be the one about to be appended after `springs`. */
bool law_table_set(law_table *t, memory *m, int32_t spring, law wanted, int32_t springs, int32_t capacity);

static inline law law_table_get(const law_table *t, int32_t spring) {
  if (!t->first)
    return t->shared[t->index[spring]];
  return (law){t->kind ? t->kind[spring] : t->common.kind, t->first[spring],
               t->second ? t->second[spring] : t->common.second};
}

/* Assigns the law of spring - 1 to `count` springs from `spring` on, which are about to be appended. */
void law_table_repeat(law_table *t, int32_t spring, int32_t count);

/* Frees the arrays whose values are equal for all springs. They are allocated again when a spring gets a
   different law, or space is reserved for new laws. */
void law_table_settle(law_table *t, memory *m, int32_t springs);

/* Applies law_scaled to all laws. An unused shared law may become infinite; no search will match it. */
void law_table_scale(law_table *t, int32_t springs, double factor);

#endif
