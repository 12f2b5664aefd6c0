/* What of a scene falls asleep. */
#ifndef MSD_SCENES_LOADER_SLEEP_READER_H
#define MSD_SCENES_LOADER_SLEEP_READER_H

#include "scenes/input/json_reader.h"
#include "scenes/loader/scene.h"

/* Takes the member "sleep" to the world of a scene; while it has no world the member is only checked. */
bool sleep_read(const json_place *root, scene *s);

#endif
