/* Which items of a model are at each of its particles. */
#ifndef MSD_ENGINE_STORE_INCIDENCE_H
#define MSD_ENGINE_STORE_INCIDENCE_H

#include "engine/base/memory.h"

enum { INCIDENCE_CORNERS_MAX = 4 };

/* item[first[i]] to item[first[i + 1] - 1] are at particle i, ascending.

   Items that were appended have a link for each corner, number INCIDENCE_CORNERS_MAX n + corner for the nth of
   them. Those at one particle are a ring in the order of the items, which is entered at its last. */
typedef struct incidence {
  int32_t *first, *item;
  /* Particles that `first` tells of, and items in `item`. */
  int32_t particles, items;
  /* With those that were appended. */
  int32_t item_count;
  /* The link behind each, and the last one at each particle; -1: there is none. NULL: nothing was appended. */
  int32_t *next, *last;
  /* What there is memory for. */
  int32_t link_count, link_room, last_count, last_room;
} incidence;

/* The particles of an item go to `corners`; returns how many there are. */
typedef int incidence_corners(const void *context, int32_t item, int32_t corners[INCIDENCE_CORNERS_MAX]);

/* Of items 0 to items - 1. False when there is no memory; free it all the same. */
bool incidence_find(incidence *at, memory *m, int32_t particles, int64_t items, incidence_corners *corners_of,
                    const void *context);

/* Appends the items that have come since, and particles. Costs what is appended, and rooms that grow by half;
   the first time also a number for each particle. False, and nothing changed, when there is no memory. */
bool incidence_append(incidence *at, memory *m, int32_t particles, int64_t items,
                      incidence_corners *corners_of, const void *context);

void incidence_free(incidence *at, memory *m);

/* What is left to visit at a particle. */
typedef struct incidence_visit {
  const incidence *at;
  /* In at->item. */
  int32_t now, end;
  /* The next link, and the last; -1: there is none any more. */
  int32_t link, last;
} incidence_visit;

/* Whether there is one more, which is then the next in ascending order. */
static inline bool incidence_next(incidence_visit *v, int32_t *item) {
  if (v->now < v->end) {
    *item = v->at->item[v->now++];
    return true;
  }
  if (v->link < 0)
    return false;
  *item = v->at->items + v->link / INCIDENCE_CORNERS_MAX;
  v->link = v->link == v->last ? -1 : v->at->next[v->link];
  return true;
}

/* From an item on; 0: all. */
incidence_visit incidence_at(const incidence *at, int32_t particle, int32_t from);

#endif
