/* Mesh colliders: bodies of pinned particles, which are led where the collider moves. */
#ifndef MSD_SCENES_LOADER_COLLIDER_MESH_H
#define MSD_SCENES_LOADER_COLLIDER_MESH_H

#include "scenes/input/json_reader.h"
#include "scenes/loader/scene.h"

/* What the member "file" must be. */
#define COLLIDER_MESH_FILE "the name of an OBJ or PLY file"

/* Adds the mesh in the file that a collider names as the last body, scaled, and placed by *place. A track with
   keys goes to the timetable, and leads it. */
bool collider_mesh_add(const json_place *collider, const char *folder, scene *s, const double scale[3],
                       msd_real friction, const scene_key *place, scene_track *track);

#endif
