/* The air of a scene. */
#ifndef MSD_SCENES_LOADER_WIND_READER_H
#define MSD_SCENES_LOADER_WIND_READER_H

#include "scenes/input/json_reader.h"
#include "scenes/loader/scene.h"

/* Takes the member "wind" to the world of a scene; while it has no world the member is only checked. */
bool wind_read(const json_place *root, scene *s);

#endif
