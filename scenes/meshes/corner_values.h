/* Values that corners of faces may have beside their vertices, as a file gives them: texture coordinates,
   normals. */
#ifndef MSD_SCENES_MESHES_CORNER_VALUES_H
#define MSD_SCENES_MESHES_CORNER_VALUES_H

#include <stdbool.h>
#include <stdint.h>

enum { CORNER_VALUE_SIZE = 3 };

typedef struct corner_values {
  /* Of texture coordinates the last number is 0. All are finite. */
  double (*values)[CORNER_VALUE_SIZE];
  int32_t count, capacity;

  /* Of each corner the number of its value; -1: it has none, as have those beyond the end. */
  int32_t *of_corner;
  int32_t corner_count, corner_capacity;
} corner_values;

void corner_values_free(corner_values *values);

/* Adds a value; numbers that are not finite become 0. False when out of memory. */
bool corner_values_add(corner_values *values, const double value[CORNER_VALUE_SIZE]);

/* Gives a value to a corner, beyond the end or not. False when out of memory. */
bool corner_values_set(corner_values *values, int32_t corner, int32_t value);

static inline int32_t corner_values_at(const corner_values *values, int32_t corner) {
  return corner < values->corner_count ? values->of_corner[corner] : -1;
}

/* Corner `from` is now corner `to`, which is not after it. */
static inline void corner_values_move(corner_values *values, int32_t from, int32_t to) {
  if (to < values->corner_count)
    values->of_corner[to] = corner_values_at(values, from);
}

#endif
