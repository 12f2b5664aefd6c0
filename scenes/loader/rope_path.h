/* Ropes that are laid along a path. */
#ifndef MSD_SCENES_LOADER_ROPE_PATH_H
#define MSD_SCENES_LOADER_ROPE_PATH_H

#include "scenes/input/json_reader.h"

/* Points that a rope goes through, in straight lines from one to the next. */
typedef struct rope_path {
  msd_vec3 *points;
  int count;

  /* m, of all lines. */
  double length;
} rope_path;

/* Reads the member "path" of a body; nothing without one. The points are to be freed. */
bool rope_path_read(const json_place *body, rope_path *path);

/* Lays particles along it, evenly spaced, the first and the last at its ends. */
msd_result rope_path_place(const rope_path *path, msd_world *world, msd_range particles);

#endif
