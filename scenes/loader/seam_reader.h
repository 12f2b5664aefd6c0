/* Seams: borders that are sewn together by springs whose rest lengths become shorter. */
#ifndef MSD_SCENES_LOADER_SEAM_READER_H
#define MSD_SCENES_LOADER_SEAM_READER_H

#include "scenes/loader/body_names.h"

/* Adds the lines of meshes that are sewn and the member "seams" of a scene whose bodies stand to its joints,
   which have just been read, and to its animation; while it has no world they are only checked. */
bool seams_read(const json_place *root, scene *s, const body_names *names);

#endif
