#include "engine/contact/corner_lists.h"

#include <string.h>

bool corner_lists_reserve(corner_lists *c, memory *m, int32_t particles) {
  corner_lists_free(c, m);
  c->slots = memory_allocate(m, (size_t)particles * sizeof *c->slots);
  c->first = memory_allocate(m, ((size_t)particles + 1) * sizeof *c->first);
  c->owner = memory_allocate(m, (size_t)particles * sizeof *c->owner);
  c->particles = particles;
  if (c->slots && c->first && c->owner)
    return true;
  corner_lists_free(c, m);
  return false;
}

void corner_lists_free(corner_lists *c, memory *m) {
  memory_release(m, c->slots);
  memory_release(m, c->first);
  memory_release(m, c->corners);
  memory_release(m, c->owner);
  *c = (corner_lists){0};
}

bool corner_lists_make(corner_lists *c, memory *m, const int32_t *const *slots, int corners, int32_t pairs) {
  c->count = 0;
  if (pairs > c->capacity) {
    const int32_t room = pairs < INT32_MAX / 8 ? pairs + pairs / 2 : pairs;
    int32_t *larger = memory_replace(m, c->corners, (size_t)room * PAIR_CORNERS * sizeof *larger);
    if (!larger)
      return false;
    c->corners = larger;
    c->capacity = room;
  }
  if (pairs == 0)
    return true;
  int32_t *counts = c->owner;
  memset(counts, 0, (size_t)c->particles * sizeof *counts);
  for (int corner = 0; corner < corners; corner++)
    for (int32_t n = 0; n < pairs; n++)
      counts[slots[corner][n]]++;
  int32_t end = 0;
  for (int32_t slot = 0; slot < c->particles; slot++) {
    const int32_t own = counts[slot];
    if (own == 0)
      continue;
    c->slots[c->count] = slot;
    c->first[c->count] = end;
    c->owner[slot] = c->count++;
    end += own;
  }
  for (int32_t n = 0; n < pairs; n++)
    for (int corner = 0; corner < corners; corner++)
      c->corners[c->first[c->owner[slots[corner][n]]]++] = PAIR_CORNERS * n + corner;
  for (int32_t n = c->count; n > 0; n--)
    c->first[n] = c->first[n - 1];
  c->first[0] = 0;
  return true;
}

/* The first of the slots that is not below a number. */
static int32_t find_slot(const corner_lists *c, int32_t slot) {
  int32_t low = 0, high = c->count;
  while (low < high) {
    const int32_t middle = low + (high - low) / 2;
    if (c->slots[middle] < slot)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

parallel_range corner_lists_within(const corner_lists *c, parallel_range particles) {
  return (parallel_range){find_slot(c, particles.first), find_slot(c, particles.last)};
}
