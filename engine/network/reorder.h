/* The memory order of the particles of an irregular network.

   Substeps are fast for springs between neighbors in memory. Cloths, ropes and blocks are built in such an
   order and keep it. A mesh with arbitrary vertex order is cut across its longest side into strips as wide as
   its springs are long, consecutive in memory. Within a strip the particles follow a Morton curve through the
   other two axes (G. M. Morton, 1966: interleaved bits), so that points near each other in space are near in
   memory too. A spring then reaches only from a strip into the next ones, which temporal blocking needs
   (wave.h). Finally, windows of 256 particles are sorted by the number of springs, so that the 16 particles
   of a group need similar numbers of indexed rows. Users never see this order: their indices do not change.

   An existing order is kept if it satisfies two conditions. The springs reach at most a quarter of the n
   particles, and at most 512 + 1.5 n^(2/3), which is about three strips in a cube. And the groups would leave
   at most one in nine lanes empty if all springs were indexed. These are integer sums over particles or
   maxima, so that ranks with a subdomain each compute the same (world/subdomain.h). The result of
   order_in_strips satisfies them, except for small meshes: windows have equal numbers of springs except at
   their seams, and springs reach three strips. Meshes in arbitrary order do not: where 4 to 8 springs meet at
   random, the busiest of 16 particles has two more than the mean. */
#ifndef MSD_ENGINE_NETWORK_REORDER_H
#define MSD_ENGINE_NETWORK_REORDER_H

#include "engine/store/particle.h"
#include "engine/store/spring.h"

/* Fills slot[i], the slot of particle i, for all particles of the store; a permutation of 0..count-1. It
   depends on positions and springs alone. Returns false if memory runs out. */
bool order_in_strips(const particle_store *p, const spring_store *s, memory *m, int32_t *slot);

/* A measure of the quality of an order. */
typedef struct order_worth {
  /* The number of spring ends; and of lanes, if each group had as many rows as the largest number of springs
     at one of its particles. */
  int64_t ends, lanes;
  /* The largest index distance of two ends of a spring. */
  int32_t reach;
} order_worth;

/* Counts the springs at each particle, including broken ones. The quality of an order excludes hard length
   limits, which are stored elsewhere. */
void order_count_springs(const particle_store *p, const spring_store *s, bool with_hard_limits,
                         int32_t *springs);

/* Adds the ends and lanes of particles that begin with a group; springs[i] are at particle i. */
void order_add_groups(order_worth *worth, const int32_t *springs, int32_t count);

/* The same for the reach of some springs, without hard length limits. */
void order_add_reach(order_worth *worth, const spring_store *s, msd_range springs);

/* Returns whether an order of `count` particles is kept. */
bool order_serves(const order_worth *worth, int32_t count);

#endif
