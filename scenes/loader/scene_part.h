/* Scenes of which each process has a part. */
#ifndef MSD_SCENES_LOADER_SCENE_PART_H
#define MSD_SCENES_LOADER_SCENE_PART_H

#include "scenes/input/json_reader.h"
#include "scenes/loader/scene.h"

/* Whether a file says no more than what a scene in parts can have; the bodies' kinds are known. */
bool scene_part_check(const json_place *root, const scene *s);

#endif
