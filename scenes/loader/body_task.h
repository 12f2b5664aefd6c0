/* What the readers of the kinds of bodies share. */
#ifndef MSD_SCENES_LOADER_BODY_TASK_H
#define MSD_SCENES_LOADER_BODY_TASK_H

#include "scenes/input/json_reader.h"
#include "scenes/loader/scene.h"
#include "scenes/meshes/mesh_data.h"

/* A body that is being read: where it stands in the file, and where it goes. */
typedef struct body_task {
  const json_place *place;

  /* Of files that the body names. */
  const char *folder;

  /* s: of a frame. */
  double frame_time;

  /* NULL: keys and values are checked, and nothing is built. All bodies are checked before the first is built,
     so that nobody waits for a large mesh to learn of a slip of the keyboard. */
  msd_world *world;

  scene_body *body;
} body_task;

/* What every body with particles may have, for lists of the keys of a body. */
#define BODY_KEYS "type", "name", "velocity", "collision", "pinned", "tethers", "soft_pins"

/* The reader of each kind adds the body to the world, when there is one, and fills task->body. */
bool body_read_particles(const body_task *t);
bool body_read_rope(const body_task *t);
bool body_read_cloth(const body_task *t);
bool body_read_mesh(const body_task *t);
bool body_read_balloon(const body_task *t);
bool body_read_block(const body_task *t);
bool body_read_tetmesh(const body_task *t);
bool body_read_rotors(const body_task *t);

/* Whether "velocity" is a list of one for each particle, as a body of kind "particles" may have, and not one
   for all. */
bool body_has_velocities(const json_place *body);

/* Above 0, in kg. */
extern const quantity body_mass;

/* A whole number of 1 or more; it may still be too large for an int32_t until body_check_size has seen it. */
extern const quantity body_count;

/* Whether the world took it; false with its message as the error. */
bool body_check_added(const body_task *t, msd_result result);

typedef msd_result (*items_adder)(msd_world *world, const void *items, int count, int32_t *first);

/* Reads a member that is a list of `text`, and adds its items to the world, when there is one; *made is
   their range, which stays as it is when there are none. The reader of an item gets the task as its context. */
bool body_add_list(const body_task *t, const char *key, const char *text, size_t item_size,
                   item_reader read_item, items_adder add, msd_range *made);

/* Names a range of springs; nothing when it is empty. */
void body_add_group(scene_body *body, const char *name, msd_range springs);

/* Names a range of constraints; nothing when it is empty. */
void body_add_constraint_group(scene_body *body, const char *name, msd_range constraints);

/* Keeps what a builder made; `stretch` and `volume` are what its stretch springs and its constraints on
   volumes are called. */
void body_keep_ranges(scene_body *body, const msd_body *made, const char *stretch, const char *volume);

/* How many there would be of each. */
typedef struct body_size {
  double particles, springs, constraints;
} body_size;

/* Refuses a body that cannot fit before anything is allocated for it. `place` is the number to lower. */
bool body_check_size(const json_place *place, const char *kind, body_size size);

/* 1 where the pattern makes springs, 0 where it makes none. */
int body_wants(const msd_spring_def *pattern);

/* Keeps which particle each vertex of a file has become: indices in the scene file are those of the vertices in
   the mesh file. */
bool body_keep_vertex_numbers(const body_task *t, const mesh_data *mesh);

typedef bool (*file_reader)(const char *path, void *data, scene_warnings *warnings, scene_error *error);

/* Reads the file that the member "file" names into *data; `text` says what the member must be: "the
   name of a .node or .ele file of TetGen". */
bool body_read_file(const body_task *t, const char *text, file_reader read, void *data);

#endif
