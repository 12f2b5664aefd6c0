#include "scenes/meshes/corner_values.h"

#include "scenes/meshes/growth.h"

#include <math.h>

void corner_values_free(corner_values *v) {
  free(v->values);
  free(v->of_corner);
  *v = (corner_values){0};
}

bool corner_values_add(corner_values *v, const double value[CORNER_VALUE_SIZE]) {
  void *items = v->values;
  const bool roomy = grow_for_one(&items, &v->capacity, v->count, sizeof *v->values);
  v->values = items;
  if (!roomy)
    return false;
  for (int c = 0; c < CORNER_VALUE_SIZE; c++)
    v->values[v->count][c] = isfinite(value[c]) ? value[c] : 0;
  v->count++;
  return true;
}

bool corner_values_set(corner_values *v, int32_t corner, int32_t value) {
  while (v->corner_count <= corner) {
    void *items = v->of_corner;
    const bool roomy = grow_for_one(&items, &v->corner_capacity, v->corner_count, sizeof *v->of_corner);
    v->of_corner = items;
    if (!roomy)
      return false;
    v->of_corner[v->corner_count++] = -1;
  }
  v->of_corner[corner] = value;
  return true;
}
