/* What of a scene does not change from frame to frame: its triangles, lines and loose points. */
#ifndef MSD_APP_EXPORT_SHAPE_H
#define MSD_APP_EXPORT_SHAPE_H

#include "scenes/loader/scene.h"

/* The part of the shape that one body made: runs in the arrays of the shape. */
typedef struct export_part {
  /* Of the body, without spaces. */
  char *name;
  msd_range triangles, lines, points;
} export_part;

typedef struct export_shape {
  int32_t (*triangles)[3];
  int32_t (*lines)[2];
  /* Particles of no triangle and no line. */
  int32_t *points;
  int32_t triangle_count, line_count, point_count;
  /* The bodies, and the joints when there are any. */
  export_part *parts;
  int part_count;
} export_shape;

/* False when memory is short; *shape is empty then. */
bool export_shape_make(const scene *s, export_shape *shape);
void export_shape_free(export_shape *shape);

#endif
