/* What a scene file says beside its bodies and joints. */
#ifndef MSD_SCENES_LOADER_SCENE_SETTINGS_H
#define MSD_SCENES_LOADER_SCENE_SETTINGS_H

#include "scenes/input/json_reader.h"
#include "scenes/loader/scene.h"

/* Reads the origin, which all points that are read after it are relative to. */
bool scene_origin_read(const json_place *root, scene *s);

/* Checks the keys and the version of the file, and fills texts and times of *s and the settings in *def. */
bool scene_settings_read(const json_place *root, scene *s, msd_world_def *def);

#endif
