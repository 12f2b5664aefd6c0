/* Which particles move freely together, so that their centre of mass can be kept. */
#ifndef MSD_ENGINE_SCALING_FREE_BODIES_H
#define MSD_ENGINE_SCALING_FREE_BODIES_H

#include "engine/scaling/mass_scaling.h"

/* False, and empty, where there is no memory. */
bool free_bodies_find(free_bodies *f, world_model *model);
void free_bodies_free(free_bodies *f, memory *m);

#endif
