/* Reads one body of a scene file into a world. */
#ifndef MSD_SCENES_LOADER_BODY_READER_H
#define MSD_SCENES_LOADER_BODY_READER_H

#include "scenes/input/json_reader.h"
#include "scenes/loader/scene.h"

/* The kind of a body, one of those that scene_body names; NULL with the error filled. */
const char *body_read_kind(const json_place *place);

/* Adds the body to the world and fills *body, whose kind and name are set; with NULL as the world its keys
   and values are only checked. Mesh files are looked for in `folder`; frames last `frame_time` s. On failure
   what *body holds is still to be freed. */
bool body_read(const json_place *place, const char *folder, double frame_time, msd_world *world,
               scene_body *body);

/* Adds the particles and springs of a body alone, to a part that keeps none of them and counts them
   (msd_world_set_subdomain). */
bool body_read_size(const json_place *place, const char *folder, double frame_time, msd_world *world,
                    const char *kind);

#endif
