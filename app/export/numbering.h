/* The points of a scene that are exported, counted without gaps: all that are shown but the particles of bodies
   that stand for the meshes in their place. */
#ifndef MSD_APP_EXPORT_NUMBERING_H
#define MSD_APP_EXPORT_NUMBERING_H

#include "scenes/loader/render_points.h"

typedef struct export_numbering {
  int32_t count;
  /* The point of each number, and the number of each point: of a particle that is not exported that of a vertex
     near it. NULL: they are the same. */
  int32_t *points, *numbers;
} export_numbering;

/* False when memory is short; *out is empty then. */
bool export_numbering_make(const scene *s, export_numbering *out);
void export_numbering_free(export_numbering *numbering);

static inline int32_t export_number(const export_numbering *n, int32_t point) {
  return n->numbers != NULL ? n->numbers[point] : point;
}

/* The points that are exported, of a view of all that are shown. */
msd_view export_view(const export_numbering *numbering, msd_view shown);

#endif
