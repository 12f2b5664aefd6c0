/* Adjacency of the triangles of a surface_mesh, by half-edges. */
#ifndef MSD_ENGINE_CONTACT_TRIANGLE_JOINS_H
#define MSD_ENGINE_CONTACT_TRIANGLE_JOINS_H

#include "engine/contact/surface_mesh.h"

/* Instead of the triangle on the other side of an edge: there is none, or more than one. */
enum { JOIN_BORDER = -1, JOIN_BRANCH = -2 };

typedef struct triangle_joins {
  /* By half-edge: 3 t + k begins at corner k of the triangle in place t. The place of the triangle on its
     other side, or JOIN_*. */
  int32_t *beyond;
  /* By place of an edge: one of its half-edges; JOIN_BORDER if it is in no triangle. */
  int32_t *along;
  /* By vertex, the places of its triangles: at[first_at[v]] up to at[first_at[v + 1] - 1]. */
  int32_t *first_at, *at;
  /* By vertex, the distinct corners of these triangles; see joins_around. */
  int32_t *around;
} triangle_joins;

/* The distinct corners of the triangles at a vertex, itself included. At most `most`: the vertex, and two
   for each triangle; -1 ends the list early. */
static inline const int32_t *joins_around(const triangle_joins *j, int32_t vertex, int32_t *most) {
  const int32_t *first = j->first_at + vertex;
  *most = 2 * (first[1] - first[0]) + 1;
  return j->around + 2 * (size_t)first[0] + (size_t)vertex;
}

/* Initialize with zeros. False without memory; free it all the same. */
bool triangle_joins_make(triangle_joins *j, memory *m, const surface_mesh *mesh, const msd_tasks *tasks,
                         int threads);

/* Lists the corners around a vertex; call once for each before joins_around. */
void triangle_joins_go_around(triangle_joins *j, const surface_mesh *mesh, int32_t vertex);
void triangle_joins_free(triangle_joins *j, memory *m);

#endif
