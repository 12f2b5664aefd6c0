#include "scenes/meshes/corner_set.h"

#include <stdlib.h>
#include <string.h>

typedef struct member {
  /* The index of the first of its corners, which are sorted. */
  size_t first;
  /* 0: the slot is free. */
  int32_t count;
} member;

struct corner_set {
  int32_t *corners;
  size_t used;
  member *slots;
  /* The number of slots, a power of two, less 1. */
  size_t mask;
};

corner_set *corner_set_make(size_t faces, size_t corners) {
  size_t slots = 16;
  while (slots < 2 * faces)
    slots *= 2;
  corner_set *set = calloc(1, sizeof *set);
  if (!set)
    return NULL;
  *set = (corner_set){.corners = malloc((corners + 1) * sizeof *set->corners),
                      .slots = calloc(slots, sizeof *set->slots),
                      .mask = slots - 1};
  if (set->corners && set->slots)
    return set;
  corner_set_free(set);
  return NULL;
}

void corner_set_free(corner_set *set) {
  if (!set)
    return;
  free(set->corners);
  free(set->slots);
  free(set);
}

static int compare_numbers(const void *left, const void *right) {
  const int32_t a = *(const int32_t *)left, b = *(const int32_t *)right;
  return (a > b) - (a < b);
}

/* Most faces have three or four. */
enum { INSERTED_MAX = 8 };

static void sort_numbers(int32_t *numbers, int32_t count) {
  if (count > INSERTED_MAX) {
    qsort(numbers, (size_t)count, sizeof *numbers, compare_numbers);
    return;
  }
  for (int32_t i = 1; i < count; i++) {
    const int32_t number = numbers[i];
    int32_t at = i;
    for (; at > 0 && numbers[at - 1] > number; at--)
      numbers[at] = numbers[at - 1];
    numbers[at] = number;
  }
}

/* Fowler-Noll-Vo over whole numbers, stirred so that the low bits depend on all. */
static size_t hash_of(const int32_t *corners, int32_t count) {
  uint64_t hash = 14695981039346656037u;
  for (int32_t i = 0; i < count; i++)
    hash = (hash ^ (uint32_t)corners[i]) * 1099511628211u;
  return (size_t)(hash ^ hash >> 29 ^ hash >> 43);
}

/* Sorts the corners behind those of the members, and finds their slot, or the empty one that they would get. */
static member *find(corner_set *set, const int32_t *corners, int32_t count) {
  int32_t *sorted = set->corners + set->used;
  memcpy(sorted, corners, (size_t)count * sizeof *sorted);
  sort_numbers(sorted, count);
  for (size_t slot = hash_of(sorted, count);; slot++) {
    member *m = &set->slots[slot & set->mask];
    if (m->count == 0 ||
        (m->count == count && memcmp(set->corners + m->first, sorted, (size_t)count * sizeof *sorted) == 0))
      return m;
  }
}

bool corner_set_has(corner_set *set, const int32_t *corners, int32_t count) {
  return find(set, corners, count)->count > 0;
}

bool corner_set_add(corner_set *set, const int32_t *corners, int32_t count) {
  member *m = find(set, corners, count);
  if (m->count > 0)
    return false;
  *m = (member){set->used, count};
  set->used += (size_t)count;
  return true;
}
