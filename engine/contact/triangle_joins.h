/* How the triangles of a surface_mesh are joined. */
#ifndef MSD_ENGINE_CONTACT_TRIANGLE_JOINS_H
#define MSD_ENGINE_CONTACT_TRIANGLE_JOINS_H

#include "engine/contact/surface_mesh.h"

/* What is beyond an edge of a triangle, if it is not one other: none, or several. */
enum { JOIN_BORDER = -1, JOIN_BRANCH = -2 };

typedef struct triangle_joins {
  /* Half-edge 3 t + k leaves corner k of the triangle in place t: the place of the triangle beyond it. */
  int32_t *beyond;
  /* Of each place of an edge a half-edge along it; JOIN_BORDER: it is in no triangle. */
  int32_t *along;
  /* The places of the triangles at each vertex: at[first_at[v]] and so on up to first_at[v + 1]. */
  int32_t *first_at, *at;
  /* The corners of these, each once, in their order: joins_around. */
  int32_t *around;
} triangle_joins;

/* The corners of the triangles at a vertex; behind the last may be -1, and there are `most` at most: the
   vertex, and two of each triangle. */
static inline const int32_t *joins_around(const triangle_joins *j, int32_t vertex, int32_t *most) {
  const int32_t *first = j->first_at + vertex;
  *most = 2 * (first[1] - first[0]) + 1;
  return j->around + 2 * (size_t)first[0] + (size_t)vertex;
}

/* Begin with all zeros. False without memory; what there is is to be freed all the same. */
bool triangle_joins_make(triangle_joins *j, memory *m, const surface_mesh *mesh, const msd_tasks *tasks,
                         int threads);

/* Lists the corners around a vertex. */
void triangle_joins_go_around(triangle_joins *j, const surface_mesh *mesh, int32_t vertex);
void triangle_joins_free(triangle_joins *j, memory *m);

#endif
