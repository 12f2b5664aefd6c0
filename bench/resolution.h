/* Scenes at other resolutions than that of their file: of the same size, mass and material, with more or fewer
   particles. */
#ifndef MSD_BENCH_RESOLUTION_H
#define MSD_BENCH_RESOLUTION_H

#include "scenes/loader/scene.h"

/* Loads a scene as scene_load does, but with `side` >= 2 particles along the longest side of its largest cloth,
   and

   - of other cloths in proportion,
   - of ropes as many as the file has for a side up to 25, so that none cuts across a bend, and for more in
     proportion; springs along a rope stand one behind the other, and become stiffer with their number,
   - of meshes from files each triangle in four, as often as takes their vertices nearest to side^2; meshes of
     colliders stay as they are.

   Springs of cloths and meshes stand side by side as well, and keep their stiffness and their damping. The
   thickness stays, as surfaces may be finer than they are thick. Pins and other particles that are named by
   number are those whose nearest of the file is named; where there is none of those, the nearest of each. What
   the step certifies follows by itself where the file leaves it the substeps.

   NULL with *error filled where the scene cannot be loaded, or has what is not known how to do. */
scene *resolution_load(const char *name_or_path, int32_t side, scene_error *error);

#endif
