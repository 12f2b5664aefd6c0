/* Scenes at other resolutions than their files have: the same size, mass and material with more or fewer
   particles. */
#ifndef MSD_BENCH_RESOLUTION_H
#define MSD_BENCH_RESOLUTION_H

#include "scenes/loader/scene.h"

/* Loads a scene as scene_load does, but with `side` >= 2 particles along the longest side of its largest cloth.

   - Other cloths change in proportion.
   - Ropes keep the number of particles of the file for a side up to 25, so that no segment cuts across a bend.
     Above that they change in proportion. Springs along a rope are in series and become stiffer with their
     number.
   - Each triangle of a mesh file is split into four until the number of vertices is nearest to side^2. Meshes
     of colliders stay as they are.

   Springs of cloths and meshes are also in parallel, so they keep their stiffness and damping. The thickness
   stays, because the spacing may be smaller than the thickness. A particle is pinned, or selected by number, if
   the nearest particle of the file is; if no particle is, the nearest one of each selected particle is taken.
   The number of substeps follows automatically if the file does not set it.

   NULL with *error filled if the scene cannot be loaded, or cuts springs by particle number. */
scene *resolution_load(const char *name_or_path, int32_t side, scene_error *error);

#endif
