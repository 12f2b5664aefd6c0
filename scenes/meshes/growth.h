/* Arrays that double. */
#ifndef MSD_SCENES_MESHES_GROWTH_H
#define MSD_SCENES_MESHES_GROWTH_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

/* Makes room for one more item. On failure what there is stays: out of memory, or more than can be counted. */
static inline bool grow_for_one(void **items, int32_t *capacity, int32_t count, size_t item_size) {
  enum { COUNT_MAX = INT32_MAX / 6 }; /* so that corners of triangles, and twice that, can be counted */
  if (count < *capacity)
    return true;
  if (count > COUNT_MAX)
    return false;
  int32_t larger = count ? 2 * count : 64;
  void *moved = realloc(*items, (size_t)larger * item_size);
  if (!moved)
    return false;
  *items = moved;
  *capacity = larger;
  return true;
}

#endif
