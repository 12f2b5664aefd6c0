/* Colliders. */
#ifndef MSD_SCENES_LOADER_COLLIDER_READER_H
#define MSD_SCENES_LOADER_COLLIDER_READER_H

#include "scenes/input/json_reader.h"
#include "scenes/loader/scene.h"

/* Adds those of the member "colliders" to the world of a scene, with their motions; meshes become bodies,
   behind the others. While it has no world they are only checked. Files are looked for in `folder`. */
bool colliders_read(const json_place *root, const char *folder, scene *s);

#endif
