/* Colliders, and how they are touched. */
#ifndef MSD_SCENES_LOADER_COLLIDER_READER_H
#define MSD_SCENES_LOADER_COLLIDER_READER_H

#include "scenes/input/json_reader.h"
#include "scenes/loader/scene.h"

/* Adds those of the member "colliders" to the world of a scene, with their motions, and takes the settings of
   the member "contact"; while it has no world they are only checked. */
bool colliders_read(const json_place *root, scene *s);

#endif
