/* Connected components of the network, and whether they are attached to a pin or soft pin. */
#ifndef MSD_ENGINE_STORE_COMPONENTS_H
#define MSD_ENGINE_STORE_COMPONENTS_H

#include "engine/store/model.h"

/* For msd_world_find_components; the arrays may be NULL. Returns false if memory runs out in `m`. */
bool components_find(const world_model *model, memory *m, int32_t *component_of, bool *is_attached,
                     msd_components *counts);

#endif
