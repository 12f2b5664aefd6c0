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
} triangle_joins;

/* Begin with all zeros. False without memory; what there is is to be freed all the same. */
bool triangle_joins_make(triangle_joins *j, memory *m, const surface_mesh *mesh, const msd_tasks *tasks,
                         int threads);
void triangle_joins_free(triangle_joins *j, memory *m);

#endif
