/* What happens in a scene by itself: kinematic pins, cuts, and released pins. */
#ifndef MSD_SCENES_LOADER_ANIMATION_READER_H
#define MSD_SCENES_LOADER_ANIMATION_READER_H

#include "scenes/loader/body_names.h"

/* Reads the member "animation" into the animation of a scene whose bodies and connections exist. Without a
   world the member is only checked. */
bool animation_read(const json_place *root, scene *s, const body_names *names);

#endif
