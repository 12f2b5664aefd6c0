/* Which vertices of a mesh are one: those at the same position, or nearer to each other than a distance. */
#ifndef MSD_SCENES_MESHES_WELDING_H
#define MSD_SCENES_MESHES_WELDING_H

#include <msd/msd.h>

#include <stdbool.h>
#include <stdint.h>

typedef struct welding {
  /* m; 0: only what is at exactly the same position. */
  double distance;
} welding;

/* What it came to. */
typedef struct weld_result {
  /* Vertices that have become others, and how far apart, in m, the furthest of them were. */
  int32_t welded;
  double furthest;
} weld_result;

/* first[i] becomes the vertex that vertex i is: itself, or the nearest one before it that is itself and no
   further than the distance, of equally near ones the first. So none moves further than the distance, however
   many lie side by side. Only vertices v with is_used[v] become others or are what others become; NULL: all.
   False when out of memory. */
bool weld_vertices(const msd_vec3 *vertices, const bool *is_used, int32_t count, const welding *how,
                   int32_t *first, weld_result *result);

#endif
