/* What the writers of formats get, and their names. For app/export only. */
#ifndef MSD_APP_EXPORT_FORMATS_H
#define MSD_APP_EXPORT_FORMATS_H

#include "app/base/message.h"
#include "app/export/attributes.h"
#include "app/export/row_source.h"

#include <stdio.h>

/* One frame of a scene. */
typedef struct export_frame {
  /* Its counts, groups and names; what it is made of comes from the source, as do its points. */
  const export_shape *shape;
  const export_source *source;
  /* How many. */
  int32_t points;
  /* With the normals of this frame. */
  const export_attributes *attributes;
  /* s. */
  double time;
  /* PLY: lines as edges, and texture coordinates of corners at seams, which not all of its readers take. */
  bool edges, seams;
  /* That may write rows of it at once, 1 at least. */
  int threads;
} export_frame;

/* Write one frame as a whole file. Errors stay with the stream. */
void export_obj(FILE *stream, const export_frame *frame);
void export_ply(FILE *stream, const export_frame *frame);
void export_vtk(FILE *stream, const export_frame *frame);
void export_vtu(FILE *stream, const export_frame *frame);

/* What LAMMPS simulates on from the state of a scene. */
void export_lammps_data(FILE *stream, const scene *s);

/* What LAMMPS is to do: `frames` frames of `steps` steps of `step` s each. */
typedef struct export_script {
  const scene *scene;
  int64_t frames, steps;
  double step;
} export_script;
void export_lammps_script(FILE *stream, const export_script *script);

/* False with *p filled when a scene has what LAMMPS has not. */
bool export_lammps_check(const scene *s, problem *p);

/* A file of an animation. */
typedef struct export_listing {
  char *file;
  /* s. */
  double time;
} export_listing;

/* The files of a run, and the name of the scene. */
typedef struct export_series {
  const export_listing *list;
  int64_t count;
  const char *name;
} export_series;

/* Write which file shows which time, as ParaView opens an animation. */
void export_vtk_series(FILE *stream, const export_series *series);
void export_pvd(FILE *stream, const export_series *series);

/* A script that opens the other list in ParaView. */
void export_paraview(FILE *stream, const export_series *series);

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

/* A cache that is complete, being read. */
typedef struct point_samples {
  FILE *stream;
  int32_t points;
  /* Index of the first frame, and how many there are. */
  int64_t first, count;
} point_samples;

/* Close it, unless false. */
bool point_samples_open(point_samples *samples, const char *path, problem *p);
void point_samples_close(point_samples *samples);

/* A run of the points of one sample, 0 the first. Errors stay with the stream. */
void point_samples_load(point_samples *samples, int64_t sample, msd_range points, float (*out)[3]);

/* What one file has of a whole run. The shape is as loaded. */
typedef struct export_animation {
  const export_shape *shape;
  const export_attributes *attributes;
  point_samples *samples;
  /* s between frames. */
  double frame_time;
  /* That may write rows of it at once, 1 at least. */
  int threads;
} export_animation;

/* False with *p filled when memory is short, or when the format has no place for so much. */
bool export_usda(FILE *stream, const export_animation *animation, problem *p);
bool export_glb(FILE *stream, const export_animation *animation, problem *p);

/* Whether a GLB has a place for so many samples of so many points. */
bool export_glb_has_room(int64_t samples, int32_t points, problem *p);

#endif
