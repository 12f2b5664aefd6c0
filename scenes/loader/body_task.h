/* What the readers of the kinds of bodies share. */
#ifndef MSD_SCENES_LOADER_BODY_TASK_H
#define MSD_SCENES_LOADER_BODY_TASK_H

#include "scenes/input/json_reader.h"
#include "scenes/loader/scene.h"

/* A body that is being read: where it stands in the file, and where it goes. */
typedef struct body_task {
  const json_place *place;
  const char *folder; /* of files that the body names */
  msd_world *world;
  scene_body *body;
} body_task;

/* What every body with particles may have, for lists of the keys of a body. */
#define BODY_KEYS "kind", "name", "pinned", "tethers", "anchors"

/* The reader of each kind adds the body to the world and fills task->body. */
bool body_read_particles(const body_task *t);
bool body_read_rope(const body_task *t);
bool body_read_cloth(const body_task *t);
bool body_read_mesh(const body_task *t);
bool body_read_balloon(const body_task *t);
bool body_read_block(const body_task *t);
bool body_read_tetmesh(const body_task *t);
bool body_read_rotors(const body_task *t);

extern const quantity body_mass;  /* above 0, in kg */
extern const quantity body_count; /* a whole number of 1 or more */

/* Whether the world took it; false with its message as the error. */
bool body_check_added(const body_task *t, msd_result result);

/* Names a range of springs; nothing when it is empty. */
void body_add_group(scene_body *body, const char *name, msd_range springs);

/* Keeps what a builder made; `structural` and `volume` are what its structural springs and its constraints on
   volumes are called. */
void body_keep_ranges(scene_body *body, const msd_body *made, const char *structural, const char *volume);

/* Names a range of constraints; nothing when it is empty. */
void body_add_constraint_group(scene_body *body, const char *name, msd_range constraints);

/* How many there would be of each. */
typedef struct body_size {
  double particles, springs, constraints;
} body_size;

/* Refuses a body that cannot fit before anything is allocated for it. `place` is the number to lower. */
bool body_check_size(const json_place *place, const char *kind, body_size size);

/* A count that may still be too large for an int32_t: body_check_size comes before the conversion. */
bool body_read_count(const json_place *object, const char *key, double *out);

/* 1 where the pattern makes springs, 0 where it makes none. */
int body_wants(const msd_spring_def *pattern);

/* "position" and "scale" of a body whose vertices come from a file: moves them there. */
bool body_place_vertices(const json_place *body, msd_vec3 *vertices, int32_t count);

/* The path, to be freed, of the file that the member "file" names; NULL with the error filled. `text` says what it
   must be: "the name of an OBJ or PLY file". */
char *body_file_path(const body_task *t, const char *text);

#endif
