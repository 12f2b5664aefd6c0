/* The palette of a network's indexed springs: see network.h. */
#ifndef MSD_ENGINE_NETWORK_NETWORK_PALETTE_H
#define MSD_ENGINE_NETWORK_NETWORK_PALETTE_H

#include "engine/network/network.h"

/* Gives all lanes the same pair, the first of the table. Here and below false, and nothing changed that
   shows, when there is no memory. */
bool network_palette_begin(network_palette *p, memory *m, int32_t lanes, msd_real stiffness,
                           msd_real damping);

/* Gives the lanes of a place that pair. False also when it would be one more than NETWORK_PALETTE_MAX. */
bool network_palette_set(network_palette *p, memory *m, network_place place, msd_real stiffness,
                         msd_real damping);

void network_palette_free(network_palette *p, memory *m);

#endif
