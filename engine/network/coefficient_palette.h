/* The palette of the indexed springs of a network: see network.h. */
#ifndef MSD_ENGINE_NETWORK_COEFFICIENT_PALETTE_H
#define MSD_ENGINE_NETWORK_COEFFICIENT_PALETTE_H

#include "engine/network/network.h"

/* Sets all lanes to the same pair, the first of the table. This function and the next return false, without a
   visible change, if memory runs out. */
bool network_palette_begin(coefficient_palette *p, memory *m, int32_t lanes, msd_real stiffness,
                           msd_real damping);

/* Sets the lanes of a place to a pair. Also returns false if there would be more than NETWORK_PALETTE_MAX
   pairs. */
bool network_palette_set(coefficient_palette *p, memory *m, network_place place, msd_real stiffness,
                         msd_real damping);

void network_palette_free(coefficient_palette *p, memory *m);

#endif
