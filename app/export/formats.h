/* What the writers of formats get, and their names. For export.c only. */
#ifndef MSD_APP_EXPORT_FORMATS_H
#define MSD_APP_EXPORT_FORMATS_H

#include "app/base/message.h"
#include "app/export/attributes.h"
#include "app/export/shape.h"

#include <stdio.h>

/* One frame of a scene. */
typedef struct export_frame {
  const export_shape *shape;
  /* With the normals of this frame. */
  const export_attributes *attributes;
  msd_view positions, velocities;
  /* s. */
  double time;
  /* PLY: lines as edges, and texture coordinates of corners at seams, which not all of its readers take. */
  bool edges, seams;
} export_frame;

/* Write one frame as a whole file. Errors stay with the stream. */
void export_obj(FILE *stream, const export_frame *frame);
void export_ply(FILE *stream, const export_frame *frame);
void export_vtk(FILE *stream, const export_frame *frame);
void export_vtu(FILE *stream, const export_frame *frame);

/* A file of an animation. */
typedef struct export_listing {
  char *file;
  /* s. */
  double time;
} export_listing;

/* Write which file shows which time, as ParaView opens an animation. */
void export_vtk_series(FILE *stream, const export_listing *list, int64_t count);
void export_pvd(FILE *stream, const export_listing *list, int64_t count);

/* A point cache: the positions of all frames in one file. */
typedef struct point_cache point_cache;

/* `first` is the index of the first frame to come; when it is above 0 the cache that an earlier part of the
   run left at `path` is continued after the frames before it. */
point_cache *point_cache_open(const char *path, int32_t points, int64_t first, problem *p);
bool point_cache_write(point_cache *cache, const export_frame *frame, problem *p);
bool point_cache_flush(point_cache *cache, problem *p);

/* NULL is allowed. */
bool point_cache_close(point_cache *cache, problem *p);
void point_cache_discard(point_cache *cache);

#endif
