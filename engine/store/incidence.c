#include "engine/store/incidence.h"

/* Counts what is at each particle, then puts it there. */
bool incidence_find(incidence *at, memory *m, int32_t particles, int64_t items, incidence_corners *corners_of,
                    const void *context) {
  int32_t corners[INCIDENCE_CORNERS_MAX];
  *at = (incidence){NULL, NULL};
  if (items > INT32_MAX / INCIDENCE_CORNERS_MAX)
    return false;
  at->first = memory_allocate_items(m, (int64_t)particles + 2, sizeof *at->first);
  if (!at->first)
    return false;
  for (int32_t item = 0; item < items; item++)
    for (int n = corners_of(context, item, corners); n > 0; n--)
      at->first[corners[n - 1] + 2]++;
  for (int32_t i = 0; i < particles; i++)
    at->first[i + 2] += at->first[i + 1];
  at->item = memory_allocate_items(m, at->first[particles + 1], sizeof *at->item);
  for (int32_t item = 0; at->item && item < items; item++)
    for (int n = corners_of(context, item, corners); n > 0; n--)
      at->item[at->first[corners[n - 1] + 1]++] = item;
  return at->item;
}
