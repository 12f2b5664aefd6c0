/* What the writers of formats go through, some rows at a time, so that nobody needs to have all of them at
   once. */
#ifndef MSD_APP_EXPORT_ROW_SOURCE_H
#define MSD_APP_EXPORT_ROW_SOURCE_H

#include "app/export/shape.h"

/* Of points: where they are and how fast. Of a shape: its triangles, lines and loose points. */
typedef enum export_column {
  EXPORT_POSITIONS,
  EXPORT_VELOCITIES,
  EXPORT_TRIANGLES,
  EXPORT_LINES,
  EXPORT_LOOSE_POINTS,
  EXPORT_COLUMN_COUNT
} export_column;

/* Rows of a column that are at hand, until others of the same column are asked for. */
typedef struct export_stretch {
  msd_range rows;
  /* Of points. */
  msd_view vectors;
  /* Of a shape: the points at the corners of each row, one after the other. */
  const int32_t *corners;
} export_stretch;

typedef struct export_source {
  /* Rows from the first that is wanted on, one at least; of the same points as many positions as velocities.
     None: they cannot be had. */
  export_stretch (*get)(void *context, export_column column, msd_range wanted);
  void *context;
} export_source;

/* The corners of a row. */
static inline int export_corners(export_column column) {
  return column == EXPORT_TRIANGLES ? 3 : column == EXPORT_LINES ? 2 : 1;
}

/* The next rows of those that are left, which are fewer then; false: there are none, or they cannot be had. */
bool export_next(const export_source *source, export_column column, msd_range *left, export_stretch *out);

/* A shape and its points that are at hand as a whole. */
typedef struct export_whole {
  const export_shape *shape;
  msd_view positions, velocities;
} export_whole;

/* Of what stays where it is as long as the source is used. */
export_source export_source_of(export_whole *whole);

#endif
