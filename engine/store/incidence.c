#include "engine/store/incidence.h"

#include "engine/base/counting_sort.h"
#include "engine/base/growth.h"

/* A counting sort: counts the items at each particle, then stores them. */
bool incidence_find(incidence *at, memory *m, int32_t particles, int64_t items, incidence_corners *corners_of,
                    const void *context) {
  int32_t corners[INCIDENCE_CORNERS_MAX];
  *at = (incidence){.first = NULL};
  if (items > INT32_MAX / INCIDENCE_CORNERS_MAX)
    return false;
  at->first = memory_allocate_items(m, (int64_t)particles + 2, sizeof *at->first);
  if (!at->first)
    return false;
  for (int32_t item = 0; item < items; item++)
    for (int n = corners_of(context, item, corners); n > 0; n--)
      counting_sort_count(at->first, corners[n - 1]);
  counting_sort_begin(at->first, particles);
  at->item = memory_allocate_items(m, at->first[particles + 1], sizeof *at->item);
  for (int32_t item = 0; at->item && item < items; item++)
    for (int n = corners_of(context, item, corners); n > 0; n--)
      counting_sort_put(at->first, at->item, corners[n - 1], item);
  at->particles = particles;
  at->items = at->item_count = (int32_t)items;
  return at->item;
}

static const growth_array link_arrays[] = {GROWTH_ARRAY(incidence, next)};
static const growth_table link_growth =
    GROWTH(incidence, link_count, link_room, link_arrays, .most = INT32_MAX);

static const growth_array last_arrays[] = {GROWTH_ARRAY(incidence, last)};
static const growth_table last_growth =
    GROWTH(incidence, last_count, last_room, last_arrays, .most = INT32_MAX);

/* Appends a link to the list of the particle. */
static void add_link(incidence *at, int32_t particle, int32_t link) {
  const int32_t last = at->last[particle];
  at->next[link] = last < 0 ? link : at->next[last];
  if (last >= 0)
    at->next[last] = link;
  at->last[particle] = link;
}

bool incidence_append(incidence *at, memory *m, int32_t particles, int64_t items,
                      incidence_corners *corners_of, const void *context) {
  int32_t corners[INCIDENCE_CORNERS_MAX];
  if (items > at->item_count) {
    if (items > INT32_MAX / INCIDENCE_CORNERS_MAX || !growth_reserve(&last_growth, at, m, particles) ||
        !growth_reserve(&link_growth, at, m, (items - at->items) * INCIDENCE_CORNERS_MAX))
      return false;
    for (; at->last_count < particles; at->last_count++)
      at->last[at->last_count] = -1;
  }
  for (; at->item_count < items; at->item_count++) {
    const int count = corners_of(context, at->item_count, corners);
    for (int n = 0; n < count; n++)
      add_link(at, corners[n], at->link_count + n);
    at->link_count += INCIDENCE_CORNERS_MAX;
  }
  return true;
}

void incidence_free(incidence *at, memory *m) {
  memory_release(m, at->first);
  memory_release(m, at->item);
  memory_release(m, at->next);
  memory_release(m, at->last);
  *at = (incidence){.first = NULL};
}

/* Binary search: the first index in [low, high) whose item is not below `from`. */
static int32_t place_from(const incidence *at, int32_t low, int32_t high, int32_t from) {
  while (low < high) {
    const int32_t middle = low + (high - low) / 2;
    if (at->item[middle] < from)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

incidence_visit incidence_at(const incidence *at, int32_t particle, int32_t from) {
  incidence_visit v = {.at = at, .link = -1, .last = -1};
  if (particle < at->particles) {
    v.now = at->first[particle];
    v.end = at->first[particle + 1];
    if (from > 0)
      v.now = place_from(at, v.now, v.end, from);
  }
  if (particle >= at->last_count || at->last[particle] < 0)
    return v;
  v.last = at->last[particle];
  v.link = at->next[v.last];
  while (v.link >= 0 && at->items + v.link / INCIDENCE_CORNERS_MAX < from)
    v.link = v.link == v.last ? -1 : at->next[v.link];
  return v;
}
