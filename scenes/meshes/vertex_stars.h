/* The triangles at each vertex of a mesh. */
#ifndef MSD_SCENES_MESHES_VERTEX_STARS_H
#define MSD_SCENES_MESHES_VERTEX_STARS_H

#include <stdbool.h>
#include <stdint.h>

/* Those at vertex v are triangles[first[v]] .. triangles[first[v + 1] - 1], in their order. */
typedef struct vertex_stars {
  int32_t *first, *triangles;
  /* The most at one vertex. */
  int32_t most;
} vertex_stars;

/* Of triangles with three vertex numbers each. False when memory is short; *out is empty then. */
bool vertex_stars_make(const int32_t *triangles, int32_t triangle_count, int32_t vertex_count,
                       vertex_stars *out);
void vertex_stars_free(vertex_stars *stars);

#endif
