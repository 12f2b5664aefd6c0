#include "engine/contact/corner_lists.h"

#include <string.h>

bool corner_lists_reserve(corner_lists *c, memory *m, int32_t particles) {
  corner_lists_free(c, m);
  c->slots = memory_allocate(m, (size_t)particles * sizeof *c->slots);
  c->first = memory_allocate(m, ((size_t)particles + 1) * sizeof *c->first);
  c->last = memory_allocate(m, (size_t)particles * sizeof *c->last);
  c->limit = memory_allocate(m, (size_t)particles * sizeof *c->limit);
  c->owner = memory_allocate(m, (size_t)particles * sizeof *c->owner);
  c->particles = particles;
  if (c->slots && c->first && c->last && c->limit && c->owner)
    return true;
  corner_lists_free(c, m);
  return false;
}

void corner_lists_free(corner_lists *c, memory *m) {
  memory_release(m, c->slots);
  memory_release(m, c->first);
  memory_release(m, c->last);
  memory_release(m, c->limit);
  memory_release(m, c->corners);
  memory_release(m, c->owner);
  *c = (corner_lists){0};
}

bool corner_lists_make(corner_lists *c, memory *m, const int32_t *const *slots, int corners, int32_t pairs) {
  c->count = c->used = 0;
  if (pairs > c->capacity - c->capacity / 8) {
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
    c->first[n] = c->last[n - 1] = c->limit[n - 1] = c->first[n - 1];
  c->first[0] = 0;
  c->used = end;
  return true;
}

/* Where in `slots` a slot is; -1 where it has no corners. */
static int32_t owner_of(const corner_lists *c, int32_t slot) {
  const int32_t owner = c->owner[slot];
  return owner < c->count && c->slots[owner] == slot ? owner : -1;
}

/* Moves the corners of an owner to where there is room for as many again. */
static bool move_to_room(corner_lists *c, int32_t owner) {
  const int32_t size = c->last[owner] - c->first[owner];
  if (2 * size > PAIR_CORNERS * c->capacity - c->used)
    return false;
  memcpy(c->corners + c->used, c->corners + c->first[owner], (size_t)size * sizeof *c->corners);
  c->first[owner] = c->used;
  c->last[owner] = c->used + size;
  c->used += 2 * size;
  c->limit[owner] = c->used;
  return true;
}

static bool append(corner_lists *c, const int32_t *const *slots, int32_t pair) {
  for (int corner = 0; corner < PAIR_CORNERS; corner++) {
    const int32_t owner = owner_of(c, slots[corner][pair]);
    if (owner < 0 || (c->last[owner] == c->limit[owner] && !move_to_room(c, owner)))
      return false;
    c->corners[c->last[owner]++] = PAIR_CORNERS * pair + corner;
  }
  return true;
}

corners_extended corner_lists_extend(corner_lists *c, memory *m, const int32_t *const *slots, int32_t first,
                                     int32_t pairs) {
  int32_t n = first;
  while (n > 0 && n < pairs && append(c, slots, n))
    n++;
  if (n > 0 && n == pairs)
    return CORNERS_APPENDED;
  return corner_lists_make(c, m, slots, PAIR_CORNERS, pairs) ? CORNERS_MADE : CORNERS_NONE;
}

int32_t corner_lists_find(const corner_lists *c, const int32_t *const *slots,
                          const int32_t wanted[PAIR_CORNERS], int32_t pair) {
  const int32_t owner = owner_of(c, wanted[0]);
  for (int32_t k = owner < 0 ? 0 : c->first[owner]; owner >= 0 && k < c->last[owner]; k++) {
    const int32_t n = c->corners[k] / PAIR_CORNERS;
    if (n >= pair && slots[0][n] == wanted[0] && slots[1][n] == wanted[1] && slots[2][n] == wanted[2] &&
        slots[3][n] == wanted[3])
      return n;
  }
  return -1;
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
