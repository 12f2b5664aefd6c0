/* What a body of a scene in parts shows, as far as it follows from what the body is: the triangles of cloths
   and blocks, the lines of ropes, and loose points. Nobody needs to have it all at once. */
#ifndef MSD_APP_EXPORT_BODY_ROWS_H
#define MSD_APP_EXPORT_BODY_ROWS_H

#include "app/export/row_source.h"

/* Points start + c across + r down, between which there are triangles. */
typedef struct body_grid {
  int32_t start, across, columns, down, rows;
} body_grid;

enum { BODY_GRIDS_MAX = 6 };

typedef struct body_rows {
  /* Of the points of the whole scene, those of the body. */
  msd_range points;
  body_grid grids[BODY_GRIDS_MAX];
  int grid_count;
  /* The points of a block along its sides; 0 of other bodies. */
  int32_t block[3];
  /* How many there are of each column of the shape, from 0 on. */
  int64_t counts[EXPORT_COLUMN_COUNT];
} body_rows;

/* Of a body of this kind whose first point is `first`. `has_lines`: whether springs of it are shown, where it
   has no triangles. The triangles of a mesh are counted, but do not follow. */
body_rows body_rows_of(const scene_body *body, int32_t first, bool has_lines);

/* The corners of some of its rows, counted from its first one, in the order of export_shape_make. */
void body_rows_put(const body_rows *body, export_column column, msd_range rows, int32_t *corners);

#endif
