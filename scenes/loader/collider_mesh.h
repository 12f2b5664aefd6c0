/* Mesh colliders: bodies of pinned particles, which are led where the collider moves. */
#ifndef MSD_SCENES_LOADER_COLLIDER_MESH_H
#define MSD_SCENES_LOADER_COLLIDER_MESH_H

#include "scenes/loader/mesh_input.h"

/* Adds the mesh in the file that a collider names as the last body, scaled, and placed by *place. A track with
   keys goes to the animation, and leads it. */
bool collider_mesh_add(const json_place *collider, const char *folder, scene *s, const mesh_options *options,
                       const double scale[3], msd_real friction, const scene_key *place, scene_track *track);

#endif
