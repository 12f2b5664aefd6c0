#include "scenes/meshes/corner_attributes.h"

#include <stdlib.h>

enum { CORNERS = 3 };

void corner_attributes_free(corner_attributes *a) {
  free(a->texture);
  free(a->texture_of);
  free(a->normal_of);
  *a = (corner_attributes){0};
}

/* *of becomes the value of each corner, of all three of a triangle or of none; NULL when there is none at all.
   False when out of memory. */
static bool find_values(const corner_values *values, const int32_t *numbers, size_t count, int32_t **of) {
  size_t found = 0;
  *of = values->count > 0 ? malloc((count + 1) * sizeof **of) : NULL;
  for (size_t first = 0; *of && first < count; first += CORNERS) {
    bool whole = true;
    for (size_t i = first; i < first + CORNERS; i++) {
      (*of)[i] = corner_values_at(values, numbers[i]);
      whole = whole && (*of)[i] >= 0;
    }
    for (size_t i = first; !whole && i < first + CORNERS; i++)
      (*of)[i] = -1;
    found += whole;
  }
  if (values->count > 0 && !*of)
    return false;
  if (found == 0) {
    free(*of);
    *of = NULL;
  }
  return true;
}

static bool copy_texture(const corner_values *texture, corner_attributes *out) {
  out->texture = malloc(((size_t)texture->count + 1) * sizeof *out->texture);
  for (int32_t i = 0; out->texture && i < texture->count; i++)
    for (int c = 0; c < 2; c++)
      out->texture[i][c] = texture->values[i][c];
  out->texture_count = out->texture ? texture->count : 0;
  return out->texture != NULL;
}

/* A corner with a normal. */
typedef struct shaded_corner {
  const double *normal;
  int32_t vertex;
  size_t corner;
} shaded_corner;

static int compare_shading(const shaded_corner *a, const shaded_corner *b) {
  if (a->vertex != b->vertex)
    return a->vertex < b->vertex ? -1 : 1;
  for (int c = 0; c < CORNER_VALUE_SIZE; c++)
    if (a->normal[c] != b->normal[c])
      return a->normal[c] < b->normal[c] ? -1 : 1;
  return 0;
}

static int compare_corners(const void *left, const void *right) {
  const shaded_corner *a = left, *b = right;
  const int order = compare_shading(a, b);
  return order ? order : (a->corner > b->corner) - (a->corner < b->corner);
}

/* In the order of their first corners, so that a mesh that is written and read again has the same numbers. */
static bool number_normals(size_t count, corner_attributes *out) {
  int32_t *number = malloc(((size_t)out->normal_count + 1) * sizeof *number);
  int32_t used = 0;
  for (int32_t n = 0; number && n < out->normal_count; n++)
    number[n] = -1;
  for (size_t i = 0; number && i < count; i++) {
    int32_t *of = &out->normal_of[i];
    if (*of < 0)
      continue;
    if (number[*of] < 0)
      number[*of] = used++;
    *of = number[*of];
  }
  const bool done = number != NULL;
  free(number);
  return done;
}

/* Files repeat a normal for each corner or have it once: corners of one vertex with equal numbers share it. */
static bool share_normals(const int32_t *vertices, size_t count, const corner_values *normals,
                          corner_attributes *out) {
  shaded_corner *sorted = malloc((count + 1) * sizeof *sorted);
  size_t used = 0;
  for (size_t i = 0; sorted && i < count; i++)
    if (out->normal_of[i] >= 0)
      sorted[used++] = (shaded_corner){normals->values[out->normal_of[i]], vertices[i], i};
  if (!sorted)
    return false;
  qsort(sorted, used, sizeof *sorted, compare_corners);
  for (size_t i = 0; i < used; i++) {
    if (i == 0 || compare_shading(&sorted[i - 1], &sorted[i]) != 0)
      out->normal_count++;
    out->normal_of[sorted[i].corner] = out->normal_count - 1;
  }
  free(sorted);
  return number_normals(count, out);
}

bool corner_attributes_make(const int32_t *vertices, const int32_t *numbers, int32_t triangle_count,
                            const corner_values *texture, const corner_values *normals,
                            corner_attributes *out) {
  const size_t count = (size_t)CORNERS * (size_t)triangle_count;
  return find_values(texture, numbers, count, &out->texture_of) &&
         (!out->texture_of || copy_texture(texture, out)) &&
         find_values(normals, numbers, count, &out->normal_of) &&
         (!out->normal_of || share_normals(vertices, count, normals, out));
}
