/* The items of a model, for example springs, that are incident to each particle. */
#ifndef MSD_ENGINE_STORE_INCIDENCE_H
#define MSD_ENGINE_STORE_INCIDENCE_H

#include "engine/base/memory.h"

enum { INCIDENCE_CORNERS_MAX = 4 };

/* item[first[i]] to item[first[i + 1] - 1] are incident to particle i, ascending.

   Appended items have one link per corner: the nth appended item has link INCIDENCE_CORNERS_MAX n + corner.
   The links of a particle form a circular list in the order of the items. `last` points to its last link. */
typedef struct incidence {
  int32_t *first, *item;
  /* Number of particles that `first` covers, and of items in `item`. */
  int32_t particles, items;
  /* Number of items, including the appended ones. */
  int32_t item_count;
  /* The link after each link, and the last link of each particle; -1: none. NULL: nothing was appended. */
  int32_t *next, *last;
  /* Counts and capacities of `next` and `last`. */
  int32_t link_count, link_room, last_count, last_room;
} incidence;

/* Writes the particles of an item to `corners` and returns their number. */
typedef int incidence_corners(const void *context, int32_t item, int32_t corners[INCIDENCE_CORNERS_MAX]);

/* Builds the incidence of items 0 to items - 1. Returns false if memory runs out; call incidence_free in any
   case. */
bool incidence_find(incidence *at, memory *m, int32_t particles, int64_t items, incidence_corners *corners_of,
                    const void *context);

/* Appends new items and particles. The cost is proportional to what is appended, plus array growth by
   half; the first call also allocates a number per particle. Returns false, without a change, if memory
   runs out. */
bool incidence_append(incidence *at, memory *m, int32_t particles, int64_t items,
                      incidence_corners *corners_of, const void *context);

void incidence_free(incidence *at, memory *m);

/* Iterator over the items at a particle. */
typedef struct incidence_visit {
  const incidence *at;
  /* Index range in at->item. */
  int32_t now, end;
  /* The next link and the last one; -1: none. */
  int32_t link, last;
} incidence_visit;

/* Returns the next item in ascending order, or false at the end. */
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

/* Starts an iteration at the first item that is not below `from`; 0: all items. */
incidence_visit incidence_at(const incidence *at, int32_t particle, int32_t from);

#endif
