/* The laws of springs, each kept once for all springs that share it. Networks have few laws and many springs: a
   spring has a byte that says which, as long as 256 are enough for all at once. Then each spring has its own. */
#ifndef MSD_STORE_LAW_TABLE_H
#define MSD_STORE_LAW_TABLE_H

#include "engine/base/memory.h"
#include "engine/store/law.h"

typedef struct law_table {
  law *laws;
  /* Of each spring among the laws; NULL: spring i has laws[i]. */
  uint8_t *index;
  /* How many laws there are, when there is an index. */
  int32_t count;
} law_table;

void law_table_free(law_table *t, memory *m);

/* Bytes that a table with an index takes. */
size_t law_table_cost(int64_t capacity);

/* Room for `capacity` springs, of which there are `springs`. Here and below false when there is no memory; the
   springs keep their laws. */
bool law_table_grow(law_table *t, memory *m, int32_t springs, int32_t capacity);

/* Makes sure that 64 laws can be set that no spring has yet. */
bool law_table_reserve(law_table *t, memory *m, int32_t springs, int32_t capacity);

/* Gives a spring its law. It may be the one behind the last of `springs`. */
bool law_table_set(law_table *t, memory *m, int32_t spring, law wanted, int32_t springs, int32_t capacity);

static inline law law_table_get(const law_table *t, int32_t spring) {
  return t->laws[t->index ? t->index[spring] : spring];
}

#endif
