/* Springs between bodies. */
#ifndef MSD_SCENES_LOADER_JOINT_READER_H
#define MSD_SCENES_LOADER_JOINT_READER_H

#include "scenes/loader/body_names.h"

/* Adds those of the member "joints" of a scene whose bodies stand, and fills its range; while it has no
   world they are only checked. */
bool joints_read(const json_place *root, scene *s, const body_names *names);

#endif
