/* Mesh colliders: bodies of pinned particles, which are led where the collider moves. */
#ifndef MSD_SCENES_LOADER_COLLIDER_MESH_H
#define MSD_SCENES_LOADER_COLLIDER_MESH_H

#include "scenes/loader/mesh_input.h"

/* Adds the mesh in the file that a collider names as the last body, scaled as it is for welding, and placed by
   *place. A track with
   keys goes to the timetable, and leads it. */
bool collider_mesh_add(const json_place *collider, const char *folder, scene *s, const mesh_options *options,
                       msd_real friction, const scene_key *place, scene_track *track);

#endif
