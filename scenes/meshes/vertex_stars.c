#include "scenes/meshes/vertex_stars.h"

#include <stdlib.h>

enum { CORNERS_EACH = 3 };

bool vertex_stars_make(const int32_t *triangles, int32_t triangle_count, int32_t vertex_count,
                       vertex_stars *out) {
  const size_t corners = CORNERS_EACH * (size_t)triangle_count, vertices = (size_t)vertex_count;
  *out = (vertex_stars){.first = calloc(vertices + 2, sizeof *out->first),
                        .triangles = malloc((corners + 1) * sizeof *out->triangles)};
  if (!out->first || !out->triangles) {
    vertex_stars_free(out);
    return false;
  }
  /* One further on, so that each start is where the next begins once all are placed. */
  int32_t *start = out->first + 1;
  for (size_t c = 0; c < corners; c++)
    start[triangles[c] + 1]++;
  for (size_t v = 0; v < vertices; v++) {
    out->most = start[v + 1] > out->most ? start[v + 1] : out->most;
    start[v + 1] += start[v];
  }
  for (size_t c = 0; c < corners; c++)
    out->triangles[start[triangles[c]]++] = (int32_t)(c / CORNERS_EACH);
  return true;
}

void vertex_stars_free(vertex_stars *stars) {
  free(stars->first);
  free(stars->triangles);
  *stars = (vertex_stars){0};
}
