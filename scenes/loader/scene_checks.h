/* Checks of a loaded scene: errors that its world would report in the first frame, and warnings. */
#ifndef MSD_SCENES_LOADER_SCENE_CHECKS_H
#define MSD_SCENES_LOADER_SCENE_CHECKS_H

#include "scenes/input/json_reader.h"
#include "scenes/loader/scene.h"

/* Whether the world can be stepped with the settings of the file. False with the error filled. */
bool scene_check_world(const json_place *root, const scene *s);

/* Adds warnings about components that fall beside attached ones, and about sizes in another unit. */
void scene_check_oddities(scene *s);

#endif
