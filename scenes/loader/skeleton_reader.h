/* Colliders of kind "skeleton": a capsule for each bone of a BVH file, which move as its frames do. */
#ifndef MSD_SCENES_LOADER_SKELETON_READER_H
#define MSD_SCENES_LOADER_SKELETON_READER_H

#include "scenes/input/json_reader.h"
#include "scenes/loader/scene.h"

/* Checks what a scene says of a figure, but for its file and the names of its joints. */
bool skeleton_check(const json_place *place);

/* Reads the file and adds the figure to the animation, without a name, and its bones to the colliders behind
   those that there are. */
bool skeleton_add(const json_place *place, const char *folder, scene *s, msd_real friction);

/* Names the bones of a figure after it and the joints at which they begin. */
bool skeleton_name_bones(const json_place *list, scene *s, const scene_skeleton *of);

/* Reads `[figure, joint]`; while the scene has no world it is only checked. */
bool skeleton_read_joint(const json_place *place, const scene *s, const skeleton **found, int32_t *joint);

#endif
