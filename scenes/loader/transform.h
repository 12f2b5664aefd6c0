/* What scene files say of where a body that comes from a file is put. */
#ifndef MSD_SCENES_LOADER_TRANSFORM_H
#define MSD_SCENES_LOADER_TRANSFORM_H

#include "scenes/input/json_reader.h"
#include "scenes/meshes/transform.h"

/* The keys, for lists of the keys that a body may have. */
#define TRANSFORM_KEYS "position", "rotation", "scale"

/* Reads the member "rotation" of an object, degrees about x, then y, then z; an absent one leaves them as they
   are. */
bool read_degrees(const json_place *object, double degrees[3]);

/* Reads the member "scale", a number or one for each axis; without it they are 1. */
bool read_scale(const json_place *object, double scale[3]);

/* Reads "position" in m, "rotation" in degrees about x, then y, then z, and "scale", a number or one for
   each axis. */
bool transform_read(const json_place *body, transform *out);

/* The error of a body with a point that was moved too far out; false. */
bool transform_fail(const json_place *body, const transform *t);

/* Moves points there; false with the error filled when one is moved too far out. */
bool transform_points(const json_place *body, transform *t, msd_vec3 *points, int32_t count);

#endif
