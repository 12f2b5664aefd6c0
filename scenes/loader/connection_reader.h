/* Springs between bodies. */
#ifndef MSD_SCENES_LOADER_CONNECTION_READER_H
#define MSD_SCENES_LOADER_CONNECTION_READER_H

#include "scenes/loader/body_names.h"

/* Adds those of the member "connections" of a scene whose bodies stand, and fills its range; while it has no
   world they are only checked. */
bool connections_read(const json_place *root, scene *s, const body_names *names);

#endif
