/* Which items of a model are at each of its particles. */
#ifndef MSD_ENGINE_STORE_INCIDENCE_H
#define MSD_ENGINE_STORE_INCIDENCE_H

#include "engine/base/memory.h"

enum { INCIDENCE_CORNERS_MAX = 4 };

/* item[first[i]] to item[first[i + 1] - 1] are at particle i, ascending. */
typedef struct incidence {
  int32_t *first, *item;
} incidence;

/* The particles of an item go to `corners`; returns how many there are. */
typedef int incidence_corners(const void *context, int32_t item, int32_t corners[INCIDENCE_CORNERS_MAX]);

/* Of items 0 to items - 1. False when there is no memory; free it all the same. */
bool incidence_find(incidence *at, memory *m, int32_t particles, int64_t items, incidence_corners *corners_of,
                    const void *context);

static inline void incidence_free(incidence *at, memory *m) {
  memory_release(m, at->first);
  memory_release(m, at->item);
  *at = (incidence){NULL, NULL};
}

#endif
