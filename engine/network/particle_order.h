/* The order in which the particles of an irregular network stand in memory.

   Springs between neighbours in memory are what the step reads fast. Cloths, ropes and blocks come from their
   builders in such an order and keep it. A mesh whose vertices come in any order is cut across its longest
   side into strips as wide as its springs are long, one after the other in memory; in a strip the particles
   follow a Morton curve through the other two axes (G. M. Morton, 1966: the bits of both interleaved), on
   which points that are near each other in space are near in memory too. A spring then reaches no further
   than from a strip into the next ones, which is what several substeps in one pass through memory need
   (wave.h). Last, windows of 256 particles are sorted by the number of springs, so that the 16 particles of a
   group need about as many indexed rows. Users never see any of it: their indices stay what they were. */
#ifndef MSD_ENGINE_NETWORK_PARTICLE_ORDER_H
#define MSD_ENGINE_NETWORK_PARTICLE_ORDER_H

#include "engine/store/particle.h"
#include "engine/store/spring.h"

/* Fills slot[i], the place of particle i, for all particles of the store; a permutation of 0..count-1. It
   follows from positions and springs alone. False when there is no memory. */
bool order_in_strips(const particle_store *p, const spring_store *s, memory *m, int32_t *slot);

#endif
