/* The order in which the particles of an irregular network stand in memory.

   Springs between neighbours in memory are what the step reads fast. Cloths, ropes and blocks come from their
   builders in such an order and keep it. A mesh whose vertices come in any order is cut across its longest
   side into strips as wide as its springs are long, one after the other in memory; in a strip the particles
   follow a Morton curve through the other two axes (G. M. Morton, 1966: the bits of both interleaved), on
   which points that are near each other in space are near in memory too. A spring then reaches no further
   than from a strip into the next ones, which is what several substeps in one pass through memory need
   (wave.h). Last, windows of 256 particles are sorted by the number of springs, so that the 16 particles of a
   group need about as many indexed rows. Users never see any of it: their indices stay what they were.

   Where their order has both already it stays, whoever has made it: springs that reach a quarter of the n
   particles at most, and 512 + 1.5 n^(2/3), about what three strips have in a cube; and groups that would leave
   one in nine lanes empty at most, if all springs were indexed. These are whole numbers, of a particle each or
   the largest of them, so that ranks which have a part each find the same (world/part.h). What order_in_strips
   makes has them, but of small meshes: particles are as many as springs in windows but for their seams, and
   springs reach three strips. Meshes in the order of their making have not: where 4 to 8 springs meet at
   random the busiest of 16 particles has two more than they have in the mean. */
#ifndef MSD_ENGINE_NETWORK_PARTICLE_ORDER_H
#define MSD_ENGINE_NETWORK_PARTICLE_ORDER_H

#include "engine/store/particle.h"
#include "engine/store/spring.h"

/* Fills slot[i], the place of particle i, for all particles of the store; a permutation of 0..count-1. It
   follows from positions and springs alone. False when there is no memory. */
bool order_in_strips(const particle_store *p, const spring_store *s, memory *m, int32_t *slot);

/* What the order of the indices is worth. */
typedef struct order_worth {
  /* Ends of springs; and lanes, if each group had as many rows as one of its particles has springs at most. */
  int64_t ends, lanes;
  /* The most that the two ends of a spring are apart. */
  int32_t reach;
} order_worth;

/* Counts the springs at each particle, broken ones too; what an order is worth follows from all but catches,
   which lie elsewhere (kernel/catches.h). */
void order_count_springs(const particle_store *p, const spring_store *s, bool with_catches, int32_t *springs);

/* Adds the ends and lanes of particles that begin with a group, of which springs[i] are at particle i. */
void order_add_groups(order_worth *worth, const int32_t *springs, int32_t count);

/* The same for the reach of some springs but catches. */
void order_add_reach(order_worth *worth, const spring_store *s, msd_range springs);

/* Whether an order of so many particles is to stay. */
bool order_serves(const order_worth *worth, int32_t count);

#endif
