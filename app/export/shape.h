/* What of a scene does not change from frame to frame but where springs break and particles split: its
   triangles, lines and loose points. */
#ifndef MSD_APP_EXPORT_SHAPE_H
#define MSD_APP_EXPORT_SHAPE_H

#include "app/export/numbering.h"

/* What one body has of it, or the connections: runs in the arrays of the shape. */
typedef struct export_group {
  /* One word. */
  char *name;
  msd_range triangles, lines, points;
} export_group;

typedef struct export_shape {
  /* What the numbers of points below are. */
  export_numbering numbering;
  /* The name of the scene in one word, for the formats whose lines it must not break. */
  char *title;
  /* Those without a broken edge, and the number of each among all of the scene. */
  int32_t (*triangles)[3];
  int32_t *numbers;
  int32_t (*lines)[2];
  /* Particles of no triangle and no line. */
  int32_t *points;
  int32_t triangle_count, line_count, point_count;
  /* The bodies, and the connections when there are any. */
  export_group *groups;
  int group_count;
  /* The springs that are broken, and the particles that were split from others. */
  int32_t broken, split;
} export_shape;

/* Whether a group of springs is shown where its body has no triangles. */
bool export_shows(const scene_group *group);

/* The title and the names of the groups, and nothing else yet. False when memory is short; *shape is empty
   then. */
bool export_shape_begin(const scene *s, export_shape *shape);

/* As the scene now is, or as it was loaded, before anything broke or split. False when memory is short; *shape
   is empty then. */
bool export_shape_make(const scene *s, bool as_loaded, export_shape *shape);

/* Makes it anew where springs have broken or particles split since. False when memory is short; it stays as it
   was then. */
bool export_shape_follow(const scene *s, export_shape *shape);
void export_shape_free(export_shape *shape);

/* The points from the least to the largest that a group has; none of a group of nothing. */
msd_range export_group_points(const export_shape *shape, const export_group *group);

#endif
