/* Free components of the network, whose centers of mass are conserved. */
#ifndef MSD_ENGINE_SCALING_FREE_COMPONENTS_H
#define MSD_ENGINE_SCALING_FREE_COMPONENTS_H

#include "engine/scaling/mass_scaling.h"

/* Returns false, and leaves it empty, if memory runs out. */
bool free_components_find(free_components *f, world_model *model);
void free_components_free(free_components *f, memory *m);

#endif
