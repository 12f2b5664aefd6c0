/* What happens in a scene by itself: pins that are led, cuts, and pins that are let go. */
#ifndef MSD_SCENES_LOADER_MOTION_READER_H
#define MSD_SCENES_LOADER_MOTION_READER_H

#include "scenes/loader/body_names.h"

/* Reads the member "motions" into the timetable of a scene whose bodies and joints stand; while it has no world
   they are only checked. */
bool motions_read(const json_place *root, scene *s, const body_names *names);

#endif
