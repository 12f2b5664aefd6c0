/* The laws of springs, each kept once for all springs that share it. Networks have few laws and many springs:
   a spring has a byte that says which, as long as 256 are enough for all at once. Then each spring has its
   own. */
#ifndef MSD_STORE_LAW_TABLE_H
#define MSD_STORE_LAW_TABLE_H

#include "engine/base/growth.h"
#include "engine/store/law.h"

typedef struct law_table {
  /* 256 laws, of which there are `count`, and which of them each spring has; NULL: it has its own. */
  law *shared;
  uint8_t *index;
  int32_t count;
  /* Of each spring; NULL: they share. */
  law *own;
} law_table;

/* To be called once before there are springs; `index` or `own`, whichever there is, then grows with them.
   Here and below false when there is no memory; the springs keep their laws. */
bool law_table_open(law_table *t, memory *m);
void law_table_free(law_table *t, memory *m);

/* Makes sure that 64 laws can be set that none of `springs` has yet, in a table with room for `capacity`. */
bool law_table_reserve(law_table *t, memory *m, int32_t springs, int32_t capacity);

/* Gives a spring its law. It may be the one behind the last of `springs`. */
bool law_table_set(law_table *t, memory *m, int32_t spring, law wanted, int32_t springs, int32_t capacity);

static inline law law_table_get(const law_table *t, int32_t spring) {
  return t->own ? t->own[spring] : t->shared[t->index[spring]];
}

/* Multiplies the stiffness of all: law_scaled. A law that no spring has any more may become infinite; it will
   not be met again. */
void law_table_scale(law_table *t, int32_t springs, double factor);

#endif
